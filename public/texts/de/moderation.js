import { formsOf } from '../language.js';

const { list } = formsOf('de');

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: 'Warten auf Einlass …',
  waitingInLobby:
    'Die Moderation weiß, dass du da bist. Bleib auf dieser Seite: Du kommst hinein, sobald dich ' +
    'jemand hereinlässt.',
  roles: { moderator: 'Moderation', listener: 'hört zu' },
  mutedByModerator: 'von der Moderation stummgeschaltet',
  ofGroup: (group) => `Gruppe ${group}`,
  interprets: (language) => `dolmetscht: ${language}`,
  nowModerates: (name) => `${name} moderiert jetzt.`,
  cannotSpeak:
    'Du hörst hier nur zu, und niemand hört dich. Hebe die Hand, um von der Moderation das Wort ' +
    'zu bekommen.',
  onStage: 'Du bist auf der Bühne und stumm. Drücke „Mikro an“, um gehört zu werden.',
  moderate: 'Moderieren …',
  lowerTheirHand: 'Hand senken',
  handsUp: (count) => `${count} Zuhörende haben die Hand gehoben.`,
  moreHands: (count) => (count === 1 ? 'und noch eine Person' : `und ${count} weitere`),
  letSpeak: 'Sprechen lassen',
  letSpeakName: (name) => `Sprechen lassen: ${name}`,
  lowerHandOf: (name) => `Hand senken: ${name}`,
  roomPanel: 'Raum',
  knocked: (names) => `${list(names)} ${names.length === 1 ? 'möchte' : 'möchten'} hereinkommen.`,
  letIn: 'Hereinlassen',
  turnAway: 'Abweisen',
  letInName: (name) => `${name} hereinlassen`,
  turnAwayName: (name) => `${name} abweisen`,
  ruleSigns: { locked: 'abgeschlossen', lobby: 'mit Warteraum', password: 'mit Passwort' },
  e2eSign: 'Ende zu Ende verschlüsselt',
  roomLocked: 'Der Raum ist abgeschlossen.',
  roomUnlocked: 'Der Raum ist wieder offen.',
  chatClosed:
    'Du kannst hier zurzeit lesen, aber nicht schreiben. Hebe die Hand oder frage die ' +
    'Moderation.',
  recordingClosed:
    'Du darfst hier nicht aufnehmen. Die Moderation kann es selbst tun oder es erlauben.',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: 'Der Betreiber des Servers' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: 'moderierst du diesen Raum',
  speaker: 'darfst du sprechen. Wenn du stumm bist, drücke „Mikro an“',
  listener: 'hörst du nur zu: Du hörst die anderen, und sie hören dich nicht',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) =>
    (by === null
      ? 'Die Moderation hat dich noch stummgeschaltet. '
      : `${by} hat dich stummgeschaltet. `) + 'Hebe die Hand, wenn du sprechen willst.',
  'may-unmute': (by) => `${by} lässt dich wieder sprechen. Drücke „Mikro an“, wenn du willst.`,
  'hand-lowered': (by) => `${by} hat deine Hand gesenkt.`,
  role: (by, role) =>
    `${by === null ? 'Ab jetzt' : `${by} hat deine Rolle geändert. Ab jetzt`} ` +
    `${roleNames[role] ?? roleNames.speaker}.`,
};
