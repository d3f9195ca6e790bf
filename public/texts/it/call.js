import { formsOf } from '../language.js';
import { connectionNames, decimalText, sizeText, timeText } from '../units.js';

const { list, number } = formsOf('it');

/** @type {typeof import('../call.js').callTexts} */
export const callTexts = {
  you: 'tu',
  muted: 'microfono spento',
  away: 'assente: connessione persa, può tornare',
  handRaised: 'mano alzata',
  notRecorded: 'non registrato',
  sharedBy: (name) => `condiviso da ${name}`,
  shareCame: (name) => `${name} condivide un suono.`,
  shareWent: (name) => `${name} non condivide più suoni.`,
  waited: (ms) => `arriva ${Math.round(ms)} ms in ritardo: il suono di tutti aspetta`,
  later: (ms) => `si sente ${Math.round(ms)} ms dopo gli altri`,
  youLater: (ms) => `gli altri ti sentono ${Math.round(ms)} ms dopo`,
  heardAfter: (ms) => `Si sente ${Math.round(ms)} ms dopo che è stato detto`,
  waitedFor: (names) =>
    `Il ritardo è più lungo di quanto serva ai più, perché il suono di ${list(names)} arriva ` +
    'tardi.',
  mute: 'Silenzia',
  unmute: 'Riattiva',
  talking: 'Parli',
  raiseHand: 'Alza la mano',
  lowerHand: 'Abbassa la mano',
  linkCopied: 'Link copiato',
  dismiss: 'Chiudi',
  tryNow: 'Prova ora',
  trying: 'Nuovo tentativo…',
  tryingIn: (seconds) => `Nuovo tentativo fra ${seconds} s.`,
  close: 'Chiudi',
  reconnected: 'La connessione è di nuovo attiva.',
  offline: 'Connessione persa',
  titleOffline: 'connessione persa',
  useIt: 'Usalo',
  deviceNew: (device) => `${device} è collegato. Usalo, o continua come prima.`,
  otherTab: {
    title: 'Sei già in questa stanza',
    text:
      'Un’altra scheda o finestra di questo browser è nella chiamata, e le due si sentirebbero ' +
      'a vicenda. Porta qui la chiamata, e l’altra la lascia.',
    yes: 'Portala qui',
    no: 'Annulla',
  },
  keysTitle: 'Tasti in una chiamata',
  keysHint: 'Non agiscono mentre scrivi, e si disattivano in «Impostazioni».',
  showKeys: 'Mostra tutti i tasti',
  keys: [
    ['M', 'spegnere o riaccendere il microfono'],
    ['Spazio premuto', 'farti sentire a microfono spento'],
    ['H', 'alzare o abbassare la mano'],
    ['C', 'aprire o chiudere la chat'],
    ['?', 'mostrare questi tasti'],
    ['Esc', 'chiudere ciò che è aperto'],
  ],
  qrTitle: 'Scansiona per partecipare',
  qrLabel: 'Codice QR del link di questa stanza',
  youJoined: 'Sei nella chiamata.',
  youLeft: 'Hai lasciato la chiamata.',
  howBack: 'Hai lasciato la chiamata. Puoi rientrare quando vuoi con lo stesso link.',
  youMuted: 'Il tuo microfono è spento.',
  youUnmuted: 'Il tuo microfono è di nuovo acceso.',
  more: (name) => `Opzioni per ${name}`,
  sideLeft: 'S',
  sideRight: 'D',
  placeOf: (name) => `Posizione di ${name}, da sinistra a destra`,
  place: (percent) =>
    percent === 0
      ? 'al centro'
      : `${Math.abs(percent)} % verso ${percent < 0 ? 'sinistra' : 'destra'}`,
  volumeOf: (name) => `Volume di ${name}`,
  muteForMe: 'Silenzia per me',
  mutedForYou: 'audio spento per te',
  quality: ['', 'connessione scarsa', 'connessione discreta', 'connessione buona'],
  people: (count) => (count === 1 ? '1 persona' : `${count} persone`),
  listenersToo: (count) => (count === 1 ? '1 ascoltatore' : `${number(count)} ascoltatori`),
  speaking: (names) =>
    names.length === 0
      ? 'Nessuno parla'
      : `${names.length === 1 ? 'Parla' : 'Parlano'}: ${list(names)}`,
  manyCame: (count) => `Sono entrate ${count} persone.`,
  manyLeft: (count) => `Sono uscite ${count} persone.`,
  soundOn: 'Attiva l’audio',
  listenFirst: 'Per ora ascolta',
  joined: (name) => `${name} partecipa alla chiamata.`,
  left: (name) => `${name} ha lasciato la chiamata.`,
  nowMuted: (name) => `${name} ha il microfono spento.`,
  nowUnmuted: (name) => `${name} ha il microfono acceso.`,
  nowAway: (name) => `${name} ha perso la connessione.`,
  nowBack: (name) => `${name} è di nuovo qui.`,
  raisedHand: (name) => `${name} ha alzato la mano.`,
  loweredHand: (name) => `${name} ha abbassato la mano.`,
  connectedOver: (connection) => `Connesso via ${connectionNames[connection] ?? connection}`,
  notTaken: (connection, reason) =>
    `Prima è stato provato ${connectionNames[connection]}. ${reason}`,
  roundTrip: (ms) => `Andata e ritorno ${Math.round(ms)} ms`,
  received: (percent) => `Ricevuto ${decimalText(percent, percent >= 99.95 ? 0 : 1, 'it')} %`,
  delay: (ms) => `Ritardo ${Math.round(ms)} ms`,
};

/** @type {typeof import('../call.js').chatTexts} */
export const chatTexts = {
  chatLog: 'Messaggi',
  chatEmpty:
    'Non è stato ancora scritto nulla. Tutti nella stanza vedono i messaggi, anche chi entra ' +
    'più tardi.',
  chatField: 'Messaggio a tutti',
  chatPlaceholder: 'Scrivi a tutti',
  send: 'Invia',
  showAll: 'Mostra tutto',
  showLess: 'Mostra meno',
  messageCut: 'Questo messaggio era più lungo; la fine è stata tagliata.',
  chatFrom: (name, text) => `${name} ha scritto: ${text}`,
  charactersLeft: (count) => (count === 1 ? 'Ancora 1 carattere.' : `Ancora ${count} caratteri.`),
  tooLong: (count) =>
    `È troppo lungo di ${count} ${count === 1 ? 'carattere' : 'caratteri'}. Accorcialo, o ` +
    'invialo in due messaggi.',
  chatUnread: (count) => (count === 1 ? '1 non letto' : `${count} non letti`),
};

/** @type {typeof import('../call.js').recordingTexts} */
export const recordingTexts = {
  recordingOn: 'Si sta registrando',
  recordButtonOn: 'Registra: c’è una registrazione in corso',
  recordingIdle:
    'Non si registra nulla. Quando cominci, si chiede a tutti, e viene registrato solo chi è ' +
    'd’accordo.',
  recordingFinishing: 'La registrazione è finita. I suoi file vengono completati.',
  recordingReady: 'I file della registrazione sono pronti.',
  startRecording: 'Comincia a registrare',
  stopRecording: 'Termina la registrazione',
  recordMe: 'Registrami',
  recordPublic: 'Può sentirla chiunque',
  recordingPage: 'La pagina della registrazione',
  recordedFiles: 'File',
  recordedMix: 'Tutti insieme',
  filesHint: 'Ogg Opus. Dopo un po’ il server li cancella: scarica ciò che vuoi tenere.',
  consent: (name) => ({
    title: 'Questa stanza viene registrata',
    text:
      `${name} ha cominciato una registrazione. La tua voce viene tenuta solo se sei d’accordo. ` +
      'Puoi cambiare idea in «Registra» in ogni momento.',
    yes: 'D’accordo',
    no: 'Non registrarmi',
  }),
  recordingSince: (name, time) => `${name} registra dalle ${time}.`,
  recordingBegan: (name) => `${name} ha cominciato a registrare.`,
  recordingEnded: (name) => `${name} ha terminato la registrazione.`,
  recordedPeople: (names) =>
    names.length === 0 ? 'Non viene registrato nessuno.' : `Voci registrate: ${list(names)}.`,
  fileSize: (since, seconds, bytes) => `${since}, ${timeText(seconds)}, ${sizeText(bytes)}`,
};
