/**
 * WebTransport over HTTP/3 for Node.js: a server's side and a client's, QUIC on threads of its own.
 */
export { BUILD_COMMAND, isBuilt, load, loadError, NativeUnavailableError } from './binding.js';
export { ConnectError, DEFAULTS, Endpoint } from './endpoint.js';
export { NativeSession } from './session.js';
export { Stream } from './stream.js';
