/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Lingua',
  floor: 'Audio originale',
  hint: 'L’interprete si sente sopra la voce originale, che intanto si abbassa.',
  into: 'Interpreta in',
  nobody: 'Nessuna lingua: tutti sentono questa persona',
  set: 'Imposta la lingua',
  intoHint: 'Sente l’interprete solo chi sceglie quella lingua.',
};
