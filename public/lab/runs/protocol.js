/**
 * Protocols by which the lab's clients reach the server. Beside the transports, a server with the
 * plugin has WebTransport whose packets go on streams, and WebRTC's data channels.
 *
 * @import { Scope, ServerConfig, WebTransportOffer } from '../../client/connection/choose.js'
 * @import { TransportName } from '../../client/connection/connection.js'
 * @import { Carry } from './carry.js'
 *
 * @typedef {ServerConfig & { transports: { datachannel?: { path: string } | null, webtransport?:
 *   WebTransportOffer & { carries?: readonly Carry[] } | null } }} LabConfig carries: the
 *   protocols that a session may ask for; both are absent without the plugin
 */

import { CARRY_QUERY, carrying } from './carry.js';

/** Protocols of WebTransport beside datagrams. */
const STREAM_PROTOCOLS = Object.freeze(
  /** @type {const} */ (['stream', 'streams', 'reset-streams']),
);

/** @typedef {typeof STREAM_PROTOCOLS[number]} StreamProtocol */

/** @typedef {TransportName | StreamProtocol | 'datachannel'} Protocol */

/** All protocols, in the order in which they are shown. */
export const PROTOCOLS = Object.freeze(
  /** @type {const} */ (['webtransport', ...STREAM_PROTOCOLS, 'datachannel', 'websocket', 'http1']),
);

/** @param {Protocol} protocol @returns {protocol is StreamProtocol} */
export const isOverStreams = (protocol) =>
  /** @type {readonly string[]} */ (STREAM_PROTOCOLS).includes(protocol);

/**
 * The protocols that the page shows: those beside the transports where the operator has them.
 * @param {LabConfig} config
 * @returns {Protocol[]}
 */
export const protocolsOf = ({ transports }) =>
  PROTOCOLS.filter((protocol) =>
    protocol === 'datachannel'
      ? transports.datachannel !== undefined
      : !isOverStreams(protocol) || transports.webtransport?.carries?.includes(protocol),
  );

/**
 * Parameters for connecting by a transport.
 * @param {Exclude<Protocol, 'datachannel'>} protocol
 * @param {LabConfig} config
 * @param {Scope} [scope]
 * @returns {{ transport: TransportName, config: ServerConfig, scope?: Scope }}
 */
export function connectionOf(protocol, config, scope) {
  if (!isOverStreams(protocol)) return { transport: protocol, config, scope };
  const { webtransport } = config.transports;
  const asking = webtransport && {
    ...webtransport,
    url: `${webtransport.url ?? '/session'}?${CARRY_QUERY}=${protocol}`,
  };
  return {
    transport: 'webtransport',
    config: { ...config, transports: { ...config.transports, webtransport: asking } },
    scope: { ...scope, WebTransport: carrying(scope?.WebTransport ?? globalThis.WebTransport) },
  };
}
