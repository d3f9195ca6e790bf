import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('it');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · Registrazione · aloud`,
  chapters: 'Chi ha parlato',
  noChapters: 'Nessuno di quelli che hanno accettato di essere registrati ha parlato a lungo.',
  files: 'Scarica',
  play: 'Riproduci',
  pause: 'Pausa',
  position: 'Posizione',
  positionOf: (at, all) => `${timeText(at)} di ${timeText(all)}`,
  back: 'indietro',
  ahead: 'avanti',
  speed: 'Velocità',
  live: 'In diretta',
  toLive: 'Vai alla diretta',
  running: 'Registrazione in corso',
  copyMoment: 'Link a questo momento',
  copied: (at) => `Il link a ${timeText(at)} è stato copiato.`,
  notCopied: 'Non è stato possibile copiare il link. È nella barra degli indirizzi.',
  waiting: 'Caricamento…',
  failed:
    'Non è stato possibile caricare l’audio. Controlla la connessione, poi premi «Riproduci».',
  cannotPlay: 'Questo browser non può riprodurre la registrazione. Scaricala.',
  transcript: 'Che cosa è stato detto',
  search: 'Cerca in ciò che è stato detto',
  found: (count) => plural(count, { one: '1 passaggio', other: `${count} passaggi` }),
  transcriptAsFile: 'Che cosa è stato detto, come sottotitoli',
  mix: 'Tutti insieme',
  mixAsWebm: 'Tutti insieme, in WebM',
  overWebTransport: (rate) =>
    rate === 0 ? 'Tramite WebTransport' : `Tramite WebTransport, a ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'Tramite HTTP',
  missing:
    'Questa registrazione non esiste. Forse il link non è completo, o la registrazione è ' +
    'stata eliminata.',
  deleted: 'Questa registrazione è stata eliminata.',
  unreachable: 'Il server non è raggiungibile. Controlla la connessione, poi ricarica la pagina.',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Apri una stanza o entra',
  reasons: {
    'not-found': 'A questo indirizzo non c’è nulla.',
    'empty-room': 'In questa stanza non c’è nessuno. Riprova quando ci sarà qualcuno.',
    banned: 'La moderazione ti ha escluso da questa stanza per un po’.',
    internal: 'Si è verificato un errore del server, annotato nel suo registro.',
  },
};
