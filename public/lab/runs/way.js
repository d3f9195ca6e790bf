/**
 * Ways in which the lab's clients reach the server: the transports, and where the server has them
 * (`--carry any`), WebTransport whose packets go on streams and WebRTC's data channels.
 *
 * @import { Carry } from '../../shared/wire/carry.js'
 * @import { ServerConfig } from '../../client/connection/choose.js'
 * @import { TransportName } from '../../client/connection/connection.js'
 */

import { CARRY_QUERY } from '../../shared/wire/carry.js';

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
 * @param {ServerConfig} config
 * @returns {Way[]}
 */
export const waysOf = ({ transports }) =>
  WAYS.filter((way) =>
    way === 'datachannel'
      ? transports.datachannel !== undefined
      : !isStreamWay(way) || transports.webtransport?.carries?.includes(way),
  );

/**
 * How to connect by a transport.
 * @param {Exclude<Way, 'datachannel'>} way
 * @param {ServerConfig} config
 * @returns {{ transport: TransportName, config: ServerConfig }}
 */
export function connectionOf(way, config) {
  if (!isStreamWay(way)) return { transport: way, config };
  const { webtransport } = config.transports;
  const asking = webtransport && {
    ...webtransport,
    carry: way,
    url: `${webtransport.url ?? '/session'}?${CARRY_QUERY}=${way}`,
  };
  return {
    transport: 'webtransport',
    config: { ...config, transports: { ...config.transports, webtransport: asking } },
  };
}
