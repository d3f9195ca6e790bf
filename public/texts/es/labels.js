/** @type {typeof import('../labels.js').labels} */
export const labels = {
  startTitle: 'Dilo',
  startTitleEnd: 'en voz alta.',
  startLead: 'Abre una sala, envía el enlace y habla. Nada que instalar, sin cuenta.',
  startRoom: 'Abrir una sala',
  startEncrypted: 'Abrir una sala cifrada',
  startEncryptedHint:
    'De extremo a extremo: solo quien tiene el enlace completo oye lo que se dice; el ' +
    'servidor no puede. No se puede grabar nada.',
  joinRoom: 'O entra en una sala',
  roomPlaceholder: 'su nombre o enlace',
  goToRoom: 'Ir a la sala',
  lab: 'El laboratorio',
  labHint: 'mide cuánto tarda el sonido en ir de aquí a este servidor y volver.',

  room: 'Sala',
  name: 'Nombre',
  join: 'Entrar',
  cancelJoin: 'Cancelar',
  roomPassword: 'Contraseña de la sala',
  knocks: 'Personas que quieren entrar',
  hands: 'Oyentes que han levantado la mano',
  joinHint: 'Tu micrófono se activa al entrar, nunca antes de que lo pidas.',
  yourSound: 'Tu sonido',
  soundSettings: 'Ajustes de sonido',
  advanced: 'Avanzado',
  frameLength: 'Duración de una trama',
  frameAuto: 'Automática: como diga el servidor',
  frame20: '20 ms: menos paquetes',
  frame10: '10 ms: menos retardo',
  frame5: '5 ms: para tocar juntos',
  frame2: '2,5 ms: el menor retardo, solo por cable',
  frameHint:
    'Tu elección cuenta si eres la primera persona de la sala, y entonces vale para todas. ' +
    'Las tramas cortas se oyen antes, pero necesitan más ancho de banda y más procesamiento.',
  connection: 'Conexión',
  connectionAuto: 'Automática: la mejor que funcione',
  connectionWebTransport: 'WebTransport (HTTP/3)',
  connectionWebSocket: 'WebSocket',
  connectionHttp1: 'HTTP/1',
  connectionHint:
    'WebTransport tiene el menor retardo. Las demás son para redes y navegadores que no lo ' +
    'tienen, y para comparar.',

  language: 'Idioma',
  languageAuto: 'Automático: el del navegador',
  languageLater: 'La página lo usará la próxima vez que la abras.',

  howConnected: 'Cómo es tu conexión',
  triedBefore: 'Lo que se probó antes',
  peopleInRoom: 'Personas en la sala',
  callControls: 'Controles de la llamada',
  alone: 'Aquí solo estás tú.',
  aloneHint:
    'Envía el enlace a alguien, o deja que escanee su código QR. Esta página te avisa cuando ' +
    'entra alguien.',
  copyLink: 'Copiar enlace',
  qrCode: 'Código QR',
  mute: 'Silenciar',
  hand: 'Mano',
  chat: 'Chat',
  more: 'Más',
  record: 'Grabar',
  soundPanel: 'Sonido',
  settings: 'Ajustes',
  leave: 'Salir',
  close: 'Cerrar',
  recording: 'Grabación',
};

/** @type {typeof import('../labels.js').switchTexts} */
export const switchTexts = {
  echoCancellation: {
    label: 'Cancelación de eco',
    hint: 'Evita que los demás se oigan a sí mismos. Desactívala solo con auriculares.',
  },
  noiseSuppression: {
    label: 'Reducción de ruido',
    hint: 'Elimina el ruido de ventiladores, teclas y la calle.',
  },
  noiseModel: {
    label: 'Reducción de ruido reforzada',
    hint:
      'Quita más ruido, en lugar de la del navegador. Se te oye 10 ms más tarde. Se carga ' +
      'cuando la activas.',
  },
  autoGainControl: {
    label: 'Volumen automático',
    hint: 'Sube las voces bajas y baja las altas.',
  },
  music: {
    label: 'Música',
    hint:
      'Envía el sonido tal como es: los cuatro ajustes de arriba quedan desactivados, y la ' +
      'tasa de bits es mayor.',
  },
  stereo: {
    label: 'Estéreo',
    hint:
      'Mantiene separadas la izquierda y la derecha, si eres la primera persona de la sala: ' +
      'vale para todas. Chrome y Edge solo toman tu micrófono en estéreo con «Música»; en ' +
      'algunos ordenadores el sonido llega entonces unos 20 ms más tarde, como muestra el panel ' +
      '«Sonido».',
  },
  highBitrate: {
    label: 'Más tasa de bits',
    hint: 'Tu voz se envía a 96 kb/s, 192 en estéreo. Lo que oyes tiene la tasa de la sala.',
  },
  lossless: {
    label: 'Sin pérdidas, en una red rápida',
    hint:
      'Entre quienes lo activan, el sonido se envía sin comprimir, en salas con tramas de 2,5 ' +
      'o 5 ms. Necesita 0,9 Mb/s en cada sentido, el doble en estéreo, y ahorra el retardo del ' +
      'códec.',
  },
  lowDelay: {
    label: 'Opus de bajo retardo',
    hint:
      'Unos 4 ms menos de retardo para los demás. Desactivado, los sonidos suaves son algo más ' +
      'finos.',
  },
  sounds: { label: 'Sonidos', hint: 'Un sonido suave cuando alguien entra o sale.' },
  captions: { label: 'Subtítulos', hint: 'Muestra como texto lo que se dice.' },
  shortcuts: {
    label: 'Atajos de teclado',
    hint:
      'M silencia, H levanta la mano, C abre el chat, ? los muestra todos; mantén Espacio para ' +
      'hablar aunque estés en silencio.',
  },
};

/** @type {typeof import('../labels.js').greenRoomTexts} */
export const greenRoomTexts = {
  noRoomTyped: 'Escribe el nombre de una sala o pega su enlace.',
  noNameTyped: 'Escribe el nombre que verán los demás.',
  nameCut: (name) => `El nombre es demasiado largo. Los demás ven «${name}».`,
  nameInvited: 'Este nombre lo da tu invitación.',
  join: 'Entrar',
  joining: 'Entrando…',
  listen: 'Escuchar',
  listenerName: 'Oyente',
  listenHint:
    'Oyes la sala y nadie te oye a ti: no se pide ningún micrófono. Levanta la mano para ' +
    'pedir la palabra.',
  yourOutput: 'Dónde lo oyes',
  microphoneLabel: 'Micrófono',
  speakerLabel: 'Altavoz',
  defaultMicrophone: 'Micrófono predeterminado',
  defaultSpeaker: 'Altavoz predeterminado',
  noMicrophone: 'Sin micrófono: solo escuchar',
  microphone: (number) => `Micrófono ${number}`,
  speaker: (number) => `Altavoz ${number}`,
  speakerBySystem: 'En este navegador, el altavoz se elige en los ajustes del sistema.',
  testMicrophone: 'Probar mi nivel',
  stopTest: 'Terminar la prueba',
  yourLevel: 'Tu nivel',
  saySomething: 'Di algo: la barra se mueve con tu voz.',
  levelHeard: 'Se te oye.',
  levelSilent: 'Todavía no se oye nada. ¿Es el micrófono correcto, y está activado?',
  playTone: 'Reproducir un sonido de prueba suave',
  tonePlaying:
    'Deberías oír dos notas suaves. Si no, elige otro altavoz o sube el volumen de este ' +
    'dispositivo.',
  hearYourself: 'Oírte',
  hearStop: 'Dejar de oírte',
  hearConnecting: 'Conectando con el servidor…',
  hearing: 'Habla: el servidor te devuelve tu voz a los dos segundos, como la oirían los demás.',
};

/** @type {typeof import('../labels.js').elementTexts} */
export const elementTexts = {
  call: (room) => `Llamada ${room}`,
  name: 'Tu nombre',
  join: 'Entrar',
  listen: 'Escuchar',
  joining: 'Entrando…',
  waiting: 'Esperando a que un moderador te deje entrar…',
  away: 'Conexión perdida. Intentándolo de nuevo…',
  left: 'Has salido de la llamada.',
  alone: 'Aquí solo estás tú.',
  people: 'Personas en la sala',
  mute: 'Silenciar',
  leave: 'Salir',
};
