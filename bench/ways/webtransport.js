/**
 * WebTransport on the native engine: the page's own connection sends, the server's own transport
 * receives.
 * @import { CongestionController, NativeSession } from '@aloud/native'
 * @import { Carry } from '../../public/shared/wire/carry.js'
 * @import { Session } from '../../server/transport/session.js'
 * @import { Way } from './way.js'
 */

import { DEFAULTS, Endpoint, isBuilt, loadError } from '@aloud/native';
import { WebTransportConnection } from '../../public/client/connection/webtransport.js';
import { generateCertificate } from '../../server/certificate/generate.js';
import { createLog } from '../../server/log.js';
import { MAX_PACKET_STREAMS } from '../../server/transport/packet-streams.js';
import { createNativeTransport } from '../../server/transport/webtransport-native.js';
import { webTransportOn } from '../../programs/webtransport.js';

/**
 * @param {Carry} carry
 * @param {CongestionController} [congestionController]  of both ends
 * @returns {Way}
 */
export const webtransport = (carry, congestionController = DEFAULTS.congestionController) => ({
  missing: async () =>
    isBuilt() ? unloadable(congestionController) : 'The native engine is not built.',
  receive: (options) => receive(options, { carry, congestionController }),
  connect: (options) => connect(options, { carry, congestionController }),
});

/**
 * @param {CongestionController} controller
 * @returns {string | null} why the engine that has it can't be had, in a sentence
 */
function unloadable(controller) {
  const reason = loadError(controller);
  return reason && `${reason[0].toUpperCase()}${reason.slice(1)}.`;
}

/** @typedef {{ carry: Carry, congestionController: CongestionController }} Settings */

/**
 * @param {Parameters<Way['receive']>[0]} options
 * @param {Settings} settings
 * @returns {ReturnType<Way['receive']>}
 */
async function receive({ host, onPacket }, settings) {
  const certificate = await generateCertificate({ hosts: [host], now: new Date() });
  /** @type {Session | null} */
  let session = null;
  const transport = await createNativeTransport({
    host,
    certificate,
    ...settings,
    log: createLog({ level: 'error' }),
    accept(opened) {
      session = opened;
      session.handler = { packet: onPacket, control: () => {}, closed: () => {} };
    },
  });
  return {
    invitation: JSON.stringify({ port: transport.address().port, hash: certificate.hash }),
    fault: () =>
      controllerFault(
        'receiver',
        session?.stats().congestionController,
        settings.congestionController,
      ),
    close: () => transport.close(),
  };
}

/**
 * @param {Parameters<Way['connect']>[0]} options
 * @param {Settings} settings
 * @returns {ReturnType<Way['connect']>}
 */
async function connect({ peer, invitation }, { carry, congestionController }) {
  const { port, hash } = JSON.parse(invitation);
  const endpoint = new Endpoint({
    ioThreads: 1,
    maxStreams: MAX_PACKET_STREAMS,
    congestionController,
  });
  /** @type {NativeSession | null} */
  let session = null;
  const connection = await WebTransportConnection.open({
    url: `https://${peer}:${port}/session`,
    certificateHashes: [hash],
    carry,
    now: () => performance.now(),
    WebTransport: webTransportOn({
      connect: async (...target) => (session = await endpoint.connect(...target)),
    }),
  });
  return {
    send: (bytes) => void connection.send(bytes),
    path: () => session?.stats() ?? null,
    fault: () =>
      controllerFault('sender', session?.stats()?.congestionController, congestionController),
    async close() {
      connection.close();
      await endpoint.close();
    },
  };
}

/**
 * @param {string} end
 * @param {string | undefined} running  as the connection tells it
 * @param {CongestionController} asked
 */
export const controllerFault = (end, running, asked) =>
  running === asked
    ? null
    : `the congestion controller of the ${end}'s connection is ${running}, not ${asked}`;
