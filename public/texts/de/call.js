import { formsOf } from '../language.js';
import { connectionNames, decimalText, sizeText, timeText } from '../units.js';

const { list, number } = formsOf('de');

/** @type {typeof import('../call.js').callTexts} */
export const callTexts = {
  you: 'du',
  muted: 'stumm',
  away: 'weg: Verbindung verloren, kommt vielleicht zurück',
  handRaised: 'Hand gehoben',
  notRecorded: 'nicht aufgenommen',
  sharedBy: (name) => `geteilt von ${name}`,
  shareCame: (name) => `${name} teilt einen Ton.`,
  shareWent: (name) => `${name} teilt keinen Ton mehr.`,
  waited: (ms) => `kommt ${Math.round(ms)} ms zu spät: der Ton aller wartet`,
  later: (ms) => `${Math.round(ms)} ms später zu hören als andere`,
  youLater: (ms) => `andere hören dich ${Math.round(ms)} ms später`,
  heardAfter: (ms) => `${Math.round(ms)} ms nach dem Sprechen zu hören`,
  waitedFor: (names) =>
    `Die Verzögerung ist länger, als die meisten brauchen, weil der Ton von ${list(names)} spät ` +
    'ankommt.',
  mute: 'Stumm',
  unmute: 'Mikro an',
  talking: 'Du sprichst',
  raiseHand: 'Hand heben',
  lowerHand: 'Hand senken',
  linkCopied: 'Link kopiert',
  dismiss: 'Schließen',
  tryNow: 'Jetzt versuchen',
  trying: 'Neuer Versuch …',
  tryingIn: (seconds) => `Neuer Versuch in ${seconds} s.`,
  close: 'Schließen',
  reconnected: 'Du bist wieder verbunden.',
  offline: 'Verbindung verloren',
  titleOffline: 'Verbindung verloren',
  useIt: 'Verwenden',
  deviceNew: (device) => `${device} ist angeschlossen. Verwende es, oder mach weiter wie bisher.`,
  otherTab: {
    title: 'Du bist schon in diesem Raum',
    text:
      'Ein anderer Tab oder ein anderes Fenster dieses Browsers ist schon im Gespräch, und ' +
      'beide würden einander hören. Hol das Gespräch hierher, dann verlässt der andere Tab den ' +
      'Raum.',
    yes: 'Hierher holen',
    no: 'Abbrechen',
  },
  keysTitle: 'Tasten im Gespräch',
  keysHint:
    'Beim Schreiben wirken sie nicht, und unter „Einstellungen“ lassen sie sich ausschalten.',
  showKeys: 'Alle Tasten zeigen',
  keys: [
    ['M', 'dich stummschalten oder die Stummschaltung aufheben'],
    ['Leertaste halten', 'trotz Stummschaltung gehört werden'],
    ['H', 'die Hand heben oder senken'],
    ['C', 'den Chat öffnen oder schließen'],
    ['?', 'diese Tasten zeigen'],
    ['Esc', 'schließen, was offen ist'],
  ],
  qrTitle: 'Scannen und teilnehmen',
  qrLabel: 'QR-Code mit dem Link dieses Raums',
  youJoined: 'Du bist im Gespräch.',
  youLeft: 'Du hast das Gespräch verlassen.',
  howBack:
    'Du hast das Gespräch verlassen. Mit demselben Link kannst du jederzeit wieder teilnehmen.',
  youMuted: 'Du bist stumm.',
  youUnmuted: 'Du bist nicht mehr stumm.',
  more: (name) => `Optionen für ${name}`,
  sideLeft: 'L',
  sideRight: 'R',
  placeOf: (name) => `Position von ${name}, von links nach rechts`,
  place: (percent) =>
    percent === 0
      ? 'in der Mitte'
      : `${Math.abs(percent)} % nach ${percent < 0 ? 'links' : 'rechts'}`,
  volumeOf: (name) => `Lautstärke von ${name}`,
  muteForMe: 'Für mich stummschalten',
  mutedForYou: 'für dich stumm',
  quality: ['', 'schlechte Verbindung', 'mäßige Verbindung', 'gute Verbindung'],
  people: (count) => (count === 1 ? '1 Person' : `${count} Personen`),
  listenersToo: (count) =>
    count === 1 ? '1 Person hört zu' : `${number(count)} Personen hören zu`,
  speaking: (names) => (names.length === 0 ? 'Niemand spricht' : `Es spricht: ${list(names)}`),
  manyCame: (count) => `${count} Personen sind dazugekommen.`,
  manyLeft: (count) => `${count} Personen sind gegangen.`,
  soundOn: 'Ton einschalten',
  listenFirst: 'Erst einmal zuhören',
  joined: (name) => `${name} ist dazugekommen.`,
  left: (name) => `${name} ist gegangen.`,
  nowMuted: (name) => `${name} ist stumm.`,
  nowUnmuted: (name) => `${name} ist nicht mehr stumm.`,
  nowAway: (name) => `${name} hat die Verbindung verloren.`,
  nowBack: (name) => `${name} ist wieder da.`,
  raisedHand: (name) => `${name} hat die Hand gehoben.`,
  loweredHand: (name) => `${name} hat die Hand gesenkt.`,
  connectedOver: (connection) => `Verbunden über ${connectionNames[connection] ?? connection}`,
  notTaken: (connection, reason) =>
    `Zuerst wurde ${connectionNames[connection]} versucht. ${reason}`,
  roundTrip: (ms) => `Hin und zurück ${Math.round(ms)} ms`,
  received: (percent) => `${decimalText(percent, percent >= 99.95 ? 0 : 1, 'de')} % empfangen`,
  delay: (ms) => `Verzögerung ${Math.round(ms)} ms`,
};

/** @type {typeof import('../call.js').chatTexts} */
export const chatTexts = {
  chatLog: 'Nachrichten',
  chatEmpty:
    'Noch hat niemand etwas geschrieben. Alle im Raum sehen die Nachrichten, auch wer später ' +
    'dazukommt.',
  chatField: 'Nachricht an alle',
  chatPlaceholder: 'Schreib an alle',
  send: 'Senden',
  showAll: 'Alles zeigen',
  showLess: 'Weniger zeigen',
  messageCut: 'Diese Nachricht war länger; ihr Ende wurde abgeschnitten.',
  chatFrom: (name, text) => `${name} schrieb: ${text}`,
  charactersLeft: (count) => `Noch ${count} Zeichen.`,
  tooLong: (count) =>
    `Das sind ${count} Zeichen zu viel. Kürze die Nachricht oder teile sie auf zwei auf.`,
  chatUnread: (count) => `${count} ungelesen`,
};

/** @type {typeof import('../call.js').recordingTexts} */
export const recordingTexts = {
  recordingOn: 'Aufnahme läuft',
  recordButtonOn: 'Aufnehmen: Eine Aufnahme läuft',
  recordingIdle:
    'Nichts wird aufgenommen. Wenn du anfängst, werden alle gefragt, und nur wer zustimmt, wird ' +
    'aufgenommen.',
  recordingFinishing: 'Die Aufnahme ist beendet. Ihre Dateien werden fertiggestellt.',
  recordingReady: 'Die Dateien der Aufnahme sind fertig.',
  startRecording: 'Aufnahme starten',
  stopRecording: 'Aufnahme beenden',
  recordMe: 'Mich aufnehmen',
  recordPublic: 'Alle dürfen sie hören',
  recordingPage: 'Die Seite der Aufnahme',
  recordedFiles: 'Dateien',
  recordedMix: 'Alle zusammen',
  filesHint:
    'Ogg Opus. Der Server löscht sie nach einiger Zeit: Lade herunter, was du behalten willst.',
  consent: (name) => ({
    title: 'Dieser Raum wird aufgenommen',
    text:
      `${name} nimmt jetzt auf. Deine Stimme wird nur gespeichert, wenn du zustimmst. ` +
      'Du kannst das unter „Aufnehmen“ jederzeit ändern.',
    yes: 'Zustimmen',
    no: 'Mich nicht aufnehmen',
  }),
  recordingSince: (name, time) => `${name} nimmt seit ${time} auf.`,
  recordingBegan: (name) => `${name} hat die Aufnahme gestartet.`,
  recordingEnded: (name) => `${name} hat die Aufnahme beendet.`,
  recordedPeople: (names) =>
    names.length === 0 ? 'Niemand wird aufgenommen.' : `Aufgenommen: ${list(names)}.`,
  fileSize: (since, seconds, bytes) => `${since}, ${timeText(seconds)}, ${sizeText(bytes)}`,
};
