import { once } from 'node:events';
import { connect, createServer } from 'node:net';
import { expect, onTestFinished } from 'vitest';
import { ownSockets } from '../../../testkit/participants/own-sockets.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';

const onLinux = requireOrSkip(
  process.platform === 'linux',
  '/proc is not as Linux has it',
  ofTheMachine,
);

onLinux.it('sees established connections, and bytes that nobody has read', async () => {
  const server = createServer((socket) => void socket.pause());
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const before = ownSockets();
  const { port } = /** @type {import('node:net').AddressInfo} */ (server.address());
  const socket = connect(port, '127.0.0.1');
  onTestFinished(() => {
    socket.destroy();
    server.close();
  });
  await once(socket, 'connect');
  // Both ends are of this process.
  await expect.poll(() => ownSockets().connections).toBe(before.connections + 2);
  expect(ownSockets().sendQueueBytes).toBe(before.sendQueueBytes);
  socket.write(Buffer.alloc(32 * 1024 * 1024));
  await expect.poll(() => ownSockets().sendQueueBytes).toBeGreaterThan(before.sendQueueBytes);
});
