import { formsOf } from '../language.js';
import { connectionNames, decimalText } from '../units.js';

const { list, number } = formsOf('de');

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: 'Zuhören',
  pause: 'Pause',
  starting: 'Es geht los …',
  cancel: 'Abbrechen',
  listeners: (count) => (count === 1 ? '1 Person hört zu' : `${number(count)} Personen hören zu`),
  speaking: (names) =>
    names.length === 0
      ? 'Niemand spricht.'
      : `${list(names)} ${names.length === 1 ? 'spricht' : 'sprechen'}.`,
  otherSound: 'Musik oder ein anderer Ton ohne Stimme.',
  onStage: (names) =>
    names.length === 0
      ? 'Noch spricht niemand. Du hörst die erste Person, die etwas sagt.'
      : `Auf der Bühne: ${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['LIVE'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(' · '),
  name: 'Dein Name',
  nameHint: 'Die Moderation sieht ihn, wenn du die Hand hebst. Du kannst ihn leer lassen.',
  nameInvited:
    'Deine Einladung gibt diesen Namen vor. Die Moderation sieht ihn, wenn du die Hand hebst.',
  listenerName: 'Gast',
  password: 'Passwort des Raums',
  volume: 'Lautstärke',
  near: 'Verzögerung',
  nearness: { conversation: 'Live', near: 'Etwas später', steady: 'Stabil' },
  nearnessHints: {
    conversation: 'So bald wie möglich: für alle, die antworten wollen.',
    near: 'Eine Viertelsekunde später, mit weniger Lücken.',
    steady: 'Zwei Sekunden später, dafür auch in einem schlechten Netz vollständig.',
  },
  hand: 'Hand heben',
  handUp: 'Hand senken',
  details: 'Verbindung',
  quality: (kbps, transport, delayMs) => {
    const seconds = delayMs === null ? '' : decimalText(delayMs / 1000, 1, 'de');
    const delay = delayMs === null ? '' : `, ${seconds} s später zu hören`;
    return `${Math.round(kbps)} kb/s über ${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: 'Ganze Seite mit Chat öffnen',
  openRoom: 'Raum öffnen',

  notOpen:
    'Dieser Raum ist noch nicht offen. Drücke „Zuhören“, dann hörst du ihn, sobald jemand spricht.',
  ready: 'Drücke „Zuhören“. Ein Mikrofon wird nicht gebraucht.',
  playing: 'Du hörst zu.',
  paused: 'Angehalten. Jetzt wird nichts heruntergeladen.',
  resumed: 'Du hörst wieder zu.',
  reconnecting:
    'Die Verbindung wurde unterbrochen. Bleib auf dieser Seite: Sie verbindet sich wieder.',
  reconnectingLong:
    'Seit einer Weile gibt es keine Verbindung. Prüfe das Netz dieses Geräts: Sobald eines da ' +
    'ist, hörst du wieder etwas.',
  waiting:
    'Die Moderation weiß, dass du da bist. Du hörst den Raum, sobald dich jemand hereinlässt.',
  pressForSound: 'Der Browser hält den Ton zurück. Drücke irgendwo auf diese Seite.',
  interrupted:
    'Etwas anderes benutzt gerade den Ton dieses Geräts. Er kommt von selbst zurück, oder wenn ' +
    'du irgendwohin drückst.',
  handRaised: 'Deine Hand ist oben. Die Moderation sieht sie.',
  handLowered: 'Deine Hand ist unten.',
  handTaken: 'Die Moderation hat deine Hand gesenkt.',
  fromBeginning: 'Das wird aufgenommen. Von Anfang an hören',
  broadcastOver: 'Die Übertragung ist zu Ende. Du hörst den Raum weiterhin.',
  joinCall: 'Am Gespräch teilnehmen',
  ontoStage: 'Du darfst jetzt sprechen. Die Seite des Gesprächs wird geladen …',
  stageFailed:
    'Du darfst jetzt sprechen, aber die Seite des Gesprächs konnte nicht geladen werden. Prüfe ' +
    'dein Netz und drücke dann „Auf die Bühne“.',
  goOnStage: 'Auf die Bühne',
  stageElsewhere: 'Du darfst jetzt sprechen, auf der Seite des Raums.',
  draining: 'Der Server wird gleich neu gestartet. Der Ton kommt von selbst zurück.',
  loadFailed:
    'Ein Teil dieser Seite konnte nicht geladen werden. Prüfe dein Netz und drücke dann noch ' +
    'einmal „Zuhören“.',
  failed: 'Etwas ist schiefgegangen. Prüfe dein Netz und drücke dann noch einmal „Zuhören“.',
};
