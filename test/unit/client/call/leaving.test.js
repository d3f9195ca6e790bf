import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { Call } from '../../../../public/call.js';
import { CallSound } from '../../../../public/client/call/call-sound.js';

const FORMAT = { sampleRate: 48_000, channels: 1, frameMs: 20 };

class FakeNode {
  gain = { value: 0, setValueAtTime() {}, linearRampToValueAtTime() {} };

  /** @param {object} context */
  constructor(context) {
    this.context = context;
  }

  connect() {}
  disconnect() {}
}

/** @type {FakeContext[]} */
let contexts = [];

class FakeContext extends EventTarget {
  state = 'running';
  currentTime = 0;
  destination = {};
  /** Called to let a context close that was asked to. */
  closes = () => {};

  constructor() {
    super();
    contexts.push(this);
  }

  async close() {
    await new Promise((resolve) => (this.closes = () => resolve(undefined)));
    this.state = 'closed';
  }
}

class FakeBuffer {
  copyToChannel() {}
}

/** Listeners of the page, by their types. @type {string[]} */
let listened = [];
let asked = 0;

beforeEach(() => {
  contexts = [];
  listened = [];
  asked = 0;
  const mediaDevices = {
    getUserMedia: async () => {
      asked += 1;
      throw new DOMException('no', 'NotFoundError');
    },
  };
  vi.stubGlobal('navigator', { mediaDevices });
  vi.stubGlobal('location', { origin: 'http://localhost' });
  vi.stubGlobal('isSecureContext', true);
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('AudioWorkletNode', FakeNode);
  vi.stubGlobal('GainNode', FakeNode);
  vi.stubGlobal('AudioBuffer', FakeBuffer);
  vi.stubGlobal('Worker', FakeNode);
  vi.stubGlobal('addEventListener', (/** @type {string} */ type) => void listened.push(type));
  vi.stubGlobal('removeEventListener', (/** @type {string} */ type) => {
    const at = listened.indexOf(type);
    if (at >= 0) listened.splice(at, 1);
  });
});
afterEach(() => vi.unstubAllGlobals());

it('a call that is joined twice joins once, and both wait for it', async () => {
  const call = new Call({ join: { room: 'tea', name: 'Ada' } });
  const joining = call.join();
  expect(call.join()).toBe(joining);
  await call.leave();
  await joining;
  expect([call.state, listened]).toEqual(['ended', []]);
});

describe('a call that is left', () => {
  it('as soon as it connects asks for no microphone, and keeps no listener', async () => {
    const call = new Call({ join: { room: 'tea', name: 'Ada' } });
    call.store.observe((_now, _before, { state }) => {
      if (state === 'connecting') void call.leave();
    });
    await call.join();
    expect(call.store.value.end).toMatchObject({ code: 'left' });
    expect([asked, listened]).toEqual([0, []]);
  });

  it.each(['before its sound starts', 'while its sound starts again'])(
    '%s leaves no audio context',
    async (when) => {
      const sound = new CallSound(
        /** @type {any} */ ({ ...Call.support(), sharedArrayBuffer: false }),
        { join: { room: 'tea', name: 'Ada' } },
        { notice() {}, settled() {} },
      );
      const worker = { send() {} };
      if (when === 'while its sound starts again') await sound.start(worker, FORMAT);
      else void sound.close();
      const starting = sound.start(worker, { ...FORMAT, channels: 2 });
      const closing = sound.close();
      for (const context of contexts) context.closes();
      await Promise.all([starting, closing]);
      expect(contexts.filter(({ state }) => state !== 'closed')).toEqual([]);
    },
  );
});

describe('a backing track', () => {
  it('that is offered without a connection is not sent, and a notice says so', async () => {
    const decodeAudioData = async () => ({ duration: 1 });
    vi.stubGlobal(
      'OfflineAudioContext',
      class {
        decodeAudioData = decodeAudioData;
      },
    );
    const call = new Call({ join: { room: 'tea', name: 'Ada' } });
    /** @type {string[]} */
    const notices = [];
    call.addEventListener('notice', ({ detail }) => void notices.push(detail.code));
    expect(await call.offerTrack(new Blob(['RIFF']), 'song')).toBe(false);
    expect(notices).toEqual(['track-not-sent']);
  });
});
