import { describe, expect, it } from 'vitest';
import { Declick } from '../../../../public/client/call/changeover.js';
import { FrameSender } from '../../../../public/client/capture/frame-sender.js';
import { openMicrophone } from '../../../../public/client/capture/microphone.js';
import { Playout, pullSamples } from '../../../../public/client/playout/playout.js';
import { Resampler } from '../../../../public/client/clock/resampler.js';
import { CaptureFeed } from '../../../../public/client/capture/capture-feeds.js';
import { SampleReader } from '../../../../public/client/playout/voice-playouts.js';
import { ScheduledPlayer } from '../../../../public/client/playout/scheduled-player.js';
import { VoiceActivity } from '../../../../public/client/capture/voice-activity.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { levelOf } from '../../../../public/shared/sound/level.js';
import { Packet, readPacket } from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { loadCodec } from '../../../../server/codec/codec.js';
import { Capture } from '../../../../worklets/capture.js';
import { Playback } from '../../../../worklets/playback.js';
import { SampleRing } from '../../../../worklets/sample-ring.js';
import { random as randomOf } from '../../../fakes/random.js';
import { sidesOf, stereoTones, toneDb } from '../../../fakes/stereo.js';

const FRAMES = 300;
const stereo = createAudioFormat({ channels: 2 });
const mono = createAudioFormat();

/** @param {Float32Array} sound interleaved @param {number} side */
const sideOf = (sound, side) => sound.filter((_, i) => i % 2 === side);

describe('resampling stereo', () => {
  it('does to each side what it does to mono', () => {
    const random = randomOf(5);
    const both = new Resampler(300, 2);
    const each = [new Resampler(300), new Resampler(300)];
    const sound = stereoTones(20_000);
    let written = 0;
    for (let round = 0; round < 150; round++) {
      both.step = 1 + (random() - 0.5) / 100;
      for (const one of each) one.step = both.step;
      const count = Math.min(both.room, Math.floor(random() * 150));
      both.write(sound, written, count);
      each.forEach((one, side) => one.write(sideOf(sound, side), written, count));
      written += count;
      expect(each.map(({ room, pending }) => [room, pending])).toEqual(
        Array(2).fill([both.room, both.pending]),
      );
      expect(each[0].missing(100)).toBe(both.missing(100));
      const out = new Float32Array(420);
      const read = both.read(out, 10, 200);
      each.forEach((one, side) => {
        const heard = new Float32Array(210);
        expect(one.read(heard, 10, 200)).toBe(read);
        expect([...sideOf(out, side)]).toEqual([...heard]);
      });
    }
    expect(written).toBeGreaterThan(5000);
  });
});

describe('the rings of stereo', () => {
  it('carry both sides, round their end, as both ends of the memory see it', () => {
    const ring = SampleRing.create(100, true, 2);
    const other = new SampleRing(ring.memory);
    expect([other.channels, other.capacity]).toEqual([2, 128]);
    const out = new Float32Array(160);
    for (let at = 0; at < 1000; at += 80) {
      const sound = Float32Array.from(
        { length: 160 },
        (_, i) => (i % 2 === 0 ? 1 : -1) * (at + (i >> 1)),
      );
      expect(ring.write(sound)).toBe(80);
      expect(other.available).toBe(80);
      expect(other.read(out)).toBe(80);
      expect([...out]).toEqual([...sound]);
    }
  });

  it('take a stereo microphone as it is, and a mono one on both sides', () => {
    const ring = SampleRing.create(1024, false, 2);
    const capture = new Capture(ring, 48_000);
    const [left, right] = [new Float32Array(128).fill(0.25), new Float32Array(128).fill(-0.5)];
    capture.process([left, right]);
    capture.process([left]);
    capture.process([]);
    const out = new Float32Array(2 * 3 * 128);
    expect(ring.read(out)).toBe(3 * 128);
    expect([...out.subarray(0, 256)]).toEqual(Array(128).fill([0.25, -0.5]).flat());
    expect([...out.subarray(256, 512)]).toEqual(Array(256).fill(0.25));
    expect([...out.subarray(512)]).toEqual(Array(256).fill(0));
  });

  it('are played side by side, and mono by a speaker with one channel', () => {
    const ring = SampleRing.create(4096, false, 2);
    const playback = new Playback(ring, 48_000);
    ring.write(Float32Array.from({ length: 1600 }, (_, i) => (i % 2 === 0 ? 0.6 : -0.2)));
    const [left, right] = [new Float32Array(128), new Float32Array(128)];
    for (let i = 0; i < 4; i++) playback.process([left, right]);
    for (const [side, value] of /** @type {const} */ ([
      [left, 0.6],
      [right, -0.2],
    ])) {
      for (const sample of side) expect(sample).toBeCloseTo(value);
    }
    playback.process([left]);
    for (const sample of left) expect(sample).toBeCloseTo(0.2);
    for (let i = 0; i < 2; i++) playback.process([left, right]);
    // The sound has run out in the middle: both sides fade, from where each was.
    expect(ring.underruns).toBe(1);
    expect(left[30]).toBeGreaterThan(0.01);
    for (let i = 0; i < 128; i++) expect(right[i]).toBeCloseTo(-left[i] / 3, 4);
    for (let i = 0; i < 2; i++) playback.process([left, right]);
    expect([...left, ...right].every((sample) => sample === 0)).toBe(true);
  });
});

describe('the feeds of stereo', () => {
  it('take what is captured, and give what is heard, in samples of both sides', () => {
    const ring = SampleRing.create(8192, false, 2);
    /** @type {number[]} */
    const heard = [];
    const sink = {
      samplesToFrame: 960,
      capture: (/** @type {Float32Array} */ samples, /** @type {number} */ count) =>
        void heard.push(...samples.subarray(0, 2 * count)),
    };
    const said = stereoTones(5000);
    ring.write(said);
    new CaptureFeed(ring, sink).wake();
    expect([ring.available, heard.length]).toEqual([0, 10_000]);
    expect(Float32Array.from(heard)).toEqual(said);
  });

  it('play side by side without a worklet', () => {
    const sides = /** @type {number[][]} */ ([]);
    const source = { connect: () => {}, start: () => {} };
    const context = {
      currentTime: 0,
      sampleRate: 48_000,
      createBuffer: (/** @type {number} */ channels, /** @type {number} */ length) => {
        expect([channels, length]).toEqual([2, 3]);
        return {
          duration: 0.02,
          copyToChannel: (/** @type {Float32Array} */ side, /** @type {number} */ c) =>
            void (sides[c] = [...side]),
        };
      },
      createBufferSource: () => source,
    };
    const time = { now: () => 0, setInterval: () => 0, clearInterval: () => {} };
    const player = new ScheduledPlayer(
      /** @type {any} */ (context),
      /** @type {any} */ ({}),
      () => {},
      time,
    );
    player.add(Float32Array.of(1, -1, 2, -2, 3, -3), 2);
    expect(sides).toEqual([
      [1, 2, 3],
      [-1, -2, -3],
    ]);
  });
});

describe('the level and the voice of stereo', () => {
  it('are of the mean power of both sides', () => {
    const tones = (/** @type {object} */ options) =>
      levelOf(stereoTones(960, { amplitude: 0.5, ...options }));
    const both = tones({});
    expect(both).toBe(levelOf(sideOf(stereoTones(960, { amplitude: 0.5 }), 0)));
    expect(tones({ leftHz: 0 })).toBe(both + 3);
  });

  it.each([
    ['the left side alone', (/** @type {number} */ sample) => [sample, 0]],
    ['the right side alone', (/** @type {number} */ sample) => [0, sample]],
    ['both', (/** @type {number} */ sample) => [sample, sample]],
    ['both, one against the other', (/** @type {number} */ sample) => [sample, -sample]],
  ])('are found on %s, and noise is found to be noise', (_, spread) => {
    const random = randomOf(11);
    const activity = new VoiceActivity(stereo);
    const said = (/** @type {number} */ k, /** @type {boolean} */ speaks) => {
      const frame = new Float32Array(1920);
      for (let i = 0; i < 960; i++) {
        const at = k * 960 + i;
        const voice = speaks ? 0.05 * Math.sin(at / 20) * Math.sin(at / 1500) : 0;
        const [left, right] = spread(voice);
        frame[2 * i] = left + 0.001 * (random() - 0.5);
        frame[2 * i + 1] = right + 0.001 * (random() - 0.5);
      }
      return activity.next(frame);
    };
    const found = [0, 0];
    for (let k = 0; k < 700; k++) {
      const speaks = k > 500 && k < 550;
      const isSound = said(k, speaks);
      if (isSound && speaks) found[0] += 1;
      if (isSound && k > 300 && k < 500) found[1] += 1;
    }
    expect(found[0]).toBeGreaterThan(45);
    expect(found[1]).toBe(0);
  });

  it('tells the same of the same sound on both sides as of mono', () => {
    const random = randomOf(2);
    const [one, two] = [new VoiceActivity(mono), new VoiceActivity(stereo)];
    let changes = 0;
    let before = false;
    for (let k = 0; k < 800; k++) {
      const loud = random() < 0.03 ? 0.1 : 0.0005;
      const frame = Float32Array.from(
        { length: 960 },
        (_, i) => loud * Math.sin((k * 960 + i) / 15) + 0.0003 * random(),
      );
      const isSound = one.next(frame);
      expect(two.next(Float32Array.from({ length: 1920 }, (_, i) => frame[i >> 1]))).toBe(isSound);
      if (isSound !== before) changes += 1;
      before = isSound;
    }
    expect(changes).toBeGreaterThan(10);
  });
});

describe('stereo from a sender to a listener', () => {
  /**
   * @param {object} options
   * @param {(random: () => number) => number} [options.jitterMs]
   * @param {number} [options.loss] share of the packets
   * @param {number} [options.speed] of the sound card
   * @param {boolean} [options.mono] true if both sides are the same
   */
  async function listen({ jitterMs = () => 0, loss = 0, speed = 1, mono: isMono = false }) {
    const random = randomOf(9);
    const codec = await loadCodec('libopus-wasm');
    const shape = { sampleRate: 48_000, frameSamples: 960, channels: 2, bitrate: 96_000 };
    const decoders = [0, 1].map(() => new PayloadDecoder(codec.createDecoder(shape), stereo));
    const playout = new Playout(stereo, decoders);
    /** @type {{ at: number, bytes: Uint8Array }[]} */
    const network = [];
    let now = 0;
    const sender = new FrameSender({
      format: stereo,
      encoder: new PayloadEncoder(codec.createEncoder(shape), stereo),
      send: (bytes) => {
        if (random() >= loss)
          network.push({ at: now + 20 + jitterMs(random), bytes: bytes.slice() });
        return true;
      },
      clock: { now: () => now },
    });
    const out = new Float32Array(pullSamples(stereo) * 2);
    /** @type {number[]} */
    const heard = [];
    const stereoBits = new Set();
    let pullMs = 60;
    for (let k = 0; k < FRAMES; k++) {
      now = (k + 1) * 20;
      sender.send(k, stereoTones(960, { from: k * 960, rightHz: isMono ? 440 : 660 }));
      network.sort((a, b) => a.at - b.at);
      while (pullMs < now) {
        for (; network.length > 0 && network[0].at <= pullMs; network.shift()) {
          const [{ at, bytes }] = network;
          const packet = new Packet();
          expect(readPacket(bytes, packet)).toBeNull();
          stereoBits.add(bytes[packet.payloadStart[0]] & 4);
          playout.receive(packet, bytes, at);
        }
        const count = playout.pull(out, pullMs);
        for (let i = 0; i < 2 * count; i++) heard.push(out[i]);
        pullMs += (count * 1000) / (48_000 * speed);
      }
    }
    sender.close();
    playout.close();
    return {
      heard: Float32Array.from(heard),
      counters: playout.counters,
      stereoBits: [...stereoBits],
    };
  }

  /**
   * The worst cross-talk of any quarter of a second, but the first ones.
   * @param {Float32Array} heard
   */
  const crossTalkOf = (heard) => {
    let worst = -Infinity;
    for (let at = 96_000; at + 24_000 <= heard.length; at += 24_000) {
      worst = Math.max(worst, sidesOf(heard.subarray(at, at + 24_000)).crossTalkDb);
    }
    return worst;
  };

  it('keeps left and right apart on a clean network, at any sound card speed', async () => {
    for (const speed of [1, 1.0003, 0.9997]) {
      const { heard, counters, stereoBits } = await listen({ speed });
      expect(crossTalkOf(heard)).toBeLessThan(-30);
      expect(counters.garbage).toBe(0);
      expect(stereoBits).toEqual([4]);
    }
  });

  it('keeps them apart with lost or late packets and concealed or time-scaled sound', async () => {
    const { heard, counters } = await listen({
      loss: 0.03,
      jitterMs: (random) => (random() < 0.04 ? 120 : 15) * random(),
    });
    expect(counters.concealed).toBeGreaterThan(5);
    expect(counters.lost + counters.late).toBeGreaterThan(5);
    expect(crossTalkOf(heard)).toBeLessThan(-15);
    // No side ever has the other's sound: that would be a place that is off by one.
    const later = heard.subarray(96_000);
    expect(sidesOf(later).crossTalkDb).toBeLessThan(-20);
  });

  it('has a mono microphone in the middle, and sends it as mono', async () => {
    const { heard, stereoBits } = await listen({ mono: true });
    expect(stereoBits).toEqual([0]);
    expect(heard.every((sample, i) => sample === heard[i - (i % 2)])).toBe(true);
    expect(toneDb(heard.subarray(96_000, 144_000), 0, 440)).toBeCloseTo(20 * Math.log10(0.4), 0);
  });
});

describe('small parts of the way of stereo', () => {
  it('read any number of samples', () => {
    let next = 0;
    const reader = new SampleReader(
      (out) => {
        for (let i = 0; i < 14; i++) out[i] = i % 2 === 0 ? next : -next++;
        return 7;
      },
      10,
      2,
    );
    const heard = [];
    for (const length of [2, 6, 20, 40]) {
      const out = new Float32Array(length);
      reader.read(out);
      heard.push(...out);
    }
    heard.forEach((sample, i) => expect(sample).toBeCloseTo(i % 2 === 0 ? i >> 1 : -(i >> 1)));
  });

  it('go over a jump on each side', () => {
    const declick = new Declick();
    const flat = (/** @type {number} */ left, /** @type {number} */ right) =>
      Float32Array.from({ length: 1000 }, (_, i) => (i % 2 === 0 ? left : right));
    const before = flat(0.5, -0.25);
    declick.smooth(before, 500, 2);
    declick.jump();
    const after = flat(0, 0);
    declick.smooth(after, 500, 2);
    expect([after[0], after[1]]).toEqual([0.5, -0.25]);
    for (let i = 2; i < 1000; i++) expect(Math.abs(after[i] - after[i - 2])).toBeLessThan(0.01);
    expect([after[998], after[999]]).toEqual([0, 0]);
  });

  it('ask for both sides of a microphone whatever the browser does to it', async () => {
    const asked = /** @type {any[]} */ ([]);
    const devices = /** @type {any} */ ({
      getUserMedia: async (/** @type {any} */ wish) =>
        asked.push(wish.audio.channelCount.ideal) && { getAudioTracks: () => [] },
    });
    for (const echoCancellation of [undefined, true, false]) {
      for (const channels of /** @type {const} */ ([undefined, 1, 2]))
        await openMicrophone({ echoCancellation, channels }, devices);
    }
    expect(asked).toEqual([1, 1, 2, 1, 1, 2, 1, 1, 2]);
  });
});
