import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('de');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · Aufnahme · aloud`,
  chapters: 'Wer gesprochen hat',
  noChapters: 'Niemand, der mit der Aufnahme einverstanden war, hat lange gesprochen.',
  files: 'Herunterladen',
  play: 'Abspielen',
  pause: 'Pause',
  position: 'Position',
  positionOf: (at, all) => `${timeText(at)} von ${timeText(all)}`,
  back: 'zurück',
  ahead: 'vor',
  speed: 'Tempo',
  live: 'Live',
  toLive: 'Zur Live-Stelle',
  running: 'Wird gerade aufgenommen',
  copyMoment: 'Link zu dieser Stelle',
  copied: (at) => `Der Link zu ${timeText(at)} ist kopiert.`,
  notCopied: 'Der Link konnte nicht kopiert werden. Er steht in der Adressleiste.',
  waiting: 'Wird geladen …',
  failed: 'Der Ton konnte nicht geladen werden. Prüfe die Verbindung und drücke dann „Abspielen“.',
  cannotPlay: 'Dieser Browser kann die Aufnahme nicht abspielen. Lade sie stattdessen herunter.',
  transcript: 'Was gesagt wurde',
  search: 'Im Gesagten suchen',
  found: (count) => plural(count, { one: '1 Stelle', other: `${count} Stellen` }),
  transcriptAsFile: 'Was gesagt wurde, als Untertitel',
  mix: 'Alle zusammen',
  mixAsWebm: 'Alle zusammen, als WebM',
  overWebTransport: (rate) =>
    rate === 0 ? 'Über WebTransport' : `Über WebTransport, mit ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'Über HTTP',
  missing:
    'Diese Aufnahme gibt es nicht. Vielleicht ist der Link nicht vollständig, oder die ' +
    'Aufnahme wurde gelöscht.',
  deleted: 'Diese Aufnahme wurde gelöscht.',
  unreachable: 'Der Server ist nicht erreichbar. Prüfe die Verbindung und lade dann die Seite neu.',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Raum öffnen oder betreten',
  reasons: {
    'not-found': 'Unter dieser Adresse gibt es nichts.',
    'empty-room': 'In diesem Raum ist niemand. Versuche es wieder, sobald jemand da ist.',
    banned: 'Die Moderation hat dich für eine Weile aus diesem Raum ausgeschlossen.',
    internal: 'Der Server hat einen Fehler gemacht, der in seinem Protokoll steht.',
  },
};
