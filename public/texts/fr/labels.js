/** @type {typeof import('../labels.js').labels} */
export const labels = {
  startTitle: 'Parlez',
  startTitleEnd: 'à voix haute.',
  startLead: 'Ouvrez un salon, envoyez le lien, parlez. Rien à installer, pas de compte.',
  startRoom: 'Ouvrir un salon',
  startEncrypted: 'Ouvrir un salon chiffré',
  startEncryptedHint:
    'De bout en bout : seules les personnes qui ont le lien entier entendent ce qui est dit ; ' +
    'le serveur ne le peut pas. Aucun enregistrement n’est possible.',
  joinRoom: 'Ou rejoindre un salon',
  roomPlaceholder: 'son nom ou son lien',
  goToRoom: 'Aller au salon',
  lab: 'Le laboratoire',
  labHint: 'mesure le temps que met le son pour aller d’ici au serveur et revenir.',

  room: 'Salon',
  name: 'Nom',
  join: 'Participer',
  cancelJoin: 'Annuler',
  roomPassword: 'Mot de passe du salon',
  knocks: 'Personnes qui veulent entrer',
  hands: 'Auditeurs qui ont levé la main',
  joinHint: 'Votre micro s’active quand vous participez, jamais avant que vous le demandiez.',
  yourSound: 'Votre son',
  soundSettings: 'Réglages du son',
  advanced: 'Avancé',
  frameLength: 'Durée d’une trame',
  frameAuto: 'Automatique : selon le serveur',
  frame20: '20 ms : le moins de paquets',
  frame10: '10 ms : moins de délai',
  frame5: '5 ms : pour jouer ensemble',
  frame2: '2,5 ms : le délai le plus court, par câble seulement',
  frameHint:
    'Votre choix compte si vous êtes la première personne du salon, et vaut alors pour tout ' +
    'le monde. Les trames courtes s’entendent plus tôt, mais demandent plus de débit et de ' +
    'puissance de calcul.',
  connection: 'Connexion',
  connectionAuto: 'Automatique : la meilleure qui fonctionne',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport a le délai le plus court. Les autres servent aux réseaux et aux ' +
    'navigateurs qui ne l’ont pas, et à comparer.',

  language: 'Langue',
  languageAuto: 'Automatique : celle du navigateur',
  languageLater: 'La page l’utilisera à sa prochaine ouverture.',

  howConnected: 'Votre connexion',
  triedBefore: 'Ce qui a été essayé avant',
  peopleInRoom: 'Personnes dans le salon',
  callControls: 'Commandes de l’appel',
  alone: 'Il n’y a que vous ici.',
  aloneHint:
    'Envoyez le lien à quelqu’un, ou faites scanner son code QR. Cette page vous prévient ' +
    'quand quelqu’un arrive.',
  copyLink: 'Copier le lien',
  qrCode: 'Code QR',
  mute: 'Couper',
  hand: 'Main',
  chat: 'Chat',
  more: 'Plus',
  record: 'Enregistrer',
  soundPanel: 'Son',
  settings: 'Réglages',
  leave: 'Quitter',
  close: 'Fermer',
  recording: 'Enregistrement',
};

/** @type {typeof import('../labels.js').switchTexts} */
export const switchTexts = {
  echoCancellation: {
    label: 'Annulation d’écho',
    hint: 'Évite que les autres s’entendent eux-mêmes. Ne la désactivez qu’avec un casque.',
  },
  noiseSuppression: {
    label: 'Réduction du bruit',
    hint: 'Retire ventilateurs, clavier et bruits de la rue.',
  },
  noiseModel: {
    label: 'Réduction du bruit renforcée',
    hint:
      'En retire davantage, à la place de celle du navigateur. On vous entend 10 ms plus tard. ' +
      'Elle est chargée quand vous l’activez.',
  },
  autoGainControl: {
    label: 'Volume automatique',
    hint: 'Rend les voix faibles plus fortes et les voix fortes plus douces.',
  },
  music: {
    label: 'Musique',
    hint:
      'Envoie le son tel quel : les quatre réglages ci-dessus sont désactivés, et le débit est ' +
      'plus élevé.',
  },
  stereo: {
    label: 'Stéréo',
    hint:
      'Sépare la gauche et la droite, si vous êtes la première personne du salon : cela vaut ' +
      'pour tout le monde. Chrome et Edge ne prennent votre micro en stéréo qu’avec ' +
      '« Musique » ; sur certains ordinateurs le son arrive alors quelque 20 ms plus tard, ' +
      'comme le montre le panneau « Son ».',
  },
  highBitrate: {
    label: 'Débit plus élevé',
    hint:
      'Votre voix est envoyée à 96 kb/s, 192 en stéréo. Ce que vous entendez a le débit du ' +
      'salon.',
  },
  lossless: {
    label: 'Sans perte, sur un réseau rapide',
    hint:
      'Entre les personnes qui l’activent, le son est envoyé sans compression, dans les salons ' +
      'à trames de 2,5 ou 5 ms. Il faut 0,9 Mb/s dans chaque sens, le double en stéréo, et le ' +
      'délai du codec disparaît.',
  },
  lowDelay: {
    label: 'Opus à faible délai',
    hint:
      'Environ 4 ms de délai en moins pour les autres. Désactivé, les sons faibles sont un peu ' +
      'plus fins.',
  },
  sounds: { label: 'Sons', hint: 'Un son doux quand quelqu’un arrive ou part.' },
  captions: { label: 'Sous-titres', hint: 'Affiche en texte ce qui se dit.' },
  shortcuts: {
    label: 'Raccourcis clavier',
    hint:
      'M coupe le micro, H lève la main, C ouvre le chat, ? les montre tous ; maintenez Espace ' +
      'pour parler micro coupé.',
  },
};

/** @type {typeof import('../labels.js').greenRoomTexts} */
export const greenRoomTexts = {
  noRoomTyped: 'Tapez le nom d’un salon ou collez son lien.',
  noNameTyped: 'Tapez le nom que les autres verront.',
  nameCut: (name) => `Le nom est trop long. Les autres voient « ${name} ».`,
  nameInvited: 'Votre invitation donne ce nom.',
  join: 'Participer',
  joining: 'Connexion…',
  listen: 'Écouter',
  listenerName: 'Auditeur',
  listenHint:
    'Vous entendez le salon, et personne ne vous entend : aucun micro n’est demandé. Levez la ' +
    'main pour demander la parole.',
  yourOutput: 'Où vous l’entendez',
  microphoneLabel: 'Micro',
  speakerLabel: 'Haut-parleur',
  defaultMicrophone: 'Micro par défaut',
  defaultSpeaker: 'Haut-parleur par défaut',
  noMicrophone: 'Sans micro : écouter seulement',
  microphone: (number) => `Micro ${number}`,
  speaker: (number) => `Haut-parleur ${number}`,
  speakerBySystem: 'Avec ce navigateur, le haut-parleur se choisit dans les réglages du système.',
  testMicrophone: 'Tester mon niveau',
  stopTest: 'Arrêter le test',
  yourLevel: 'Votre niveau',
  saySomething: 'Dites quelque chose : la barre suit votre voix.',
  levelHeard: 'On vous entend.',
  levelSilent: 'On n’entend rien pour l’instant. Est-ce le bon micro, et est-il activé ?',
  playTone: 'Jouer un son de test doux',
  tonePlaying:
    'Vous devriez entendre deux notes douces. Sinon, choisissez un autre haut-parleur, ou ' +
    'montez le volume de cet appareil.',
  hearYourself: 'S’entendre',
  hearStop: 'Ne plus s’entendre',
  hearConnecting: 'Connexion au serveur…',
  hearing:
    'Parlez : le serveur vous renvoie votre voix deux secondes plus tard, telle que les ' +
    'autres l’entendraient.',
};

/** @type {typeof import('../labels.js').elementTexts} */
export const elementTexts = {
  call: (room) => `Appel ${room}`,
  name: 'Votre nom',
  join: 'Participer',
  listen: 'Écouter',
  joining: 'Connexion…',
  waiting: 'En attente qu’un modérateur vous fasse entrer…',
  away: 'Connexion perdue. Nouvel essai…',
  left: 'Vous avez quitté l’appel.',
  alone: 'Il n’y a que vous ici.',
  people: 'Personnes dans le salon',
  mute: 'Couper',
  leave: 'Quitter',
};
