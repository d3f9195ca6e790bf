import { formsOf } from '../language.js';

const { list } = formsOf('es');

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: 'Esperando para entrar…',
  waitingInLobby:
    'Los moderadores saben que estás aquí. Quédate en esta página: entrarás en cuanto uno de ' +
    'ellos te deje.',
  roles: { moderator: 'moderador', listener: 'oyente' },
  mutedByModerator: 'en silencio por la moderación',
  ofGroup: (group) => `grupo ${group}`,
  interprets: (language) => `interpreta: ${language}`,
  nowModerates: (name) => `${name} modera ahora.`,
  cannotSpeak:
    'Aquí eres oyente y nadie te oye. Levanta la mano para pedir la palabra a un moderador.',
  onStage: 'Estás en el escenario, en silencio. Pulsa «Reactivar» para que se te oiga.',
  moderate: 'Moderar…',
  lowerTheirHand: 'Bajarle la mano',
  handsUp: (count) => `${count} oyentes han levantado la mano.`,
  moreHands: (count) => (count === 1 ? 'y una persona más' : `y ${count} más`),
  letSpeak: 'Dar la palabra',
  letSpeakName: (name) => `Dar la palabra: ${name}`,
  lowerHandOf: (name) => `Bajar la mano: ${name}`,
  roomPanel: 'Sala',
  knocked: (names) => `${list(names)} ${names.length === 1 ? 'quiere' : 'quieren'} entrar.`,
  letIn: 'Dejar entrar',
  turnAway: 'Rechazar',
  letInName: (name) => `Dejar entrar a ${name}`,
  turnAwayName: (name) => `Rechazar a ${name}`,
  ruleSigns: { locked: 'cerrada', lobby: 'con sala de espera', password: 'con contraseña' },
  e2eSign: 'cifrada de extremo a extremo',
  roomLocked: 'La sala está cerrada.',
  roomUnlocked: 'La sala vuelve a estar abierta.',
  chatClosed:
    'Ahora puedes leer, pero no escribir aquí. Levanta la mano o pide permiso a un moderador.',
  recordingClosed: 'Aquí no puedes grabar. Un moderador puede hacerlo, o permitirlo.',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: 'El administrador del servidor' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: 'moderas esta sala',
  speaker: 'puedes hablar. Si estás en silencio, pulsa «Reactivar» para que se te oiga',
  listener: 'eres oyente: oyes a los demás, y ellos no te oyen',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) =>
    (by === null ? 'Un moderador te sigue silenciando. ' : `${by} te ha silenciado. `) +
    'Levanta la mano para pedir la palabra.',
  'may-unmute': (by) => `${by} te deja hablar de nuevo. Pulsa «Reactivar» cuando quieras.`,
  'hand-lowered': (by) => `${by} te ha bajado la mano.`,
  role: (by, role) =>
    `${by === null ? 'Ahora' : `${by} ha cambiado tu rol. Ahora`} ` +
    `${roleNames[role] ?? roleNames.speaker}.`,
};
