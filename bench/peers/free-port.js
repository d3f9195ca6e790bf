import { createSocket } from 'node:dgram';

/** A UDP port that is free on an address. @param {string} host @returns {Promise<number>} */
export async function freePort(host) {
  const socket = createSocket('udp4');
  await new Promise(
    (resolve, reject) => void socket.once('error', reject).bind(0, host, () => resolve(undefined)),
  );
  const { port } = socket.address();
  await new Promise((resolve) => void socket.close(() => resolve(undefined)));
  return port;
}
