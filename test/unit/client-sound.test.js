import { describe, expect, it } from 'vitest';
import { listMicrophones, microphoneProblem, openMicrophone } from '../../public/client/microphone.js';
import { CaptureFeed, PlaybackFeed } from '../../public/client/ring-feeds.js';
import { ScheduledPlayer } from '../../public/client/scheduled-player.js';
import { failureTexts, noticeText } from '../../public/texts.js';
import { findSupport } from '../../public/client/support.js';
import { SampleRing } from '../../worklets/sample-ring.js';

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

  /** A sound card that takes blocks of 10 ms, and a worker that comes so late. */
  function setUp() {
    const time = { ms: 0 };
    const ring = SampleRing.create(48_000);
    const source = { outputMs: 0, pulls: 0, pull: (/** @type {Float32Array} */ out) => ((source.pulls += 1), out.length) };
    const feed = new PlaybackFeed(ring, source, { sampleRate: 48_000, pullSamples: 960, blockMs: 10, now: () => time.ms });
    const block = new Float32Array(10 * perMs);
    const play = (/** @type {number} */ blocks, /** @type {number} */ lateMs) => {
      for (let i = 0; i < blocks; i++) {
        const there = ring.read(block);
        if (there < block.length) ring.countUnderrun();
        time.ms += 10;
        if (!ring.fellBelow()) continue;
        const gone = Math.min(ring.available, Math.round(lateMs * perMs));
        ring.read(block, gone);
        feed.wake();
      }
    };
    return { time, ring, source, feed, play };
  }

  it('keeps the ring at its mark, and no fuller than a frame more', () => {
    const { ring, feed, source, play } = setUp();
    feed.wake();
    expect(ring.available).toBeGreaterThanOrEqual(feed.markMs * perMs);
    expect(ring.available).toBeLessThan(feed.markMs * perMs + 960);
    play(100, 0);
    expect(ring.underruns).toBe(0);
    expect(source.outputMs).toBe(feed.markMs);
  });

  it('keeps more for a worker that comes late, and less when it comes in time', () => {
    const { ring, feed, play } = setUp();
    feed.wake();
    play(200, 14);
    const late = feed.markMs;
    expect(late).toBeGreaterThan(20);
    const { underruns } = ring;
    play(200, 14);
    expect(ring.underruns).toBe(underruns);
    play(12_000, 0);
    expect(feed.markMs).toBeLessThan(late);
    expect(ring.underruns).toBe(underruns);
    for (let i = 0; i < 100; i++) {
      ring.countUnderrun();
      feed.wake();
    }
    expect(feed.markMs).toBe(120);
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
    const asked = { frames: 0, calls: 0 };
    const player = new ScheduledPlayer(
      /** @type {any} */ (context),
      /** @type {any} */ ({}),
      (frames) => {
        asked.frames += frames;
        asked.calls += 1;
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
