import { formsOf } from '../language.js';

const { list } = formsOf('pt');

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: 'Esperando para entrar…',
  waitingInLobby:
    'Os moderadores sabem que você está aqui. Permaneça nesta página: você entra assim que um ' +
    'deles deixar.',
  roles: { moderator: 'moderador', listener: 'ouvinte' },
  mutedByModerator: 'microfone desligado por um moderador',
  ofGroup: (group) => `grupo ${group}`,
  interprets: (language) => `interpreta: ${language}`,
  nowModerates: (name) => `${name} agora modera.`,
  cannotSpeak:
    'Aqui você é ouvinte, e ninguém ouve você. Levante a mão para pedir a palavra a um ' +
    'moderador.',
  onStage: 'Você está no palco com o microfone desligado. Toque em “Reativar” para que ouçam você.',
  moderate: 'Moderar…',
  lowerTheirHand: 'Abaixar a mão',
  handsUp: (count) => `${count} ouvintes levantaram a mão.`,
  moreHands: (count) => (count === 1 ? 'e mais uma pessoa' : `e mais ${count}`),
  letSpeak: 'Dar a palavra',
  letSpeakName: (name) => `Dar a palavra: ${name}`,
  lowerHandOf: (name) => `Abaixar a mão: ${name}`,
  roomPanel: 'Sala',
  knocked: (names) => `${list(names)} ${names.length === 1 ? 'quer' : 'querem'} entrar.`,
  letIn: 'Deixar entrar',
  turnAway: 'Recusar',
  letInName: (name) => `Deixar entrar: ${name}`,
  turnAwayName: (name) => `Recusar: ${name}`,
  ruleSigns: { locked: 'trancada', lobby: 'com sala de espera', password: 'com senha' },
  e2eSign: 'criptografada de ponta a ponta',
  roomLocked: 'A sala está trancada.',
  roomUnlocked: 'A sala está aberta de novo.',
  chatClosed: 'Agora você pode ler, mas não escrever aqui. Levante a mão, ou peça a um moderador.',
  recordingClosed: 'Você não pode gravar aqui. Um moderador pode gravar, ou permitir.',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: 'O administrador do servidor' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: 'você modera esta sala',
  speaker:
    'você pode falar. Se o microfone estiver desligado, toque em “Reativar” para que ouçam ' +
    'você',
  listener: 'você é ouvinte: ouve os outros, e eles não ouvem você',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) =>
    (by === null
      ? 'Um moderador ainda mantém seu microfone desligado. '
      : `${by} desligou seu microfone. `) + 'Levante a mão para pedir a palavra.',
  'may-unmute': (by) => `${by} deixa você falar de novo. Toque em “Reativar” quando quiser.`,
  'hand-lowered': (by) => `${by} abaixou sua mão.`,
  role: (by, role) =>
    `${by === null ? 'Agora' : `${by} mudou sua função. Agora`} ` +
    `${roleNames[role] ?? roleNames.speaker}.`,
};
