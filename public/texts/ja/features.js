/** @type {typeof import('../features.js').captionTexts} */
export const captionTexts = {
  title: '字幕',
  waiting:
    '話している人のブラウザーか、ルーム内のプログラムが文字に起こせれば、ここに発言が表示されます。',
  byProgram: (by) => `（${by} による字幕）`,
  translate: '翻訳先',
  asSpoken: '元の言語',
  notTranslated: 'このブラウザーでは翻訳できないため、元の言語のまま表示します。',
  own: '誰かが字幕をオンにしました。このブラウザーがこのデバイス上であなたの発言を文字に起こし、ほかの人が読めるようにします。',
  stop: '文字起こしをやめる',
  install:
    '誰かが字幕をオンにしました。あなたの言語を読み込めば、このブラウザーがこのデバイス上で発言を文字に起こせます。',
  load: '読み込む',
  failed: 'このブラウザーは発言の文字起こしをやめました。声はこれまでどおり届いています。',
};

/** @type {typeof import('../features.js').groupTexts} */
export const groupTexts = {
  groups: 'グループ',
  offHint:
    'グループにいる人は、同じグループの声だけが聞こえます。あなたが振り分けるか各自が選び、最後にあなたが全員を呼び戻します。',
  number: 'グループの数',
  evenly: '均等に分ける',
  evenlyHint: 'モデレーターはルームに残ります。',
  choose: '各自に選んでもらう',
  chooseHint: 'それぞれが自分のグループを選び、後から移れます。',
  open: 'グループを開く',
  callBackIn: '全員が戻るのは',
  callBackTimes: [
    [0, 'すぐに'],
    [30, '30 秒後'],
    [60, '1 分後'],
    [300, '5 分後'],
  ],
  callBack: '全員を呼び戻す',
  speak: '全グループに話す',
  stopSpeaking: '全グループに話すのをやめる',
  speakHint:
    'ルームとすべてのグループにあなたの声が届きます。ルームから書いたメッセージも全員に届きます。',
  theRoom: 'ルーム',
  group: (group) => `グループ ${group}`,
  groupWith: (group, people) => `グループ ${group}（${people}）`,
  groupOf: (name) => `${name} さんのグループ`,
  yourGroup: 'あなたのグループ',
  inRoom: 'グループが開いています。あなたはルームにいます。',
  inGroup: (group) => `グループ ${group} にいます。同じグループの人とだけ話せます。`,
  goBack: 'ルームに戻る',
  backIn: (time) => `${time} 後に全員がルームに戻ります。`,
  speaks: (name) => `${name} さんが全グループに話しています。`,
  youSpeak: '全グループに話しています。',
  over: 'グループは終わりました。全員がルームに戻りました。',
};

/** @type {typeof import('../features.js').inputTexts} */
export const inputTexts = {
  title: '2 つの入力',
  off: 'マイクは 1 つの入力です。',
  name: '右の入力の名前',
  second: '2 つ目の入力',
  start: '2 つの入力を使う',
  stop: '1 つの入力に戻す',
  on: (name) => `左の入力があなたの声です。右の入力は「${name}」として全員に聞こえます。`,
  oneChannel:
    'このマイクは 1 チャンネルなので、入力は 1 つのままです。設定で入力が 2 つあるデバイスを選んでから、もう一度お試しください。',
  replaced: '別の音を共有しているため、マイクは 1 つの入力に戻りました。',
  noMicrophone: '先に設定でマイクを選んでください。',
  hint:
    '左に声、右に楽器をつないだオーディオインターフェース向けです。どちらも加工されず、' +
    '互いにずれずに届きます。音量と位置は、聞く人がそれぞれ調整できます。ヘッドホンを使ってください。' +
    '使わないと、ほかの人の音をマイクが拾います。',
};

/** @type {typeof import('../features.js').interpreterTexts} */
export const interpreterTexts = {
  label: '言語',
  floor: '原音',
  hint: '通訳の声が聞こえる間、話し手の声は小さくなります。',
  into: '通訳する言語',
  nobody: 'なし（全員に聞こえます）',
  set: '言語を設定',
  intoHint: '通訳の声は、その言語を選んだリスナーにだけ聞こえます。',
};
