/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Apri una stanza o entra',
  reasons: {
    'not-found': 'A questo indirizzo non c’è nulla.',
    'empty-room': 'In questa stanza non c’è nessuno. Si sentirà appena ci sarà qualcuno.',
    banned: 'La moderazione ti ha escluso da questa stanza per un po’.',
    internal: 'Il server ha commesso un errore. Riprova tra un momento.',
  },
};
