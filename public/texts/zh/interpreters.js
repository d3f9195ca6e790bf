/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: '语言',
  floor: '原声',
  hint: '口译员讲话时，发言人的声音会变小。',
  into: '口译成',
  nobody: '无：所有人都听得到',
  set: '设置语言',
  intoHint: '只有选择该语言的听众才听得到口译员。',
};
