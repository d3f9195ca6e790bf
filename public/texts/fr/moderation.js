import { formsOf } from '../language.js';

const { list } = formsOf('fr');

/** @type {typeof import('../moderation.js').moderationTexts} */
export const moderationTexts = {
  waiting: 'En attente d’entrer…',
  waitingInLobby:
    'Les modérateurs savent que vous êtes là. Restez sur cette page : vous entrerez dès que ' +
    'l’un d’eux vous l’accordera.',
  roles: { moderator: 'modérateur', listener: 'auditeur' },
  mutedByModerator: 'micro coupé par un modérateur',
  ofGroup: (group) => `groupe ${group}`,
  interprets: (language) => `interprète : ${language}`,
  nowModerates: (name) => `${name} modère maintenant.`,
  cannotSpeak:
    'Ici vous écoutez, et personne ne vous entend. Levez la main pour demander la parole à ' +
    'un modérateur.',
  onStage: 'Vous êtes sur scène, micro coupé. Appuyez sur « Réactiver » pour qu’on vous entende.',
  moderate: 'Modérer…',
  lowerTheirHand: 'Baisser sa main',
  handsUp: (count) => `${count} auditeurs ont levé la main.`,
  moreHands: (count) => (count === 1 ? 'et une autre personne' : `et ${count} autres`),
  letSpeak: 'Donner la parole',
  letSpeakName: (name) => `Donner la parole à ${name}`,
  lowerHandOf: (name) => `Baisser la main de ${name}`,
  roomPanel: 'Salon',
  knocked: (names) => `${list(names)} ${names.length === 1 ? 'veut' : 'veulent'} entrer.`,
  letIn: 'Faire entrer',
  turnAway: 'Refuser',
  letInName: (name) => `Faire entrer ${name}`,
  turnAwayName: (name) => `Refuser ${name}`,
  ruleSigns: { locked: 'verrouillé', lobby: 'avec salle d’attente', password: 'avec mot de passe' },
  e2eSign: 'chiffré de bout en bout',
  roomLocked: 'Le salon est verrouillé.',
  roomUnlocked: 'Le salon est de nouveau ouvert.',
  chatClosed:
    'Vous pouvez lire, mais pas écrire ici pour l’instant. Levez la main, ou demandez à un ' +
    'modérateur.',
  recordingClosed:
    'Vous ne pouvez pas enregistrer ici. Un modérateur peut le faire, ou le permettre.',
};

/** @type {typeof import('../moderation.js').moderators} */
export const moderators = { operator: 'L’administrateur du serveur' };

/** @type {Readonly<Record<string, string>>} */
const roleNames = {
  moderator: 'vous modérez ce salon',
  speaker: 'vous pouvez parler. Si votre micro est coupé, appuyez sur « Réactiver »',
  listener: 'vous écoutez : vous entendez les autres, et ils ne vous entendent pas',
};

/** @type {typeof import('../moderation.js').moderatedTexts} */
export const moderatedTexts = {
  muted: (by) =>
    (by === null
      ? 'Votre micro est toujours coupé par un modérateur. '
      : `${by} a coupé votre micro. `) + 'Levez la main pour demander la parole.',
  'may-unmute': (by) =>
    `${by} vous redonne la parole. Appuyez sur « Réactiver » quand vous le voulez.`,
  'hand-lowered': (by) => `${by} a baissé votre main.`,
  role: (by, role) =>
    `${by === null ? 'Maintenant' : `${by} a changé votre rôle. Maintenant`} ` +
    `${roleNames[role] ?? roleNames.speaker}.`,
};
