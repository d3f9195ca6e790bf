import { timeText } from '../units.js';

/** @type {typeof import('../sound.js').partTexts} */
export const partTexts = {
  microphoneMs: 'Micrófonos de los demás',
  frameMs: 'Se llena una trama',
  serverDelayMs: 'Retardo en el servidor',
  wayMs: 'Camino por la red',
  playoutMs: 'Búfer de reproducción',
  outputMs: 'Espera de la tarjeta de sonido',
  codecMs: 'Anticipación del códec',
  laterMs: 'Retardo añadido a quien llega tarde',
  speakerMs: 'Tarjeta de sonido y altavoz',
};

/** @type {typeof import('../sound.js').savingTexts} */
export const savingTexts = {
  frameMs: 'Empieza la sala con tramas de 2,5 ms',
  serverDelayMs: 'Pide a las personas cuyo sonido llega tarde que usen cable en vez de Wi-Fi',
  playoutMs: 'Usa cable en vez de Wi-Fi, y cierra lo que mantenga ocupado este ordenador',
  outputMs: 'Usa una tarjeta de sonido que tome el sonido en trozos más cortos, y no Bluetooth',
  speakerMs: 'Usa altavoces o auriculares con cable, no Bluetooth',
};

/** @type {typeof import('../sound.js').figureTexts} */
export const figureTexts = {
  received: 'Sonido recibido, en total',
  received10s: 'Sonido recibido, últimos 10 s',
  lost: 'Paquetes perdidos',
  late: 'Paquetes tardíos',
  early: 'Paquetes demasiado tempranos',
  duplicate: 'Paquetes duplicados',
  concealed: 'Tramas interpoladas',
  recovered: 'Tramas recuperadas por redundancia',
  gaps: 'Cortes en el altavoz',
  jitter: 'Jitter; lo que necesita',
  drift: 'Deriva de la tarjeta de sonido',
};

/** @type {typeof import('../sound.js').soundTexts} */
export const soundTexts = {
  soundSum: 'Retardo de lo que oyes',
  soundSumHint: 'El retardo en el servidor incluye el camino de quien habla hasta el servidor.',
  soundSumDevices: 'No incluye lo que añaden los micrófonos de los demás.',
  soundSumNoDevices: 'Es sin tarjetas de sonido: tu navegador no dice lo que añade la tuya.',
  ownMicrophone: (ms) => `Tu propio micrófono añade ${ms} a lo que los demás oyen de ti.`,
  ownSuppression: (ms) => `${ms} del retardo de tu sonido vienen de la reducción de ruido.`,
  savings: 'Lo que lo acortaría',
  saves: (part, ms) => `${savingTexts[part]}: hasta ${ms} ms.`,
  savesNothing: 'Nada que ayude mucho: el retardo es más o menos tan corto como puede ser aquí.',
  metronome: 'Metrónomo',
  metronomeBpm: 'Pulsos por minuto',
  metronomeBeats: 'Pulsos por compás',
  metronomeStart: 'Iniciar para todos',
  metronomeStop: 'Parar para todos',
  metronomeTap: 'Marcar el tempo',
  metronomeHeard: 'Lo oigo',
  metronomeOff: 'Está parado.',
  metronomeBy: (name, bpm) => `${name} lo ha ajustado: ${bpm} pulsos por minuto.`,
  metronomeBegan: (name, bpm) => `${name} ha iniciado el metrónomo: ${bpm} pulsos por minuto.`,
  metronomeEnded: (name) => `${name} ha parado el metrónomo.`,
  metronomeHint:
    'Todos oyen cada pulso en el mismo momento, sea cual sea su retardo. Si tocas con el ' +
    'pulso, todos los demás te oyen en él. Para fijar el tempo, pulsa «Marcar el tempo» en ' +
    'cada pulso. Usa auriculares, o el micrófono lo captará.',
  share: 'Compartir un sonido',
  shareNone: 'No compartes ninguno.',
  shareTab: 'Compartir el sonido de una pestaña',
  shareFile: 'Compartir el sonido de un archivo',
  shareStop: 'Dejar de compartir',
  shareReading: 'Se está leyendo el archivo.',
  shareBegins: 'Empieza…',
  shareOver: 'Ha terminado: ya no lo oye nadie.',
  shareOfTab: 'Sonido de una pestaña',
  shareOfFile: 'Sonido de un archivo',
  shareHint:
    'Se envía junto con tu voz, sin procesar. Todos lo ven a tu lado y ajustan su volumen. ' +
    'Marca «Compartir también el audio de la pestaña» cuando el navegador lo pregunte. Una ' +
    'pestaña sigue sonando aquí; usa auriculares, o el micrófono la captará.',
  shareFileHint:
    'Se envía junto con tu voz, sin procesar. Todos lo ven a tu lado y ajustan su volumen. ' +
    'Este navegador no puede compartir el sonido de una pestaña; Chrome y Edge en un ' +
    'ordenador sí.',
  shareOn: (name) => `Todos oyen «${name}» junto con tu voz.`,
  track: 'Acompañamiento',
  trackNone: 'No hay ninguno.',
  trackBy: (name, track, seconds) => `«${track}», ${timeText(seconds)}, de ${name}.`,
  trackChoose: 'Elegir un archivo',
  trackOther: 'Elegir otro archivo',
  trackSending: 'Se está leyendo y enviando el archivo.',
  trackPlay: 'Reproducir para todos',
  trackAgain: 'Desde el principio',
  trackStop: 'Parar para todos',
  trackRemove: 'Quitar',
  trackLevel: 'A qué volumen lo oigo',
  trackCame: (name, track) => `${name} ha añadido el acompañamiento «${track}».`,
  trackBegan: (name) => `${name} reproduce el acompañamiento.`,
  trackStopped: (name) => `${name} ha parado el acompañamiento.`,
  trackOver: 'El acompañamiento ha terminado.',
  trackRemoved: (name) => `${name} ha quitado el acompañamiento.`,
  trackHint:
    'Todos lo oyen en el mismo momento, como el metrónomo, y pueden tocar con él. Mientras ' +
    'suena el metrónomo, empieza con un compás, tras un compás de pulsos. No está en ninguna ' +
    'grabación. Usa auriculares, o el micrófono lo captará.',
  own: 'Grabar en este dispositivo',
  ownNone: 'No se está grabando nada en este dispositivo.',
  ownStart: 'Grabar mi micrófono',
  ownStop: 'Detener y guardar',
  ownOn: 'Tu micrófono se está grabando en este dispositivo.',
  ownKept: 'El archivo queda en este navegador. Descárgalo para usarlo en otro sitio.',
  ownFiles: 'Grabaciones en este dispositivo',
  ownDownload: 'Descargar',
  ownGive: 'Añadir a la grabación de la sala',
  ownDelete: 'Eliminar',
  ownSending: (percent) => `Enviando: ${percent} %`,
  ownSent: 'El archivo ya está con la grabación de la sala.',
  ownHint:
    'Un archivo WAV de 24 bits de tu micrófono, antes de comprimirlo. Continúa aunque se ' +
    'pierda la conexión y queda en silencio mientras estás en silencio. Cada archivo conoce ' +
    'su lugar en el reloj de la sala, así que los editores pueden alinear los archivos de ' +
    'todos los dispositivos.',
  ownUnsupported:
    'Este navegador no puede guardar un archivo así. Usa un navegador actual, por HTTPS.',
  panelLoading: 'Cargando…',
  plotsLoading: 'Cargando…',
  plotRoundTrip: 'Ida y vuelta',
  plotReceived: 'Sonido recibido',
  plotServerDelay: 'Retardo en el servidor',
  plotPlayoutDelay: 'Retardo de reproducción',
  plotLoss: 'Paquetes perdidos',
  plotRate: 'Tasa de bits',
  up: 'envío',
  down: 'recepción',
  lossUp: 'Paquetes perdidos, envío',
  lossDown: 'Paquetes perdidos, recepción',
  rateUp: 'Tasa de bits, envío',
  rateDown: 'Tasa de bits, recepción',
  figures: 'Desde que entraste',
  lateness: 'Con cuánto retraso llegó tu sonido al servidor en los últimos 20 s',
  latenessUpTo: (ms) => `hasta ${ms} ms`,
  latenessOver: 'más',
  copyAsText: 'Copiar como texto',
  copied: 'Copiado',
  saveAsCsv: 'Guardar las estadísticas como CSV',
  saveAsJson: 'Guardar las estadísticas como JSON',
  soundAge: (age) => `Oyes a los demás con ${age} de retardo`,
  plotLabel: (title, value) => `${title}, los últimos dos minutos. Ahora ${value}.`,
  reportTitle: (room, at) => `aloud, sala ${room}, ${at}`,
  operator: 'Para el administrador',
  operatorHint:
    'Con el token de administrador del servidor ajustas el retardo para todos en la sala.',
  operatorToken: 'Token de administrador',
  operatorUse: 'Usar',
  operatorAuto: 'Retardo automático',
  operatorDelay: 'Retardo de la sala en el servidor',
};
