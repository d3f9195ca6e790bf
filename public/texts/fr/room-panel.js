import { formsOf } from '../language.js';

const { number } = formsOf('fr');

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `Modérer ${name}`,
  muteForAll: 'Couper le micro pour tout le monde',
  muteForAllHint: 'La personne ne peut pas le réactiver tant que vous ne le permettez pas.',
  allowToSpeak: 'Permettre de parler',
  allowToSpeakHint: 'Le micro reste coupé jusqu’à ce que la personne le réactive.',
  role: 'Rôle',
  roleNames: { moderator: 'Modérateur', speaker: 'Intervenant', listener: 'Auditeur' },
  changeRole: 'Changer le rôle',
  roleHint:
    'Un modérateur peut tout ce que vous pouvez. Un auditeur entend, écrit et lève la main, ' +
    'et on ne l’entend pas.',
  remove: 'Retirer du salon',
  removeHint: 'La personne peut revenir.',
  banFor: 'Exclure pendant',
  banTimes: [
    [3600, 'Une heure'],
    [86_400, 'Un jour'],
    [7 * 86_400, 'Une semaine'],
    [30 * 86_400, 'Trente jours'],
  ],
  removeAndBan: 'Retirer et exclure',
  banHint:
    'D’après son invitation ; sans invitation, d’après son réseau, qui peut être celui de ' +
    'tout un foyer ou d’une entreprise.',
  listeners: 'Chercher un auditeur',
  listenersShown: (shown, count) =>
    count === 0
      ? 'Il n’y a pas d’auditeurs.'
      : shown === 0
        ? count === 1
          ? 'Le seul auditeur a un autre nom.'
          : `Aucun des ${number(count)} auditeurs n’a ce nom.`
        : `${shown} sur ${number(count)} ${count === 1 ? 'auditeur' : 'auditeurs'}`,
  moreListeners: 'Suivants',
  firstListeners: 'Depuis le début',
  copyListenLink: 'Copier le lien d’écoute',
  removeListener: 'Retirer',
  removeName: (name) => `Retirer ${name}`,
  lock: 'Verrouiller le salon',
  lockHint: 'Personne d’autre ne peut entrer. Une personne qui perd sa connexion peut revenir.',
  lobby: 'Salle d’attente',
  lobbyHint:
    'Les personnes qui arrivent attendent que vous les fassiez entrer. Quand vous la ' +
    'désactivez, tous ceux qui attendent entrent.',
  chatPermission: 'Qui peut écrire',
  recordPermission: 'Qui peut enregistrer',
  allowed: { everybody: 'Tout le monde', moderators: 'Modérateurs' },
  mode: 'Comment le son arrive à chacun',
  modes: {
    mix: 'Mixé par le serveur',
    forward: 'Transmis, mixé par chaque page',
    auto: 'Transmis dans les petits salons, sinon mixé',
  },
  modeHint:
    'Transmis, le son reste tel qu’il a été envoyé, mais chaque page demande plus de débit et ' +
    'de puissance de calcul.',
  modeE2e:
    'Ce salon est chiffré de bout en bout : le son y est transmis, et le serveur ne peut rien ' +
    'mixer ni enregistrer.',
  password: 'Mot de passe',
  passwordSet: 'Le salon a un mot de passe. Tapez-en un autre pour le changer.',
  passwordNone:
    'Le salon n’a pas de mot de passe. Les personnes déjà là restent quand vous en définissez ' +
    'un.',
  setPassword: 'Définir le mot de passe',
  dropPassword: 'Retirer le mot de passe',
  bans: 'Exclusions',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `l’invitation ${identity}` : `le réseau ${network}`;
    return `${name}, d’après ${cause}, jusqu’à ${end}`;
  },
  unban: 'Réadmettre',
  unbanName: (name) => `Réadmettre ${name}`,
  stepDown: 'Ne plus modérer',
  lastModerator:
    'Personne d’autre ne modère ce salon. Pour transmettre ce rôle, donnez-le à quelqu’un ' +
    'dans les options de son nom.',
  endForAll: 'Terminer l’appel pour tout le monde',
  endQuestion: {
    title: 'Terminer l’appel pour tout le monde ?',
    text:
      'Tout le monde quitte le salon, vous aussi. Ce que vous avez réglé pour le salon est ' +
      'oublié.',
    yes: 'Terminer',
    no: 'Continuer',
  },

  goLive: 'Passer en direct',
  endBroadcast: 'Terminer la diffusion',
  offHint:
    'Le salon devient une diffusion : les personnes déjà là restent sur scène, et les ' +
    'nouvelles qui ont le lien du salon écoutent seulement.',
  onHint:
    'Le salon est une diffusion. Les nouvelles personnes qui ont son lien écoutent ' +
    'seulement. Quand vous y mettez fin, elles peuvent de nouveau parler, et les auditeurs ' +
    'le restent jusqu’à ce qu’ils reviennent.',
  makeStreamKey: 'Laisser un programme envoyer du son',
  newStreamKey: 'Créer une nouvelle clé',
  revokeStreamKey: 'Révoquer la clé',
  streamOffHint:
    'Mixxx, butt, Liquidsoap, ffmpeg et d’autres qui envoient à un serveur Icecast peuvent ' +
    'envoyer à ce salon. Une clé permet à l’un d’eux de monter sur scène.',
  streamOnHint:
    'Dans le programme, choisissez Icecast, Opus, cette adresse, l’utilisateur « source » et ' +
    'la clé comme mot de passe. Une nouvelle clé, ou aucune, met fin à l’envoi.',
  streamAddress: 'Adresse pour le programme',
  copyStreamAddress: 'Copier l’adresse',
  streamAddressCopied: 'Adresse copiée.',
  copyStreamKey: 'Copier la clé',
  streamKeyCopied: 'Clé copiée. Toute personne qui l’a peut envoyer du son à ce salon.',
  copyStageLink: 'Copier le lien de la scène',
  stageLinkHint:
    'Toute personne qui a ce lien peut parler. La prochaine diffusion aura un nouveau lien.',
};
