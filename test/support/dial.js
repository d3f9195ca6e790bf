import { connect } from 'node:net';

/**
 * A bare TCP connection to a port of this machine, on which a test writes what it likes. Its errors
 * are the test's to see by what comes, or doesn't.
 * @param {number} port
 * @param {(() => unknown)[]} open  the test's, which closes what is in it
 * @returns {import('node:net').Socket & { got: string }} got: what has come
 */
export function dial(port, open) {
  const socket = Object.assign(connect(port, '127.0.0.1'), { got: '' });
  socket.on('error', () => {});
  socket.on('data', (bytes) => void (socket.got += bytes.toString('latin1')));
  open.push(() => void socket.destroy());
  return socket;
}
