/** Events of the client for programs. */

import { expect, it, onTestFinished } from 'vitest';
import { join } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };

it('a message of the server is one event of a program, and not `message` too', async () => {
  const config = loadConfig({ argv: ['--port', '0', '--engine', 'none'], env: {} });
  const server = await createServer(config, { log: quiet });
  onTestFinished(() => server.close());
  const ann = await join({ url: server.url, room: 'tea', name: 'Ann', hear: false });
  onTestFinished(() => ann.leave());
  const bot = await join({ url: server.url, room: 'tea', name: 'Bot', hear: false });
  onTestFinished(() => bot.leave());
  /** @type {string[]} */
  const events = [];
  bot.on('captions', ({ on }) => void events.push(`captions ${on ? 'on' : 'off'}`));
  bot.on('chat', ({ text }) => void events.push(`chat ${text}`));
  bot.on('message', ({ type }) => void events.push(`message ${type}`));
  ann.captions({ want: true });
  ann.send({ type: 'moderate', action: 'lock', on: true });
  ann.chat('hello');
  await expect.poll(() => events).toContain('chat hello');
  const asked = events.filter((event) => /captions|room|chat/.test(event));
  expect(asked).toEqual(['captions on', 'message room', 'chat hello']);
});

it.each([
  [['--room', 'tea', '--server', 'http://127.0.0.1:1'], /--server says another place\.$/],
  [['--room', 'http://127.0.0.1:1/r/tea'], /is its address http:\/\/127\.0\.0\.1:1\?$/],
])('aloud listen says where nothing answered: %j', async (args, sentence) => {
  const { listen } = await import('../../programs/listen-command.js');
  await expect(listen([...args, '-o', '/dev/null', '--format', 'raw'])).rejects.toThrow(sentence);
});
