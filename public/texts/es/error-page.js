/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Abrir una sala o unirse',
  reasons: {
    'not-found': 'No hay nada en esta dirección.',
    'empty-room': 'No hay nadie en esta sala. Se oirá en cuanto haya alguien.',
    banned: 'La moderación te ha vetado en esta sala por un tiempo.',
    internal: 'El servidor ha cometido un error. Inténtalo de nuevo en un momento.',
  },
};
