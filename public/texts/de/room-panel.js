import { formsOf } from '../language.js';

const { number } = formsOf('de');

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `${name} moderieren`,
  muteForAll: 'Für alle stummschalten',
  muteForAllHint: 'Die Person kann das nicht selbst aufheben, bis du es erlaubst.',
  allowToSpeak: 'Sprechen erlauben',
  allowToSpeakHint: 'Die Person bleibt stumm, bis sie es selbst aufhebt.',
  role: 'Rolle',
  roleNames: { moderator: 'Moderation', speaker: 'Sprechende', listener: 'Zuhörende' },
  changeRole: 'Rolle ändern',
  roleHint:
    'Die Moderation darf alles, was du darfst. Zuhörende hören, schreiben und heben die Hand, ' +
    'und niemand hört sie.',
  remove: 'Aus dem Raum entfernen',
  removeHint: 'Die Person kann wiederkommen.',
  banFor: 'Fernhalten für',
  banTimes: /** @type {[number, string][]} */ ([
    [3600, 'Eine Stunde'],
    [86_400, 'Einen Tag'],
    [7 * 86_400, 'Eine Woche'],
    [30 * 86_400, 'Dreißig Tage'],
  ]),
  removeAndBan: 'Entfernen und sperren',
  banHint:
    'Anhand der Einladung; ohne Einladung anhand des Netzes, das einem ganzen Haushalt oder ' +
    'einer Firma gehören kann.',
  listeners: 'Zuhörende suchen',
  listenersShown: (shown, count) =>
    count === 0
      ? 'Niemand hört zu.'
      : shown === 0
        ? count === 1
          ? 'Die eine Person, die zuhört, heißt anders.'
          : `Von ${number(count)} Zuhörenden heißt niemand so.`
        : `${shown} von ${number(count)} Zuhörenden`,
  moreListeners: 'Weiter',
  firstListeners: 'Von vorn',
  copyListenLink: 'Link zum Zuhören kopieren',
  removeListener: 'Entfernen',
  removeName: (name) => `${name} entfernen`,
  lock: 'Raum abschließen',
  lockHint: 'Niemand sonst kann hereinkommen. Wer die Verbindung verliert, kann zurückkommen.',
  lobby: 'Warteraum',
  lobbyHint:
    'Wer teilnehmen will, wartet, bis du es erlaubst. Wenn du den Warteraum ausschaltest, ' +
    'kommen alle Wartenden herein.',
  chatPermission: 'Wer schreiben darf',
  recordPermission: 'Wer aufnehmen darf',
  allowed: { everybody: 'Alle', moderators: 'Moderation' },
  mode: 'Wie der Ton zu allen kommt',
  modes: {
    mix: 'Vom Server gemischt',
    forward: 'Weitergeleitet, von jeder Seite gemischt',
    auto: 'In kleinen Räumen weitergeleitet, sonst gemischt',
  },
  modeHint:
    'Weitergeleitet bleibt der Ton, wie er gesendet wurde, aber jede Seite braucht mehr ' +
    'Bandbreite und Rechenzeit.',
  modeE2e:
    'Dieser Raum ist Ende zu Ende verschlüsselt: Sein Ton wird weitergeleitet, und der Server ' +
    'kann nichts mischen oder aufnehmen.',
  password: 'Passwort',
  passwordSet: 'Der Raum hat ein Passwort. Gib ein anderes ein, um es zu ändern.',
  passwordNone: 'Der Raum hat kein Passwort. Wer schon hier ist, bleibt, wenn du eines festlegst.',
  setPassword: 'Passwort festlegen',
  dropPassword: 'Passwort entfernen',
  bans: 'Gesperrt',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `der Einladung ${identity}` : `des Netzes ${network}`;
    return `${name}, anhand ${cause}, bis ${end}`;
  },
  unban: 'Wieder zulassen',
  unbanName: (name) => `Wieder zulassen: ${name}`,
  stepDown: 'Moderation abgeben',
  lastModerator:
    'Nur du moderierst hier. Um das weiterzugeben, übertrage jemandem die Moderation, unter den ' +
    'Optionen neben dem Namen.',
  endForAll: 'Gespräch für alle beenden',
  endQuestion: {
    title: 'Das Gespräch für alle beenden?',
    text: 'Alle verlassen den Raum, auch du. Was du für den Raum eingestellt hast, wird vergessen.',
    yes: 'Beenden',
    no: 'Weitermachen',
  },

  goLive: 'Live gehen',
  endBroadcast: 'Übertragung beenden',
  offHint:
    'Der Raum wird zu einer Übertragung: Wer schon hier ist, bleibt auf der Bühne, und wer neu ' +
    'mit dem Link kommt, hört nur zu.',
  onHint:
    'Der Raum ist eine Übertragung. Wer neu mit dem Link kommt, hört nur zu. Wenn du sie ' +
    'beendest, dürfen neue Personen wieder sprechen; wer zuhört, hört weiter nur zu, bis zur ' +
    'nächsten Teilnahme.',
  makeStreamKey: 'Ein Programm Ton senden lassen',
  newStreamKey: 'Neuen Schlüssel erzeugen',
  revokeStreamKey: 'Schlüssel zurückziehen',
  streamOffHint:
    'Mixxx, butt, Liquidsoap, ffmpeg und andere, die an einen Icecast-Server senden, können an ' +
    'diesen Raum senden. Ein Schlüssel lässt eines davon auf die Bühne.',
  streamOnHint:
    'Wähle im Programm Icecast, Opus, diese Adresse, den Benutzer „source“ und als Passwort den ' +
    'Schlüssel. Ein neuer Schlüssel oder keiner beendet, was gesendet wird.',
  streamAddress: 'Adresse für das Programm',
  copyStreamAddress: 'Adresse kopieren',
  streamAddressCopied: 'Adresse kopiert.',
  copyStreamKey: 'Schlüssel kopieren',
  streamKeyCopied: 'Schlüssel kopiert. Wer ihn hat, kann Ton in diesen Raum senden.',
  copyStageLink: 'Link zur Bühne kopieren',
  stageLinkHint:
    'Alle mit diesem Link dürfen sprechen. Die nächste Übertragung bekommt einen neuen Link.',
};
