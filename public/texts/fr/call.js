import { formsOf } from '../language.js';
import { connectionNames, decimalText, sizeText, timeText } from '../units.js';

const { list, number } = formsOf('fr');

/** @type {typeof import('../call.js').callTexts} */
export const callTexts = {
  you: 'vous',
  muted: 'micro coupé',
  away: 'connexion perdue, peut revenir',
  handRaised: 'main levée',
  notRecorded: 'pas enregistré',
  sharedBy: (name) => `partagé par ${name}`,
  shareCame: (name) => `${name} partage un son.`,
  shareWent: (name) => `${name} ne partage plus de son.`,
  waited: (ms) => `arrive avec ${Math.round(ms)} ms de retard : le son de tous attend`,
  later: (ms) => `on l’entend ${Math.round(ms)} ms après les autres`,
  youLater: (ms) => `les autres vous entendent ${Math.round(ms)} ms plus tard`,
  heardAfter: (ms) => `Entendu ${Math.round(ms)} ms après avoir été dit`,
  waitedFor: (names) =>
    `Le délai est plus long que nécessaire pour la plupart, car le son de ${list(names)} ` +
    'arrive tard.',
  mute: 'Couper',
  unmute: 'Réactiver',
  talking: 'Vous parlez',
  raiseHand: 'Lever la main',
  lowerHand: 'Baisser la main',
  linkCopied: 'Lien copié',
  dismiss: 'Fermer',
  tryNow: 'Essayer maintenant',
  trying: 'Nouvel essai…',
  tryingIn: (seconds) => `Nouvel essai dans ${seconds} s.`,
  close: 'Fermer',
  reconnected: 'La connexion est rétablie.',
  offline: 'Connexion perdue',
  titleOffline: 'connexion perdue',
  useIt: 'L’utiliser',
  deviceNew: (device) => `${device} est branché. Utilisez-le, ou continuez comme avant.`,
  otherTab: {
    title: 'Vous êtes déjà dans ce salon',
    text:
      'Un autre onglet ou une autre fenêtre de ce navigateur est dans l’appel, et les deux ' +
      's’entendraient. Amenez l’appel ici, et l’autre le quitte.',
    yes: 'L’amener ici',
    no: 'Annuler',
  },
  keysTitle: 'Touches pendant un appel',
  keysHint: 'Elles n’agissent pas pendant que vous écrivez, et se désactivent dans « Réglages ».',
  showKeys: 'Montrer toutes les touches',
  keys: [
    ['M', 'couper ou activer votre micro'],
    ['Espace maintenu', 'parler malgré le micro coupé'],
    ['H', 'lever ou baisser la main'],
    ['C', 'ouvrir ou fermer le chat'],
    ['?', 'montrer ces touches'],
    ['Échap', 'fermer ce qui est ouvert'],
  ],
  qrTitle: 'Scannez pour participer',
  qrLabel: 'Code QR du lien de ce salon',
  youJoined: 'Vous êtes dans l’appel.',
  youLeft: 'Vous avez quitté l’appel.',
  howBack: 'Vous avez quitté l’appel. Vous pouvez revenir à tout moment avec le même lien.',
  youMuted: 'Votre micro est coupé.',
  youUnmuted: 'Votre micro n’est plus coupé.',
  more: (name) => `Options pour ${name}`,
  sideLeft: 'G',
  sideRight: 'D',
  placeOf: (name) => `Position de ${name}, de gauche à droite`,
  place: (percent) =>
    percent === 0
      ? 'au milieu'
      : `${Math.abs(percent)} % vers la ${percent < 0 ? 'gauche' : 'droite'}`,
  volumeOf: (name) => `Volume de ${name}`,
  muteForMe: 'Couper pour moi',
  mutedForYou: 'coupé pour vous',
  quality: ['', 'mauvaise connexion', 'connexion moyenne', 'bonne connexion'],
  people: (count) => (count < 2 ? `${count} personne` : `${count} personnes`),
  listenersToo: (count) => (count < 2 ? `${count} auditeur` : `${number(count)} auditeurs`),
  speaking: (names) => (names.length === 0 ? 'Personne ne parle' : `Parle : ${list(names)}`),
  manyCame: (count) => `${count} personnes sont arrivées.`,
  manyLeft: (count) => `${count} personnes sont parties.`,
  soundOn: 'Activer le son',
  listenFirst: 'Écouter pour l’instant',
  joined: (name) => `${name} a rejoint l’appel.`,
  left: (name) => `${name} a quitté l’appel.`,
  nowMuted: (name) => `${name} a le micro coupé.`,
  nowUnmuted: (name) => `${name} n’a plus le micro coupé.`,
  nowAway: (name) => `${name} a perdu la connexion.`,
  nowBack: (name) => `${name} est de retour.`,
  raisedHand: (name) => `${name} a levé la main.`,
  loweredHand: (name) => `${name} a baissé la main.`,
  connectedOver: (connection) => `Connecté par ${connectionNames[connection] ?? connection}`,
  notTaken: (connection, reason) => `${connectionNames[connection]} a été essayé avant. ${reason}`,
  roundTrip: (ms) => `Aller-retour ${Math.round(ms)} ms`,
  received: (percent) => `Reçu ${decimalText(percent, percent >= 99.95 ? 0 : 1, 'fr')} %`,
  delay: (ms) => `Délai ${Math.round(ms)} ms`,
};

/** @type {typeof import('../call.js').chatTexts} */
export const chatTexts = {
  chatLog: 'Messages',
  chatEmpty:
    'Rien n’a encore été écrit. Tout le salon voit les messages, et aussi ceux qui arrivent ' +
    'plus tard.',
  chatField: 'Message à tout le monde',
  chatPlaceholder: 'Écrire à tout le monde',
  send: 'Envoyer',
  showAll: 'Tout montrer',
  showLess: 'Montrer moins',
  messageCut: 'Ce message était plus long ; sa fin a été coupée.',
  chatFrom: (name, text) => `${name} a écrit : ${text}`,
  charactersLeft: (count) => `Encore ${count} ${count < 2 ? 'caractère' : 'caractères'}.`,
  tooLong: (count) =>
    `C’est trop long de ${count} ${count === 1 ? 'caractère' : 'caractères'}. Raccourcissez-le, ` +
    'ou envoyez-le en deux messages.',
  chatUnread: (count) => (count < 2 ? `${count} non lu` : `${count} non lus`),
};

/** @type {typeof import('../call.js').recordingTexts} */
export const recordingTexts = {
  recordingOn: 'Enregistrement en cours',
  recordButtonOn: 'Enregistrer : un enregistrement est en cours',
  recordingIdle:
    'Rien n’est enregistré. Quand vous commencez, tout le monde est consulté, et seules les ' +
    'personnes d’accord sont enregistrées.',
  recordingFinishing: 'L’enregistrement est arrêté. Ses fichiers sont en cours de finition.',
  recordingReady: 'Les fichiers de l’enregistrement sont prêts.',
  startRecording: 'Commencer l’enregistrement',
  stopRecording: 'Arrêter l’enregistrement',
  recordMe: 'M’enregistrer',
  recordPublic: 'Tout le monde peut l’entendre',
  recordingPage: 'La page de l’enregistrement',
  recordedFiles: 'Fichiers',
  recordedMix: 'Tout le monde ensemble',
  filesHint:
    'Ogg Opus. Le serveur les supprime après un moment : téléchargez ce que vous voulez ' +
    'garder.',
  consent: (name) => ({
    title: 'Ce salon est enregistré',
    text:
      `${name} a commencé un enregistrement. Votre voix n’est gardée que si vous êtes d’accord. ` +
      'Vous pouvez changer d’avis à tout moment dans « Enregistrer ».',
    yes: 'Accepter',
    no: 'Ne pas m’enregistrer',
  }),
  recordingSince: (name, time) => `${name} enregistre depuis ${time}.`,
  recordingBegan: (name) => `${name} a commencé l’enregistrement.`,
  recordingEnded: (name) => `${name} a arrêté l’enregistrement.`,
  recordedPeople: (names) =>
    names.length === 0 ? 'Personne n’est enregistré.' : `Voix enregistrées : ${list(names)}.`,
  fileSize: (since, seconds, bytes) => `${since}, ${timeText(seconds)}, ${sizeText(bytes)}`,
};
