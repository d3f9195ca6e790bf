/**
 * WebTransport over HTTP/3 for Node.js: a server's side and a client's, QUIC on threads of its own;
 * and libopus.
 *
 * @typedef {import('./binding.js').ConnectionStats} ConnectionStats
 * @typedef {import('./binding.js').EndpointSettings} EndpointSettings
 * @typedef {import('./settings.js').CongestionController} CongestionController
 * @typedef {import('./endpoint.js').ListenOptions} ListenOptions
 * @typedef {import('./endpoint.js').SessionRequest} SessionRequest
 * @typedef {import('./port.js').SharedEndpoint} SharedEndpoint
 * @typedef {import('./binding.js').CloseCause} CloseCause
 */

export {
  BUILD_COMMAND,
  isBuilt,
  load,
  loadError,
  loadOpus,
  loadThreadCpuMs,
  NativeUnavailableError,
  PathField,
  PATH_FIELDS,
} from './binding.js';
export { ConnectError, Endpoint } from './endpoint.js';
export { SessionGroup } from './group.js';
export { Port } from './port.js';
export { NativeSession } from './session.js';
export { ALL_CONTROLLERS, CONGESTION_CONTROLLERS, DEFAULTS, NOQ_CONTROLLERS } from './settings.js';
export { Stream } from './stream.js';
