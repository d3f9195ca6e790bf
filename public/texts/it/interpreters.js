/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Lingua',
  floor: 'Come si parla',
  hint: 'L’interprete si sente sopra chi parla, che intanto è più basso.',
  into: 'Interpreta in',
  nobody: 'Nessuna lingua: la sentono tutti',
  set: 'Imposta la lingua',
  intoHint: 'Sente l’interprete solo chi sceglie quella lingua.',
};
