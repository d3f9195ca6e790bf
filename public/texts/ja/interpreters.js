/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: '言語',
  floor: '原音',
  hint: '通訳の声が聞こえる間、話し手の声は小さくなります。',
  into: '通訳する言語',
  nobody: 'なし（全員に聞こえます）',
  set: '言語を設定',
  intoHint: '通訳の声は、その言語を選んだリスナーにだけ聞こえます。',
};
