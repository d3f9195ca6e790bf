/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Ouvrir ou rejoindre un salon',
  reasons: {
    'not-found': 'Il n’y a rien à cette adresse.',
    'empty-room': 'Il n’y a personne dans ce salon. Réessayez quand quelqu’un y sera.',
    banned: 'La modération vous interdit ce salon pour un moment.',
    internal: 'Une erreur s’est produite sur le serveur ; elle est dans son journal.',
  },
};
