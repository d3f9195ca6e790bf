/**
 * WebTransport over HTTP/3 for Node.js: a server's side and a client's, QUIC on threads of its own; and libopus.
 *
 * @typedef {import('./binding.js').ConnectionStats} ConnectionStats
 * @typedef {import('./binding.js').EndpointSettings} EndpointSettings
 * @typedef {import('./endpoint.js').ListenOptions} ListenOptions
 * @typedef {import('./endpoint.js').SessionRequest} SessionRequest
 * @typedef {import('./events.js').CloseCause} CloseCause
 */

export { BUILD_COMMAND, isBuilt, load, loadError, NativeUnavailableError } from './binding.js';
export { Endpoint } from './endpoint.js';
export { ConnectError } from './errors.js';
export { loadOpus } from './opus.js';
export { NativeSession } from './session.js';
export { DEFAULTS } from './settings.js';
export { Stream } from './stream.js';
