/** @type {typeof import('../features.js').captionTexts} */
export const captionTexts = {
  title: 'Sous-titres',
  waiting:
    'Les paroles s’affichent ici si le navigateur de la personne sait les transcrire, ou si ' +
    'un programme du salon le fait.',
  byProgram: (by) => `(transcrit par ${by})`,
  translate: 'Traduire en',
  asSpoken: 'Langue parlée',
  notTranslated:
    'Ce navigateur ne peut pas traduire ces paroles : elles restent dans la langue parlée.',
  own:
    'Quelqu’un a activé les sous-titres. Ce navigateur transcrit ce que vous dites, sur cet ' +
    'appareil, et les autres peuvent le lire.',
  stop: 'Ne plus transcrire',
  install:
    'Quelqu’un a activé les sous-titres. Ce navigateur peut transcrire ce que vous dites, sur ' +
    'cet appareil, une fois votre langue chargée.',
  load: 'Charger',
  failed:
    'Ce navigateur ne transcrit plus ce que vous dites. Les autres vous entendent comme avant.',
};

/** @type {typeof import('../features.js').groupTexts} */
export const groupTexts = {
  groups: 'Groupes',
  offHint:
    'Dans un groupe, on n’entend que son groupe. Vous répartissez les personnes, ou elles ' +
    'choisissent, et vous rappelez tout le monde.',
  number: 'Nombre de groupes',
  evenly: 'Répartir équitablement',
  evenlyHint: 'Les modérateurs restent dans le salon.',
  choose: 'Laisser chacun choisir',
  chooseHint: 'Chacun choisit son groupe et peut en changer.',
  open: 'Ouvrir les groupes',
  callBackIn: 'Tout le monde revient',
  callBackTimes: [
    [0, 'tout de suite'],
    [30, 'dans 30 secondes'],
    [60, 'dans une minute'],
    [300, 'dans cinq minutes'],
  ],
  callBack: 'Rappeler tout le monde',
  speak: 'Parler à tous les groupes',
  stopSpeaking: 'Ne plus parler à tous',
  speakHint:
    'Tout le monde vous entend, dans le salon et dans chaque groupe. Un message écrit depuis ' +
    'le salon arrive aussi à tous.',
  theRoom: 'Le salon',
  group: (group) => `Groupe ${group}`,
  groupWith: (group, people) => `Groupe ${group} (${people})`,
  groupOf: (name) => `Groupe de ${name}`,
  yourGroup: 'Votre groupe',
  inRoom: 'Des groupes sont ouverts. Vous êtes dans le salon.',
  inGroup: (group) =>
    `Vous êtes dans le groupe ${group}. Lui seul vous entend, et vous n’entendez que lui.`,
  goBack: 'Revenir au salon',
  backIn: (time) => `Tout le monde revient au salon dans ${time}.`,
  speaks: (name) => `${name} parle à tous les groupes.`,
  youSpeak: 'Vous parlez à tous les groupes.',
  over: 'Les groupes sont terminés. Tout le monde est de nouveau dans le salon.',
};

/** @type {typeof import('../features.js').inputTexts} */
export const inputTexts = {
  title: 'Deux entrées',
  off: 'Votre micro est une seule entrée.',
  name: 'Nom de l’entrée droite',
  second: 'Deuxième entrée',
  start: 'Utiliser deux entrées',
  stop: 'Utiliser une seule entrée',
  on: (name) =>
    `L’entrée gauche est votre voix. Tout le monde entend la droite sous le nom « ${name} ».`,
  oneChannel:
    'Ce micro n’a qu’un canal et reste donc une seule entrée. Choisissez un appareil à deux ' +
    'entrées dans les réglages, puis réessayez.',
  replaced: 'Vous partagez maintenant un autre son : votre micro est de nouveau une seule entrée.',
  noMicrophone: 'Choisissez d’abord un micro dans les réglages.',
  hint:
    'Pour une carte son avec une voix à gauche et un instrument à droite. Les deux sont ' +
    'envoyées sans traitement et bien synchronisées. Chacun règle le volume et la position de ' +
    'l’une et de l’autre. Utilisez un casque, sinon le micro capte les autres.',
};

/** @type {typeof import('../features.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Langue',
  floor: 'Version originale',
  hint: 'On entend l’interprète par-dessus les orateurs, dont le volume baisse pendant ce temps.',
  into: 'Interprète vers',
  nobody: 'Aucune langue : tout le monde l’entend',
  set: 'Choisir la langue',
  intoHint: 'Seuls les auditeurs qui choisissent cette langue entendent l’interprète.',
};
