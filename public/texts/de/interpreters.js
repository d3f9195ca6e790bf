/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Sprache',
  floor: 'Im Original',
  hint: 'Die Dolmetschenden sind über den Sprechenden zu hören, die so lange leiser sind.',
  into: 'Dolmetscht in',
  nobody: 'Keine Sprache: alle hören die Person',
  set: 'Sprache setzen',
  intoHint: 'Wer dolmetscht, ist nur für die zu hören, die diese Sprache wählen.',
};
