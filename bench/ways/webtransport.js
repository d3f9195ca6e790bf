/**
 * WebTransport on the native engine: the page's own connection sends, the server's own transport receives.
 * @import { Carry } from '../../public/shared/carry.js'
 * @import { Way } from './way.js'
 */

import { Endpoint, isBuilt } from '@aloud/native';
import { WebTransportConnection } from '../../public/client/connection/webtransport.js';
import { generateCertificate } from '../../server/certificate/generate.js';
import { createLog } from '../../server/log.js';
import { MAX_PACKET_STREAMS } from '../../server/transport/packet-streams.js';
import { createNativeTransport } from '../../server/transport/webtransport-native.js';
import { webTransportOn } from '../participants/webtransport.js';

/** @param {Carry} carry @returns {Way} */
export const webtransport = (carry) => ({
  missing: async () => (isBuilt() ? null : 'The native engine is not built.'),

  async receive({ host, onPacket }) {
    const certificate = await generateCertificate({ hosts: [host], now: new Date() });
    const transport = await createNativeTransport({
      host,
      certificate,
      carry,
      log: createLog({ level: 'error' }),
      accept: (session) => (session.handler = { packet: onPacket, control: () => {}, closed: () => {} }),
    });
    const invitation = JSON.stringify({ port: transport.address().port, hash: certificate.hash });
    return { invitation, close: () => transport.close() };
  },

  async connect({ peer, invitation }) {
    const { port, hash } = JSON.parse(invitation);
    const endpoint = new Endpoint({ ioThreads: 1, maxStreams: MAX_PACKET_STREAMS });
    const connection = await WebTransportConnection.open({
      url: `https://${peer}:${port}/session`,
      certificateHashes: [hash],
      carry,
      now: () => performance.now(),
      WebTransport: webTransportOn(endpoint),
    });
    return {
      send: (bytes) => void connection.send(bytes),
      async close() {
        connection.close();
        await endpoint.close();
      },
    };
  },
});
