import { formsOf } from '../language.js';

const { number } = formsOf('it');

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `Modera ${name}`,
  muteForAll: 'Silenzia per tutti',
  muteForAllHint: 'Non può riaccendere il microfono finché non lo permetti.',
  allowToSpeak: 'Permetti di parlare',
  allowToSpeakHint: 'Il microfono resta spento finché la persona non lo riaccende.',
  role: 'Ruolo',
  roleNames: { moderator: 'Moderatore', speaker: 'Relatore', listener: 'Ascoltatore' },
  changeRole: 'Cambia ruolo',
  roleHint:
    'Un moderatore può tutto ciò che puoi tu. Un ascoltatore sente, scrive e alza la mano, e ' +
    'non lo si sente.',
  remove: 'Fai uscire dalla stanza',
  removeHint: 'Può rientrare.',
  banFor: 'Tieni fuori per',
  banTimes: [
    [3600, 'Un’ora'],
    [86_400, 'Un giorno'],
    [7 * 86_400, 'Una settimana'],
    [30 * 86_400, 'Trenta giorni'],
  ],
  removeAndBan: 'Fai uscire ed escludi',
  banHint:
    'In base all’invito; senza, in base alla rete, che può essere di una casa o di ' +
    'un’azienda intera.',
  listeners: 'Cerca un ascoltatore',
  listenersShown: (shown, count) =>
    count === 0
      ? 'Non ci sono ascoltatori.'
      : shown === 0
        ? count === 1
          ? 'L’unico ascoltatore ha un altro nome.'
          : `Nessuno dei ${number(count)} ascoltatori si chiama così.`
        : `${shown} di ${number(count)} ${count === 1 ? 'ascoltatore' : 'ascoltatori'}`,
  moreListeners: 'Avanti',
  firstListeners: 'Dall’inizio',
  copyListenLink: 'Copia il link per ascoltare',
  removeListener: 'Fai uscire',
  removeName: (name) => `Fai uscire ${name}`,
  lock: 'Chiudi la stanza',
  lockHint: 'Nessun altro può entrare. Chi perde la connessione può tornare.',
  lobby: 'Sala d’attesa',
  lobbyHint:
    'Chi arriva aspetta che tu lo faccia entrare. Quando la disattivi, entrano tutti quelli ' +
    'che aspettano.',
  chatPermission: 'Chi può scrivere',
  recordPermission: 'Chi può registrare',
  allowed: { everybody: 'Tutti', moderators: 'Moderatori' },
  mode: 'Come il suono arriva a tutti',
  modes: {
    mix: 'Mixato dal server',
    forward: 'Inoltrato, mixato da ogni pagina',
    auto: 'Inoltrato nelle stanze piccole, altrimenti mixato',
  },
  modeHint:
    'Inoltrato, il suono resta com’è stato inviato, ma ogni pagina richiede più banda e più ' +
    'potenza di calcolo.',
  modeE2e:
    'Questa stanza è crittografata end-to-end: il suo suono è inoltrato, e il server non può ' +
    'mixare né registrare nulla.',
  password: 'Password',
  passwordSet: 'La stanza ha una password. Scrivine un’altra per cambiarla.',
  passwordNone: 'La stanza non ha password. Chi è già qui resta quando ne metti una.',
  setPassword: 'Imposta password',
  dropPassword: 'Togli password',
  bans: 'Esclusioni',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `all’invito ${identity}` : `alla rete ${network}`;
    return `${name}, in base ${cause}, fino a ${end}`;
  },
  unban: 'Riammetti',
  unbanName: (name) => `Riammetti ${name}`,
  stepDown: 'Smetti di moderare',
  lastModerator:
    'Moderi solo tu. Per passare il ruolo, assegnalo a qualcuno nelle opzioni del suo nome.',
  endForAll: 'Termina la chiamata per tutti',
  endQuestion: {
    title: 'Terminare la chiamata per tutti?',
    text: 'Escono tutti, anche tu. Ciò che hai impostato per la stanza viene dimenticato.',
    yes: 'Termina',
    no: 'Continua',
  },

  goLive: 'Vai in diretta',
  endBroadcast: 'Termina la trasmissione',
  offHint:
    'La stanza diventa una trasmissione: chi è già qui resta sul palco, e chi arriva con il ' +
    'link della stanza ascolta soltanto.',
  onHint:
    'La stanza è una trasmissione. Chi arriva con il suo link ascolta soltanto. Quando la ' +
    'termini, i nuovi possono di nuovo parlare, e gli ascoltatori restano tali finché non ' +
    'rientrano.',
  makeStreamKey: 'Lascia inviare suono a un programma',
  newStreamKey: 'Crea una chiave nuova',
  revokeStreamKey: 'Revoca la chiave',
  streamOffHint:
    'Mixxx, butt, Liquidsoap, ffmpeg e altri che inviano a un server Icecast possono inviare ' +
    'a questa stanza. Una chiave fa salire uno di loro sul palco.',
  streamOnHint:
    'Nel programma scegli Icecast, Opus, questo indirizzo, l’utente «source» e la chiave ' +
    'come password. Una chiave nuova, o nessuna, interrompe l’invio in corso.',
  streamAddress: 'Indirizzo per il programma',
  copyStreamAddress: 'Copia l’indirizzo',
  streamAddressCopied: 'Indirizzo copiato.',
  copyStreamKey: 'Copia la chiave',
  streamKeyCopied: 'Chiave copiata. Chi ce l’ha può inviare suono a questa stanza.',
  copyStageLink: 'Copia il link per il palco',
  stageLinkHint:
    'Chiunque abbia questo link può parlare. La prossima trasmissione avrà un link nuovo.',
};
