/** @type {typeof import('../features.js').captionTexts} */
export const captionTexts = {
  title: 'Subtítulos',
  waiting:
    'Aquí aparece lo que se dice, si el navegador de quien habla puede transcribirlo o si lo ' +
    'hace un programa de la sala.',
  byProgram: (by) => `(transcrito por ${by})`,
  translate: 'Traducir al',
  asSpoken: 'Idioma original',
  notTranslated:
    'Este navegador no puede traducir lo que se dijo: se muestra en el idioma original.',
  own:
    'Alguien ha activado los subtítulos. Este navegador transcribe lo que dices, en este ' +
    'dispositivo, y los demás pueden leerlo.',
  stop: 'Dejar de transcribir',
  install:
    'Alguien ha activado los subtítulos. Este navegador puede transcribir lo que dices, en ' +
    'este dispositivo, cuando haya cargado tu idioma.',
  load: 'Cargarlo',
  failed: 'Este navegador ya no transcribe lo que dices. Los demás te oyen como antes.',
};

/** @type {typeof import('../features.js').groupTexts} */
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

/** @type {typeof import('../features.js').inputTexts} */
export const inputTexts = {
  title: 'Dos entradas',
  off: 'Tu micrófono es una sola entrada.',
  name: 'Nombre de la entrada derecha',
  second: 'Segunda entrada',
  start: 'Usar dos entradas',
  stop: 'Usar una entrada',
  on: (name) => `La entrada izquierda es tu voz. Todos oyen la derecha como «${name}».`,
  oneChannel:
    'Este micrófono tiene un solo canal, así que sigue siendo una entrada. Elige en los ajustes ' +
    'un dispositivo con dos entradas y vuelve a intentarlo.',
  replaced: 'Ahora compartes otro sonido, así que tu micrófono vuelve a ser una sola entrada.',
  noMicrophone: 'Primero elige un micrófono en los ajustes.',
  hint:
    'Para una tarjeta de sonido con la voz a la izquierda y un instrumento a la derecha. Las ' +
    'dos señales se envían sin procesar y sincronizadas. Cada persona ajusta el volumen y la ' +
    'posición de cada una. Usa auriculares o el micrófono captará a los demás.',
};

/** @type {typeof import('../features.js').interpreterTexts} */
export const interpreterTexts = {
  label: 'Idioma',
  floor: 'Audio original',
  hint: 'Se oye al intérprete por encima de quienes hablan, que suenan más bajo mientras tanto.',
  into: 'Interpreta al',
  nobody: 'Ningún idioma: todos oyen a esta persona',
  set: 'Elegir el idioma',
  intoHint: 'Solo oyen al intérprete quienes eligen ese idioma.',
};
