/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Langue',
  floor: 'Version originale',
  hint: 'On entend l’interprète par-dessus les orateurs, dont le volume baisse pendant ce temps.',
  into: 'Interprète vers',
  nobody: 'Aucune langue : tout le monde l’entend',
  set: 'Choisir la langue',
  intoHint: 'Seuls les auditeurs qui choisissent cette langue entendent l’interprète.',
};
