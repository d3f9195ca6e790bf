/**
 * WebTransport on the native engine: the page's own connection sends, the server's own transport
 * receives.
 * @import { NativeSession } from '@aloud/native'
 * @import { Carry } from '../plugin/page/carry.js'
 * @import { Session } from '../../server/session/session.js'
 * @import { CongestionController } from '../plugin/controllers.js'
 * @import { Way } from './way.js'
 */

import { Endpoint } from '@aloud/native';
import { WebTransportConnection } from '../../public/client/connection/webtransport.js';
import { generateCertificate } from '../../server/certificate/generate.js';
import { createLog } from '../../server/log.js';
import { createNativeTransport } from '../../server/transport/webtransport-native.js';
import { webTransportOn } from '../../programs/scope.js';
import { CARRY_QUERY, carrying, MAX_PACKET_STREAMS } from '../plugin/page/carry.js';
import { CarriedSession } from '../plugin/carried-session.js';
import { controllerSettings, missingBuild } from '../plugin/controllers.js';

/**
 * @param {Carry} carry
 * @param {CongestionController} [congestionController]  of both ends
 * @returns {Way}
 */
export const webtransport = (carry, congestionController = 'cubic') => ({
  missing: async () => missingBuild(congestionController),
  receive: (options) => receive(options, { carry, congestionController }),
  connect: (options) => connect(options, { carry, congestionController }),
});

/** @typedef {{ carry: Carry, congestionController: CongestionController }} Settings */

/**
 * @param {Parameters<Way['receive']>[0]} options
 * @param {Settings} settings
 * @returns {ReturnType<Way['receive']>}
 */
async function receive({ host, onPacket }, { carry, congestionController }) {
  const certificate = await generateCertificate({ hosts: [host], now: new Date() });
  /** @type {Session | null} */
  let session = null;
  const transport = await createNativeTransport({
    host,
    certificate,
    parts: {
      settings: { ...controllerSettings(congestionController), maxStreams: MAX_PACKET_STREAMS },
      ...(carry !== 'datagrams' && { Session: CarriedSession }),
    },
    log: createLog({ level: 'error' }),
    accept(opened) {
      session = opened;
      session.handler = { packet: onPacket, control: () => {}, closed: () => {} };
    },
  });
  return {
    invitation: JSON.stringify({ port: transport.address().port, hash: certificate.hash }),
    fault: () =>
      controllerFault('receiver', session?.stats().congestionController, congestionController),
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
    ...controllerSettings(congestionController),
  });
  /** @type {NativeSession | null} */
  let session = null;
  const connection = await WebTransportConnection.open({
    url: `https://${peer}:${port}/session?${CARRY_QUERY}=${carry}`,
    certificateHashes: [hash],
    now: () => performance.now(),
    WebTransport: carrying(
      webTransportOn({
        connect: async (...target) => (session = await endpoint.connect(...target)),
      }),
    ),
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
