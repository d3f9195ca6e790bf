import { afterEach, beforeEach, describe, expect, it, vi } from 'vitest';
import { SoundGraph } from '../../../../public/client/call/sound-graph.js';
import { LOAD_MS } from '../../../../public/shared/clock.js';
import { SampleRing } from '../../../../worklets/sample-ring.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

class FakeNode {
  /** @type {any} */
  options = null;
  gain = { value: 0 };
  /** @type {any[]} */
  messages = [];
  port = { postMessage: (/** @type {any} */ message) => void this.messages.push(message) };
  connected = false;

  connect() {
    this.connected = true;
  }

  disconnect() {
    this.connected = false;
  }
}

class FakeContext extends EventTarget {
  state = 'running';
  sampleRate = 48_000;
  baseLatency = 0.01;
  destination = {};
  loaded = 0;
  audioWorklet = { addModule: async () => void (this.loaded += 1) };

  /** @param {any} options */
  constructor(options) {
    super();
    this.options = options;
  }

  /** @param {string} state */
  become(state) {
    this.state = state;
    this.dispatchEvent(new Event('statechange'));
  }

  async close() {
    this.become('closed');
  }
}

class Processor {
  /** @param {{ track: object }} init */
  constructor({ track }) {
    this.readable = { of: track };
  }
}

/** @type {FakeNode[]} */
let worklets = [];
/** @type {FakeNode[]} */
let sources = [];

beforeEach(() => {
  worklets = [];
  sources = [];
  const into = (/** @type {FakeNode[]} */ list) =>
    class extends FakeNode {
      /** @param {unknown} _context @param {any} first @param {any} [options] */
      constructor(_context, first, options) {
        super();
        this.options = options ?? first;
        list.push(this);
      }
    };
  vi.stubGlobal('AudioContext', FakeContext);
  vi.stubGlobal('GainNode', FakeNode);
  vi.stubGlobal('AudioWorkletNode', into(worklets));
  vi.stubGlobal('MediaStreamAudioSourceNode', into(sources));
});
afterEach(() => vi.unstubAllGlobals());

const microphone = (sampleRate = 48_000) => {
  const track = { getSettings: () => ({ sampleRate }) };
  return { track, stream: /** @type {any} */ ({ getAudioTracks: () => [track] }) };
};

function setUp({ shared = true, frameMs = 20 } = {}) {
  /** @type {any[]} */
  const messages = [];
  /** @type {ConstructorParameters<typeof SoundGraph>[0]} */
  const worker = { send: (type, detail) => void messages.push({ type, ...detail }) };
  const clock = new FakeClock();
  const graph = new SoundGraph(worker, { sampleRate: 48_000, channels: 1, frameMs }, shared, clock);
  const context = /** @type {FakeContext} */ (/** @type {unknown} */ (graph.context));
  const types = () => messages.splice(0).map(({ type }) => type);
  return { graph, clock, context, messages, types };
}

describe('SoundGraph', () => {
  it.each(
    /** @type {const} */ ([
      [20, 'interactive'],
      [10, 0],
      [2.5, 0],
    ]),
  )('of frames of %s ms asks for bursts of %s', (frameMs, latencyHint) => {
    expect(setUp({ frameMs }).context).toMatchObject({
      options: { sampleRate: 48_000, latencyHint },
    });
  });

  it.each(['track', 'worklet'])(
    'captures one microphone after the other, by its %s',
    async (way) => {
      if (way === 'track') vi.stubGlobal('MediaStreamTrackProcessor', Processor);
      const begins = way === 'track' ? 'capture-track' : 'capture';
      const { graph, messages, types } = setUp();
      const [first, second] = [microphone(), microphone()];
      await graph.startCapture(first.stream);
      if (way === 'track') expect(messages).toEqual([{ type: begins, sound: { of: first.track } }]);
      expect(types()).toEqual([begins]);
      await graph.startCapture(second.stream);
      if (way === 'track')
        expect(messages.at(-1)).toMatchObject({ type: begins, sound: { of: second.track } });
      expect(types()).toEqual(['capture-ended', begins]);
      graph.stopCapture();
      graph.stopCapture();
      expect(types()).toEqual(['capture-ended']);
      expect(sources.map(({ connected }) => connected)).toEqual(
        way === 'track' ? [] : [false, false],
      );
      for (const { messages: told } of worklets) expect(told.at(-1)).toEqual({ close: true });
    },
  );

  it('leaves microphones of other rates to the context for the noise model', async () => {
    vi.stubGlobal('MediaStreamTrackProcessor', Processor);
    const { graph, messages } = setUp();
    for (const rate of [48_000, 16_000])
      await graph.startCapture(microphone(rate).stream, { noiseModel: true });
    expect(messages.map(({ type, noiseModel }) => [type, noiseModel])).toEqual([
      ['capture-track', true],
      ['capture-ended', undefined],
      ['capture', true],
    ]);
  });

  it.each(['track', 'worklet'])(
    'captures two inputs by the %s with two channels, in a mono room too',
    async (way) => {
      if (way === 'track') vi.stubGlobal('MediaStreamTrackProcessor', Processor);
      const { graph, messages } = setUp();
      await graph.startCapture(microphone().stream, { split: true });
      expect(messages[0]).toMatchObject({ split: true });
      if (way === 'worklet') {
        expect(new SampleRing(messages[0].memory).channels).toBe(2);
        expect(worklets[0].options.processorOptions.channels).toBe(2);
      }
      await graph.startCapture(microphone().stream);
      expect(messages.at(-1).split).toBeUndefined();
      if (way === 'worklet') expect(new SampleRing(messages.at(-1).memory).channels).toBe(1);
    },
  );

  it("goes from the one way to the other and back, as the microphones' rates are", async () => {
    vi.stubGlobal('MediaStreamTrackProcessor', Processor);
    const { graph, context, types } = setUp();
    for (const rate of [44_100, 96_000, 16_000]) await graph.startCapture(microphone(rate).stream);
    // Nobody waits for a worklet that isn't needed.
    expect(context.loaded).toBe(1);
    expect(types()).toEqual([
      'capture-track',
      'capture-ended',
      'capture',
      'capture-ended',
      'capture-track',
    ]);
    expect(sources.map(({ connected }) => connected)).toEqual([false]);
    expect(worklets[0].messages.at(-1)).toEqual({ close: true });
  });

  it.each(['track', 'worklet'])(
    'captures by the %s while the context runs, and again when it resumes',
    async (way) => {
      if (way === 'track') vi.stubGlobal('MediaStreamTrackProcessor', Processor);
      const begins = way === 'track' ? 'capture-track' : 'capture';
      const { graph, context, types } = setUp();
      context.become('suspended');
      await graph.startCapture(microphone().stream);
      expect(types()).toEqual([]);
      context.become('running');
      expect(types()).toEqual([begins]);
      context.become('interrupted');
      expect(types()).toEqual(['capture-ended']);
      context.become('running');
      context.become('running');
      expect(types()).toEqual([begins]);
      graph.stopCapture();
      context.become('suspended');
      context.become('running');
      expect(types()).toEqual(['capture-ended']);
    },
  );

  it('captures by messages in place of a ring where there is no shared memory', async () => {
    for (const shared of [true, false]) {
      const { graph, messages } = setUp({ shared });
      await graph.startCapture(microphone().stream);
      const { memory } = messages[0];
      expect(memory instanceof SharedArrayBuffer).toBe(shared);
      expect(worklets.at(-1)?.options.processorOptions).toEqual({ memory, channels: 1 });
    }
  });

  it.each(/** @type {const} */ (['playback', 'capture']))(
    'does not wait for ever for the worklet of %s',
    async (role) => {
      const { graph, clock, context, types } = setUp();
      const start = () =>
        role === 'playback' ? graph.startPlayback() : graph.startCapture(microphone().stream);
      context.audioWorklet.addModule = () => new Promise(() => {});
      graph.output.gain.setValueAtTime = graph.output.gain.linearRampToValueAtTime = () =>
        graph.output.gain;
      const starting = start();
      clock.advance(LOAD_MS);
      await expect(starting).rejects.toThrow(`no ${role}-processor.js within 20 s`);
      expect(types()).toEqual([]);
      context.audioWorklet.addModule = async () => {};
      await start();
      expect(types()).toEqual([role]);
      expect(clock.waiting).toBe(0);
    },
  );

  it('captures nothing once it is closed', async () => {
    vi.stubGlobal('MediaStreamTrackProcessor', Processor);
    const { graph, types } = setUp();
    await graph.startCapture(microphone().stream);
    const late = graph.startCapture(microphone(96_000).stream);
    await graph.close();
    await late;
    expect(types()).toEqual(['capture-track', 'capture-ended']);
  });

  it('captures the microphone that was chosen last, if the worklet comes after it', async () => {
    vi.stubGlobal('MediaStreamTrackProcessor', Processor);
    const { graph, messages } = setUp();
    const context = /** @type {any} */ (graph.context);
    let loaded = () => {};
    context.audioWorklet.addModule = () =>
      new Promise((resolve) => (loaded = () => resolve(undefined)));
    const [fast, usual] = [microphone(96_000), microphone()];
    const waits = graph.startCapture(fast.stream);
    await graph.startCapture(usual.stream);
    loaded();
    await waits;
    expect(messages.filter(({ type }) => type.startsWith('capture'))).toEqual([
      { type: 'capture-track', sound: { of: usual.track } },
    ]);
    expect(worklets).toEqual([]);
  });
});
