import { describe, expect, it } from 'vitest';
import { listMicrophones, microphoneProblem, openMicrophone } from '../../../public/client/capture/microphone.js';
import { CaptureFeed } from '../../../public/client/capture/capture-feeds.js';
import { PlaybackFeed } from '../../../public/client/playout/playback-feed.js';
import { ScheduledPlayer } from '../../../public/client/playout/scheduled-player.js';
import { failureTexts, noticeText } from '../../../public/texts.js';
import { findSupport } from '../../../public/client/connection/support.js';
import { SampleRing } from '../../../worklets/sample-ring.js';
import { FakeClock } from '../../fakes/fake-clock.js';

describe('CaptureFeed', () => {
  it('takes all there is, and asks to be woken when the frame is complete', () => {
    const ring = SampleRing.create(16_384);
    /** @type {number[]} */
    const counts = [];
    const sink = { samplesToFrame: 960, capture: (/** @type {Float32Array} */ _, /** @type {number} */ count) => counts.push(count) };
    const feed = new CaptureFeed(ring, sink);
    ring.write(new Float32Array(5000));
    sink.samplesToFrame = 760;
    feed.wake();
    expect(counts).toEqual([4096, 904]);
    ring.write(new Float32Array(700));
    expect(ring.reached()).toBe(false);
    ring.write(new Float32Array(60));
    expect(ring.reached()).toBe(true);
    feed.wake();
    expect(counts.at(-1)).toBe(760);
  });
});

describe('PlaybackFeed', () => {
  const perMs = 48;

  /**
   * A sound card that takes so much at once, a worker, and frames that come or don't.
   * @param {number} [blockMs] @param {number} [burst] what the worklet measured, in samples
   */
  function setUp(blockMs = 10, burst = 0) {
    const clock = new FakeClock();
    const ring = SampleRing.create(48_000);
    const source = {
      output: { waitMs: 0, gaps: 0, gapMs: 0 },
      observeOutput: (/** @type {number} */ waitMs, /** @type {number} */ gaps, /** @type {number} */ gapMs) =>
        void (source.output = { waitMs, gaps, gapMs }),
      frames: 0,
      madeUp: 0,
      /** @type {number[]} */
      waits: [],
      get ready() {
        return source.frames > 0;
      },
      look: (/** @type {number} */ waitMs) => void source.waits.push(waitMs),
      pull(/** @type {Float32Array} */ out) {
        if (source.frames === 0) {
          source.madeUp += 1;
          return 5 * perMs;
        }
        source.frames -= 1;
        return out.length;
      },
    };
    ring.setBurst(burst, 0);
    const feed = new PlaybackFeed(ring, source, { sampleRate: 48_000, pullSamples: 960, blockMs, clock });
    const taken = new Float32Array(blockMs * perMs);
    /** The sound card takes a burst. */
    const take = () => {
      if (ring.read(taken) < taken.length) ring.countUnderrun();
      if (ring.fellBelow()) feed.wake();
    };
    return { clock, ring, source, feed, take };
  }

  it('gives what has come at once, and no more than half a second', () => {
    const { ring, source, feed } = setUp();
    source.frames = 2;
    feed.arrived();
    expect(source.frames).toBe(0);
    expect(ring.available).toBeGreaterThan(960);
    source.frames = 100;
    feed.arrived();
    expect(ring.available).toBeGreaterThanOrEqual(500 * perMs);
    expect(ring.available).toBeLessThanOrEqual(520 * perMs);
  });

  it('makes up what has not come shortly before it is needed, and just enough', () => {
    const { clock, ring, source, take } = setUp();
    ring.arm(ring.capacity);
    take();
    clock.advance(5);
    expect(source.madeUp).toBe(0);
    clock.advance(1);
    expect(source.madeUp).toBe(2);
    expect(ring.available).toBe(10 * perMs);
    const { underruns } = ring;
    for (let i = 0; i < 100; i++) {
      clock.advance(4);
      take();
      clock.advance(6);
    }
    expect(ring.underruns).toBe(underruns);
    expect(source.madeUp).toBe(202);
    expect(source.output.waitMs).toBe(14);
  });

  it('takes what came while it stood still before it makes anything up, and tells of the gap', () => {
    const { clock, ring, source, feed } = setUp();
    feed.wake();
    ring.play(new Float32Array(30 * perMs));
    ring.countUnderrun();
    ring.countMissed(30 * perMs);
    feed.wake();
    source.frames = 3;
    feed.arrived();
    clock.advance(1);
    expect(source.madeUp).toBe(0);
    expect(ring.available).toBe((60 - 30) * perMs);
    expect(source.output).toMatchObject({ gaps: 1, gapMs: 30 });
  });

  it('makes up what it can where nothing came while it stood still', () => {
    const { clock, ring, source, feed } = setUp();
    feed.wake();
    ring.play(new Float32Array(30 * perMs));
    feed.wake();
    clock.advance(1);
    expect(source.madeUp).toBe(8);
    expect(ring.available).toBe(10 * perMs);
  });

  it('takes nothing for a sound card that is gone', () => {
    const { clock, ring, source, feed, take } = setUp();
    ring.arm(ring.capacity);
    take();
    feed.close();
    feed.close();
    clock.advance(100);
    expect(source.madeUp).toBe(0);
  });

  it('gives what comes while it waits, and makes up nothing', () => {
    const { clock, ring, source, feed, take } = setUp();
    ring.arm(ring.capacity);
    take();
    clock.advance(3);
    source.frames = 3;
    feed.arrived();
    clock.advance(20);
    expect(source.madeUp).toBe(0);
    expect(ring.available).toBeGreaterThan(40 * perMs);
  });

  it('keeps more than one burst where they are short, and goes by what was measured', () => {
    const short = setUp(10, 128);
    short.ring.arm(short.ring.capacity);
    short.take();
    short.clock.advance(1);
    expect(short.ring.available).toBeGreaterThanOrEqual(256);
    expect(short.source.output.waitMs).toBeCloseTo(128 / perMs + 4);
    const long = setUp(0, 2048);
    long.ring.arm(long.ring.capacity);
    long.take();
    long.clock.advance(40);
    expect(long.ring.available).toBeGreaterThanOrEqual(2048);
  });

  it('looks where the sound card is, even where it has enough all the time', () => {
    const { clock, source, feed, take } = setUp();
    feed.wake();
    for (let i = 0; i < 200; i++) {
      source.frames += 1;
      feed.arrived();
      clock.advance(10);
      take();
      clock.advance(10);
      take();
    }
    expect(source.madeUp).toBeLessThan(4);
    expect(source.waits.length).toBeGreaterThan(10);
  });
});

describe('ScheduledPlayer', () => {
  /** An audio context that only notes what is scheduled. */
  function setUp() {
    const time = { ms: 0, /** @type {() => void} */ look: () => {}, stopped: false };
    /** @type {{ start: number, duration: number }[]} */
    const scheduled = [];
    const context = {
      state: 'running',
      sampleRate: 48_000,
      get currentTime() {
        return time.ms / 1000;
      },
      createBuffer: (/** @type {number} */ _, /** @type {number} */ length) => ({
        duration: length / 48_000,
        copyToChannel: () => {},
      }),
      createBufferSource: () => ({
        buffer: /** @type {any} */ (null),
        connect: () => {},
        start(/** @type {number} */ start) {
          scheduled.push({ start, duration: this.buffer.duration });
        },
      }),
    };
    const asked = { frames: 0, calls: 0, leadMs: 0 };
    const player = new ScheduledPlayer(
      /** @type {any} */ (context),
      /** @type {any} */ ({}),
      (frames, leadMs) => {
        asked.frames += frames;
        asked.calls += 1;
        asked.leadMs = leadMs;
      },
      {
        now: () => time.ms,
        setInterval: (run) => void (time.look = run),
        clearInterval: () => void (time.stopped = true),
      },
    );
    return { time, context, scheduled, asked, player };
  }

  it('asks for what it needs, and plays one frame after the other', () => {
    const { time, scheduled, asked, player } = setUp();
    for (; time.ms < 2000; time.ms += 20) {
      time.look();
      for (; asked.frames > 0; asked.frames--) player.add(new Float32Array(960));
    }
    expect(player.underruns).toBe(0);
    expect(asked.leadMs).toBe(120);
    for (let i = 1; i < scheduled.length; i++) {
      expect(scheduled[i].start).toBeCloseTo(scheduled[i - 1].start + 0.02, 9);
    }
    expect(scheduled[scheduled.length - 1].start).toBeGreaterThan(1.98);
    expect(scheduled[scheduled.length - 1].start).toBeLessThan(2.2);
  });

  it('asks for nothing while sound is held back, nor without end while no answer comes', () => {
    const { time, context, asked, player } = setUp();
    context.state = 'suspended';
    time.look();
    expect(asked.frames).toBe(0);
    context.state = 'running';
    for (; time.ms < 900; time.ms += 20) time.look();
    expect(asked.frames).toBeLessThanOrEqual(16);
    time.ms = 3000;
    time.look();
    expect(asked.calls).toBeGreaterThan(1);
    player.close();
    expect(time.stopped).toBe(true);
  });

  it('counts when it runs out, and goes on from now', () => {
    const { time, scheduled, player } = setUp();
    player.add(new Float32Array(960));
    time.ms = 1000;
    player.add(new Float32Array(960));
    player.add(new Float32Array(0));
    expect(player.underruns).toBe(1);
    expect(scheduled.length).toBe(2);
    expect(scheduled[1].start).toBeGreaterThanOrEqual(1);
  });
});

describe('findSupport', () => {
  const full = {
    isSecureContext: true,
    crossOriginIsolated: true,
    SharedArrayBuffer,
    AudioContext: class {},
    AudioWorkletNode: class {},
    WebTransport: class {},
    Worker: class {},
    WebAssembly,
    navigator: { mediaDevices: { getUserMedia: () => {} } },
  };
  const codesOf = (/** @type {object} */ lacking) => findSupport({ ...full, ...lacking }).problems;

  it('finds nothing wrong with a current browser', () => {
    expect(findSupport(full)).toMatchObject({ microphone: true, webTransport: true, audio: true, problems: [] });
  });

  it('says what is missing, and what to do', () => {
    expect(codesOf({ WebTransport: undefined })).toEqual(['no-webtransport']);
    expect(codesOf({ SharedArrayBuffer: undefined })).toEqual(['no-shared-memory']);
    expect(codesOf({ crossOriginIsolated: false })).toEqual(['no-shared-memory']);
    expect(codesOf({ isSecureContext: false, navigator: {}, AudioWorkletNode: undefined })).toEqual(['microphone-insecure']);
    expect(codesOf({ WebAssembly: undefined })).toEqual(['no-audio']);
    for (const lacking of [{ SharedArrayBuffer: undefined }, { AudioWorkletNode: undefined }, { navigator: {} }, { AudioContext: undefined }]) {
      const { microphone, problems } = findSupport({ ...full, ...lacking });
      expect(microphone).toBe(false);
      for (const code of problems) expect(failureTexts).toHaveProperty(code);
    }
  });
});

describe('microphones', () => {
  it.each([
    ['NotAllowedError', 'microphone-refused'],
    ['NotFoundError', 'no-microphone'],
    ['OverconstrainedError', 'no-microphone'],
    ['NotReadableError', 'microphone-busy'],
    ['', 'microphone-busy'],
  ])('gives %s the code %s', (name, code) => {
    expect(microphoneProblem(Object.assign(new Error('x'), { name }))).toBe(code);
    expect(noticeText(code)).toMatch(/listen/);
  });

  it('asks for echo cancellation and the like unless told otherwise', async () => {
    /** @type {any[]} */
    const asked = [];
    const devices = /** @type {any} */ ({ getUserMedia: async (/** @type {any} */ wish) => asked.push(wish.audio) });
    await openMicrophone({}, devices);
    await openMicrophone({ deviceId: 'abc', echoCancellation: false }, devices);
    expect(asked[0]).toMatchObject({ echoCancellation: true, noiseSuppression: true, autoGainControl: true });
    expect(asked[0]).not.toHaveProperty('deviceId');
    expect(asked[1]).toMatchObject({ deviceId: { exact: 'abc' }, echoCancellation: false });
  });

  it('lists the microphones alone, or none where the browser shows none', async () => {
    const all = [
      { kind: 'audioinput', deviceId: 'a', label: 'A' },
      { kind: 'videoinput', deviceId: 'b', label: 'B' },
    ];
    expect(await listMicrophones(/** @type {any} */ ({ enumerateDevices: async () => all }))).toEqual([
      { deviceId: 'a', label: 'A' },
    ]);
    expect(await listMicrophones(/** @type {any} */ (undefined))).toEqual([]);
  });
});
