/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Idioma',
  floor: 'Áudio original',
  hint: 'O intérprete é ouvido por cima de quem fala, que fica mais baixo enquanto isso.',
  into: 'Interpreta para',
  nobody: 'Nenhum idioma: todos ouvem a pessoa',
  set: 'Definir o idioma',
  intoHint: 'Só ouve o intérprete quem escolhe esse idioma.',
};
