import { describe, expect, it } from 'vitest';
import { align, findGaps, levelDb } from '../../../../testkit/sound/signal.js';
import { readWav } from '../../../../testkit/sound/wav.js';
import {
  Playout,
  pullSamples as pullSamplesOf,
} from '../../../../public/client/playout/playout.js';
import { PlaybackFeed } from '../../../../public/client/playout/playback-feed.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { Packet, readPacket, writeAudioHeader } from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder } from '../../../../public/shared/stream/payload.js';
import { Redundancy } from '../../../../public/shared/stream/redundancy.js';
import { Playback } from '../../../../worklets/playback.js';
import { SampleRing } from '../../../../worklets/sample-ring.js';
import { random as randomOf } from '../../../fakes/random.js';

/** @typedef {() => number} Random */

/**
 * A call as the listener's computer has it: packets come, a worker decodes them into a ring, and a
 * sound card takes blocks from it. All on clocks of their own.
 * @param {object} options
 * @param {Float32Array} options.said
 * @param {(k: number) => boolean} options.isSound by frame; silence is left out
 * @param {number} [options.sampleRate]
 * @param {number} [options.blockSamples]
 * @param {number} [options.cardPpm]
 * @param {(random: Random) => number} [options.jitterMs]
 * @param {(random: Random) => number} [options.wakeMs]
 * @param {(random: Random) => number} [options.timerMs]
 * @param {number} [options.loss]
 * @param {[number, number][]} [options.stalls] from when until when the worker stands still, in
 *   milliseconds
 * @param {[number, number][]} [options.outages] from when until when the network brings nothing, in
 *   milliseconds
 * @param {number} [options.frameMs]
 */
function listen({
  said,
  isSound,
  sampleRate = 48_000,
  blockSamples = 480,
  cardPpm = 0,
  loss = 0,
  stalls = [],
  outages = [],
  ...rest
}) {
  const { jitterMs = () => 0, wakeMs = () => 0, timerMs = (random) => random() } = rest;
  const random = randomOf(17);
  const format = createAudioFormat({ sampleRate, frameMs: rest.frameMs });
  const { frameSamples, frameMs } = format;
  const played = new Set();
  const decoder = () => ({
    /**
     * @param {Uint8Array} bytes
     * @param {number} start
     * @param {number} _
     * @param {Float32Array} out
     * @param {number} at
     */
    decode: (bytes, start, _, out, at) => {
      const k = (bytes[start] << 16) | (bytes[start + 1] << 8) | bytes[start + 2];
      played.add(k);
      for (let i = 0; i < frameSamples; i++) out[at + i] = said[k * frameSamples + i];
      return true;
    },
    conceal: (/** @type {Float32Array} */ out, /** @type {number} */ at) =>
      void out.fill(0, at, at + frameSamples),
    close: () => {},
  });
  const playout = new Playout(
    format,
    [0, 1].map(() => new PayloadDecoder(/** @type {any} */ (decoder()), format)),
  );
  const time = { ms: 0 };
  const redundancy = new Redundancy('auto', { now: () => time.ms });
  const ring = SampleRing.create(sampleRate, false);
  const source = {
    observeOutput: () => {},
    get ready() {
      return playout.ready;
    },
    look: (/** @type {number} */ waitMs, /** @type {number} */ aheadMs) =>
      playout.look(time.ms, waitMs, aheadMs),
    pull: (
      /** @type {Float32Array} */ out,
      /** @type {number} */ waitMs,
      /** @type {number} */ aheadMs,
    ) => playout.pull(out, time.ms, waitMs, aheadMs),
  };
  const pullSamples = pullSamplesOf(format);
  const blockMs = (blockSamples * 1000) / sampleRate;
  const playback = new Playback(ring, sampleRate, () => time.ms);
  const block = new Float32Array(128);
  const frames = Math.floor(said.length / frameSamples);
  const heard = new Float32Array(said.length + sampleRate);
  /** @type {{ ms: number, run: () => void }[]} */
  const events = [];
  const at = (/** @type {number} */ ms, /** @type {() => void} */ run) => {
    let i = events.length;
    while (i > 0 && events[i - 1].ms > ms) i -= 1;
    events.splice(i, 0, { ms, run });
  };
  /** In the worker, once it can. @param {number} ms @param {() => void} run */
  const work = (ms, run) => at(stalls.find(([from, to]) => ms >= from && ms < to)?.[1] ?? ms, run);
  const timers = {
    now: () => time.ms,
    setTimeout: (/** @type {() => void} */ run, /** @type {number} */ ms) => {
      const timer = { run };
      work(time.ms + ms + timerMs(random), () => timer.run());
      return timer;
    },
    clearTimeout: (/** @type {{ run: () => void } | null} */ timer) =>
      void (timer && (timer.run = () => {})),
  };
  const feed = new PlaybackFeed(ring, source, {
    sampleRate,
    pullSamples,
    blockMs,
    frameMs,
    clock: timers,
  });
  let [heardTo, sequence, silentFor] = [0, 0, 99];
  /** @type {number[]} */
  const delays = [];

  /** @param {number} k @returns {Uint8Array | null} */
  const write = (k) => {
    silentFor = isSound(k) ? 0 : silentFor + 1;
    if (silentFor > 2 && silentFor % 10 !== 0) return null;
    const packet = new Packet();
    packet.frame = 5000 + k;
    packet.sequence = sequence++ & 0xffff;
    packet.level = silentFor > 0 ? 127 : 20;
    for (let r = 1; r <= redundancy.count; r++) if (k >= r && isSound(k - r)) packet.redundancy = r;
    for (let r = 1; r <= packet.redundancy; r++) packet.payloadBytes[r] = isSound(k - r) ? 3 : 0;
    const bytes = new Uint8Array(50);
    let end = writeAudioHeader(bytes, packet);
    for (let r = packet.redundancy; r >= 0; r--) {
      if (!isSound(k - r)) continue;
      bytes.set([(k - r) >> 16, (k - r) >> 8, k - r], end);
      end += 3;
    }
    return bytes.subarray(0, end);
  };
  /** Packets that are held up come all at once. @param {number} ms */
  const arrival = (ms) => outages.find(([from, to]) => ms >= from && ms < to)?.[1] ?? ms;
  /** @param {number} k */
  const send = (k) => {
    if (k + 1 < frames) at((k + 2) * frameMs, () => send(k + 1));
    if (k % Math.round(1000 / frameMs) === 0) {
      redundancy.report(playout.lostPercent(time.ms));
      delays.push(playout.delayMs);
    }
    const bytes = write(k);
    if (bytes === null || random() < loss) return;
    work(arrival(time.ms + 15 + jitterMs(random)), () => {
      const packet = new Packet();
      if (readPacket(bytes, packet) !== null) throw new Error('a packet that cannot be read');
      playout.receive(packet, bytes, time.ms);
      feed.arrived();
    });
  };
  let taken = 0;
  // The wanted length isn't always a number of whole blocks.
  const card = () => {
    taken += blockSamples;
    for (; heardTo < taken; heardTo += block.length) {
      const wants = playback.process([block]);
      if (heardTo + block.length <= heard.length) heard.set(block, heardTo);
      if (wants) work(time.ms + 0.2 + wakeMs(random), () => feed.wake());
    }
    at(3.3 + ((taken / sampleRate) * 1000) / (1 + cardPpm * 1e-6), card);
  };
  at(frameMs, () => send(0));
  at(3.3, card);
  at(0, () => feed.wake());
  while (time.ms < frames * frameMs) {
    const event = /** @type {typeof events[number]} */ (events.shift());
    time.ms = event.ms;
    event.run();
  }
  return { heard, playout, played, delays, underruns: ring.underruns, missed: ring.missed };
}

const { channels } = await readWav(
  new URL('../../../../testkit/speech/speech-low.wav', import.meta.url),
);
const [speech] = channels;

/**
 * Speech of a second's pauses, as frames; what is silent in it is left out.
 * @param {number} seconds
 */
function conversation(seconds) {
  const said = new Float32Array(seconds * 48_000);
  for (let at = 0; at + speech.length < said.length; at += speech.length + 48_000)
    said.set(speech, at);
  const frames = Math.floor(said.length / 960);
  const loud = Array.from({ length: frames }, (_, k) =>
    said.subarray(k * 960, k * 960 + 960).some((x) => Math.abs(x) > 1e-3),
  );
  // As a sender has it, sound goes on for a third of a second.
  const isSound = (/** @type {number} */ k) =>
    k >= 0 && k < frames && loud.slice(Math.max(0, k - 17), k + 1).some(Boolean);
  return { said, isSound };
}

describe('the heard sound', () => {
  const talk = conversation(66);
  const RATE = 48_000;

  it.each([
    [128, 0],
    [480, 20],
    [1024, -20],
  ])(
    'stays where it is for a minute, without a gap (blocks of %i samples, a card off by %i ppm)',
    (blockSamples, cardPpm) => {
      const call = listen({
        ...talk,
        blockSamples,
        cardPpm,
        jitterMs: (random) => 1.5 * random() ** 2,
        wakeMs: (random) => 0.2 + 2 * random() ** 3,
      });
      const settled = 5 * RATE;
      const said = talk.said.subarray(settled, 65 * RATE);
      const heard = call.heard.subarray(settled);
      const rate = 1 + cardPpm * 1e-6;
      // A piece every two seconds; on its own clock the card that is fast hears more samples of the
      // same sound.
      const lags = [];
      const correlations = [];
      for (let start = 3 * RATE; start + RATE / 4 < said.length; start += 2 * RATE) {
        const piece = said.subarray(start, start + RATE / 4);
        if (levelDb(piece) < -40) continue;
        const { lag, correlation } = align(piece, heard, { from: start, to: start + RATE / 10 });
        correlations.push(correlation);
        lags.push((lag - start * rate) / 48);
      }
      expect(lags.length).toBeGreaterThan(15);
      expect(Math.min(...correlations)).toBeGreaterThan(0.93);
      expect(Math.max(...lags) - Math.min(...lags)).toBeLessThan(1);
      expect(call.underruns).toBe(0);
      expect(findGaps(said, heard, Math.round(lags[0] * 48), { longerThan: 480 })).toEqual([]);
      const recording = align(speech, call.heard, { from: 23.6 * RATE, to: 24 * RATE });
      expect(recording.correlation).toBeGreaterThan(0.9);
      expect(call.playout.counters).toMatchObject({ late: 0, lost: 0, concealed: 0 });
      expect(Math.max(...call.delays.slice(5))).toBeLessThan(18);
    },
  );

  it.each([
    [10, 12],
    [5, 7],
    [2.5, 7],
  ])(
    'is old by what the machine needs, with frames of %s ms: %s ms at most from its arrival on',
    (frameMs, mostMs) => {
      const said = Float32Array.from({ length: 20 * RATE }, (_, i) => speech[i % speech.length]);
      const call = listen({
        said,
        isSound: () => true,
        frameMs,
        blockSamples: 128,
        jitterMs: (random) => 1.5 * random() ** 2,
        wakeMs: (random) => 0.2 + 1.5 * random() ** 3,
      });
      const start = 15 * RATE;
      const { lag, correlation } = align(said.subarray(start, start + RATE / 4), call.heard, {
        from: start,
        to: start + RATE / 10,
      });
      expect(correlation).toBeGreaterThan(0.93);
      // The network takes 15 ms here, and a frame is sent when it is over.
      expect((lag - start) / 48 - 15 - frameMs).toBeLessThan(mostMs);
      expect(call.underruns).toBe(0);
      expect(call.playout.counters).toMatchObject({ late: 0, lost: 0, concealed: 0 });
    },
  );

  it.each([30, 60, 250])(
    'is where it was after the worker has stood still for %i ms',
    (stallMs) => {
      const dialogue = conversation(24);
      const fromMs = 20_400;
      const call = listen({ ...dialogue, stalls: [[fromMs, fromMs + stallMs]] });
      const lagAt = (/** @type {number} */ seconds) => {
        const start = Math.round(seconds * RATE);
        const piece = dialogue.said.subarray(start, start + RATE / 4);
        return align(piece, call.heard, { from: start, to: start + RATE / 5 }).lag - start;
      };
      const before = lagAt(20);
      for (const seconds of [19, 19.5, 20.8, 21.2, 21.6, 22]) expect(lagAt(seconds)).toBe(before);
      // Two frames and four milliseconds are there when it begins; the rest comes too late to be
      // heard.
      expect(call.underruns).toBe(1);
      expect(call.missed / 48).toBeGreaterThan(stallMs - 44);
      expect(call.missed / 48).toBeLessThan(stallMs);
      expect(call.playout.counters).toMatchObject({ late: 0, lost: 0, concealed: 0 });
    },
  );

  it.each([2.5, 5, 10, 20, 40])(
    'is in time within 3 s after a stall of 300 ms, and all is heard: frames of %s ms',
    (frameMs) => {
      const said = Float32Array.from({ length: 12 * RATE }, (_, i) => speech[i % speech.length]);
      const call = listen({
        said,
        isSound: () => true,
        frameMs,
        outages: [[6000, 6300]],
        jitterMs: (random) => 1.5 * random() ** 2,
      });
      const laterMs = (/** @type {number} */ seconds) => {
        const start = Math.round(seconds * RATE);
        const piece = said.subarray(start, start + 0.2 * RATE);
        const { lag, correlation } = align(piece, call.heard, {
          from: start,
          to: start + 0.6 * RATE,
        });
        expect(correlation).toBeGreaterThan(0.6);
        return (lag - start) / 48;
      };
      const before = laterMs(5);
      expect(Math.max(...call.delays)).toBeGreaterThan(50);
      expect(laterMs(9)).toBeLessThan(before + 10);
      expect(call.playout.counters).toMatchObject({ late: 0, lost: 0, skipped: 0, underruns: 1 });
      expect(call.played.size).toBeGreaterThanOrEqual(12_000 / frameMs - 10);
      const steepest = (/** @type {Float32Array} */ pcm) =>
        pcm.reduce((most, x, i) => Math.max(most, i > 0 ? Math.abs(x - pcm[i - 1]) : 0), 0);
      expect(steepest(call.heard.subarray(6.5 * RATE, 11.5 * RATE))).toBeLessThan(
        1.1 * steepest(said),
      );
    },
  );

  it.each([
    [0.05, 99.95],
    [0.1, 99.6],
  ])('holds nearly all of the speech with %f of the packets lost: %f %', (loss, percent) => {
    const seconds = 180;
    const isSound = (/** @type {number} */ k) => k >= 0 && k % 150 < 90;
    const said = Float32Array.from(
      { length: seconds * 8000 },
      (_, i) => 0.3 * Math.sin((2 * Math.PI * 200 * i) / 8000),
    );
    const call = listen({
      said,
      isSound,
      sampleRate: 8000,
      blockSamples: 80,
      loss,
      jitterMs: (random) => 6 * random(),
    });
    let [sent, there] = [0, 0];
    for (let k = 500; k < seconds * 50 - 30; k++) {
      if (!isSound(k)) continue;
      sent += 1;
      if (call.played.has(k)) there += 1;
    }
    expect((100 * there) / sent).toBeGreaterThanOrEqual(percent);
    expect(call.playout.delayMs).toBeLessThan(40 + 6 + 10);
  });

  it('waits for nothing where nothing is lost, whatever is repeated', () => {
    const said = new Float32Array(60 * 8000).fill(0.1);
    const call = listen({
      said,
      isSound: (k) => k >= 0 && k % 100 < 50,
      sampleRate: 8000,
      blockSamples: 80,
    });
    expect(call.playout.delayMs).toBeLessThan(6);
  });
});
