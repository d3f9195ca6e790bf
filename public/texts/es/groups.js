/** @type {typeof import('../groups.js').groupTexts} */
export const groupTexts = {
  groups: 'Grupos',
  offHint:
    'En un grupo solo se oye a ese grupo. Tú repartes a las personas, o ellas eligen, y tú ' +
    'las llamas de vuelta.',
  number: 'Número de grupos',
  evenly: 'Repartir por igual',
  evenlyHint: 'Los moderadores se quedan en la sala.',
  choose: 'Que cada cual elija',
  chooseHint: 'Cada persona elige su grupo y puede cambiarlo.',
  open: 'Abrir los grupos',
  callBackIn: 'Todos vuelven',
  callBackTimes: [
    [0, 'ahora mismo'],
    [30, 'en 30 segundos'],
    [60, 'en un minuto'],
    [300, 'en cinco minutos'],
  ],
  callBack: 'Llamar a todos de vuelta',
  speak: 'Hablar a todos los grupos',
  stopSpeaking: 'Dejar de hablar a todos',
  speakHint:
    'Todos te oyen, en la sala y en cada grupo. Lo que escribes desde la sala también llega a ' +
    'todos.',
  theRoom: 'La sala',
  group: (group) => `Grupo ${group}`,
  groupWith: (group, people) => `Grupo ${group} (${people})`,
  groupOf: (name) => `Grupo de ${name}`,
  yourGroup: 'Tu grupo',
  inRoom: 'Hay grupos abiertos. Estás en la sala.',
  inGroup: (group) => `Estás en el grupo ${group}. Solo te oye ese grupo, y solo lo oyes a él.`,
  goBack: 'Volver a la sala',
  backIn: (time) => `Todos vuelven a la sala en ${time}.`,
  speaks: (name) => `${name} habla a todos los grupos.`,
  youSpeak: 'Estás hablando a todos los grupos.',
  over: 'Los grupos han terminado. Todos están de nuevo en la sala.',
};
