import { createSocket } from 'node:dgram';
import { connect, createServer } from 'node:net';

/**
 * A link to a server, TCP and UDP, that can be cut without notice to either end. Data in flight
 * then waits (TCP) or is lost (UDP). Or it stalls, and then delivers everything at once.
 *
 * @typedef {object} FragileLink
 * @property {string} url the server's, through the link
 * @property {typeof globalThis.fetch} fetch sees the server's HTTP/3 at the link's port
 * @property {(cut: { tcp?: boolean, udp?: boolean }) => void} cut kind of traffic that is cut from
 *   now on
 * @property {(ms: number) => Promise<void>} stall holds up both directions, then delivers
 *   everything together
 * @property {() => Promise<void>} forget drops all connections without a notice
 * @property {() => Promise<void>} close
 */

/** @param {{ port: number, h3Port: number | null }} server @returns {Promise<FragileLink>} */
export async function openLink({ port, h3Port }) {
  const state = { tcp: false, udp: false, stalls: false };
  const tcp = await openTcp(port, state);
  const udp = await openUdp(h3Port ?? 0, state);
  return {
    url: `http://localhost:${tcp.port}`,
    fetch: async (url, init) => {
      const response = await fetch(url, init);
      if (!new URL(String(url)).pathname.endsWith('/api/config')) return response;
      const config = await response.json();
      const { webtransport } = config.transports;
      if (webtransport)
        config.transports.webtransport = { ...webtransport, url: undefined, port: udp.port };
      return Response.json(config);
    },
    cut: (cut) => {
      Object.assign(state, { tcp: false, udp: false }, cut);
      tcp.changed();
    },
    stall: async (ms) => {
      state.stalls = true;
      tcp.changed();
      await new Promise((resolve) => void setTimeout(resolve, ms));
      state.stalls = false;
      tcp.changed();
      udp.release();
    },
    forget: () => udp.forget(),
    close: async () => {
      await udp.close();
      await tcp.close();
    },
  };
}

/** @param {number} to @param {{ tcp: boolean, stalls: boolean }} state */
async function openTcp(to, state) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  const follow = (/** @type {import('node:net').Socket} */ socket) =>
    state.tcp || state.stalls ? socket.pause() : socket.resume();
  const server = createServer((near) => {
    const far = connect(to, 'localhost');
    for (const [one, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(one);
      one.on('data', (bytes) => void other.write(bytes));
      one.on('error', () => {});
      one.on('close', () => sockets.delete(one) && other.destroy());
      follow(one);
    }
  });
  await new Promise((resolve) => void server.listen(0, 'localhost', () => resolve(undefined)));
  return {
    port: /** @type {import('node:net').AddressInfo} */ (server.address()).port,
    changed: () => sockets.forEach(follow),
    close: () => {
      const closed = new Promise((resolve) => void server.close(resolve));
      for (const socket of sockets) socket.destroy();
      return closed;
    },
  };
}

/** @returns {Promise<boolean>} true when this machine reaches itself over IPv6 */
async function hasIpv6() {
  const socket = createSocket('udp6');
  const bound = await new Promise((resolve) => {
    socket.once('error', () => resolve(false));
    socket.bind(0, '::1', () => resolve(true));
  });
  if (bound) socket.close();
  return bound;
}

/** @param {number} to @param {{ udp: boolean, stalls: boolean }} state */
async function openUdp(to, state) {
  const [type, any, own] = (await hasIpv6())
    ? /** @type {const} */ (['udp6', '::', '::1'])
    : /** @type {const} */ (['udp4', '0.0.0.0', '127.0.0.1']);
  const near = createSocket(type);
  /** Port of each client towards the server. @type {Map<string, import('node:dgram').Socket>} */
  const ways = new Map();
  /** Packets that wait for the end of a stall. @type {(() => void)[]} */
  const held = [];
  const pass = (/** @type {() => void} */ send) => {
    if (state.stalls) held.push(send);
    else if (!state.udp) send();
  };
  near.on('message', (bytes, { address, port }) => {
    if (state.udp) return;
    const key = `${address} ${port}`;
    let far = ways.get(key);
    if (!far) {
      far = createSocket(type);
      far.on('message', (answer) => pass(() => near.send(answer, port, address)));
      far.on('error', () => {});
      ways.set(key, far);
    }
    const way = far;
    pass(() => way.send(bytes, to, own));
  });
  await new Promise((resolve) => void near.bind(0, any, () => resolve(undefined)));
  /** @param {import('node:dgram').Socket} socket */
  const closed = (socket) => new Promise((resolve) => void socket.close(() => resolve(undefined)));
  const forget = async () => {
    const gone = [...ways.values()];
    ways.clear();
    await Promise.all(gone.map(closed));
  };
  return {
    port: near.address().port,
    release: () => held.splice(0).forEach((send) => send()),
    forget,
    close: async () => {
      await closed(near);
      await forget();
    },
  };
}
