/**
 * HTTP/1: the page's own connection posts the packets, the server's own transport takes them.
 * @import { AddressInfo } from 'node:net'
 * @import { Way } from './way.js'
 */

import { once } from 'node:events';
import { createServer } from 'node:http';
import { Http1Connection } from '../../public/client/connection/http1.js';
import { systemClock } from '../../public/shared/clock.js';
import { PACKET_VERSION, PacketType } from '../../public/shared/wire/packet.js';
import { createLog } from '../../server/log.js';
import { createHttp1Transport } from '../../server/transport/http1.js';
import { prepareControl } from '../../server/session/session.js';

/** The first byte of a packet of sound, by which the transport tells it from control messages. */
const SOUND = (PACKET_VERSION << 4) | PacketType.audio;

/** @type {Way} */
export const http1 = {
  missing: async () => null,

  async receive({ host, onPacket }) {
    const transport = createHttp1Transport({
      maxSessions: 1,
      idleTimeoutMs: 60_000,
      clock: systemClock,
      log: createLog({ level: 'error' }),
      accept: (session) =>
        (session.handler = {
          packet: (bytes) => onPacket(bytes.subarray(1)),
          control: () => session.sendControl(prepareControl({ type: 'welcome' })),
          closed: () => {},
        }),
    });
    const server = createServer((request, response) =>
      transport.handle(request, response, () => response.writeHead(404).end()),
    );
    server.listen(0, host);
    await once(server, 'listening');
    return {
      invitation: String(/** @type {AddressInfo} */ (server.address()).port),
      async close() {
        await transport.close();
        server.close();
        server.closeAllConnections();
      },
    };
  },

  async connect({ peer, invitation }) {
    const connection = await Http1Connection.open({
      url: `http://${peer}:${invitation}/api/sessions`,
      clock: systemClock,
    });
    await new Promise((resolve, reject) => {
      const onClosed = (/** @type {string} */ _code, /** @type {string} */ reason) =>
        reject(new Error(reason));
      connection.handler = { onPacket: () => {}, onControl: resolve, onClosed };
      connection.join({ type: 'join' });
    });
    return {
      send(bytes) {
        const packet = new Uint8Array(bytes.length + 1);
        packet[0] = SOUND;
        packet.set(bytes, 1);
        connection.send(packet);
      },
      close: () => connection.close(),
    };
  },
};
