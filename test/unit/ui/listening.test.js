import { expect, it, vi } from 'vitest';
import { Listening } from '../../../public/listen/listening.js';

/** @typedef {import('../../../public/call.js').Call} Call */

/** The calls that were made, and what each was asked for. @type {(FakeCall & { options: any })[]} */
const calls = [];

class FakeCall extends EventTarget {
  output = null;
  resume = '';

  /** @param {any} options */
  constructor(options) {
    super();
    calls.push(Object.assign(this, { options }));
  }

  async join() {}

  async rest() {}

  /** @param {Record<string, any>} message  of the server */
  control(message) {
    this.dispatchEvent(new CustomEvent('control', { detail: message }));
  }
}

vi.mock('../../../public/call.js', () => ({ Call: FakeCall }));

/** Begins to listen. */
async function listen() {
  calls.length = 0;
  const on = /** @type {any} */ (new Proxy({}, { get: () => () => {} }));
  const listening = new Listening({ room: 'tea', transport: 'auto' }, on);
  const entry = /** @type {const} */ ({ name: 'Lea', nearness: 'near' });
  await listening.start(entry);
  return { listening, start: () => listening.start(entry) };
}

it('hands over how things are now, however much was written before', async () => {
  const { listening } = await listen();
  const [call] = calls;
  call.control({ type: 'welcome' });
  call.control({ type: 'recording', recording: { on: true } });
  for (let number = 0; number < 500; number++) call.control({ type: 'chat', message: { number } });
  call.control({ type: 'recording', recording: { on: false } });
  const past = listening.handOver()?.past.map(([, message]) => message) ?? [];
  expect(past[0].type).toBe('welcome');
  expect(past.filter(({ type }) => type === 'recording')).toEqual([{ type: 'recording', recording: { on: false } }]);
  const chat = past.filter(({ type }) => type === 'chat');
  expect([chat.length, chat.at(-1).message.number]).toEqual([200, 499]);
});

it('keeps its place where it is paused again before it has joined', async () => {
  const { listening, start } = await listen();
  calls[0].resume = 'TOKEN';
  await listening.pause();
  await start();
  await listening.pause();
  await start();
  expect(calls.map(({ options }) => options.resume)).toEqual([undefined, 'TOKEN', 'TOKEN']);
});
