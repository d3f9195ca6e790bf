import { formsOf } from '../language.js';

const { number } = formsOf('es');

/** @type {typeof import('../room-panel.js').panelTexts} */
export const panelTexts = {
  moderatePerson: (name) => `Moderar a ${name}`,
  muteForAll: 'Silenciar para todos',
  muteForAllHint: 'No podrá activar su micrófono hasta que lo permitas.',
  allowToSpeak: 'Permitir que hable',
  allowToSpeakHint: 'Sigue en silencio hasta que active su micrófono.',
  role: 'Rol',
  roleNames: { moderator: 'Moderador', speaker: 'Ponente', listener: 'Oyente' },
  changeRole: 'Cambiar el rol',
  roleHint:
    'Un moderador puede todo lo que tú puedes. Un oyente oye, escribe y levanta la mano, y ' +
    'no se le oye.',
  remove: 'Sacar de la sala',
  removeHint: 'Puede volver a entrar.',
  banFor: 'Impedir la entrada durante',
  banTimes: [
    [3600, 'Una hora'],
    [86_400, 'Un día'],
    [7 * 86_400, 'Una semana'],
    [30 * 86_400, 'Treinta días'],
  ],
  removeAndBan: 'Sacar y vetar',
  banHint: 'Por su invitación; sin ella, por su red, que puede ser la de toda una casa o empresa.',
  listeners: 'Buscar un oyente',
  listenersShown: (shown, count) =>
    count === 0
      ? 'No hay oyentes.'
      : shown === 0
        ? count === 1
          ? 'El único oyente tiene otro nombre.'
          : `Ninguno de los ${number(count)} oyentes se llama así.`
        : `${shown} de ${number(count)} ${count === 1 ? 'oyente' : 'oyentes'}`,
  moreListeners: 'Siguientes',
  firstListeners: 'Desde el principio',
  copyListenLink: 'Copiar el enlace para oyentes',
  removeListener: 'Sacar',
  removeName: (name) => `Sacar a ${name}`,
  lock: 'Cerrar la sala',
  lockHint: 'Nadie más puede entrar. Quien pierda la conexión puede volver.',
  lobby: 'Sala de espera',
  lobbyHint:
    'Quien llega espera hasta que le dejes entrar. Al desactivarla, entran todos los que ' +
    'esperan.',
  chatPermission: 'Quién puede escribir',
  recordPermission: 'Quién puede grabar',
  allowed: { everybody: 'Todos', moderators: 'Moderadores' },
  mode: 'Cómo llega el sonido a todos',
  modes: {
    mix: 'Mezclado por el servidor',
    forward: 'Reenviado, mezclado por cada página',
    auto: 'Reenviado en salas pequeñas; si no, mezclado',
  },
  modeHint:
    'Reenviado, el sonido queda tal como se envió, pero cada página necesita más ancho de ' +
    'banda y más procesamiento.',
  modeE2e:
    'Esta sala está cifrada de extremo a extremo: su sonido se reenvía, y el servidor no ' +
    'puede mezclar ni grabar nada.',
  password: 'Contraseña',
  passwordSet: 'La sala tiene contraseña. Escribe otra para cambiarla.',
  passwordNone: 'La sala no tiene contraseña. Quien ya está aquí se queda cuando pongas una.',
  setPassword: 'Poner contraseña',
  dropPassword: 'Quitar contraseña',
  bans: 'Vetos',
  ban: ({ name, by, identity, network }, end) => {
    const cause = by === 'identity' ? `la invitación ${identity}` : `la red ${network}`;
    return `${name}, por ${cause}, hasta ${end}`;
  },
  unban: 'Volver a admitir',
  unbanName: (name) => `Volver a admitir a ${name}`,
  stepDown: 'Dejar de moderar',
  lastModerator:
    'Solo moderas tú. Para ceder ese rol, asígnaselo a alguien en las opciones de su nombre.',
  endForAll: 'Terminar la llamada para todos',
  endQuestion: {
    title: '¿Terminar la llamada para todos?',
    text: 'Todos salen, y tú también. Lo que has ajustado en la sala se olvida.',
    yes: 'Terminarla',
    no: 'Seguir',
  },

  goLive: 'Emitir en directo',
  endBroadcast: 'Terminar la emisión',
  offHint:
    'La sala pasa a ser una emisión: quien ya está aquí sigue en el escenario, y quien llega ' +
    'con el enlace de la sala solo escucha.',
  onHint:
    'La sala es una emisión. Quien llega con su enlace solo escucha. Al terminarla, las ' +
    'personas nuevas vuelven a poder hablar, y los oyentes lo siguen siendo hasta que entren ' +
    'de nuevo.',
  makeStreamKey: 'Dejar que un programa envíe sonido',
  newStreamKey: 'Crear una clave nueva',
  revokeStreamKey: 'Revocar la clave',
  streamOffHint:
    'Mixxx, butt, Liquidsoap, ffmpeg y otros que envían a un servidor Icecast pueden enviar ' +
    'a esta sala. Una clave deja subir a uno de ellos al escenario.',
  streamOnHint:
    'En el programa elige Icecast, Opus, esta dirección, el usuario «source» y la clave como ' +
    'contraseña. Una clave nueva, o ninguna, termina lo que se esté enviando.',
  streamAddress: 'Dirección para el programa',
  copyStreamAddress: 'Copiar la dirección',
  streamAddressCopied: 'Dirección copiada.',
  copyStreamKey: 'Copiar la clave',
  streamKeyCopied: 'Clave copiada. Quien la tenga puede enviar sonido a esta sala.',
  copyStageLink: 'Copiar el enlace al escenario',
  stageLinkHint:
    'Toda persona con este enlace puede hablar. La próxima emisión tendrá otro enlace.',
};
