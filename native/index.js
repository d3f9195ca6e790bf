/**
 * WebTransport over HTTP/3 for Node.js, server and client, with QUIC on its own threads; and
 * libopus.
 *
 * @typedef {import('./binding.js').ConnectionStats} ConnectionStats
 * @typedef {import('./binding.js').EndpointSettings} EndpointSettings
 * @typedef {import('./endpoint.js').ListenOptions} ListenOptions
 * @typedef {import('./endpoint.js').SessionRequest} SessionRequest
 * @typedef {import('./port.js').SharedEndpoint} SharedEndpoint
 * @typedef {import('./binding.js').CloseCause} CloseCause
 */

export {
  BUILD_COMMAND,
  featureLibrary,
  isBuilt,
  load,
  loadError,
  loadOpus,
  loadThreadCpuMs,
  NativeUnavailableError,
  PathField,
  PATH_FIELDS,
  probeLibrary,
  releaseMemory,
} from './binding.js';
export { ConnectError, Endpoint } from './endpoint.js';
export { SessionGroup } from './session.js';
export { Port } from './port.js';
export { NativeSession } from './session.js';
export { probe } from './probe.js';
export { buildAdvice } from './tools.js';
export { DEFAULTS } from './endpoint.js';
export { Stream } from './stream.js';
