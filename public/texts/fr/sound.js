import { timeText } from '../units.js';

/** @type {typeof import('../sound.js').partTexts} */
export const partTexts = {
  microphoneMs: 'Micros des autres',
  frameMs: 'Une trame se remplit',
  serverDelayMs: 'Délai du serveur',
  wayMs: 'Trajet dans le réseau',
  playoutMs: 'Tampon de lecture',
  outputMs: 'Attente de la carte son',
  codecMs: 'Anticipation du codec',
  laterMs: 'Retard ajouté pour les retardataires',
  speakerMs: 'Carte son et haut-parleur',
};

/** @type {typeof import('../sound.js').savingTexts} */
export const savingTexts = {
  frameMs: 'Ouvrez le salon avec des trames de 2,5 ms',
  serverDelayMs: 'Demandez à ceux dont le son arrive tard d’utiliser un câble plutôt que le Wi-Fi',
  playoutMs: 'Utilisez un câble plutôt que le Wi-Fi, et fermez ce qui occupe cet ordinateur',
  outputMs: 'Utilisez une carte son qui prend le son par petits morceaux, et pas de Bluetooth',
  speakerMs: 'Utilisez des haut-parleurs ou un casque filaires, pas de Bluetooth',
};

/** @type {typeof import('../sound.js').figureTexts} */
export const figureTexts = {
  received: 'Son reçu, en tout',
  received10s: 'Son reçu, 10 dernières s',
  lost: 'Paquets perdus',
  late: 'Paquets en retard',
  early: 'Paquets arrivés trop tôt',
  duplicate: 'Paquets en double',
  concealed: 'Trames masquées',
  recovered: 'Trames de redondance',
  gaps: 'Coupures au haut-parleur',
  jitter: 'Gigue ; ce qu’elle demande',
  drift: 'Dérive de la carte son',
};

/** @type {typeof import('../sound.js').soundTexts} */
export const soundTexts = {
  soundSum: 'Retard de ce que vous entendez',
  soundSumHint: 'Le délai du serveur comprend le trajet de la personne qui parle jusqu’au serveur.',
  soundSumDevices: 'Ce qu’ajoutent les micros des autres n’y est pas compris.',
  soundSumNoDevices:
    'Ceci est sans cartes son : votre navigateur ne dit pas ce qu’ajoute la vôtre.',
  ownMicrophone: (ms) => `Votre propre micro ajoute ${ms} à ce que les autres entendent de vous.`,
  ownSuppression: (ms) => `${ms} du délai de votre son viennent de la réduction du bruit.`,
  savings: 'Ce qui le raccourcirait',
  saves: (part, ms) => `${savingTexts[part]} : jusqu’à ${ms} ms.`,
  savesNothing:
    'Rien qui aiderait beaucoup : le délai est à peu près aussi court qu’il peut l’être ici.',
  metronome: 'Métronome',
  metronomeBpm: 'Battements par minute',
  metronomeBeats: 'Temps par mesure',
  metronomeStart: 'Lancer pour tout le monde',
  metronomeStop: 'Arrêter pour tout le monde',
  metronomeTap: 'Taper le tempo',
  metronomeHeard: 'Je l’entends',
  metronomeOff: 'Il est arrêté.',
  metronomeBy: (name, bpm) => `${name} l’a réglé : ${bpm} battements par minute.`,
  metronomeBegan: (name, bpm) => `${name} a lancé le métronome : ${bpm} battements par minute.`,
  metronomeEnded: (name) => `${name} a arrêté le métronome.`,
  metronomeHint:
    'Tout le monde entend chaque battement au même moment, quel que soit le délai de chacun. ' +
    'Si vous jouez sur le battement, tous les autres vous entendent dessus. Pour donner le ' +
    'tempo, appuyez sur « Taper le tempo » à chaque battement. Utilisez un casque, sinon le ' +
    'micro le capte.',
  share: 'Partager un son',
  shareNone: 'Vous n’en partagez aucun.',
  shareTab: 'Partager le son d’un onglet',
  shareFile: 'Partager le son d’un fichier',
  shareStop: 'Ne plus partager',
  shareReading: 'Le fichier est lu.',
  shareBegins: 'Cela commence…',
  shareOver: 'C’est fini : plus personne ne l’entend.',
  shareOfTab: 'Son d’un onglet',
  shareOfFile: 'Son d’un fichier',
  shareHint:
    'Il est envoyé avec votre voix, sans traitement. Tout le monde le voit à côté de vous et ' +
    'règle son volume. Cochez « Partager aussi l’audio de l’onglet » quand le navigateur le ' +
    'demande. Un onglet continue de jouer ici ; utilisez un casque, sinon le micro le capte.',
  shareFileHint:
    'Il est envoyé avec votre voix, sans traitement. Tout le monde le voit à côté de vous et ' +
    'règle son volume. Ce navigateur ne peut pas partager le son d’un onglet ; Chrome et Edge ' +
    'sur un ordinateur le peuvent.',
  shareOn: (name) => `Tout le monde entend « ${name} » en plus de votre voix.`,
  track: 'Accompagnement',
  trackNone: 'Il n’y en a pas.',
  trackBy: (name, track, seconds) => `« ${track} », ${timeText(seconds)}, de ${name}.`,
  trackChoose: 'Choisir un fichier',
  trackOther: 'Choisir un autre fichier',
  trackSending: 'Le fichier est lu et envoyé.',
  trackPlay: 'Jouer pour tout le monde',
  trackAgain: 'Depuis le début',
  trackStop: 'Arrêter pour tout le monde',
  trackRemove: 'Retirer',
  trackLevel: 'À quel volume je l’entends',
  trackCame: (name, track) => `${name} a ajouté l’accompagnement « ${track} ».`,
  trackBegan: (name) => `${name} joue l’accompagnement.`,
  trackStopped: (name) => `${name} a arrêté l’accompagnement.`,
  trackOver: 'L’accompagnement est terminé.',
  trackRemoved: (name) => `${name} a retiré l’accompagnement.`,
  trackHint:
    'Tout le monde l’entend au même moment, comme le métronome, et peut jouer avec. Tant que ' +
    'le métronome est lancé, il commence avec une mesure, après une mesure de battements. Il ' +
    'n’est dans aucun enregistrement. Utilisez un casque, sinon le micro le capte.',
  own: 'Enregistrer sur cet appareil',
  ownNone: 'Rien n’est enregistré sur cet appareil.',
  ownStart: 'Enregistrer mon micro',
  ownStop: 'Arrêter et garder',
  ownOn: 'Votre micro est enregistré sur cet appareil.',
  ownKept: 'Le fichier est gardé dans ce navigateur. Téléchargez-le pour l’utiliser ailleurs.',
  ownFiles: 'Enregistrements sur cet appareil',
  ownDownload: 'Télécharger',
  ownGive: 'Ajouter à l’enregistrement du salon',
  ownDelete: 'Supprimer',
  ownSending: (percent) => `Envoi : ${percent} %`,
  ownSent: 'Le fichier accompagne maintenant l’enregistrement du salon.',
  ownHint:
    'Un fichier WAV 24 bits de votre micro, avant compression. Il continue pendant une ' +
    'coupure de connexion et reste silencieux tant que votre micro est coupé. Chaque fichier ' +
    'connaît sa place sur l’horloge du salon, pour que les logiciels de montage alignent les ' +
    'fichiers de tous les appareils.',
  ownUnsupported:
    'Ce navigateur ne peut pas garder un tel fichier. Utilisez un navigateur récent, en HTTPS.',
  panelLoading: 'Chargement…',
  plotsLoading: 'Chargement…',
  plotRoundTrip: 'Aller-retour',
  plotReceived: 'Son reçu',
  plotServerDelay: 'Délai du serveur',
  plotPlayoutDelay: 'Délai de lecture',
  plotLoss: 'Paquets perdus',
  plotRate: 'Débit',
  up: 'envoi',
  down: 'réception',
  lossUp: 'Paquets perdus, envoi',
  lossDown: 'Paquets perdus, réception',
  rateUp: 'Débit, envoi',
  rateDown: 'Débit, réception',
  figures: 'Depuis votre arrivée',
  lateness: 'Retard de votre son à son arrivée au serveur, ces 20 dernières s',
  latenessUpTo: (ms) => `jusqu’à ${ms} ms`,
  latenessOver: 'plus',
  copyAsText: 'Copier comme texte',
  copied: 'Copié',
  saveAsCsv: 'Enregistrer les statistiques en CSV',
  saveAsJson: 'Enregistrer les statistiques en JSON',
  soundAge: (age) => `Vous entendez les autres avec ${age} de retard`,
  plotLabel: (title, value) => `${title}, les deux dernières minutes. Maintenant ${value}.`,
  reportTitle: (room, at) => `aloud, salon ${room}, ${at}`,
  operator: 'Pour l’administrateur',
  operatorHint:
    'Avec le jeton d’administrateur du serveur, vous réglez le délai pour tout le salon.',
  operatorToken: 'Jeton d’administrateur',
  operatorUse: 'Utiliser',
  operatorAuto: 'Délai automatique',
  operatorDelay: 'Délai du salon dans le serveur',
};
