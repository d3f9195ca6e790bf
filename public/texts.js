import { errors } from './shared/errors.js';

/**
 * Every sentence that the page says, in one place. Where something went wrong it says what happened,
 * then what to do. The server's own sentences are in shared/errors.js.
 */

/** @type {Readonly<Record<string, string>>} what a connection is called */
export const connectionNames = Object.freeze({
  webtransport: 'WebTransport',
  websocket: 'WebSocket',
  http1: 'HTTP/1',
});

/** @type {Readonly<Record<string, string>>} how a connection carries sound */
export const connectionDescriptions = Object.freeze({
  webtransport: 'Sound travels as WebTransport datagrams over HTTP/3.',
  websocket: 'Sound travels over a WebSocket.',
  http1: 'Sound travels in HTTP/1 requests and their answers.',
});

/** @type {Readonly<Record<string, string>>} by code; errors that the page itself meets */
const notices = Object.freeze({
  'no-microphone':
    'No microphone was found. Plug one in and choose it under Microphone; until then you can listen.',
  'microphone-refused':
    'The browser was not allowed to use the microphone. Allow it for this page in the browser’s address ' +
    'bar, then choose it under Microphone; until then you can listen.',
  'microphone-busy':
    'The microphone could not be opened. Close other programs that use it, or choose another one; until ' +
    'then you can listen.',
  'microphone-ended':
    'The microphone stopped sending sound. Plug it in again or choose another one; until then you can listen.',
  'microphone-insecure':
    'Browsers allow a microphone only on a secure page. Open this page with https://, or on localhost; ' +
    'until then you can listen.',
  'no-shared-memory':
    'This page has no shared memory (SharedArrayBuffer), which your microphone needs. Open it in its own ' +
    'tab of a current browser, straight from the server; until then you can listen.',
  'no-audio':
    'This browser can’t play a call: it lacks AudioWorklet or WebAssembly. Use a current version of ' +
    'Chrome, Edge, Firefox or Safari.',
  'no-webtransport':
    'This browser has no WebTransport here: leave the connection on Automatic, which takes a WebSocket ' +
    'instead.',
  'connection-lost': 'The connection to the server was lost. Check your network, then join again.',
  'sound-blocked': 'The browser holds sound back until you press something. Press Turn sound on.',
  'copy-failed': 'The browser did not let the link be copied. Copy it from the address bar.',
  unknown: 'Something unexpected went wrong. Reload the page and join again.',
});

/**
 * @param {string} [reason] a sentence
 */
const connectionFailed = (reason) =>
  `No connection came about. ${reason ?? 'The server could not be reached.'} Check your network, or choose ` +
  'Automatic as the connection under Advanced, then join again.';

/**
 * The sentence for something that went wrong.
 * @param {string} code of the registry in shared/errors.js, or one of the page's own
 * @param {string} [message] what came with the code: taken where it is of neither, and where it is the reason
 * @returns {string}
 */
export function noticeText(code, message) {
  if (code === 'connection-failed') return connectionFailed(message);
  if (Object.hasOwn(notices, code)) return notices[code];
  if (Object.hasOwn(errors, code)) return errors[/** @type {keyof typeof errors} */ (code)].message;
  return message || notices.unknown;
}

export const texts = Object.freeze({
  title: 'aloud',
  you: 'you',
  muted: 'muted',
  mute: 'Mute',
  unmute: 'Unmute',
  join: 'Join',
  joining: 'Joining…',
  copyLink: 'Copy link',
  linkCopied: 'Link copied',
  noRoomTyped: 'Type a room’s name or paste its link.',
  noNameTyped: 'Type the name that the others will see.',
  defaultMicrophone: 'Default microphone',
  noMicrophone: 'No microphone: listen only',
  youJoined: 'You are in the call.',
  youLeft: 'You left the call.',
  alone: 'You are the only one here. Send somebody the link.',

  people: (/** @type {number} */ count) => (count === 1 ? '1 person' : `${count} people`),
  soundOn: 'Turn sound on',
  joined: (/** @type {string} */ name) => `${name} joined.`,
  left: (/** @type {string} */ name) => `${name} left.`,
  nowMuted: (/** @type {string} */ name) => `${name} is muted.`,
  nowUnmuted: (/** @type {string} */ name) => `${name} is no longer muted.`,
  roomTitle: (/** @type {string} */ room) => `${room} · aloud`,
  microphone: (/** @type {number} */ number) => `Microphone ${number}`,
  connectedOver: (/** @type {string} */ connection) => `Connected over ${connectionNames[connection]}`,
  notTaken: (/** @type {string} */ connection, /** @type {string} */ reason) =>
    `Tried ${connectionNames[connection]} first. ${reason}`,

  roundTrip: (/** @type {number} */ ms) => `Round trip ${Math.round(ms)} ms`,
  received: (/** @type {number} */ percent) => `Received ${percent.toFixed(percent >= 99.95 ? 0 : 1)} %`,
  delay: (/** @type {number} */ ms) => `Delay ${Math.round(ms)} ms`,
});
