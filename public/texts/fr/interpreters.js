/** @type {typeof import('../interpreters.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Langue',
  floor: 'Version originale',
  hint: 'L’interprète s’entend par-dessus les orateurs, plus bas pendant ce temps.',
  into: 'Interprète vers',
  nobody: 'Aucune langue : tout le monde l’entend',
  set: 'Choisir la langue',
  intoHint: 'Seuls les auditeurs qui choisissent cette langue entendent l’interprète.',
};
