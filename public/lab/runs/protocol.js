/**
 * Ways in which the lab's clients reach the server: the transports, and where the server has a
 * plugin for them, WebTransport whose packets go on streams and WebRTC's data channels.
 *
 * @import { Scope, ServerConfig, WebTransportOffer } from '../../client/connection/choose.js'
 * @import { TransportName } from '../../client/connection/connection.js'
 * @import { Carry } from './carry.js'
 *
 * @typedef {ServerConfig & { transports: { datachannel?: { path: string } | null, webtransport?:
 *   WebTransportOffer & { carries?: readonly Carry[] } | null } }} LabConfig carries: the ways that
 *   a session may ask for; both are absent without the plugin
 */

import { CARRY_QUERY, carrying } from './carry.js';

/** Ways of WebTransport beside datagrams. */
export const STREAM_WAYS = Object.freeze(
  /** @type {const} */ (['stream', 'streams', 'reset-streams']),
);

/** @typedef {typeof STREAM_WAYS[number]} StreamWay */

/** @typedef {TransportName | StreamWay | 'datachannel'} Way */

/** All ways, in the order in which they are shown. */
export const WAYS = Object.freeze(
  /** @type {const} */ (['webtransport', ...STREAM_WAYS, 'datachannel', 'websocket', 'http1']),
);

/** @param {Way} way @returns {way is StreamWay} */
export const isStreamWay = (way) => /** @type {readonly string[]} */ (STREAM_WAYS).includes(way);

/**
 * The ways that the page shows: those beside the transports where the operator has them.
 * @param {LabConfig} config
 * @returns {Way[]}
 */
export const waysOf = ({ transports }) =>
  WAYS.filter((way) =>
    way === 'datachannel'
      ? transports.datachannel !== undefined
      : !isStreamWay(way) || transports.webtransport?.carries?.includes(way),
  );

/**
 * Parameters for connecting by a transport.
 * @param {Exclude<Way, 'datachannel'>} way
 * @param {LabConfig} config
 * @param {Scope} [scope]
 * @returns {{ transport: TransportName, config: ServerConfig, scope?: Scope }}
 */
export function connectionOf(way, config, scope) {
  if (!isStreamWay(way)) return { transport: way, config, scope };
  const { webtransport } = config.transports;
  const asking = webtransport && {
    ...webtransport,
    url: `${webtransport.url ?? '/session'}?${CARRY_QUERY}=${way}`,
  };
  return {
    transport: 'webtransport',
    config: { ...config, transports: { ...config.transports, webtransport: asking } },
    scope: { ...scope, WebTransport: carrying(scope?.WebTransport ?? globalThis.WebTransport) },
  };
}
