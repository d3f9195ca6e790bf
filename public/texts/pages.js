/** The pages beside those of the room and its listeners. */

import { formsOf, translated, translationOf } from './language.js';
import { timeText } from './units.js';

const own = await translationOf('pages');
const { plural } = formsOf('en-GB');

/** The page of a recording. */
export const recordingPageTexts = translated(own.recordingPageTexts, {
  title: (/** @type {string} */ room) => `${room} · Recording · aloud`,
  chapters: 'Who spoke',
  noChapters: 'Nobody who agreed to be recorded has spoken for long.',
  files: 'Download',
  play: 'Play',
  pause: 'Pause',
  position: 'Position',
  positionOf: (/** @type {number} */ at, /** @type {number} */ all) =>
    `${timeText(at)} of ${timeText(all)}`,
  back: 'back',
  ahead: 'ahead',
  speed: 'Speed',
  live: 'Live',
  toLive: 'Go to live',
  running: 'Being recorded now',
  copyMoment: 'Link to this moment',
  copied: (/** @type {number} */ at) => `The link to ${timeText(at)} is copied.`,
  notCopied: 'The link could not be copied. It is in the address bar.',
  waiting: 'Loading …',
  failed: 'The sound could not be loaded. Check the connection, then press Play.',
  cannotPlay: 'This browser can’t play the recording. Download it instead.',
  transcript: 'What was said',
  search: 'Search what was said',
  found: (/** @type {number} */ count) =>
    plural(count, { one: '1 place', other: `${count} places` }),
  transcriptAsFile: 'What was said, as subtitles',
  mix: 'Everybody together',
  mixAsWebm: 'Everybody together, as WebM',
  overWebTransport: (/** @type {number} */ rate) =>
    rate === 0 ? 'Over WebTransport' : `Over WebTransport, at ${Math.round(rate / 1000)} kb/s`,
  overHttp: 'Over HTTP',
  missing:
    'There is no such recording. Perhaps the link isn’t whole, or the recording was deleted.',
  deleted: 'This recording was deleted.',
  unreachable: 'The server can’t be reached. Check the connection, then reload the page.',
});

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
