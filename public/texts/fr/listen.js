import { formsOf } from '../language.js';
import { connectionNames, decimalText } from '../units.js';

const { list, number } = formsOf('fr');

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: 'Écouter',
  pause: 'Pause',
  starting: 'Démarrage…',
  cancel: 'Annuler',
  listeners: (count) => (count < 2 ? `${count} auditeur` : `${number(count)} auditeurs`),
  speaking: (names) =>
    names.length === 0
      ? 'Personne ne parle.'
      : `${list(names)} ${names.length === 1 ? 'parle' : 'parlent'}.`,
  otherSound: 'De la musique, ou un autre son sans voix.',
  onStage: (names) =>
    names.length === 0
      ? 'Personne ne parle encore. Vous entendrez la première personne qui parlera.'
      : `Sur scène : ${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['EN DIRECT'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(
      ' · ',
    ),
  name: 'Votre nom',
  nameHint: 'Les modérateurs le voient quand vous levez la main. Vous pouvez le laisser vide.',
  nameInvited: 'Votre invitation donne ce nom. Les modérateurs le voient quand vous levez la main.',
  listenerName: 'Auditeur',
  password: 'Mot de passe du salon',
  volume: 'Volume',
  near: 'Délai',
  nearness: { conversation: 'En direct', near: 'Un peu plus tard', steady: 'Stable' },
  nearnessHints: {
    conversation: 'Dès que possible : pour les personnes qui peuvent répondre.',
    near: 'Un quart de seconde plus tard, avec moins de coupures.',
    steady: 'Deux secondes plus tard, et complet même sur un mauvais réseau.',
  },
  hand: 'Lever la main',
  handUp: 'Baisser la main',
  details: 'Connexion',
  quality: (kbps, transport, delayMs) => {
    const seconds = delayMs === null ? '' : decimalText(delayMs / 1000, 1, 'fr');
    const delay = delayMs === null ? '' : `, entendu ${seconds} s plus tard`;
    return `${Math.round(kbps)} kb/s par ${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: 'Ouvrir la page complète avec le chat',
  openRoom: 'Ouvrir le salon',

  notOpen:
    'Ce salon n’est pas encore ouvert. Appuyez sur « Écouter », et vous l’entendrez dès que ' +
    'quelqu’un parlera.',
  ready: 'Appuyez sur « Écouter ». Aucun micro n’est nécessaire.',
  playing: 'Vous écoutez.',
  paused: 'En pause. Rien n’est téléchargé pour l’instant.',
  resumed: 'Vous écoutez de nouveau.',
  reconnecting: 'La connexion a été interrompue. Restez sur cette page : elle se reconnecte.',
  reconnectingLong:
    'Il n’y a plus de connexion depuis un moment. Vérifiez le réseau de cet appareil : le son ' +
    'revient dès qu’il y en a un.',
  waiting:
    'Les modérateurs savent que vous êtes là. Vous entendrez le salon dès que l’un d’eux ' +
    'vous fera entrer.',
  pressForSound: 'Le navigateur retient le son. Appuyez n’importe où sur cette page.',
  interrupted:
    'Autre chose utilise le son de cet appareil. Il revient tout seul, ou quand vous appuyez ' +
    'n’importe où.',
  handRaised: 'Votre main est levée. Les modérateurs la voient.',
  handLowered: 'Votre main est baissée.',
  handTaken: 'Un modérateur a baissé votre main.',
  fromBeginning: 'Ceci est enregistré. Écouter depuis le début',
  broadcastOver: 'La diffusion est terminée. Vous entendez encore le salon.',
  joinCall: 'Participer à l’appel',
  ontoStage: 'Vous pouvez parler maintenant. La page de l’appel se charge…',
  stageFailed:
    'Vous pouvez parler maintenant, mais la page de l’appel n’a pas pu être chargée. Vérifiez ' +
    'votre réseau, puis appuyez sur « Monter sur scène ».',
  goOnStage: 'Monter sur scène',
  stageElsewhere: 'Vous pouvez parler maintenant, sur la page du salon.',
  draining: 'Le serveur va redémarrer. Le son reviendra tout seul.',
  loadFailed:
    'Une partie de cette page n’a pas pu être chargée. Vérifiez votre réseau, puis appuyez de ' +
    'nouveau sur « Écouter ».',
  failed:
    'Un problème est survenu. Vérifiez votre réseau, puis appuyez de nouveau sur « Écouter ».',
};
