/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Idioma',
  floor: 'Audio original',
  hint: 'Se oye al intérprete por encima de quienes hablan, que suenan más bajo mientras tanto.',
  into: 'Interpreta al',
  nobody: 'Ningún idioma: todos oyen a esta persona',
  set: 'Elegir el idioma',
  intoHint: 'Solo oyen al intérprete quienes eligen ese idioma.',
};
