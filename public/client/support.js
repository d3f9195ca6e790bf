/**
 * What the browser lets a call do, found out without asking the person for anything.
 *
 * @typedef {object} Problem
 * @property {string} code     'microphone-insecure', 'no-shared-memory', 'no-audio' or 'no-webtransport'
 * @property {string} message  what is missing
 * @property {string} remedy   what the person can do about it
 *
 * @typedef {object} Support
 * @property {boolean} microphone         whether one can be used here: needs all of those below but the first
 * @property {boolean} webTransport
 * @property {boolean} sharedArrayBuffer
 * @property {boolean} audioWorklet
 * @property {boolean} secureContext
 * @property {boolean} audio              whether anything can be heard at all
 * @property {Problem[]} problems         the worst first
 */

/** What is missing, and what to do; the page may have words of its own for the codes. */
const problems = Object.freeze({
  'no-audio': {
    message: 'This browser has no Web Audio, no WebAssembly or no workers, without which there is no call.',
    remedy: 'Use a current version of Chrome, Edge, Firefox or Safari.',
  },
  'microphone-insecure': {
    message: 'Browsers allow a microphone only on a secure page.',
    remedy: 'Open this page with https://, or on localhost. Until then you can listen.',
  },
  'no-shared-memory': {
    message: 'This page has no shared memory (SharedArrayBuffer) or no AudioWorklet, which a microphone needs.',
    remedy: 'Open it in a tab of its own in a current browser. Until then you can listen.',
  },
  'no-webtransport': {
    message: 'This browser has no WebTransport here.',
    remedy: 'Leave the connection on automatic: it takes a WebSocket instead.',
  },
});

/**
 * @param {any} [scope] the window, or what a test has in its place
 * @returns {Support}
 */
export function findSupport(scope = globalThis) {
  const secureContext = Boolean(scope.isSecureContext);
  const sharedArrayBuffer =
    typeof scope.SharedArrayBuffer === 'function' && scope.crossOriginIsolated !== false;
  const audioWorklet = typeof scope.AudioWorkletNode === 'function';
  const audio =
    typeof scope.AudioContext === 'function' &&
    typeof scope.WebAssembly === 'object' &&
    typeof scope.Worker === 'function';
  const webTransport = typeof scope.WebTransport === 'function';
  const devices = typeof scope.navigator?.mediaDevices?.getUserMedia === 'function';
  const sharing = sharedArrayBuffer && audioWorklet;

  /** @type {(keyof typeof problems)[]} */
  const codes = [];
  if (!audio) codes.push('no-audio');
  if (!secureContext || !devices) codes.push('microphone-insecure');
  else if (!sharing) codes.push('no-shared-memory');
  if (!webTransport) codes.push('no-webtransport');
  return {
    microphone: audio && secureContext && devices && sharing,
    webTransport,
    sharedArrayBuffer,
    audioWorklet,
    secureContext,
    audio,
    problems: codes.map((code) => ({ code, ...problems[code] })),
  };
}

/**
 * @param {string} code
 * @returns {string} the sentences for it
 */
export function problemText(code) {
  const { message, remedy } = problems[/** @type {keyof typeof problems} */ (code)];
  return `${message} ${remedy}`;
}
