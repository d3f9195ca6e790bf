import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('fr');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · Enregistrement · aloud`,
  chapters: 'Qui a parlé',
  noChapters:
    'Parmi les personnes qui ont accepté d’être enregistrées, aucune n’a parlé longtemps.',
  files: 'Télécharger',
  play: 'Lire',
  pause: 'Pause',
  position: 'Position',
  positionOf: (at, all) => `${timeText(at)} sur ${timeText(all)}`,
  back: 'en arrière',
  ahead: 'en avant',
  speed: 'Vitesse',
  live: 'En direct',
  toLive: 'Aller au direct',
  running: 'Enregistrement en cours',
  copyMoment: 'Lien vers cet instant',
  copied: (at) => `Le lien vers ${timeText(at)} est copié.`,
  notCopied: 'Le lien n’a pas pu être copié. Il est dans la barre d’adresse.',
  waiting: 'Chargement…',
  failed: 'Le son n’a pas pu être chargé. Vérifiez la connexion, puis appuyez sur « Lire ».',
  cannotPlay: 'Ce navigateur ne peut pas lire l’enregistrement. Téléchargez-le.',
  transcript: 'Ce qui a été dit',
  search: 'Chercher dans ce qui a été dit',
  found: (count) => plural(count, { one: `${count} passage`, other: `${count} passages` }),
  transcriptAsFile: 'Ce qui a été dit, en sous-titres',
  mix: 'Tout le monde ensemble',
  mixAsWebm: 'Tout le monde ensemble, en WebM',
  overWebTransport: (rate) =>
    rate === 0 ? 'Par WebTransport' : `Par WebTransport, à ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'Par HTTP',
  missing:
    'Cet enregistrement n’existe pas. Le lien est peut-être incomplet, ou l’enregistrement a ' +
    'été supprimé.',
  deleted: 'Cet enregistrement a été supprimé.',
  unreachable: 'Le serveur est injoignable. Vérifiez la connexion, puis rechargez la page.',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Ouvrir ou rejoindre un salon',
  reasons: {
    'not-found': 'Il n’y a rien à cette adresse.',
    'empty-room': 'Il n’y a personne dans ce salon. Réessayez quand quelqu’un y sera.',
    banned: 'La modération vous interdit ce salon pour un moment.',
    internal: 'Une erreur s’est produite sur le serveur ; elle est dans son journal.',
  },
};
