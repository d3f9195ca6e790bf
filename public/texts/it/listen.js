import { formsOf } from '../language.js';
import { connectionNames, decimalText } from '../units.js';

const { list, number } = formsOf('it');

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: 'Ascolta',
  pause: 'Pausa',
  starting: 'Avvio…',
  cancel: 'Annulla',
  listeners: (count) => (count === 1 ? '1 ascoltatore' : `${number(count)} ascoltatori`),
  speaking: (names) =>
    names.length === 0
      ? 'Nessuno parla.'
      : `${names.length === 1 ? 'Parla' : 'Parlano'} ${list(names)}.`,
  otherSound: 'Musica, o un altro suono senza voce.',
  onStage: (names) =>
    names.length === 0
      ? 'Non parla ancora nessuno. Sentirai la prima persona che lo farà.'
      : `Sul palco: ${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['IN DIRETTA'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(
      ' · ',
    ),
  name: 'Il tuo nome',
  nameHint: 'Lo vedono i moderatori quando alzi la mano. Puoi lasciarlo vuoto.',
  nameInvited: 'Questo nome è nel tuo invito. Lo vedono i moderatori quando alzi la mano.',
  listenerName: 'Ascoltatore',
  password: 'Password della stanza',
  volume: 'Volume',
  near: 'Ritardo',
  nearness: { conversation: 'In diretta', near: 'Poco dopo', steady: 'Stabile' },
  nearnessHints: {
    conversation: 'Appena possibile: per chi può rispondere.',
    near: 'Un quarto di secondo dopo, con meno interruzioni.',
    steady: 'Due secondi dopo, e completo anche su una rete scadente.',
  },
  hand: 'Alza la mano',
  handUp: 'Abbassa la mano',
  details: 'Connessione',
  quality: (kbps, transport, delayMs) => {
    const seconds = delayMs === null ? '' : decimalText(delayMs / 1000, 1, 'it');
    const delay = delayMs === null ? '' : `, si sente ${seconds} s dopo`;
    return `${Math.round(kbps)} kb/s via ${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: 'Apri la pagina completa con la chat',
  openRoom: 'Apri la stanza',

  notOpen:
    'Questa stanza non è ancora aperta. Premi «Ascolta» e la sentirai appena qualcuno parla.',
  ready: 'Premi «Ascolta». Non serve alcun microfono.',
  playing: 'Stai ascoltando.',
  paused: 'In pausa. Ora non si scarica nulla.',
  resumed: 'Stai ascoltando di nuovo.',
  reconnecting: 'La connessione si è interrotta. Resta su questa pagina: si sta riconnettendo.',
  reconnectingLong:
    'Da un po’ non c’è connessione. Controlla la rete di questo dispositivo: il suono torna ' +
    'appena ce n’è una.',
  waiting: 'I moderatori sanno che ci sei. Sentirai la stanza appena uno di loro ti fa entrare.',
  pressForSound: 'Il browser trattiene il suono. Premi in qualsiasi punto di questa pagina.',
  interrupted:
    'Qualcos’altro usa l’audio di questo dispositivo. Torna da solo, o quando premi in ' +
    'qualsiasi punto.',
  handRaised: 'La tua mano è alzata. I moderatori la vedono.',
  handLowered: 'La tua mano è abbassata.',
  handTaken: 'Un moderatore ti ha abbassato la mano.',
  fromBeginning: 'Si sta registrando. Ascolta dall’inizio',
  broadcastOver: 'La trasmissione è finita. Senti ancora la stanza.',
  joinCall: 'Partecipa alla chiamata',
  ontoStage: 'Ora puoi parlare. Si carica la pagina della chiamata…',
  stageFailed:
    'Ora puoi parlare, ma la pagina della chiamata non si è potuta caricare. Controlla la ' +
    'rete, poi premi «Sali sul palco».',
  goOnStage: 'Sali sul palco',
  stageElsewhere: 'Ora puoi parlare, sulla pagina della stanza.',
  draining: 'Il server sta per riavviarsi. Il suono tornerà da solo.',
  loadFailed:
    'Una parte di questa pagina non si è potuta caricare. Controlla la rete, poi premi di ' +
    'nuovo «Ascolta».',
  failed: 'Qualcosa è andato storto. Controlla la rete, poi premi di nuovo «Ascolta».',
};
