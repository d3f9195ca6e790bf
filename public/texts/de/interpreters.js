/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Sprache',
  floor: 'Originalton',
  hint: 'Während jemand dolmetscht, ist der Originalton leiser.',
  into: 'Dolmetscht in',
  nobody: 'Keine Sprache: alle hören die Person',
  set: 'Sprache festlegen',
  intoHint: 'Wer dolmetscht, ist nur für die zu hören, die diese Sprache wählen.',
};
