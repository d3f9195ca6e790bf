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

/**
 * Length of a turn, in milliseconds: long enough to settle, short enough for all protocols to meet
 * the same network.
 */
const TURN_MS = 2000;

/** Least number of turns per protocol, even in a short run. */
const MIN_ROUNDS = 2;

/**
 * Plans the turns of protocols: all of them meet the same changes of the network, and none always
 * follows the same one.
 *
 * @template {string} P
 * @param {readonly P[]} protocols at least one
 * @param {number} durationMs of all turns together
 * @returns {{ protocol: P, ms: number, round: number }[]}
 */
export function planTurns(protocols, durationMs) {
  if (protocols.length === 1) return [{ protocol: protocols[0], ms: durationMs, round: 0 }];
  const rounds = Math.max(MIN_ROUNDS, Math.round(durationMs / (protocols.length * TURN_MS)));
  const ms = durationMs / (protocols.length * rounds);
  const turns = [];
  for (let round = 0; round < rounds; round++) {
    // Every other round is reversed; otherwise each protocol would always follow the same
    // neighbour.
    const order = round % 2 === 0 ? protocols : protocols.toReversed();
    const shift = Math.floor(round / 2) % protocols.length;
    for (let i = 0; i < order.length; i++)
      turns.push({ protocol: order[(i + shift) % order.length], ms, round });
  }
  return turns;
}

/**
 * Plans the delays of a sweep.
 * @param {{ toMs: number, stepMs: number }} options
 * @returns {number[]} from 0 on, in milliseconds
 */
export function planDelays({ toMs, stepMs }) {
  return Array.from({ length: Math.floor(toMs / stepMs) + 1 }, (_, i) => i * stepMs);
}
