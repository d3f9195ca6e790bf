import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Playout, pullSamples } from '../../../../public/client/playout/playout.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import {
  MAX_PACKET_BYTES,
  Packet,
  Stream,
  readPacket,
  writeAudioHeader,
} from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder } from '../../../../public/shared/stream/payload.js';
import { random as randomOf } from '../../../fakes/random.js';

const FIRST_FRAME = 2_000_000;
const TONE_HZ = 200;
const AMPLITUDE = 0.5;

/**
 * A decoder whose payload says which Opus frame of a tone it holds; it conceals by going on with
 * it.
 * @param {{ sampleRate: number, opusFrameSamples: number }} format
 * @param {{ closed: number, concealed: number }} log
 */
function toneDecoder({ sampleRate, opusFrameSamples }, log) {
  let at = 0;
  const write = (/** @type {Float32Array} */ out, /** @type {number} */ to) => {
    for (let i = 0; i < opusFrameSamples; i++) {
      out[to + i] = AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * (at + i)) / sampleRate);
    }
    at += opusFrameSamples;
  };
  return {
    /** @type {import('../../../../public/shared/stream/codec.js').Decoder['decode']} */
    decode: (bytes, start, length, out, to) => {
      if (bytes[start] === 0xbb) {
        out.fill(NaN, to, to + opusFrameSamples);
        out[to] = 40;
        return true;
      }
      if (bytes[start] !== 0xaa && bytes[start] !== 0xac) return false;
      at =
        ((bytes[start + 1] << 16) | (bytes[start + 2] << 8) | bytes[start + 3]) * opusFrameSamples;
      write(out, to);
      // The last of a word: it fades out in the first half of the frame.
      for (let i = 0; i < opusFrameSamples && bytes[start] === 0xac; i++) {
        out[to + i] *= Math.max(0, 1 - (2 * i) / opusFrameSamples);
      }
      return true;
    },
    /** @param {Float32Array} out @param {number} to */
    conceal: (out, to) => {
      log.concealed += 1;
      write(out, to);
    },
    close: () => {
      log.closed += 1;
    },
  };
}

/**
 * A playout buffer, a network in front of it and a sound card behind it, on a clock of their own.
 * @param {Partial<{ sampleRate: number, frameMs: number, opusFrames: number }>} [shape]
 */
function setUp(shape = {}) {
  const format = createAudioFormat(shape);
  const log = { closed: 0, concealed: 0 };
  const decoders = [0, 1].map(() => new PayloadDecoder(toneDecoder(format, log), format));
  const playout = new Playout(format, decoders);
  const packet = new Packet();
  const bytes = new Uint8Array(MAX_PACKET_BYTES);
  const out = new Float32Array(pullSamples(format));
  /** @type {number[]} */
  const heard = [];
  let nextPullMs = 0;

  /**
   * @param {number} frame counted from FIRST_FRAME
   * @param {number} arrivalMs
   * @param {{ silent?: boolean, stream?: number, level?: number, body?: number[], sequence?: number
   *   }} [what]
   */
  const deliver = (
    frame,
    arrivalMs,
    { silent = false, stream = Stream.fullMix, level = 20, body, sequence = frame } = {},
  ) => {
    packet.redundancy = 0;
    packet.sequence = sequence & 0xffff;
    packet.frame = FIRST_FRAME + frame;
    packet.stream = stream;
    packet.level = level;
    let at = writeAudioHeader(bytes, packet);
    const opusFrames = silent ? 0 : format.opusFrames;
    for (let m = 0; m < opusFrames; m++) {
      const number = frame * format.opusFrames + m;
      const opus = body ?? [0xaa, number >> 16, number >> 8, number];
      if (m < format.opusFrames - 1) bytes[at++] = opus.length;
      bytes.set(opus, at);
      at += opus.length;
    }
    const read = new Packet();
    // No assertion for each of some 70 000 packets: they would take most of the time.
    if (readPacket(bytes.subarray(0, at), read) !== null)
      throw new Error('a packet that cannot be read');
    playout.receive(read, bytes.subarray(0, at), arrivalMs);
  };

  /**
   * Lets the sound card pull until a time. Its clock may run fast, and the worker come late.
   * @param {number} untilMs @param {{ speed?: number, wakeMs?: () => number }} [card]
   */
  const playUntil = (untilMs, { speed = 1, wakeMs = () => 0 } = {}) => {
    while (nextPullMs < untilMs) {
      const count = playout.pull(out, nextPullMs + wakeMs());
      for (let i = 0; i < count; i++) heard.push(out[i]);
      nextPullMs += (count * 1000) / (format.sampleRate * speed);
    }
  };

  /**
   * @param {{ frame: number, at: number, what?: object }[]} arrivals @param {object} [card]
   */
  const run = (arrivals, card) => {
    for (const { frame, at, what } of [...arrivals].sort((a, b) => a.at - b.at)) {
      playUntil(at, card);
      deliver(frame, at, what);
    }
  };

  /** The sound card stands still for so long. @param {number} ms */
  const stopFor = (ms) => void (nextPullMs += ms);

  /** Frames `from` up to `to`, each sent at its end, each so much on the way. */
  const stream = (
    /** @type {number} */ from,
    /** @type {number} */ to,
    delayMs = (/** @type {number} */ _frame) => 30,
  ) =>
    Array.from({ length: to - from }, (_, i) => ({
      frame: from + i,
      at: (from + i + 1) * format.frameMs + delayMs(from + i),
    }));

  const jump = (from = 0) => {
    let most = 0;
    for (let i = Math.max(1, from); i < heard.length; i++)
      most = Math.max(most, Math.abs(heard[i] - heard[i - 1]));
    return most;
  };
  return { format, playout, log, heard, deliver, playUntil, stopFor, run, stream, jump };
}

const toneAt = (/** @type {number} */ sample) =>
  AMPLITUDE * Math.sin((2 * Math.PI * TONE_HZ * sample) / 48_000);

/** The steepest that the tone is, and the cross-fade of two of them, a sample. */
const steepest = (/** @type {number} */ rate) => (AMPLITUDE * (2 * Math.PI * TONE_HZ)) / rate;
const smooth = (/** @type {number} */ rate, frameMs = 20) =>
  1.2 * steepest(rate) + (2000 * AMPLITUDE) / (rate * Math.min(5, frameMs / 2));

describe('Playout', () => {
  it('is silent before the first packet', () => {
    const { playUntil, heard, playout } = setUp();
    playUntil(100);
    expect(heard.length).toBeGreaterThanOrEqual(4800);
    expect(heard.every((sample) => sample === 0)).toBe(true);
    expect(playout.receivedPercent).toBeNull();
    expect(playout.delayMs).toBe(0);
  });

  it.each([
    {},
    { frameMs: 2.5 },
    { frameMs: 10 },
    { frameMs: 60 },
    { sampleRate: 8000, frameMs: 80, opusFrames: 8 },
  ])('adds little where nothing is late, and loses nothing (%o)', (shape) => {
    const { format, playout, run, stream, heard, jump } = setUp(shape);
    run(stream(0, Math.round(8000 / format.frameMs)));
    const { counters } = playout;
    expect(counters).toMatchObject({
      late: 0,
      lost: 0,
      concealed: 0,
      skipped: 0,
      garbage: 0,
      strange: 0,
    });
    expect(playout.receivedPercent).toBe(100);
    // The delay at a call's start is worked off slowly where there is no pause.
    expect(playout.delayMs).toBeLessThanOrEqual(Math.max(10, format.frameMs + 5));
    expect(jump()).toBeLessThan(smooth(format.sampleRate, format.frameMs));
    expect(Math.max(...heard.slice(-4000))).toBeGreaterThan(0.49);
  });

  it('waits for as long as jitter asks', () => {
    const random = randomOf(11);
    const { playout, run, stream } = setUp();
    run(stream(0, 1000, () => 30 + 40 * random()));
    const before = { ...playout.counters };
    run(stream(1000, 3000, () => 30 + 40 * random()));
    const concealed = playout.counters.concealed - before.concealed;
    expect(concealed).toBeLessThan(20);
    expect(playout.wantedMs).toBeGreaterThan(35);
    expect(playout.wantedMs).toBeLessThan(50);
    expect(playout.delayMs).toBeLessThan(75);
  });

  it('makes up for loss without growing its delay, and counts it', () => {
    const random = randomOf(5);
    const { playout, run, stream, jump } = setUp();
    const sent = stream(0, 3000);
    const kept = sent.filter(({ frame }) => frame < 10 || frame > 2990 || random() > 0.05);
    run(kept);
    const { counters } = playout;
    expect(counters.lost).toBeGreaterThanOrEqual(sent.length - kept.length - 2);
    expect(counters.lost).toBeLessThanOrEqual(sent.length - kept.length);
    expect(counters.late).toBe(0);
    expect(counters.concealed).toBeLessThan(1.3 * counters.lost);
    expect(playout.delayMs).toBeLessThan(25);
    expect(playout.receivedPercent).toBeCloseTo((100 * kept.length) / sent.length, 0);
    expect(jump()).toBeLessThan(smooth(48000));
  });

  it('puts packets in order, and hears none twice', () => {
    const { playout, run, stream, log } = setUp();
    const arrivals = stream(0, 1000, (frame) => (frame % 10 === 4 ? 55 : 30));
    run([...arrivals, ...arrivals.map(({ frame, at }) => ({ frame, at: at + 1 + (frame % 90) }))]);
    const { counters } = playout;
    expect(counters.duplicate).toBe(1000);
    expect(counters.lost).toBe(0);
    expect(counters.late).toBeLessThan(5);
    expect(counters.received + counters.late).toBe(1000);
    expect(log.concealed).toBeLessThan(8);
  });

  it('takes a frame from a later packet that repeats it', () => {
    const { playout, playUntil } = setUp();
    const packet = new Packet();
    const bytes = new Uint8Array(100);
    for (let frame = 1; frame < 200; frame += 2) {
      packet.frame = FIRST_FRAME + frame;
      packet.redundancy = 1;
      packet.sequence = frame;
      packet.payloadBytes[1] = 4;
      let at = writeAudioHeader(bytes, packet);
      for (const k of [frame - 1, frame]) {
        bytes.set([0xaa, k >> 16, k >> 8, k], at);
        at += 4;
      }
      const read = new Packet();
      readPacket(bytes.subarray(0, at), read);
      const arrivalMs = (frame + 1) * 20;
      playUntil(arrivalMs);
      playout.receive(read, bytes.subarray(0, at), arrivalMs);
    }
    // Frame 0 comes before the first that it knows of; every other packet comes with two frames.
    expect(playout.counters.played).toBeGreaterThan(170);
    expect(playout.counters.recovered).toBeGreaterThan(70);
    expect(playout.counters.lost).toBe(99);
    expect(playout.receivedPercent).toBeGreaterThan(85);
    expect(playout.lostPercent(3980)).toBeCloseTo(50, 0);
    // Before it knows of the loss it doesn't wait.
    expect(playout.counters.concealed).toBeLessThan(30);
  });

  it('falls silent in a gap and takes up again on time', () => {
    const { playout, run, stream, heard, jump } = setUp();
    run(stream(0, 200));
    const at = heard.length;
    run(stream(250, 500));
    const gap = heard.slice(at, at + 40_000);
    expect(gap.slice(12_000).every((sample) => sample === 0)).toBe(true);
    expect(playout.counters.lost).toBe(50);
    expect(playout.counters.underruns).toBe(1);
    expect(playout.counters.concealed).toBeLessThanOrEqual(6);
    expect(playout.delayMs).toBeLessThan(25);
    expect(Math.max(...heard.slice(-4000))).toBeGreaterThan(0.49);
    expect(jump()).toBeLessThan(smooth(48000));
  });

  it('forgets one stall, but covers what comes again', () => {
    const once = setUp();
    const stalled = (/** @type {number[]} */ starts) => (/** @type {number} */ frame) => {
      const start = starts.find((first) => frame >= first && frame < first + 8);
      return start === undefined ? 30 : 30 + 160 - (frame - start) * 20;
    };
    once.run(once.stream(0, 1000, stalled([300])));
    expect(once.playout.delayMs).toBeLessThan(65);

    const often = setUp();
    const starts = [300, 500, 700, 900, 1100];
    often.run(often.stream(0, 1000, stalled(starts)));
    const { late, lost } = often.playout.counters;
    often.run(often.stream(1000, 1200, stalled(starts)));
    expect(often.playout.wantedMs).toBeGreaterThan(150);
    expect(often.playout.counters.late + often.playout.counters.lost).toBe(late + lost);
  });

  it('takes what a start holds up for no jitter, and tells by how much it moved', () => {
    const { playout, run, stream } = setUp();
    run(stream(0, 100, (frame) => (frame < 40 ? 30 + (frame % 3) * 20 : 30)));
    expect(playout.wantedMs).toBeLessThan(60);
    run(stream(100, 500));
    const { movedMs, wantedMs } = playout.stats();
    expect(wantedMs).toBeLessThan(10);
    run(stream(500, 1000));
    // The rest of the delay at the start is worked off by 500 ppm at most: nobody hears it.
    expect(playout.stats().movedMs - movedMs).toBeLessThan(5.1);
    run([...stream(1000, 1020), ...stream(1021, 1050, (frame) => (frame < 1030 ? 90 : 30))]);
    expect(playout.stats().movedMs).toBeGreaterThan(movedMs + 20);
  });

  it('falls back slowly when the jitter has gone', () => {
    const random = randomOf(2);
    const { playout, run, stream } = setUp();
    const quiet = (/** @type {{ frame: number, at: number }[]} */ arrivals) =>
      arrivals.map((arrival) => ({ ...arrival, what: { level: 70 } }));
    run(quiet(stream(0, 1000, () => 30 + 60 * random())));
    expect(playout.delayMs).toBeGreaterThan(50);
    run(quiet(stream(1000, 3000)));
    expect(playout.delayMs).toBeLessThan(15);
    expect(playout.counters.dropped).toBeGreaterThan(48 * 40);
  });

  it('goes from one stream to the other without a click', () => {
    const { playout, run, stream, jump } = setUp();
    const switched = stream(0, 400).map((arrival) => ({
      ...arrival,
      what: { stream: (arrival.frame >> 4) & 1 },
    }));
    // The second stream's tone is elsewhere in its period.
    run(
      switched.map((arrival) => ({
        ...arrival,
        what: { ...arrival.what, body: shifted(arrival) },
      })),
    );
    expect(playout.counters.played).toBeGreaterThan(390);
    expect(playout.counters.concealed).toBe(0);
    expect(jump(960)).toBeLessThan(smooth(48000));
    expect(jump(960)).toBeGreaterThan(0.9 * steepest(48000));

    /** @param {{ frame: number, what: { stream: number } }} arrival */
    function shifted({ frame, what }) {
      // 960 samples hold four periods; only another decoder's position can be out of phase.
      const number = what.stream === 0 ? frame : frame + 7;
      return [0xaa, number >> 16, number >> 8, number];
    }
  });

  it('takes an empty payload for silence, and joins it without a click', () => {
    const { playout, run, stream, heard, jump } = setUp();
    run(
      stream(0, 600).map((arrival) => ({ ...arrival, what: { silent: arrival.frame % 40 < 20 } })),
    );
    expect(playout.counters).toMatchObject({ lost: 0, late: 0, concealed: 0, garbage: 0 });
    expect(playout.receivedPercent).toBe(100);
    const zeros = heard.filter((sample) => sample === 0).length;
    expect(zeros / heard.length).toBeGreaterThan(0.45);
    expect(zeros / heard.length).toBeLessThan(0.6);
    expect(jump()).toBeLessThan(smooth(48000));
  });

  it('conceals garbage, counts it, and never gives what is no sound', () => {
    const { playout, run, stream, heard, log } = setUp();
    const body = (/** @type {number} */ frame) =>
      frame % 10 === 3 ? [1, 2, 3] : frame % 10 === 6 ? [0xbb, 0, 0, 0] : undefined;
    run(stream(0, 300).map((arrival) => ({ ...arrival, what: { body: body(arrival.frame) } })));
    expect(playout.counters.garbage).toBeGreaterThanOrEqual(29);
    expect(log.concealed).toBeGreaterThanOrEqual(29);
    expect(heard.every((sample) => sample >= -1 && sample <= 1)).toBe(true);
  });

  it.each([1.0002, 0.9998])('follows a sound card that runs at %f of its speed', (speed) => {
    const { playout, run, stream } = setUp({ sampleRate: 8000 });
    const minutes = stream(0, 15_000).map((arrival) => ({
      ...arrival,
      what: { level: arrival.frame % 100 < 20 ? 70 : 20 },
    }));
    run(minutes, { speed });
    expect(playout.counters.concealed).toBeLessThan(6);
    expect(playout.counters.late).toBeLessThan(6);
    expect(playout.delayMs).toBeLessThan(30);
    expect(playout.driftPpm).toBeCloseTo((speed - 1) * 1e6, -1);
    // In five minutes that is 60 ms, and none of it was cut out or put in.
    expect(playout.counters.inserted).toBeLessThan(8 * 15);
    expect(playout.counters.dropped).toBeLessThan(8 * 25);
  });

  it('keeps enough for a sound card that takes blocks, and a worker that comes late', () => {
    const random = randomOf(8);
    const { playout, run, stream } = setUp();
    run(stream(0, 2000), { wakeMs: () => random() * 8 });
    expect(playout.counters.late + playout.counters.lost).toBe(0);
    expect(playout.delayMs).toBeLessThan(25);
  });

  it('drops packets whose time can’t be, and follows when all agree on another time', () => {
    const { playout, run, stream, deliver } = setUp();
    run(stream(0, 100));
    for (let i = 0; i < 9; i++) deliver(5_000_000 + i, 2040);
    run(stream(100, 101));
    for (let i = 0; i < 9; i++) deliver(-1_000_000 - i, 2060);
    expect(playout.counters.strange).toBe(18);
    run(stream(101, 200));
    expect(playout.counters.lost).toBe(0);

    const moved = stream(200, 400).map(({ frame, at }) => ({ frame: frame + 100_000, at }));
    run(moved);
    expect(playout.counters.played).toBeGreaterThan(360);
    expect(playout.delayMs).toBeLessThan(25);
  });

  it('forgets after four seconds what was late while the call started', () => {
    const { playout, run, stream } = setUp();
    const wanted = /** @type {number[]} */ ([]);
    for (let second = 0; second < 8; second++) {
      run(
        stream(second * 50, second * 50 + 50, (frame) =>
          frame < 140 && frame % 20 === 0 ? 130 : 30,
        ),
      );
      wanted.push(playout.wantedMs);
    }
    expect(wanted[2]).toBeGreaterThan(80);
    expect(wanted[6]).toBeLessThan(10);
  });

  it('catches up when the sound card has stood still', () => {
    const { playout, run, stream, deliver, format } = setUp();
    run(stream(0, 100));
    for (let frame = 100; frame < 600; frame++) deliver(frame, (frame + 1) * format.frameMs + 30);
    // The card wakes up: what it pulls next is wanted now.
    const { played } = playout.counters;
    const out = new Float32Array(pullSamples(format));
    let pulled = 0;
    for (let i = 0; i < 100; i++) {
      if (i > 0) deliver(599 + i, 12_030 + i * 20);
      while (pulled <= i * 960) pulled += playout.pull(out, 12_030 + (pulled * 20) / 960);
      if (i === 10) expect(playout.counters.played - played).toBeLessThan(14);
    }
    expect(playout.counters.skipped + playout.counters.lost).toBeGreaterThan(470);
    expect(playout.delayMs).toBeLessThan(60);
  });

  describe('in silence that is left out', () => {
    /**
     * Words and silences in turn, as a sender sends them that leaves silence out: two silent
     * packets, then one every 200 ms.
     * @param {number} frames @param {{ word: number, pause: number }} lengths in frames
     * @param {(frame: number) => number} [delayMs]
     */
    const talk = (frames, { word, pause }, delayMs = () => 30) => {
      const arrivals = [];
      let sequence = 65_400;
      for (let frame = 0; frame < frames; frame++) {
        const silentFor = (frame % (word + pause)) - word;
        if (silentFor > 1 && silentFor % 10 !== 0) continue;
        sequence += 1;
        const body = silentFor === -1 ? [0xac, frame >> 16, frame >> 8, frame] : undefined;
        const at = (frame + 1) * 20 + delayMs(frame);
        arrivals.push({ frame, at, what: { silent: silentFor >= 0, sequence, body } });
      }
      return arrivals;
    };

    it('misses nothing, adds nothing, and goes on with the grid', () => {
      const { playout, run, heard, log, jump } = setUp();
      run(talk(3000, { word: 60, pause: 90 }));
      expect(playout.counters).toMatchObject({
        late: 0,
        lost: 0,
        concealed: 0,
        underruns: 0,
        skipped: 0,
        recovered: 0,
      });
      expect(playout.receivedPercent).toBe(100);
      expect(playout.lostPercent(60_000)).toBe(0);
      expect(log.concealed).toBe(0);
      expect(playout.delayMs).toBeGreaterThan(1);
      expect(playout.delayMs).toBeLessThan(12);
      expect(jump()).toBeLessThan(smooth(48000));
      // Each word is heard from its first sample, and as long after the one before as it was said.
      const starts = [];
      for (let i = 0, silent = 0; i < heard.length; i++) {
        if (Math.abs(heard[i]) > 0.005 && silent > 4800) starts.push(i);
        silent = Math.abs(heard[i]) > 0.005 ? 0 : silent + 1;
      }
      expect(starts.length).toBeGreaterThan(15);
      const [first] = starts.slice(2);
      starts
        .slice(2)
        .forEach((start, i) => expect(Math.abs(start - first - i * 150 * 960)).toBeLessThan(48));
      const word = heard.slice(first, first + 960);
      word.forEach((sample, i) =>
        expect(Math.abs(sample - toneAt(i + 1))).toBeLessThan(2 * steepest(48_000)),
      );
    });

    it.each([1.0002, 0.9998])('follows a sound card that runs at %f of its speed', (speed) => {
      const { playout, run } = setUp({ sampleRate: 8000 });
      run(talk(15_000, { word: 60, pause: 190 }), { speed });
      expect(playout.counters).toMatchObject({ lost: 0, concealed: 0, underruns: 0 });
      expect(playout.delayMs).toBeLessThan(12);
      expect(playout.driftPpm).toBeCloseTo((speed - 1) * 1e6, -2);
    });

    it('plays a word whole whose first packet is late', () => {
      const { playout, run, heard } = setUp();
      run(
        talk(1500, { word: 50, pause: 100 }, (frame) => (frame % 150 === 0 && frame > 0 ? 48 : 30)),
      );
      expect(playout.counters).toMatchObject({ late: 0, lost: 0, concealed: 0 });
      expect(playout.receivedPercent).toBe(100);
      expect(heard.filter((sample) => sample !== 0).length).toBeGreaterThan(10 * 49.5 * 955);
      expect(playout.delayMs).toBeLessThan(45);
    });

    it('waits for jitter as in sound', () => {
      const random = randomOf(4);
      const { playout, run } = setUp();
      run(talk(6000, { word: 50, pause: 100 }, () => 30 + 40 * random()));
      expect(playout.counters.late).toBeLessThan(20);
      expect(playout.counters.concealed).toBeLessThan(20);
      expect(playout.counters.lost).toBe(0);
      expect(playout.delayMs).toBeLessThan(60);
    });

    it('knows loss by the sequence, in sound and in silence', () => {
      const random = randomOf(6);
      const { playout, run, jump } = setUp();
      const sent = talk(9000, { word: 60, pause: 90 });
      const kept = sent.filter(({ frame }) => frame < 10 || frame > 8980 || random() > 0.1);
      run(kept);
      expect(playout.counters.lost).toBe(sent.length - kept.length);
      expect(playout.counters.late).toBe(0);
      expect(playout.delayMs).toBeLessThan(35);
      expect(jump()).toBeLessThan(smooth(48000));
    });

    it('knows no loss where a stream goes on without this listener', () => {
      const { playout, run } = setUp();
      const arrivals = Array.from({ length: 1000 }, (_, frame) => {
        const stream = (frame >> 6) & 1;
        return {
          frame,
          at: frame * 20 + 50,
          what: { stream, sequence: stream === 0 ? frame : 5 * frame },
        };
      });
      arrivals[700].what.sequence = 9;
      run(arrivals.filter(({ frame }) => frame !== 500));
      expect(playout.counters.lost).toBe(1);
      expect(playout.lostPercent(20_050)).toBe(0);
      expect(playout.lostPercent(40_000)).toBeNull();
    });

    it('plays what another stream’s packet repeats of what was lost', () => {
      const { playout, deliver, playUntil, heard } = setUp();
      // One's own stream is silent, and sound begins that is lost; then the stream that all share
      // repeats it.
      deliver(0, 50, { silent: true, stream: Stream.mixMinus });
      deliver(1, 70, { silent: true, stream: Stream.mixMinus });
      playUntil(200);
      const packet = new Packet();
      const bytes = new Uint8Array(100);
      packet.frame = FIRST_FRAME + 8;
      packet.redundancy = 2;
      packet.payloadBytes.fill(4, 1);
      const at = writeAudioHeader(bytes, packet);
      for (let r = 2; r >= 0; r--) bytes.set([0xaa, 0, 0, 8 - r], at + 4 * (2 - r));
      const read = new Packet();
      expect(readPacket(bytes.subarray(0, at + 12), read)).toBeNull();
      playout.receive(read, bytes.subarray(0, at + 12), 210);
      playUntil(211);
      deliver(9, 230, { silent: true });
      deliver(10, 250, { silent: true });
      playUntil(400);
      expect(playout.counters.recovered).toBe(2);
      expect(heard.filter((sample) => Math.abs(sample) > 0.01).length).toBeGreaterThan(1.5 * 960);
    });

    it('plays numbers within -1 to 1 whatever comes', () => {
      const packet = fc.record({
        frame: fc.integer({ min: -30, max: 80 }),
        afterMs: fc.integer({ min: 0, max: 300 }),
        what: fc.record({
          silent: fc.boolean(),
          stream: fc.integer({ min: 0, max: 1 }),
          level: fc.integer({ min: 0, max: 127 }),
          sequence: fc.integer({ min: 0, max: 100 }),
        }),
      });
      fc.assert(
        fc.property(fc.array(packet, { maxLength: 40 }), (packets) => {
          const { deliver, playUntil, heard, playout } = setUp();
          let ms = 0;
          for (const { frame, afterMs, what } of packets) {
            playUntil((ms += afterMs));
            deliver(frame, ms, what);
          }
          playUntil(ms + 500);
          expect(heard.every((sample) => Math.abs(sample) <= 1)).toBe(true);
          const { received, late, lost } = playout.counters;
          expect(Math.min(received, late, lost)).toBeGreaterThanOrEqual(0);
          expect(received + late).toBeLessThanOrEqual(packets.length);
        }),
        { numRuns: 60 },
      );
    });
  });

  it('closes its decoders', () => {
    const { playout, log } = setUp();
    playout.close();
    expect(log.closed).toBe(2);
  });
});

describe('a fixed delay', () => {
  /** The longest run of silence that was heard, in milliseconds. @param {number[]} heard */
  const longestGapMs = (heard) => {
    let [longest, run] = [0, 0];
    for (const sample of heard)
      longest = Math.max(longest, (run = Math.abs(sample) < 1e-4 ? run + 1 : 0));
    return longest / 48;
  };

  it('starts at once if recent sound comes at once, and rides out a second without packets', () => {
    const { playout, run, stream, heard, jump } = setUp();
    playout.fixDelay(1500, 0);
    const joinMs = 2530;
    run(
      stream(0, 2000, (frame) =>
        frame < 125
          ? joinMs - (frame + 1) * 20 + (frame < 50 ? 1e9 : 0)
          : frame >= 500 && frame < 550
            ? (550 - frame) * 20 + 30
            : 30,
      ).filter(({ at }) => at < 1e6),
    );
    expect(heard.findIndex((sample) => sample !== 0) / 48).toBeLessThan(joinMs + 20);
    expect(playout.counters).toMatchObject({
      concealed: 0,
      lost: 0,
      late: 0,
      skipped: 0,
      strange: 0,
    });
    expect(playout.delayMs).toBeGreaterThan(1450);
    expect(playout.delayMs).toBeLessThan(1520);
    expect(jump()).toBeLessThan(smooth(48000));
  });

  it.each([2, 5, 15, 25, 50])('is as long as before after %d frames that never came', (missing) => {
    const { playout, run, stream } = setUp();
    playout.fixDelay(1500, 0);
    run(
      stream(0, 800).map((arrival) =>
        arrival.frame < 75 ? { ...arrival, what: { silent: true } } : arrival,
      ),
    );
    const { originMs, counters } = playout;
    expect(Math.abs(playout.delayMs - 1500)).toBeLessThan(5);
    run(stream(800 + missing, 1300));
    expect(Math.abs(playout.originMs - originMs)).toBeLessThan(5);
    const { played } = playout.counters;
    run(stream(1300, 1400));
    // None of the arrived frames was left out on the way there.
    expect(playout.counters).toMatchObject({
      skipped: 0,
      late: 0,
      lost: missing,
      played: played + 100,
      inserted: counters.inserted,
      dropped: counters.dropped,
    });
  });

  /**
   * Plays to a steady listener whose sound card stands still, a tone or payloads that nothing is
   * like.
   * @param {number} stillMs
   * @param {number[]} [body]
   */
  const standStill = (stillMs, body) => {
    const { playout, stream, deliver, playUntil, stopFor } = setUp();
    playout.fixDelay(1500, 0);
    for (const { frame, at } of stream(0, 2000)) {
      playUntil(at);
      if (frame === 800) stopFor(stillMs);
      deliver(frame, at, { body, silent: frame < 75 });
    }
    return playout;
  };

  it.each([350, 600, 900])(
    'misses nothing where the sound card stood still for %d ms, and is caught up with',
    (stillMs) => {
      const playout = standStill(stillMs);
      expect(playout.counters).toMatchObject({ skipped: 0, late: 0, lost: 0 });
      expect(playout.delayMs).toBeLessThan(1520);
    },
  );

  it('is no longer after the sound card stood still for longer', () => {
    const playout = standStill(1500);
    expect(playout.counters.skipped).toBeGreaterThan(70);
    expect(playout.delayMs).toBeLessThan(1520);
  });

  it('is grown into in a pause where only new packets come, after little time', () => {
    const { playout, run, stream, heard, jump } = setUp();
    playout.fixDelay(1500, 0);
    const quiet = (/** @type {{ frame: number }} */ { frame }) => frame >= 200 && frame < 210;
    run(
      stream(0, 500).map((arrival) =>
        quiet(arrival) ? { ...arrival, what: { level: 60 } } : arrival,
      ),
    );
    const startMs = heard.findIndex((sample) => sample !== 0) / 48;
    expect(startMs).toBeGreaterThan(500);
    expect(startMs).toBeLessThan(700);
    expect(playout.counters).toMatchObject({ concealed: 0, lost: 0, late: 0 });
    expect(Math.abs(playout.delayMs - 1500)).toBeLessThan(30);
    expect(jump()).toBeLessThan(smooth(48000));
  });

  it('turns short without a click or a gap, and long again where there is no pause', () => {
    const { playout, run, stream, heard, jump } = setUp();
    playout.fixDelay(1500, 0);
    run(stream(0, 800));
    const begin = heard.length;
    playout.fixDelay(190, 16_030);
    run(stream(800, 1300));
    expect(playout.delayMs).toBeLessThan(250);
    expect(playout.delayMs).toBeGreaterThan(170);
    expect(longestGapMs(heard.slice(begin))).toBeLessThan(1);
    expect(jump()).toBeLessThan(smooth(48000));
    playout.fixDelay(1500, 26_030);
    run(stream(1300, 2000));
    expect(Math.abs(playout.delayMs - 1500)).toBeLessThan(30);
    playout.fixDelay(null, 40_030);
    run(stream(2000, 3000));
    expect(playout.delayMs).toBeLessThan(30);
    expect(playout.counters).toMatchObject({ lost: 0, late: 0, strange: 0 });
    expect(jump()).toBeLessThan(smooth(48000));
  });

  it.each([
    [1500, 190],
    [1500, null],
    [null, 190],
  ])(
    'that becomes another, %s then %s, isn’t made longer by an outage in between',
    (before, after) => {
      const { playout, run, stream } = setUp();
      playout.fixDelay(before, 0);
      run(stream(0, 800));
      const beforeMs = playout.delayMs;
      playout.fixDelay(after, 16_030);
      run(
        stream(800, 1010, (frame) => (frame >= 850 && frame < 1000 ? (1000 - frame) * 20 : 0) + 30),
      );
      expect(playout.delayMs).toBeLessThan(beforeMs + 400);
      run(stream(1010, 1400));
      expect(playout.delayMs).toBeLessThan(250);
    },
  );

  it('tells where it is through changes, stalls and jumps', () => {
    const { playout, playUntil, deliver, heard } = setUp();
    const random = randomOf(5);
    playout.fixDelay(1500, 0);
    // A server that stands still sends all that it owes at once.
    const stalls = [
      [9000, 3250],
      [24_000, 400],
      [26_000, 30],
      [38_000, 3250],
      [52_000, 1200],
      [54_000, 3000],
    ];
    const delays = /** @type {[number, number | null][]} */ ([
      [8000, 190],
      [20_000, 1500],
      [25_900, 190],
      [37_000, null],
      [45_000, 1500],
      [53_900, 190],
    ]);
    let worstMs = 0;
    for (let frame = 0; frame < 3500; frame++) {
      const sentMs = (frame + 1) * 20;
      const stall = stalls.find(([from, ms]) => sentMs >= from && sentMs < from + ms);
      const atMs = (stall ? stall[0] + stall[1] : sentMs) + 30 + (stall ? 0 : random() * 5);
      for (let ms = heard.length / 48; ms < atMs; ms = heard.length / 48) {
        playUntil(ms + 1);
        if (delays.length > 0 && ms >= delays[0][0])
          playout.fixDelay(/** @type {any} */ (delays.shift())[1], ms);
        if (ms < 1000 || Number.isNaN(playout.originMs)) continue;
        // The next frame is due now, and frame 0 would have been due by so much earlier.
        worstMs = Math.max(
          worstMs,
          Math.abs(playout.originMs - (heard.length / 48 - playout.nextFrame * 20)),
        );
      }
      deliver(frame, atMs);
    }
    expect(worstMs).toBeLessThan(5);
    expect(Math.abs(playout.delayMs - 190)).toBeLessThan(30);
  });

  it('that is short stays short, whatever is late', () => {
    const random = randomOf(3);
    const { playout, run, stream } = setUp();
    playout.fixDelay(190, 0);
    run(stream(0, 3000, () => 30 + (random() < 0.02 ? 250 : 0)));
    expect(playout.delayMs).toBeLessThan(250);
    expect(playout.wantedMs).toBe(190);
  });

  it('that is short skips no late sound until more follows, and then becomes short again', () => {
    const { playout, run, stream, heard } = setUp();
    playout.fixDelay(190, 0);
    run(stream(0, 800));
    const begin = heard.length;
    // A queue of 400 ms has filled, and empties in a second and a half.
    run(stream(800, 880, (frame) => 30 + 400 - 5 * (frame - 800)));
    expect(longestGapMs(heard.slice(begin))).toBeLessThan(200);
    expect(playout.counters.late).toBe(0);
    run(stream(880, 1300));
    expect(playout.delayMs).toBeLessThan(250);
    // No more is jumped over than the delay was too long by, but for half a frame's rounding.
    expect(playout.counters.skipped * 20).toBeLessThan(400 - 190 + 20);
  });
});
