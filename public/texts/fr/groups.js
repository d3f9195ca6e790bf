/** @type {typeof import('../groups.js').groupTexts} */
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
