/**
 * A WebSocket over TCP: the page's own connection sends, `ws` receives.
 * @import { AddressInfo } from 'node:net'
 * @import { Way } from './way.js'
 */

import { once } from 'node:events';
import { WebSocket, WebSocketServer } from 'ws';
import { WebSocketConnection } from '../../public/client/connection/websocket.js';

/** @type {Way} */
export const websocket = {
  missing: async () => null,

  async receive({ host, onPacket }) {
    const server = new WebSocketServer({ host, port: 0, perMessageDeflate: false });
    server.on('connection', (socket) =>
      socket.on('message', (/** @type {Buffer} */ bytes) => onPacket(bytes)),
    );
    await once(server, 'listening');
    const close = () => {
      for (const socket of server.clients) socket.terminate();
      server.close();
    };
    return { invitation: String(/** @type {AddressInfo} */ (server.address()).port), close };
  },

  async connect({ peer, invitation }) {
    const connection = await WebSocketConnection.open({
      url: `ws://${peer}:${invitation}`,
      now: () => performance.now(),
      WebSocket: /** @type {any} */ (WebSocket),
    });
    return { send: (bytes) => void connection.send(bytes), close: () => connection.close() };
  },
};
