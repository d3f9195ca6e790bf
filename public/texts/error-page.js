import { translated, translationOf } from './language.js';

const own = await translationOf('error-page');

/** The page in place of one that isn't there, by the server's reasons. */
export const errorPageTexts = translated(own.errorPageTexts, {
  start: 'Start or join a room',
  reasons: {
    'not-found': 'There is nothing at this address.',
    'empty-room': 'Nobody is in this room. Try again once somebody is there.',
    banned: 'A moderator has banned you from this room for a while.',
    internal: 'The server made a mistake. It has been written to its log.',
  },
});
