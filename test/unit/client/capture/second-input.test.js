import { describe, expect, it } from 'vitest';
import { Store } from '../../../../public/client/call/store.js';
import { NO_CALL } from '../../../../public/client/call/call-view.js';
import { SecondInput } from '../../../../public/client/capture/second-input.js';

/** A client that notes what it captures. */
class FakeClient {
  store = new Store(/** @type {any} */ (NO_CALL));
  /** @type {any[]} */
  joins = [];
  /** @type {number[]} */
  captured = [];
  /** @type {unknown[]} */
  changes = [];
  left = 0;
  restarted = 0;
  woken = 0;
  samplesToFrame = 100;
  /** @param {any} options */
  join(options) {
    this.joins.push(options);
    return Promise.resolve();
  }
  /** @param {Float32Array} samples @param {number} count */
  capture(samples, count) {
    this.captured.push(...samples.subarray(0, count * channelsOfRoom));
  }
  /** @param {unknown} change */
  change(change) {
    this.changes.push(change);
  }
  leave() {
    this.left += 1;
    this.store.set({ state: 'ended', end: { code: 'left', message: '' } });
  }
  restartCapture() {
    this.restarted += 1;
  }
  wake() {
    this.woken += 1;
  }
}

let channelsOfRoom = 1;

function setUp({ channels = 1, muted = false } = {}) {
  channelsOfRoom = channels;
  /** @type {any[]} */
  const told = [];
  const voice = {
    samplesToFrame: 300,
    /** @type {number[]} */
    captured: [],
    /** @type {(Float32Array | undefined)[]} */
    inputs: [],
    /** @type {import('../../../../public/client/capture/second-input.js').FirstInput['capture']} */
    capture(samples, count, _rate, _burst, inputs) {
      this.captured.push(...samples.subarray(0, count * channels));
      this.inputs.push(inputs);
    },
  };
  const firstCall = /** @type {any} */ ({
    format: { channels },
    capturedTo: 4711,
    store: new Store({ ...NO_CALL, joined: /** @type {any} */ ({ you: 'a', resume: 'token a' }) }),
  });
  /** @type {FakeClient[]} */
  const clients = [];
  /** @type {(() => number)[]} */
  const places = [];
  const port = { postMessage: (/** @type {any} */ one) => told.push(one), close: () => {} };
  const second = new SecondInput({
    options: {
      origin: 'https://a.example',
      join: { room: 'tea', name: 'Guitar', owner: 'token' },
    },
    port: /** @type {any} */ (port),
    first: voice,
    firstCall,
    encoding: { application: 'low-delay', pcm: 16 },
    muted,
    open: (capturedTo) => {
      places.push(capturedTo);
      clients.push(new FakeClient());
      return /** @type {any} */ (clients.at(-1));
    },
  });
  return { second, voice, firstCall, clients, places, told };
}

describe('a second input', () => {
  it('joins as a sound of the person once there are two channels, by the first one’s place', () => {
    const { second, clients, places, told } = setUp({ muted: true });
    expect([told, clients]).toEqual([[{ ready: true }], []]);
    second.begin(true);
    second.begin(true);
    expect(clients.length).toBe(1);
    expect(places[0]()).toBe(4711);
    expect(clients[0].joins).toEqual([
      {
        origin: 'https://a.example',
        join: { room: 'tea', name: 'Guitar', pcm: 16, owner: 'token a' },
        bitrate: 96_000,
        application: 'low-delay',
        silenceSuppression: false,
        muted: true,
      },
    ]);
    clients[0].store.set({ joined: { you: 'g' } });
    expect(told.at(-1)).toEqual({ joined: 'g' });
  });

  it.each([
    [1, [1, 2, 3], [-1, -2, -3]],
    [2, [1, 1, 2, 2, 3, 3], [-1, -1, -2, -2, -3, -3]],
  ])('has the right channel, and the voice the left one, of %i channels', (channels, l, r) => {
    const { second, voice, clients } = setUp({ channels });
    const inputs = Float32Array.of(1, -1, 2, -2, 3, -3, 9, 9);
    second.begin(true);
    second.capture(inputs, 2);
    second.capture(inputs.subarray(4), 1);
    expect(voice.captured).toEqual(l);
    expect(clients[0].captured).toEqual(r);
    expect(voice.inputs[0]).toBe(inputs);
    expect(second.samplesToFrame).toBe(100);
    second.restartCapture();
    second.mute(true);
    expect([clients[0].restarted, clients[0].changes]).toEqual([1, [{ muted: true }]]);
  });

  it('ends where a device has one channel, and the voice goes on', () => {
    const { second, voice, clients, told } = setUp();
    second.begin(true);
    second.begin(false);
    expect(told.at(-1)).toEqual({ end: 'second-mono' });
    expect(clients[0].left).toBe(1);
    second.capture(Float32Array.of(1, -1), 1);
    expect([voice.captured, clients[0].captured]).toEqual([[1], []]);
    expect(second.samplesToFrame).toBe(300);
    second.begin(true);
    second.close();
    expect([clients.length, told.length]).toEqual([1, 2]);
  });

  it('ends where both channels are equal for half a second of sound', () => {
    const { second, told } = setUp();
    second.begin(true);
    const equal = new Float32Array(960).fill(0.5);
    second.capture(new Float32Array(48_000), 24_000);
    for (let i = 0; i < 50; i++) second.capture(equal, 480);
    expect(told.length).toBe(1);
    second.capture(equal, 480);
    expect(told.at(-1)).toEqual({ end: 'second-mono' });
    const other = setUp();
    other.second.begin(true);
    other.second.capture(Float32Array.of(0, 1), 1);
    for (let i = 0; i < 60; i++) other.second.capture(equal, 480);
    expect(other.told.length).toBe(1);
  });

  it('tells why the server ended it, and joins again with its owner at another place', () => {
    const { second, clients, firstCall, told } = setUp();
    second.begin(true);
    second.ownerJoined(/** @type {any} */ ({ you: 'a' }));
    expect(clients.length).toBe(1);
    firstCall.store.set({ joined: { you: 'b', resume: 'token b' } });
    second.ownerJoined(/** @type {any} */ ({ you: 'b' }));
    expect([clients.length, clients[0].left, told.length]).toEqual([2, 1, 1]);
    expect(clients[1].joins[0].join.owner).toBe('token b');
    clients[1].store.set({ state: 'ended', end: { code: 'resumed-elsewhere', message: '' } });
    expect(told.at(-1)).toEqual({ end: 'resumed-elsewhere' });
  });

  it('tries again at once with its owner, when the network is back', () => {
    const { second, clients } = setUp();
    second.wake();
    second.begin(true);
    second.wake();
    expect(clients[0].woken).toBe(1);
  });
});
