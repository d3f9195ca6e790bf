import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { NO_CALL } from '../../../public/client/call/call-view.js';
import { Store } from '../../../public/client/call/store.js';
import { addressOf, Listening, stageAddress } from '../../../public/listen/listening.js';

/** @typedef {import('../../../public/call.js').Call} Call */

/**
 * The calls that were made, and what each was asked for.
 * @type {(FakeCall & { options: any })[]}
 */
const calls = [];

class FakeCall extends EventTarget {
  output = /** @type {any} */ (null);
  /** @type {Store<any>} */
  store = new Store(NO_CALL);
  resume = '';

  /** @param {any} options */
  constructor(options) {
    super();
    calls.push(Object.assign(this, { options }));
  }

  async join() {}

  async rest() {}
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

it('a listening page keeps its place when it is paused again before it has joined', async () => {
  const { listening, start } = await listen();
  calls[0].resume = 'TOKEN';
  await listening.pause();
  await start();
  await listening.pause();
  await start();
  expect(calls.map(({ options }) => options.join.resume)).toEqual([undefined, 'TOKEN', 'TOKEN']);
});

it('a listening page keeps its volume when its call’s sound begins again', async () => {
  /** @type {{ gain: { value: number } }[]} */
  const gains = [];
  vi.stubGlobal(
    'GainNode',
    class {
      gain = { value: 1 };

      constructor() {
        gains.push(this);
      }

      connect() {}
    },
  );
  onTestFinished(() => void vi.unstubAllGlobals());
  const output = () => ({ context: {}, connect: (/** @type {any} */ to) => to, disconnect() {} });
  const { listening } = await listen();
  const [call] = calls;
  call.output = output();
  call.store.set({ state: 'joined' });
  listening.setVolume(0.2);
  call.store.set({ state: 'away' });
  call.store.set({ state: 'joined' });
  // The room has come back in stereo.
  call.output = output();
  call.store.set({ state: 'joined', away: null });
  expect(gains.map(({ gain }) => gain.value)).toEqual([0.2, 0.2]);
});

it('a listening page learns what the server refused', async () => {
  const refused = vi.fn();
  await listen({ refused });
  const detail = { type: 'refused', of: 'language', code: 'language-relay' };
  calls[0].dispatchEvent(new CustomEvent('refused', { detail }));
  expect(refused.mock.calls).toEqual([[detail]]);
});

it('a listening page that is paused while its code is loaded doesn’t begin', async () => {
  const { listening, start } = await listen();
  await listening.pause();
  calls.length = 0;
  const started = start();
  await listening.pause();
  await started;
  expect([calls.length, listening.call]).toEqual([0, null]);
  await start();
  expect(calls.length).toBe(1);
});

it('a listening page fails without its code, unless it is paused by then', async () => {
  const { listening, start } = await listen();
  await listening.pause();
  const load = vi.spyOn(Listening, 'load');
  onTestFinished(() => load.mockRestore());
  /** @type {(error: Error) => void} */
  let fail = () => {};
  load.mockReturnValueOnce(new Promise((_resolve, reject) => (fail = reject)));
  const started = start();
  await listening.pause();
  fail(new Error('offline'));
  expect(await started).toBe(undefined);
  load.mockRejectedValueOnce(new Error('offline'));
  await expect(start()).rejects.toThrow('offline');
});

it('a listening page reports sound without voice once it outlasts a pause', async () => {
  vi.useFakeTimers({ toFake: ['performance'] });
  try {
    const speakers = vi.fn();
    await listen({ speakers });
    const [call] = calls;
    const ann = { id: '1', name: 'Ann', label: 'Ann', role: 'speaker', away: false };
    call.store.set({ you: '9', listeners: 1, people: [ann] });
    const tell = (
      /** @type {number} */ level,
      /** @type {boolean} */ voice,
      /** @type {number} */ ms,
    ) => {
      let last;
      for (let passed = 0; passed < ms; passed += 100) {
        vi.advanceTimersByTime(100);
        call.store.set({ speakers: [{ id: '1', level, voice }] });
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

const read = (/** @type {string} */ path) => {
  const { pathname, search, hash } = new URL(path, 'https://a.example');
  return addressOf({ pathname, search, hash });
};

describe('the address of the listeners’ page', () => {
  it('names the room, however it is written', () => {
    expect(
      ['/r/tea', '/R/tea/?listen', '/r/green%20tea?listen', '/r/%zz'].map(
        (path) => read(path).room,
      ),
    ).toEqual(['tea', 'tea', 'green-tea', '']);
  });

  it('says whether it asks to listen, and whether it is in a frame', () => {
    const asked = ['/r/tea', '/r/tea?listen', '/r/tea?listen&embed', '/r/tea?embed'].map((path) => [
      read(path).asks,
      read(path).isEmbedded,
    ]);
    expect(asked).toEqual([
      [false, false],
      [true, false],
      [true, true],
      [true, true],
    ]);
  });

  it('may give a name, a connection and a key', () => {
    expect(read('/r/tea?name=Ann&transport=http1#e2e=KEY')).toMatchObject({
      name: 'Ann',
      transport: 'http1',
      e2eKey: 'KEY',
    });
    expect(read('/r/tea?transport=pigeon')).toMatchObject({
      name: '',
      transport: 'auto',
      e2eKey: undefined,
    });
  });

  it('becomes the stage’s only for people with an invitation to it', () => {
    const location = { pathname: '/r/tea', search: '?name=Ann' };
    expect(stageAddress(location, {})).toBe(null);
    expect(stageAddress(location, { stage: 'KEY' })).toBe('/r/tea?name=Ann&stage=#stage=KEY');
    expect(stageAddress({ ...location, search: '' }, { token: 'a.b', stage: 'KEY' })).toBe(
      '/r/tea?stage=#token=a.b&stage=KEY',
    );
  });
});
