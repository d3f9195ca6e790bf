/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Ouvrir ou rejoindre un salon',
  reasons: {
    'not-found': 'Il n’y a rien à cette adresse.',
    'empty-room': 'Il n’y a personne dans ce salon. Vous l’entendrez dès que quelqu’un y sera.',
    banned: 'La modération vous a exclu de ce salon pour un moment.',
    internal: 'Le serveur a commis une erreur. Réessayez dans un instant.',
  },
};
