/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Abrir una sala o unirse',
  reasons: {
    'not-found': 'No hay nada en esta dirección.',
    'empty-room': 'No hay nadie en esta sala. Inténtalo de nuevo cuando haya alguien.',
    banned: 'La moderación te ha vetado en esta sala por un tiempo.',
    internal: 'Se ha producido un error en el servidor, que está en su registro.',
  },
};
