import { formsOf } from '../language.js';
import { connectionNames, decimalText } from '../units.js';

const { list, number } = formsOf('es');

/** @type {typeof import('../listen.js').listenTexts} */
export const listenTexts = {
  tabTitle: (room) => `${room} · aloud`,
  listen: 'Escuchar',
  pause: 'Pausa',
  starting: 'Empezando…',
  cancel: 'Cancelar',
  listeners: (count) => (count === 1 ? '1 oyente' : `${number(count)} oyentes`),
  speaking: (names) =>
    names.length === 0
      ? 'Nadie habla.'
      : `${names.length === 1 ? 'Habla' : 'Hablan'} ${list(names)}.`,
  otherSound: 'Música, u otro sonido sin voz.',
  onStage: (names) =>
    names.length === 0
      ? 'Todavía no habla nadie. Oirás a la primera persona que lo haga.'
      : `En el escenario: ${list(names)}`,
  artist: (isLive, names) =>
    [...(isLive ? ['EN DIRECTO'] : []), ...(names.length > 0 ? [list(names)] : ['aloud'])].join(
      ' · ',
    ),
  name: 'Tu nombre',
  nameHint: 'Lo ven los moderadores cuando levantas la mano. Puedes dejarlo vacío.',
  nameInvited: 'Este nombre lo da tu invitación. Lo ven los moderadores cuando levantas la mano.',
  listenerName: 'Oyente',
  password: 'Contraseña de la sala',
  volume: 'Volumen',
  near: 'Retardo',
  nearness: { conversation: 'En directo', near: 'Algo más tarde', steady: 'Estable' },
  nearnessHints: {
    conversation: 'Lo antes posible: para quien quiera responder.',
    near: 'Un cuarto de segundo más tarde, con menos cortes.',
    steady: 'Dos segundos más tarde, y completo también en una mala red.',
  },
  hand: 'Levantar la mano',
  handUp: 'Bajar la mano',
  details: 'Conexión',
  quality: (kbps, transport, delayMs) => {
    const seconds = delayMs === null ? '' : decimalText(delayMs / 1000, 1, 'es');
    const delay = delayMs === null ? '' : `, se oye ${seconds} s más tarde`;
    return `${Math.round(kbps)} kb/s por ${connectionNames[transport] ?? transport}${delay}`;
  },
  wholePage: 'Abrir la página completa con chat',
  openRoom: 'Abrir la sala',

  notOpen: 'Esta sala aún no está abierta. Pulsa «Escuchar» y la oirás en cuanto alguien hable.',
  ready: 'Pulsa «Escuchar». No hace falta micrófono.',
  playing: 'Estás escuchando.',
  paused: 'En pausa. Ahora no se descarga nada.',
  resumed: 'Vuelves a escuchar.',
  reconnecting: 'La conexión se ha interrumpido. Quédate en esta página: se está reconectando.',
  reconnectingLong:
    'Hace un rato que no hay conexión. Comprueba la red de este dispositivo: el sonido ' +
    'vuelve en cuanto la haya.',
  waiting:
    'Los moderadores saben que estás aquí. Oirás la sala en cuanto uno de ellos te deje ' +
    'entrar.',
  pressForSound: 'El navegador retiene el sonido. Pulsa en cualquier parte de esta página.',
  interrupted:
    'Otra cosa está usando el sonido de este dispositivo. Vuelve solo, o cuando pulses en ' +
    'cualquier parte.',
  handRaised: 'Tienes la mano levantada. Los moderadores la ven.',
  handLowered: 'Tienes la mano bajada.',
  handTaken: 'Un moderador te ha bajado la mano.',
  fromBeginning: 'Esto se está grabando. Escuchar desde el principio',
  broadcastOver: 'La emisión ha terminado. Sigues oyendo la sala.',
  joinCall: 'Entrar en la llamada',
  ontoStage: 'Ya puedes hablar. Se está cargando la página de la llamada…',
  stageFailed:
    'Ya puedes hablar, pero no se ha podido cargar la página de la llamada. Comprueba tu red ' +
    'y pulsa «Subir al escenario».',
  goOnStage: 'Subir al escenario',
  stageElsewhere: 'Ya puedes hablar, en la página de la sala.',
  draining: 'El servidor está a punto de reiniciarse. El sonido volverá solo.',
  loadFailed:
    'No se ha podido cargar una parte de esta página. Comprueba tu red y vuelve a pulsar ' +
    '«Escuchar».',
  failed: 'Algo ha fallado. Comprueba tu red y vuelve a pulsar «Escuchar».',
};
