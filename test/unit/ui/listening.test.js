import { expect, it, vi } from 'vitest';
import { Listening } from '../../../public/listen/listening.js';

/** @typedef {import('../../../public/call.js').Call} Call */

/**
 * The calls that were made, and what each was asked for.
 * @type {(FakeCall & { options: any })[]}
 */
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

/**
 * Begins to listen.
 * @param {Partial<import('../../../public/listen/listening.js').ListeningEvents>} [own]
 */
async function listen(own = {}) {
  calls.length = 0;
  const on = /** @type {any} */ (
    new Proxy(own, { get: (/** @type {any} */ given, name) => given[name] ?? (() => {}) })
  );
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
  expect(past.filter(({ type }) => type === 'recording')).toEqual([
    { type: 'recording', recording: { on: false } },
  ]);
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

it('reports sound without voice once it outlasts a pause between words', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const speakers = vi.fn();
    await listen({ speakers });
    const [call] = calls;
    call.dispatchEvent(
      new CustomEvent('people', {
        detail: { you: '9', listeners: 1, people: [{ id: '1', name: 'Ann', role: 'speaker' }] },
      }),
    );
    const tell = (
      /** @type {number} */ level,
      /** @type {boolean} */ voice,
      /** @type {number} */ ms,
    ) => {
      let last;
      for (let passed = 0; passed < ms; passed += 100) {
        vi.advanceTimersByTime(100);
        call.dispatchEvent(new CustomEvent('speakers', { detail: [{ id: '1', level, voice }] }));
        last = speakers.mock.lastCall;
      }
      return last;
    };
    expect(tell(20, true, 3000)).toEqual([['Ann'], false]);
    // A pause between words, and then a tone.
    expect(tell(30, false, 1500)).toEqual([[], false]);
    expect(tell(20, false, 1000)).toEqual([[], true]);
    expect(tell(20, true, 100)).toEqual([['Ann'], false]);
    // A room in which nobody speaks.
    expect(tell(60, false, 5000)).toEqual([[], false]);
  } finally {
    vi.useRealTimers();
  }
});
