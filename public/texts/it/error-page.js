/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Apri una stanza o entra',
  reasons: {
    'not-found': 'A questo indirizzo non c’è nulla.',
    'empty-room': 'In questa stanza non c’è nessuno. Riprova quando ci sarà qualcuno.',
    banned: 'La moderazione ti ha escluso da questa stanza per un po’.',
    internal: 'Si è verificato un errore del server, annotato nel suo registro.',
  },
};
