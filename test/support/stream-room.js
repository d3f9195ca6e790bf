import { onTestFinished } from 'vitest';
import { join } from '../../programs/client.js';
import { startServer } from '../../testkit/aloud-server.js';

/**
 * Starts a server with a room, its moderator Ann, and the room's stream key.
 * @param {...string} argv  options of the server
 */
export async function openStreamRoom(...argv) {
  const server = await startServer('--engine', 'none', ...argv);
  onTestFinished(() => server.close());
  const ann = await join({ url: server.url, room: 'tea', name: 'Ann', music: true });
  onTestFinished(() => ann.leave());
  const told = new Promise((/** @type {(key: string) => void} */ resolve) => {
    ann.on('message', (message) => {
      if (message.type === 'stream-key') resolve(String(message.key));
    });
  });
  ann.send({ type: 'moderate', action: 'stream-key', on: true });
  return { server, ann, key: await told };
}

/**
 * The next sound that a participant hears.
 * @param {Awaited<ReturnType<typeof join>>} call
 * @param {number} seconds
 */
export async function hear(call, seconds) {
  const samples = [];
  const reader = call.heard.getReader();
  while (samples.length < seconds * call.sampleRate) {
    const { done, value } = await reader.read();
    if (done) break;
    for (const sample of value) samples.push(sample);
  }
  reader.releaseLock();
  return Float32Array.from(samples);
}
