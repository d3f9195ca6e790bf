import { connect, createServer } from 'node:net';

/** A way to a TCP port that can be cut. @param {number} to */
export async function openBridge(to) {
  /** @type {Set<import('node:net').Socket>} */
  const sockets = new Set();
  let isCut = false;
  const server = createServer((near) => {
    if (isCut) return void near.destroy();
    const far = connect(to, '127.0.0.1');
    for (const [from, other] of [
      [near, far],
      [far, near],
    ]) {
      sockets.add(from);
      from.on('error', () => {});
      from.on('close', () => {
        sockets.delete(from);
        other.destroy();
      });
      from.pipe(other);
    }
  });
  await new Promise((resolve) => void server.listen(0, '127.0.0.1', () => resolve(undefined)));
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const cut = (/** @type {boolean} */ on) => {
    isCut = on;
    if (on) for (const socket of sockets) socket.destroy();
  };
  const close = () => {
    cut(true);
    return new Promise((resolve) => void server.close(resolve));
  };
  return { port, cut, close };
}
