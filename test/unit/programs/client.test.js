import { expect, it, onTestFinished, vi } from 'vitest';
import { NO_CALL } from '../../../public/client/call/call-view.js';
import { Store } from '../../../public/client/call/store.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';

/** @type {FakeClient[]} */
const clients = [];

const RATE = 48_000;
const HZ = 500;

class FakeClient {
  /** @type {Store<any>} */
  store = new Store(NO_CALL);
  state = 'joined';
  speaks = false;
  format = createAudioFormat();
  /** Captured samples of the first channel, and those played so far. */
  captured = /** @type {number[]} */ ([]);
  #played = 0;

  constructor() {
    clients.push(this);
  }

  async join() {
    const { format } = this;
    this.store.set({ joined: { format } });
    this.store.set({ state: 'joined' });
    return { format };
  }

  /** The room comes back. @param {ReturnType<typeof createAudioFormat>} format */
  comeBack(format) {
    this.format = format;
    this.store.set({ state: 'away' });
    this.store.set({ joined: { format } });
    this.store.set({ state: 'joined' });
  }

  /** @param {Float32Array} samples */
  capture(samples) {
    const { channels } = this.format;
    this.captured.push(...samples.filter((_, i) => i % channels === 0));
  }

  /** Plays a tone on all channels. @param {Float32Array} out */
  render(out) {
    const { channels, sampleRate } = this.format;
    for (let i = 0; i < out.length; i++)
      out[i] = toneAt(this.#played + Math.floor(i / channels), sampleRate);
    this.#played += out.length / channels;
  }

  leave() {}
}

/** @param {number} sample @param {number} sampleRate */
const toneAt = (sample, sampleRate) => 0.5 * Math.sin((2 * Math.PI * HZ * sample) / sampleRate);

/** Frequency by the zero crossings, in Hz. @param {number[]} sound @param {number} sampleRate */
function hzOf(sound, sampleRate) {
  const crossings = sound.filter((value, i) => i > 0 && value >= 0 && sound[i - 1] < 0);
  return (crossings.length * sampleRate) / sound.length;
}

vi.mock('../../../public/client/call/call-client.js', () => ({ CallClient: FakeClient }));

it('a program learns that its call is at another node, after a break or without one', async () => {
  const { join } = await import('../../../programs/client.js');
  const call = await join({ url: 'http://localhost/r/tea' });
  try {
    /** @type {string[]} */
    const events = [];
    for (const name of /** @type {const} */ (['reconnecting', 'reconnected']))
      call.on(name, () => events.push(name));
    const { store, format } = /** @type {FakeClient} */ (clients.at(-1));
    store.set({ session: 2 });
    expect(events).toEqual([]);
    store.set({ joined: { format } });
    expect(events.splice(0)).toEqual(['reconnected']);
    store.set({ state: 'away' });
    store.set({ joined: { format } });
    store.set({ state: 'joined' });
    expect(events).toEqual(['reconnecting', 'reconnected']);
  } finally {
    await call.leave();
  }
});

it.each([
  [24_000, 1],
  [48_000, 2],
  [16_000, 2],
])(
  'a call keeps its format, pitch and speed in a room that comes back at %i Hz with %i channels',
  async (sampleRate, channels) => {
    const { join } = await import('../../../programs/client.js');
    vi.useFakeTimers({ toFake: ['setTimeout', 'clearTimeout', 'performance'] });
    onTestFinished(() => void vi.useRealTimers());
    const call = await join({ url: 'http://localhost/r/tea' });
    const client = /** @type {FakeClient} */ (clients.at(-1));
    client.speaks = true;
    const heard = /** @type {number[]} */ ([]);
    void (async () => {
      for await (const piece of call.heard) heard.push(...piece);
    })();
    const said = Float32Array.from({ length: 3 * RATE }, (_, i) => toneAt(i, RATE));
    void call.say(said);
    await vi.advanceTimersByTimeAsync(500);
    expect(hzOf(heard.splice(0), RATE)).toBeCloseTo(HZ, -1);
    client.comeBack(createAudioFormat({ sampleRate, channels: /** @type {1 | 2} */ (channels) }));
    client.captured = [];
    await vi.advanceTimersByTimeAsync(1000);
    expect([call.sampleRate, call.channels]).toEqual([RATE, 1]);
    expect(heard.length / RATE).toBeCloseTo(1, 1);
    expect(hzOf(heard, RATE)).toBeCloseTo(HZ, -1);
    expect(client.captured.length / sampleRate).toBeCloseTo(1, 1);
    // The first 200 ms are silent.
    expect(hzOf(client.captured.slice(sampleRate / 2), sampleRate)).toBeCloseTo(HZ, -1);
    vi.useRealTimers();
    await call.leave();
  },
);
