/** @type {typeof import('../captions.js').captionTexts} */
export const captionTexts = {
  title: '字幕',
  waiting:
    '話している人のブラウザーか、ルーム内のプログラムが文字にできれば、ここに発言が表示されます。',
  byProgram: (by) => `（${by} が記入）`,
  translate: '翻訳先',
  asSpoken: '話されたまま',
  notTranslated: 'このブラウザーでは翻訳できないため、話されたまま表示します。',
  own: '誰かが字幕をオンにしました。このブラウザーがこの端末上であなたの発言を文字にし、他の人が読めるようにします。',
  stop: '文字にしない',
  install:
    '誰かが字幕をオンにしました。あなたの言語を読み込めば、このブラウザーがこの端末上で発言を文字にできます。',
  load: '読み込む',
  failed: 'このブラウザーは発言を文字にしなくなりました。声はこれまでどおり届いています。',
};
