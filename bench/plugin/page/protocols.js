/**
 * The protocols that the plugin adds to the page /lab of a server with `--carry any`: WebTransport
 * whose packets go on streams, and WebRTC's data channels. The page and the worker of its runs load
 * this module.
 *
 * @import { Scope, ServerConfig } from '../../../public/client/connection/choose.js'
 * @import { WebTransportOffer } from '../../../public/client/connection/choose.js'
 * @import { AddedProtocol, LabConfig, LabModule } from '../../../public/lab/runs/protocol.js'
 * @import { Carry } from './carry.js'
 *
 * @typedef {LabConfig & { transports: { datachannel?: { path: string } | null, webtransport?:
 *   WebTransportOffer & { carries?: readonly Carry[] } | null } }} CarryConfig carries: ways that a
 *   session may ask for; both are absent without `--carry any`
 */

import { connect } from '../../../public/client/connection/choose.js';
import { CARRY_QUERY, carrying } from './carry.js';
import { connectOverChannels } from './data-channel.js';
import { LabPeers } from './peers.js';

/** The page's peer connections; none in a worker. */
const peers = new LabPeers();

/** @type {(Pick<AddedProtocol, 'label' | 'hint' | 'dash'> & { name: Carry })[]} */
const STREAMS = [
  {
    name: 'stream',
    label: 'One stream',
    hint: 'HTTP/3, all packets on one stream each way',
    dash: [14, 4],
  },
  {
    name: 'streams',
    label: 'A stream each',
    hint: 'HTTP/3, each packet on a stream of its own',
    dash: [9, 3, 2, 3],
  },
  {
    name: 'reset-streams',
    label: 'Reset streams',
    hint: 'The same, reset after 0.2 s',
    dash: [4, 3],
  },
];

/** @type {LabModule} */
export default {
  style: new URL('protocols.css', import.meta.url).href,

  protocolsOf(config) {
    const { webtransport, datachannel } = /** @type {CarryConfig} */ (config).transports;
    const streams = STREAMS.filter(({ name }) => webtransport?.carries?.includes(name));
    return [
      ...streams.map(onStreams),
      ...(datachannel === undefined ? [] : [overChannels(datachannel?.path)]),
    ];
  },

  answer: (url, port) => void peers.open(url, port),
  end: () => peers.close(),
};

/**
 * @param {typeof STREAMS[number]} way
 * @returns {AddedProtocol}
 */
const onStreams = (way) => ({
  ...way,
  transport: 'webtransport',
  connect: async ({ config, scope, ...options }) =>
    (await connect({ ...options, ...asking(way.name, config, scope) })).connection,
});

/**
 * @param {string | undefined} path  where the server takes offers; undefined if it can't
 * @returns {AddedProtocol}
 */
const overChannels = (path) => ({
  name: 'datachannel',
  label: 'Data channel',
  hint: 'WebRTC, unordered, without retransmission',
  dash: [14, 4, 2, 4],
  lacks: () => (typeof RTCPeerConnection === 'function' ? '' : 'This browser has no WebRTC.'),
  connect: (options) => connectOverChannels(path, options),
});

/**
 * Parameters for connecting by WebTransport, with a session that asks for a way to carry packets.
 * @param {Carry} carry
 * @param {ServerConfig} config
 * @param {Scope} [scope]
 * @returns {{ transport: 'webtransport', config: ServerConfig, scope: Scope }}
 */
export function asking(carry, config, scope) {
  const { webtransport } = config.transports;
  const offer = webtransport && {
    ...webtransport,
    url: `${webtransport.url ?? '/session'}?${CARRY_QUERY}=${carry}`,
  };
  return {
    transport: 'webtransport',
    config: { ...config, transports: { ...config.transports, webtransport: offer } },
    scope: { ...scope, WebTransport: carrying(scope?.WebTransport ?? globalThis.WebTransport) },
  };
}
