import { formsOf } from '../language.js';
import { connectionNames, decimalText, sizeText, timeText } from '../units.js';

const { list, number } = formsOf('es');

/** @type {typeof import('../call.js').callTexts} */
export const callTexts = {
  you: 'tú',
  muted: 'en silencio',
  away: 'ausente: conexión perdida, puede volver',
  handRaised: 'mano levantada',
  notRecorded: 'no se graba',
  sharedBy: (name) => `compartido por ${name}`,
  shareCame: (name) => `${name} comparte un sonido.`,
  shareWent: (name) => `${name} ya no comparte sonido.`,
  waited: (ms) => `llega ${Math.round(ms)} ms tarde: el sonido de todos espera`,
  later: (ms) => `se oye ${Math.round(ms)} ms después que los demás`,
  youLater: (ms) => `los demás te oyen ${Math.round(ms)} ms más tarde`,
  heardAfter: (ms) => `Se oye ${Math.round(ms)} ms después de decirse`,
  waitedFor: (names) =>
    `El retardo es mayor de lo que necesita la mayoría, porque el sonido de ${list(names)} ` +
    'llega tarde.',
  mute: 'Silenciar',
  unmute: 'Reactivar',
  talking: 'Hablando',
  raiseHand: 'Levantar la mano',
  lowerHand: 'Bajar la mano',
  linkCopied: 'Enlace copiado',
  dismiss: 'Cerrar',
  tryNow: 'Intentar ahora',
  trying: 'Intentándolo…',
  tryingIn: (seconds) => `Se intenta de nuevo en ${seconds} s.`,
  close: 'Cerrar',
  reconnected: 'Se ha recuperado la conexión.',
  offline: 'Conexión perdida',
  titleOffline: 'conexión perdida',
  useIt: 'Usarlo',
  deviceNew: (device) => `${device} está conectado. Úsalo, o sigue como hasta ahora.`,
  otherTab: {
    title: 'Ya estás en esta sala',
    text:
      'Otra pestaña o ventana de este navegador está en la llamada, y las dos se oirían entre ' +
      'sí. Trae la llamada aquí, y la otra saldrá.',
    yes: 'Traerla aquí',
    no: 'Cancelar',
  },
  keysTitle: 'Teclas en una llamada',
  keysHint: 'No actúan mientras escribes, y se desactivan en «Ajustes».',
  showKeys: 'Mostrar todas las teclas',
  keys: [
    ['M', 'silenciarte o activar el micrófono'],
    ['Espacio pulsado', 'que se te oiga aunque estés en silencio'],
    ['H', 'levantar o bajar la mano'],
    ['C', 'abrir o cerrar el chat'],
    ['?', 'mostrar estas teclas'],
    ['Esc', 'cerrar lo que esté abierto'],
  ],
  qrTitle: 'Escanea para entrar',
  qrLabel: 'Código QR del enlace de esta sala',
  youJoined: 'Estás en la llamada.',
  youLeft: 'Has salido de la llamada.',
  howBack: 'Has salido de la llamada. Puedes volver a entrar cuando quieras con el mismo enlace.',
  youMuted: 'Estás en silencio.',
  youUnmuted: 'Ya no estás en silencio.',
  more: (name) => `Opciones de ${name}`,
  sideLeft: 'I',
  sideRight: 'D',
  placeOf: (name) => `Posición de ${name}, de izquierda a derecha`,
  place: (percent) =>
    percent === 0
      ? 'en el centro'
      : `${Math.abs(percent)} % a la ${percent < 0 ? 'izquierda' : 'derecha'}`,
  volumeOf: (name) => `Volumen de ${name}`,
  muteForMe: 'Silenciar para mí',
  mutedForYou: 'en silencio para ti',
  quality: ['', 'mala conexión', 'conexión regular', 'buena conexión'],
  people: (count) => (count === 1 ? '1 persona' : `${count} personas`),
  listenersToo: (count) => (count === 1 ? '1 oyente' : `${number(count)} oyentes`),
  speaking: (names) =>
    names.length === 0
      ? 'Nadie habla'
      : `${names.length === 1 ? 'Habla' : 'Hablan'}: ${list(names)}`,
  manyCame: (count) => `Han entrado ${count} personas.`,
  manyLeft: (count) => `Han salido ${count} personas.`,
  soundOn: 'Activar el sonido',
  listenFirst: 'Escuchar por ahora',
  joined: (name) => `${name} ha entrado.`,
  left: (name) => `${name} ha salido.`,
  nowMuted: (name) => `${name} está en silencio.`,
  nowUnmuted: (name) => `${name} ya no está en silencio.`,
  nowAway: (name) => `${name} ha perdido la conexión.`,
  nowBack: (name) => `${name} ha vuelto.`,
  raisedHand: (name) => `${name} ha levantado la mano.`,
  loweredHand: (name) => `${name} ha bajado la mano.`,
  connectedOver: (connection) => `Conectado por ${connectionNames[connection] ?? connection}`,
  notTaken: (connection, reason) => `Antes se probó ${connectionNames[connection]}. ${reason}`,
  roundTrip: (ms) => `Ida y vuelta ${Math.round(ms)} ms`,
  received: (percent) => `Recibido ${decimalText(percent, percent >= 99.95 ? 0 : 1, 'es')} %`,
  delay: (ms) => `Retardo ${Math.round(ms)} ms`,
};

/** @type {typeof import('../call.js').chatTexts} */
export const chatTexts = {
  chatLog: 'Mensajes',
  chatEmpty:
    'Todavía no se ha escrito nada. Todos en la sala ven los mensajes, también quien entre ' +
    'más tarde.',
  chatField: 'Mensaje para todos',
  chatPlaceholder: 'Escribe a todos',
  send: 'Enviar',
  showAll: 'Mostrarlo todo',
  showLess: 'Mostrar menos',
  messageCut: 'Este mensaje era más largo; se ha cortado el final.',
  chatFrom: (name, text) => `${name} ha escrito: ${text}`,
  charactersLeft: (count) =>
    count === 1 ? 'Cabe 1 carácter más.' : `Caben ${count} caracteres más.`,
  tooLong: (count) =>
    `Sobran ${count} ${count === 1 ? 'carácter' : 'caracteres'}. Acórtalo, o envíalo en dos ` +
    'mensajes.',
  chatUnread: (count) => `${count} sin leer`,
};

/** @type {typeof import('../call.js').recordingTexts} */
export const recordingTexts = {
  recordingOn: 'Se está grabando',
  recordButtonOn: 'Grabar: hay una grabación en curso',
  recordingIdle:
    'No se graba nada. Cuando empieces se pregunta a todos, y solo se graba a quien esté de ' +
    'acuerdo.',
  recordingFinishing: 'La grabación ha terminado. Se están completando sus archivos.',
  recordingReady: 'Los archivos de la grabación están listos.',
  startRecording: 'Empezar a grabar',
  stopRecording: 'Parar la grabación',
  recordMe: 'Grabarme',
  recordPublic: 'Cualquiera puede oírla',
  recordingPage: 'La página de la grabación',
  recordedFiles: 'Archivos',
  recordedMix: 'Todos juntos',
  filesHint:
    'Ogg Opus. El servidor los borra al cabo de un tiempo: descarga lo que quieras conservar.',
  consent: (name) => ({
    title: 'Esta sala se está grabando',
    text:
      `${name} ha empezado una grabación. Tu voz se guarda solo si estás de acuerdo. Puedes ` +
      'cambiar de opinión en «Grabar» en cualquier momento.',
    yes: 'De acuerdo',
    no: 'No grabarme',
  }),
  recordingSince: (name, time) => `${name} está grabando desde las ${time}.`,
  recordingBegan: (name) => `${name} ha empezado a grabar.`,
  recordingEnded: (name) => `${name} ha parado la grabación.`,
  recordedPeople: (names) =>
    names.length === 0 ? 'No se graba a nadie.' : `Se graba a: ${list(names)}.`,
  fileSize: (since, seconds, bytes) => `${since}, ${timeText(seconds)}, ${sizeText(bytes)}`,
};
