/**
 * Detects the browser's abilities for a call, without asking the person for anything.
 *
 * @typedef {'microphone-insecure' | 'no-audio-worklet' | 'no-audio' | 'no-webtransport'} Problem
 *
 * @typedef {object} Support
 * @property {boolean} microphone         true when one can be used here
 * @property {boolean} webTransport
 * @property {boolean} sharedArrayBuffer  without it sound passes between threads by messages
 * @property {boolean} audioWorklet
 * @property {boolean} secureContext
 * @property {boolean} audio              true when the browser can play calls
 * @property {Problem[]} problems         the worst first
 *
 * @typedef {{ isSecureContext?: unknown, crossOriginIsolated?: unknown,
 *   SharedArrayBuffer?: unknown, AudioWorkletNode?: unknown, AudioContext?: unknown,
 *   WebAssembly?: unknown, Worker?: unknown, WebTransport?: unknown,
 *   navigator?: { mediaDevices?: { getUserMedia?: unknown } } }} Scope
 */

/** @param {Scope} [scope] the window, or a test's substitute @returns {Support} */
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

  /** @type {Problem[]} */
  const problems = [];
  if (!audio) problems.push('no-audio');
  if (!secureContext || !devices) problems.push('microphone-insecure');
  else if (!audioWorklet) problems.push('no-audio-worklet');
  if (!webTransport) problems.push('no-webtransport');
  return {
    microphone: audio && secureContext && devices && audioWorklet,
    webTransport,
    sharedArrayBuffer,
    audioWorklet,
    secureContext,
    audio,
    problems,
  };
}
