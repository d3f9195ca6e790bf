import { formsOf } from '../language.js';
import { timeText } from '../units.js';

const { plural } = formsOf('es');

/** @type {typeof import('../pages.js').recordingPageTexts} */
export const recordingPageTexts = {
  title: (room) => `${room} · Grabación · aloud`,
  chapters: 'Quién habló',
  noChapters: 'Nadie de quienes aceptaron ser grabados ha hablado mucho rato.',
  files: 'Descargar',
  play: 'Reproducir',
  pause: 'Pausa',
  position: 'Posición',
  positionOf: (at, all) => `${timeText(at)} de ${timeText(all)}`,
  back: 'atrás',
  ahead: 'adelante',
  speed: 'Velocidad',
  live: 'En directo',
  toLive: 'Ir al directo',
  running: 'Se está grabando ahora',
  copyMoment: 'Enlace a este momento',
  copied: (at) => `Se ha copiado el enlace a ${timeText(at)}.`,
  notCopied: 'No se ha podido copiar el enlace. Está en la barra de direcciones.',
  waiting: 'Cargando…',
  failed: 'No se ha podido cargar el sonido. Comprueba la conexión y pulsa «Reproducir».',
  cannotPlay: 'Este navegador no puede reproducir la grabación. Descárgala.',
  transcript: 'Lo que se dijo',
  search: 'Buscar en lo que se dijo',
  found: (count) => plural(count, { one: '1 pasaje', other: `${count} pasajes` }),
  transcriptAsFile: 'Lo que se dijo, como subtítulos',
  mix: 'Todos juntos',
  mixAsWebm: 'Todos juntos, en WebM',
  overWebTransport: (rate) =>
    rate === 0 ? 'Por WebTransport' : `Por WebTransport, a ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'Por HTTP',
  missing:
    'Esa grabación no existe. Puede que el enlace no esté completo o que la grabación se ' +
    'haya borrado.',
  deleted: 'Esta grabación se ha borrado.',
  unreachable: 'No se puede llegar al servidor. Comprueba la conexión y recarga la página.',
};

/** @type {typeof import('../pages.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Abrir una sala o unirse',
  reasons: {
    'not-found': 'No hay nada en esta dirección.',
    'empty-room': 'No hay nadie en esta sala. Inténtalo de nuevo cuando haya alguien.',
    banned: 'La moderación te ha vetado en esta sala por un tiempo.',
    internal: 'Se ha producido un error en el servidor, que está en su registro.',
  },
};
