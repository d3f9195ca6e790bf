import { describe, expect, it } from 'vitest';
import { ClockSync } from '../../../../public/client/clock/clock-sync.js';
import { FrameGrid, Uplink } from '../../../../public/client/capture/uplink.js';
import { VoiceFlag } from '../../../../public/client/capture/voice-activity.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  readOpusFrames,
  readPacket,
} from '../../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { random as randomOf } from '../../../fakes/random.js';

/** The server's sample clock at the client's time 0. */
const ORIGIN = 48_000_123.4;

/**
 * By how much sound may be put aside so that pieces of 10 ms end with frames, in samples: half a
 * piece, and rounding.
 */
const ASIDE = 241;

/** A ramp, from which a sample's number can be read. */
const valueOf = (/** @type {number} */ index) => (index + 1) / 2 ** 22;
const indexOf = (/** @type {number} */ value) => Math.round(value * 2 ** 22) - 1;

/** @param {Partial<{ sampleRate: number, frameMs: number, opusFrames: number }>} [shape] */
function setUp(shape = {}) {
  const format = createAudioFormat(shape);
  const clockSync = new ClockSync(format.sampleRate);
  /**
   * @type {{ frame: number, sequence: number, bytes: Uint8Array, level: number, voice: boolean,
   *   empty: boolean }[]}
   */
  const sent = [];
  /** @type {Float32Array[]} the encoded sound */
  const encoded = [];
  let open = true;
  const encoder = new PayloadEncoder(
    {
      lookahead: 0,
      setComplexity: () => {},
      setMono: () => {},
      setPrediction: () => {},
      encode: (pcm, out, at) => {
        encoded.push(pcm.slice());
        out[at] = 1 + (encoded.length % 100);
        return 1;
      },
      close: () => {
        open = false;
      },
    },
    format,
  );
  const packet = new Packet();
  const uplink = new Uplink({
    format,
    clockSync,
    encoder,
    send: (bytes) => {
      expect(readPacket(bytes, packet)).toBeNull();
      const { frame, sequence, level, voice } = packet;
      sent.push({
        frame,
        sequence,
        level,
        voice,
        bytes: bytes.slice(),
        empty: packet.payloadBytes[0] === 0,
      });
      return true;
    },
  });
  const perMs = format.sampleRate / 1000;
  const synchronise = () => clockSync.add(0, 0, ORIGIN);
  let captured = 0;
  /**
   * Captures chunks: the sound card gives each as soon as it is full, the worker sees it later.
   * @param {number} samples
   * @param {number} chunk
   * @param {() => number} [delayMs]
   * @param {(index: number) => number} [value]
   */
  const capture = (samples, chunk, delayMs = () => 0, value = valueOf) => {
    for (let end = captured + samples; captured < end;) {
      const pcm = Float32Array.from({ length: chunk }, (_, i) => value(captured + i));
      captured += chunk;
      uplink.capture(pcm, chunk, (captured + lostSamples.count) / perMs + delayMs());
    }
  };
  const lostSamples = { count: 0 };
  return {
    format,
    uplink,
    sent,
    encoded,
    synchronise,
    capture,
    lostSamples,
    clockSync,
    isOpen: () => open,
  };
}

/**
 * @param {number[]} sound at 48 kHz
 * @param {number} hz
 * @returns {number} level of everything but that tone, relative to it, in dB
 */
function residueDb(sound, hz) {
  let [re, im, power] = [0, 0, 0];
  const whole = sound.length - (sound.length % (48_000 / hz));
  for (let i = 0; i < whole; i++) {
    const phase = (2 * Math.PI * hz * i) / 48_000;
    re += sound[i] * Math.cos(phase);
    im += sound[i] * Math.sin(phase);
    power += sound[i] ** 2;
  }
  const tone = (2 * (re * re + im * im)) / whole;
  return 10 * Math.log10(Math.abs(power - tone) / tone + 1e-20);
}

describe('Uplink', () => {
  it.each([
    [{}, 128],
    [{ frameMs: 10 }, 441],
    [{ frameMs: 2.5 }, 128],
    [{ frameMs: 60 }, 1024],
    [{ sampleRate: 16000, frameMs: 40 }, 150],
  ])('keeps frames on the grid to the sample (%o in chunks of %i)', (shape, chunk) => {
    const { format, sent, encoded, synchronise, capture } = setUp(shape);
    const { frameSamples } = format;
    synchronise();
    capture(format.sampleRate * 2, chunk);
    expect(sent.length).toBeGreaterThan((1800 / format.frameMs) | 0);
    sent.forEach(({ frame, sequence }, i) => {
      expect(frame).toBe(sent[0].frame + i);
      expect(sequence).toBe(sent[0].sequence + i);
      const first = indexOf(encoded[i][0]);
      // Later by a chunk: a frame may have to wait for all of one.
      const place = ORIGIN + first + chunk;
      expect(Math.abs(frame * frameSamples - place)).toBeLessThanOrEqual(1);
      expect(indexOf(encoded[i][frameSamples - 1])).toBe(first + frameSamples - 1);
    });
  });

  it.each([
    [{}, 480],
    [{ frameMs: 10 }, 480],
    [{ frameMs: 5 }, 480],
    [{ frameMs: 2.5 }, 480],
    [{ frameMs: 10 }, 960],
    [{ sampleRate: 16000, frameMs: 40 }, 160],
  ])('is placed so that pieces end just behind frames (%o in pieces of %i)', (shape, piece) => {
    const { format, sent, encoded, synchronise, capture } = setUp(shape);
    const { frameSamples, sampleRate } = format;
    synchronise();
    capture(sampleRate * 2, piece);
    const aside = sent.map(
      ({ frame }, i) => frame * frameSamples - (ORIGIN + indexOf(encoded[i][0])),
    );
    // The first of a piece's frames is the one in time.
    const burst = Math.floor(Math.max(0, piece - frameSamples) / frameSamples) * frameSamples;
    expect(Math.abs(aside[0] - burst)).toBeLessThanOrEqual(Math.min(piece, frameSamples) / 2 + 1);
    expect(Math.max(...aside) - Math.min(...aside)).toBeLessThan(0.1);
    // The piece that completes a frame holds 1 ms of the next one.
    const beyond = sent.map((_, i) => piece - 1 - (indexOf(encoded[i][frameSamples - 1]) % piece));
    expect(Math.min(...beyond)).toBeGreaterThanOrEqual(sampleRate / 1000 - 1);
    expect(Math.min(...beyond)).toBeLessThanOrEqual(sampleRate / 1000 + 1);
  });

  it.each([44_100, 16_000])(
    "brings sound of %i Hz to the room's rate, on the grid and without a seam",
    (rate) => {
      const { uplink, encoded, sent, synchronise } = setUp();
      synchronise();
      // Pieces that frames don't fit into.
      const [hz, length] = [1000, 128];
      for (let k = 1; k <= (3 * rate) / length; k++) {
        const sine = (/** @type {number} */ _, /** @type {number} */ i) =>
          0.4 * Math.sin((2 * Math.PI * hz * ((k - 1) * length + i)) / rate);
        uplink.capture(
          Float32Array.from({ length }, sine),
          length,
          (k * length * 1000) / rate,
          rate,
        );
      }
      expect(encoded.length).toBeGreaterThanOrEqual(140);
      expect(uplink.counters).toMatchObject({ reanchored: 0, movedMs: 0 });
      const sound = encoded.flatMap((pcm) => [...pcm]).slice(480);
      expect(residueDb(sound, hz)).toBeLessThan(-80);
      // The tone's phase at the first frame's first sample says where that was captured, a piece
      // earlier than it is placed.
      const first = (sent[0].frame * 960 - ORIGIN) / 48_000 - length / rate;
      const expected = 0.4 * Math.sin(2 * Math.PI * hz * first);
      expect(Math.abs(sound[0] - expected)).toBeLessThan(0.05);
    },
  );

  it('takes another rate for another device', () => {
    const { uplink, sent, synchronise } = setUp();
    synchronise();
    for (let k = 1; k <= 200; k++) {
      const rate = k <= 100 ? 48_000 : 16_000;
      uplink.capture(new Float32Array(rate / 100).fill(0.1), rate / 100, k * 10, rate);
    }
    expect(uplink.counters).toMatchObject({ reanchored: 0 });
    // 100 ms at the start of each device are watched, and not sent.
    expect(sent.length).toBeGreaterThanOrEqual(2 * (50 - 6) - 1);
    expect(sent.length).toBeLessThanOrEqual(2 * 50);
  });

  it('sends nothing before the clock is known, and finds the grid afterwards', () => {
    const { format, sent, encoded, synchronise, capture } = setUp();
    capture(48_000, 480);
    expect(sent).toEqual([]);
    synchronise();
    capture(48_000, 480);
    expect(
      Math.abs(sent[0].frame * format.frameSamples - ORIGIN - indexOf(encoded[0][0])),
    ).toBeLessThanOrEqual(ASIDE);
  });

  it('is placed by the least late chunk, when a busy machine delays the others', () => {
    const { format, sent, encoded, synchronise, capture } = setUp();
    const random = randomOf(3);
    synchronise();
    capture(480_000, 480, () => (random() < 0.3 ? random() * 0.2 : random() * 15));
    const off = sent.map(
      ({ frame }, i) => frame * format.frameSamples - ORIGIN - indexOf(encoded[i][0]),
    );
    // Not off by more than the least delay among the first chunks, and then steady.
    expect(Math.max(...off.map(Math.abs))).toBeLessThan(ASIDE + 48 * 3);
    expect(new Set(off.map(Math.round)).size).toBe(1);
  });

  it('finds its place again at once when another microphone takes over, without a jump', () => {
    const { format, uplink, sent, encoded, synchronise, capture, lostSamples } = setUp();
    synchronise();
    capture(96_000, 480);
    lostSamples.count = 5000;
    uplink.restartCapture();
    const before = sent.length;
    capture(48_000, 480);
    for (let i = before; i < sent.length; i++) {
      const at = ORIGIN + lostSamples.count + indexOf(encoded[i][0]);
      expect(Math.abs(sent[i].frame * format.frameSamples - at)).toBeLessThanOrEqual(ASIDE);
    }
    expect(sent.length - before).toBeGreaterThan(40);
    expect(uplink.counters.reanchored).toBe(0);
  });

  it('moves by whole frames, counting them, when samples were lost', () => {
    const { format, uplink, sent, encoded, synchronise, capture, lostSamples } = setUp();
    synchronise();
    capture(96_000, 480);
    lostSamples.count = 4800;
    capture(192_000, 480);
    const { frame } = sent[sent.length - 1];
    const first = indexOf(encoded[encoded.length - 1][0]);
    expect(Math.abs(frame * format.frameSamples - ORIGIN - first - 4800)).toBeLessThanOrEqual(
      ASIDE,
    );
    expect(uplink.counters.reanchored).toBe(1);
    // The five that were lost, and the one that was begun before.
    expect(uplink.counters.skippedFrames).toBe(6);
    sent.forEach(({ frame: k }, i) => i > 0 && expect(k).toBeGreaterThan(sent[i - 1].frame));
  });

  it('is on the grid again after a sleep in which the client’s clock stood still', () => {
    const { format, uplink, sent, encoded, synchronise, capture, clockSync } = setUp();
    synchronise();
    capture(96_000, 480);
    const sleepSamples = 48_000 * 3600;
    clockSync.add(2000, 2000, ORIGIN + 96_000 + sleepSamples);
    capture(192_000, 480);
    const { frame } = sent[sent.length - 1];
    const first = indexOf(encoded[encoded.length - 1][0]);
    expect(
      Math.abs(frame * format.frameSamples - ORIGIN - sleepSamples - first),
    ).toBeLessThanOrEqual(ASIDE);
    expect(uplink.counters).toMatchObject({ reanchored: 1, droppedFrames: 0 });
    sent.forEach(({ frame: k }, i) => i > 0 && expect(k).toBeGreaterThan(sent[i - 1].frame));
  });

  it('drops sound by whole frames when the sound card has run ahead', () => {
    const { format, uplink, sent, encoded, synchronise, capture, lostSamples } = setUp();
    synchronise();
    capture(96_000, 480);
    lostSamples.count = -2000;
    capture(96_000, 480);
    const { frame } = sent[sent.length - 1];
    const first = indexOf(encoded[encoded.length - 1][0]);
    expect(Math.abs(frame * format.frameSamples - ORIGIN - first + 2000)).toBeLessThanOrEqual(
      ASIDE,
    );
    expect(uplink.counters.droppedFrames).toBe(2);
    sent.forEach(({ frame: k }, i) => i > 0 && expect(k).toBe(sent[i - 1].frame + 1));
  });

  it('sends empty packets at the same rate when muted, after a fade', () => {
    const { uplink, sent, encoded, synchronise, capture } = setUp();
    const loud = () => 0.5;
    synchronise();
    capture(48_000, 960, undefined, loud);
    const before = sent.length;
    uplink.mute(true);
    capture(48_000, 960, undefined, loud);
    const muted = sent.slice(before);
    expect(muted.length).toBe(50);
    expect(
      muted.slice(2).every(({ empty, level, voice }) => empty && level === 127 && !voice),
    ).toBe(true);
    uplink.mute(false);
    capture(4800, 960, undefined, loud);
    expect(sent[sent.length - 1].empty).toBe(false);
    const samples = encoded.flatMap((pcm) => [...pcm]);
    let jump = 0;
    for (let i = 1; i < samples.length; i++)
      jump = Math.max(jump, Math.abs(samples[i] - samples[i - 1]));
    expect(jump).toBeLessThan(0.01);
  });

  it('sends an empty packet for a frame of digital silence, but not for its first', () => {
    const { sent, synchronise, capture } = setUp();
    synchronise();
    capture(24_000, 960, undefined, () => 0.1);
    const before = sent.length;
    capture(24_000, 960, undefined, () => 0);
    expect(sent.slice(before).filter(({ empty }) => !empty).length).toBeLessThanOrEqual(2);
    expect(sent.at(-1)?.empty).toBe(true);
  });

  it('sends silence by the timer for a listener, one packet per frame that has passed', () => {
    const { format, uplink, sent, synchronise } = setUp();
    expect(uplink.idle(0)).toBe(false);
    synchronise();
    for (let ms = 0; ms <= 1000; ms += 20) expect(uplink.idle(ms)).toBe(true);
    expect(sent.length).toBe(51);
    sent.forEach(({ frame, empty }, i) => {
      expect(empty).toBe(true);
      expect(frame).toBe(sent[0].frame + i);
      expect((frame + 1) * format.frameSamples).toBeLessThanOrEqual(
        ORIGIN + i * format.frameSamples,
      );
    });
    uplink.idle(1100);
    expect(sent.length).toBe(56);
    uplink.idle(60_000);
    expect(sent.length).toBe(57);
  });

  it('takes over when the microphone goes silent, and gives back without repeating a frame', () => {
    const { uplink, sent, synchronise, capture, lostSamples } = setUp();
    synchronise();
    capture(48_000, 480);
    expect(uplink.idle(1100)).toBe(false);
    for (let ms = 1200; ms <= 3000; ms += 20) uplink.idle(ms);
    lostSamples.count = 96_000;
    capture(48_000, 480);
    expect(sent.at(-1)?.empty).toBe(false);
    sent.forEach(({ frame }, i) => i > 0 && expect(frame).toBeGreaterThan(sent[i - 1].frame));
  });

  it('packs several Opus frames behind their lengths (8 kHz, 8 × 10 ms)', () => {
    const { format, sent, encoded, synchronise, capture } = setUp({
      sampleRate: 8000,
      frameMs: 80,
      opusFrames: 8,
    });
    synchronise();
    capture(16_000, 128);
    expect(sent.length).toBeGreaterThan(20);
    expect(encoded.length).toBe(8 * sent.length);
    const packet = new Packet();
    for (const { bytes } of sent) {
      readPacket(bytes, packet);
      expect(bytes.length).toBeLessThanOrEqual(MAX_PACKET_BYTES);
      const lengths = new Uint16Array(8);
      expect(
        readOpusFrames(
          bytes,
          packet.payloadStart[0],
          packet.payloadBytes[0],
          8,
          new Uint16Array(8),
          lengths,
        ),
      ).toBe(true);
      expect([...lengths]).toEqual(new Array(8).fill(1));
    }
    expect(
      Math.abs(sent[0].frame * format.frameSamples - ORIGIN - indexOf(encoded[0][0])),
    ).toBeLessThanOrEqual(ASIDE);
  });

  it('closes its encoder', () => {
    const { uplink, isOpen } = setUp();
    uplink.close();
    expect(isOpen()).toBe(false);
  });
});

describe('a grid that keeps to another one', () => {
  const format = createAudioFormat({ frameMs: 5 });
  /** Largest distance of the two, in samples: 2 ms. */
  const MOST_APART = 96;

  /** A grid whose frames tell the places of their samples. */
  function gridOf(/** @type {any} */ options) {
    /** @type {Map<number, number>} places of sound on the grid, by the frame */
    const places = new Map();
    const send = (/** @type {number} */ frame, /** @type {Float32Array | null} */ pcm) => {
      if (pcm) places.set(frame, frame * format.frameSamples - indexOf(pcm[0]));
    };
    const sink = { send, resting: false, close: () => {} };
    return { grid: new FrameGrid({ format, sink, ...options }), places };
  }

  it('has the same place, whatever its own clock, also after jumps of the other one', () => {
    const random = randomOf(7);
    const clock = (/** @type {number} */ offset, /** @type {number} */ ppm) => ({
      sampleClockAt: (/** @type {number} */ ms) => offset + 48 * ms * (1 + ppm * 1e-6),
    });
    const leader = gridOf({ clockSync: clock(ORIGIN, 40) });
    const follower = gridOf({
      clockSync: clock(ORIGIN + 700, -60),
      capturedTo: () => leader.grid.capturedTo,
    });
    let captured = 0;
    const capture = (/** @type {number} */ seconds, lostMs = 0) => {
      for (let end = captured + seconds * 48_000; captured < end;) {
        const pcm = Float32Array.from({ length: 480 }, (_, i) => valueOf(captured + i));
        captured += 480;
        const nowMs = captured / 48 + lostMs + (random() < 0.7 ? random() : 9 * random());
        leader.grid.capture(pcm, 480, nowMs);
        follower.grid.capture(pcm, 480, nowMs);
      }
    };
    const mostApart = () => {
      const apart = [...follower.places].flatMap(([frame, place]) => {
        const other = leader.places.get(frame);
        return other === undefined ? [] : [Math.abs(place - other)];
      });
      expect(apart.length).toBeGreaterThan(follower.places.size - 3);
      leader.places.clear();
      follower.places.clear();
      return Math.max(...apart);
    };
    expect(follower.grid.capturedTo).toBeNaN();
    capture(20);
    expect(leader.places.size).toBeGreaterThan(3900);
    expect(follower.places.size).toBeGreaterThan(3900);
    expect(mostApart()).toBeLessThan(MOST_APART);
    // The other one alone is placed again, as after its connection was lost.
    leader.grid.restartCapture();
    capture(0.3, 37);
    follower.places.clear();
    capture(10, 37);
    expect(mostApart()).toBeLessThan(MOST_APART);
    leader.grid.restartCapture();
    follower.grid.restartCapture();
    capture(10, 80);
    expect(mostApart()).toBeLessThan(MOST_APART);
    follower.grid.followDelay({ neededDelayMs: 0, othersDelayMs: 500 }, captured / 48);
    follower.grid.followDelay({ neededDelayMs: 0, othersDelayMs: 500 }, captured / 48 + 60_000);
    expect(follower.grid.placing.laterMs).toBe(0);
  });
});

describe('VoiceFlag', () => {
  it('tells speech from the noise behind it, also after the noise has changed', () => {
    const voice = new VoiceFlag(20);
    const last = (/** @type {number} */ level, /** @type {number} */ frames) => {
      let flag = false;
      for (let i = 0; i < frames; i++) flag = voice.next(level);
      return flag;
    };
    expect(last(70, 50)).toBe(false);
    expect(last(30, 10)).toBe(true);
    expect(last(70, 10)).toBe(true);
    expect(last(70, 20)).toBe(false);
    expect(last(45, 400)).toBe(false);
    expect(last(25, 5)).toBe(true);
    expect(last(127, 100)).toBe(false);
  });
});
