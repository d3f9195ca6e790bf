import { describe, expect, it } from 'vitest';
import { ClockSync } from '../../../../public/client/clock/clock-sync.js';
import { Uplink } from '../../../../public/client/capture/uplink.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { Packet, readPacket } from '../../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { Lateness } from '../../../../server/source/lateness.js';
import { burstsOf } from '../../../fakes/bursts.js';
import { PcmCodec } from '../../../fakes/pcm-codec.js';
import { random as randomOf } from '../../../fakes/random.js';

const SECONDS = 12;

/**
 * The time from a piece's end to the arrival of its packets at the server, in milliseconds, and its
 * jitter.
 */
const WAY_MS = 0.3;
const JITTER_MS = 0.3;

/** The places of the grid at which a microphone begins, in milliseconds. */
const PHASES = Array.from({ length: 10 }, (_, ms) => ms);

/**
 * Returns the smallest D that has a microphone's frames in the mix. Returns also the time from a
 * piece's end until its last frame is mixed at that D, in milliseconds.
 * @param {number} frameMs
 * @param {number} pieceMs  in which sound comes from the microphone
 * @param {number} phase
 */
function needOf(frameMs, pieceMs, phase) {
  const format = createAudioFormat({ frameMs });
  const random = randomOf(phase + 1);
  const clockSync = new ClockSync(format.sampleRate);
  clockSync.add(0, 0, 0);
  const lateness = new Lateness({ frameMs, maxMs: 400, targetPercent: 99.5 });
  const packet = new Packet();
  let [nowMs, newestEndMs, pieceEndMs] = [0, 0, 0];
  const send = (/** @type {Uint8Array} */ bytes) => {
    readPacket(bytes, packet);
    newestEndMs = (packet.frame + 1) * frameMs;
    lateness.add(nowMs + WAY_MS - newestEndMs, nowMs);
    return true;
  };
  const encoder = new PayloadEncoder(new PcmCodec().createEncoder(format), format);
  const uplink = new Uplink({ format, clockSync, encoder, send });
  const piece = new Float32Array((pieceMs * format.sampleRate) / 1000).fill(0.1);
  for (let i = 1; i * pieceMs < SECONDS * 1000; i++) {
    pieceEndMs = phase + i * pieceMs;
    nowMs = pieceEndMs + JITTER_MS * random();
    if (nowMs > 1000 && nowMs < 1010) lateness.forget();
    uplink.capture(piece, piece.length, nowMs);
  }
  uplink.close();
  lateness.review(nowMs, null);
  return { needMs: lateness.needMs, mixedMs: newestEndMs + lateness.needMs - pieceEndMs };
}

/**
 * Returns the smallest D for a microphone whose sound comes in bursts, and by how much its sound is
 * placed later than it came. Returns also all encoded samples of a sound that changes throughout.
 * @param {number} frameMs
 * @param {readonly (keyof typeof PERIODS)[]} patterns  one after the other, SECONDS of each
 * @param {number} seed
 * @param {(i: number) => number} [valueOf]  of a captured sample
 */
function heardInBursts(frameMs, patterns, seed, valueOf) {
  const format = createAudioFormat({ frameMs });
  const clockSync = new ClockSync(format.sampleRate);
  clockSync.add(0, 0, 0);
  const lateness = new Lateness({ frameMs, maxMs: 400, targetPercent: 99.5 });
  const packet = new Packet();
  /** @type {number[]} */
  const heard = [];
  let nowMs = 0;
  const send = (/** @type {Uint8Array} */ bytes) => {
    readPacket(bytes, packet);
    lateness.add(nowMs + WAY_MS - (packet.frame + 1) * frameMs, nowMs);
    return true;
  };
  const codec = new PcmCodec().createEncoder(format);
  const { begin } = codec;
  if (valueOf) {
    codec.begin = (pcm) => {
      for (const value of pcm) heard.push(value);
      return begin(pcm);
    };
  }
  const uplink = new Uplink({
    format,
    clockSync,
    encoder: new PayloadEncoder(codec, format),
    send,
  });
  let captured = 0;
  let startMs = 0;
  for (const pattern of patterns) {
    lateness.forget();
    for (const { atMs, samples } of burstsOf(pattern, { seconds: SECONDS, seed, startMs })) {
      nowMs = Math.max(nowMs, atMs);
      const piece = new Float32Array(samples).fill(0.1);
      if (valueOf) for (let i = 0; i < samples; i++) piece[i] = valueOf(captured + i);
      captured += samples;
      uplink.capture(piece, samples, nowMs);
    }
    startMs = (captured * 1000) / format.sampleRate;
  }
  const { laterMs, ...counters } = uplink.stats();
  uplink.close();
  lateness.review(nowMs, null);
  return { needMs: lateness.needMs, laterMs, counters, heard };
}

/** Bursts of each pattern, and most by which they come unevenly, in milliseconds. */
const PERIODS = Object.freeze({
  fake: { periodMs: 10, jitterMs: 1 },
  pulseaudio: { periodMs: 20, jitterMs: 6 },
  'pulseaudio-unprocessed': { periodMs: 1024 / 48, jitterMs: 6 },
  firefox: { periodMs: 896 / 48, jitterMs: 6 },
  quanta: { periodMs: 128 / 48, jitterMs: 1 },
});
const PATTERNS = /** @type {(keyof typeof PERIODS)[]} */ (Object.keys(PERIODS));

describe('a microphone whose sound comes in bursts', () => {
  it.each(PATTERNS.flatMap((pattern) => [20, 10, 5, 2.5].map((ms) => [pattern, ms])))(
    'has a burst waited for once: %s, frames of %d ms',
    (name, ms) => {
      const pattern = /** @type {keyof typeof PERIODS} */ (name);
      const { periodMs, jitterMs } = PERIODS[pattern];
      for (let seed = 1; seed <= 3; seed++) {
        const { needMs, laterMs } = heardInBursts(Number(ms), [pattern], seed);
        // Not D, which all others pay too, but the place on the grid holds the burst.
        expect(needMs).toBeLessThanOrEqual(Math.ceil(jitterMs + Math.min(5, periodMs / 2)) + 1);
        expect(needMs + laterMs).toBeLessThanOrEqual(periodMs + jitterMs + 3);
      }
    },
  );

  it.each([20, 2.5])(
    'loses and doubles no sound when its bursts change (frames of %d ms)',
    (ms) => {
      const ramp = (/** @type {number} */ i) => (i + 1) / 2 ** 22;
      const { heard, counters, laterMs } = heardInBursts(
        ms,
        ['fake', 'pulseaudio-unprocessed', 'firefox'],
        3,
        ramp,
      );
      expect(counters.reanchored).toBe(0);
      expect(laterMs).toBeGreaterThan(0);
      const steps = heard.slice(1).map((value, i) => (value - heard[i]) * 2 ** 22);
      expect(steps.reduce((least, step) => Math.min(least, step))).toBeGreaterThan(0.8);
      expect(steps.reduce((most, step) => Math.max(most, step))).toBeLessThan(1.2);
    },
  );
});

/** Seconds of sound, and of silence behind them. */
const TALK_SECONDS = 4;
const PAUSE_SECONDS = 1;

/** Length of a part of a call: what an uplink remembers of the others' delay, twice, and more. */
const PART_SECONDS = 75;

/**
 * A call of two parts, in which the room has another delay for the others.
 * @param {number} frameMs
 * @param {keyof typeof PERIODS} pattern
 * @param {[number, number]} othersDelayMs
 * @returns {{ laterMs: number, needMs: number }[]} at the end of each part
 */
function followOthers(frameMs, pattern, othersDelayMs) {
  const format = createAudioFormat({ frameMs });
  const clockSync = new ClockSync(format.sampleRate);
  clockSync.add(0, 0, 0);
  const lateness = new Lateness({ frameMs, maxMs: 400, targetPercent: 99.5 });
  const packet = new Packet();
  let nowMs = 0;
  const send = (/** @type {Uint8Array} */ bytes) => {
    readPacket(bytes, packet);
    lateness.add(nowMs + WAY_MS - (packet.frame + 1) * frameMs, nowMs);
    return true;
  };
  const encoder = new PayloadEncoder(new PcmCodec().createEncoder(format), format);
  const uplink = new Uplink({ format, clockSync, encoder, send });
  uplink.suppressSilence(true);
  let [captured, reviewedMs] = [0, 0];
  const ends = othersDelayMs.map(() => ({ laterMs: NaN, needMs: NaN }));
  for (const { atMs, samples } of burstsOf(pattern, { seconds: 2 * PART_SECONDS, seed: 4 })) {
    nowMs = atMs;
    const seconds = captured / format.sampleRate;
    const isTalk = seconds % (TALK_SECONDS + PAUSE_SECONDS) < TALK_SECONDS;
    uplink.capture(new Float32Array(samples).fill(isTalk ? 0.1 : 0), samples, nowMs);
    captured += samples;
    if (nowMs - reviewedMs < 1000) continue;
    reviewedMs = nowMs;
    lateness.review(nowMs, null);
    const part = seconds < PART_SECONDS ? 0 : 1;
    const stats = { neededDelayMs: lateness.needMs, othersDelayMs: othersDelayMs[part] };
    uplink.followDelay(stats, nowMs);
    ends[part] = { laterMs: uplink.stats().laterMs, needMs: lateness.needMs };
  }
  uplink.close();
  return ends;
}

it.each(
  /** @type {[number, keyof typeof PERIODS][]} */ ([
    [20, 'firefox'],
    [20, 'pulseaudio-unprocessed'],
    [2.5, 'pulseaudio'],
  ]),
)(
  'bursts that D covers for others delay no sound, and D no longer than those need it (%d ms, %s)',
  (frameMs, pattern) => {
    const { periodMs } = PERIODS[pattern];
    const [far, near] = followOthers(frameMs, pattern, [60, 0]);
    expect(far.laterMs).toBeLessThanOrEqual(1);
    expect(far.needMs).toBeGreaterThan(periodMs - frameMs);
    expect(far.needMs).toBeLessThanOrEqual(60);
    expect(near.laterMs).toBeGreaterThan(periodMs - frameMs - 1);
    expect(near.needMs).toBeLessThanOrEqual(8);
  },
);

describe('a microphone whose sound comes in pieces', () => {
  it.each([
    [20, 10, 0, 6],
    [10, 10, 0, 6],
    [5, 10, 0, 4],
    [2.5, 10, 1, 3],
    [2.5, 20, 1, 3],
    [10, 2.5, 1, 3],
    [5, 2.5, 1, 3],
    [2.5, 2.5, 1, 3],
  ])(
    'asks with frames of %d ms and pieces of %d for a D of %d to %d ms',
    (frameMs, pieceMs, least, most) => {
      const needs = PHASES.map((phase) => Math.ceil(needOf(frameMs, pieceMs, phase).needMs));
      expect([Math.min(...needs), Math.max(...needs)]).toEqual([least, most]);
    },
  );

  it.each([
    [5, 10],
    [2.5, 10],
    [2.5, 20],
  ])(
    'is mixed within the length of a piece (frames of %d ms, pieces of %d)',
    (frameMs, pieceMs) => {
      for (const phase of PHASES)
        expect(needOf(frameMs, pieceMs, phase).mixedMs).toBeLessThanOrEqual(pieceMs);
    },
  );
});
