import { formsOf } from '../language.js';

const { list } = formsOf('it');

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: 'In attesa di entrare…',
  waitingInLobby:
    'I moderatori sanno che ci sei. Resta su questa pagina: entri appena uno di loro te lo ' +
    'permette.',
  roles: { moderator: 'moderatore', listener: 'ascoltatore' },
  mutedByModerator: 'microfono spento da un moderatore',
  ofGroup: (group) => `gruppo ${group}`,
  interprets: (language) => `interpreta: ${language}`,
  nowModerates: (name) => `Ora modera ${name}.`,
  cannotSpeak:
    'Qui ascolti soltanto, e nessuno ti sente. Alza la mano per chiedere la parola a un ' +
    'moderatore.',
  onStage: 'Sei sul palco con il microfono spento. Premi «Riattiva» per farti sentire.',
  moderate: 'Modera…',
  lowerTheirHand: 'Abbassa la sua mano',
  handsUp: (count) => `${count} ascoltatori hanno alzato la mano.`,
  moreHands: (count) => (count === 1 ? 'e un’altra persona' : `e altre ${count}`),
  letSpeak: 'Dai la parola',
  letSpeakName: (name) => `Dai la parola a ${name}`,
  lowerHandOf: (name) => `Abbassa la mano di ${name}`,
  roomPanel: 'Stanza',
  knocked: (names) => `${list(names)} ${names.length === 1 ? 'vuole' : 'vogliono'} entrare.`,
  letIn: 'Fai entrare',
  turnAway: 'Respingi',
  letInName: (name) => `Fai entrare ${name}`,
  turnAwayName: (name) => `Respingi ${name}`,
  ruleSigns: { locked: 'chiusa', lobby: 'con sala d’attesa', password: 'con password' },
  e2eSign: 'crittografata end-to-end',
  roomLocked: 'La stanza è chiusa.',
  roomUnlocked: 'La stanza è di nuovo aperta.',
  chatClosed: 'Ora puoi leggere, ma non scrivere qui. Alza la mano, o chiedi a un moderatore.',
  recordingClosed: 'Qui non puoi registrare. Un moderatore può farlo, o permetterlo.',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: 'L’amministratore del server' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: 'moderi questa stanza',
  speaker: 'puoi parlare. Se hai il microfono spento, premi «Riattiva» per farti sentire',
  listener: 'ascolti: senti gli altri, e loro non sentono te',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) =>
    (by === null
      ? 'Un moderatore tiene ancora spento il tuo microfono. '
      : `${by} ha spento il tuo microfono. `) + 'Alza la mano per chiedere la parola.',
  'may-unmute': (by) => `${by} ti lascia di nuovo parlare. Premi «Riattiva» quando vuoi.`,
  'hand-lowered': (by) => `${by} ti ha abbassato la mano.`,
  role: (by, role) =>
    `${by === null ? 'Ora' : `${by} ha cambiato il tuo ruolo. Ora`} ` +
    `${roleNames[role] ?? roleNames.speaker}.`,
};
