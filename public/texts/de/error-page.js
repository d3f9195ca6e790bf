/** @type {typeof import('../error-page.js').errorPageTexts} */
export const errorPageTexts = {
  start: 'Raum öffnen oder betreten',
  reasons: {
    'not-found': 'Unter dieser Adresse gibt es nichts.',
    'empty-room': 'In diesem Raum ist niemand. Versuche es wieder, sobald jemand da ist.',
    banned: 'Die Moderation hat dich für eine Weile aus diesem Raum ausgeschlossen.',
    internal: 'Der Server hat einen Fehler gemacht, der in seinem Protokoll steht.',
  },
};
