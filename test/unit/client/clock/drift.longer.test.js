import { describe, expect, it } from 'vitest';
import { ClockSync } from '../../../../public/client/clock/clock-sync.js';
import { Playout, pullSamples } from '../../../../public/client/playout/playout.js';
import { Uplink } from '../../../../public/client/capture/uplink.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { Packet, readPacket, writeAudioHeader } from '../../../../public/shared/wire/packet.js';
import { PayloadDecoder, PayloadEncoder } from '../../../../public/shared/stream/payload.js';
import { random as randomOf } from '../../../fakes/random.js';
import { byLength } from '../../../support/long.js';

/** 200 ppm are nine frames in 15 minutes; an hour is simulated by `npm run test:long`. */
const CALL_MS = byLength({ short: 15 * 60_000, long: 60 * 60_000 });

/** The time after which the drift has been measured. */
const SETTLED_MS = 120_000;

/** One period of the tone is one frame, so that its phase tells the offset from the grid. */
const format = createAudioFormat({ sampleRate: 8000, frameMs: 20 });
const { frameSamples, frameMs } = format;
const PER_MS = format.sampleRate / 1000;
const AMPLITUDE = 0.5;
const STEEPEST = (AMPLITUDE * 2 * Math.PI) / frameSamples;
const toneAt = (/** @type {number} */ sample) =>
  AMPLITUDE * Math.sin((2 * Math.PI * sample) / frameSamples);
const COSINES = Float64Array.from({ length: frameSamples }, (_, i) =>
  Math.cos((2 * Math.PI * i) / frameSamples),
);
const SINES = Float64Array.from({ length: frameSamples }, (_, i) =>
  Math.sin((2 * Math.PI * i) / frameSamples),
);

/**
 * @param {Float32Array} pcm one period
 * @returns {number} by how much it is late, in milliseconds: half a frame at most
 */
function latenessMs(pcm) {
  let [real, imaginary] = [0, 0];
  for (let i = 0; i < frameSamples; i++) {
    real += pcm[i] * SINES[i];
    imaginary += pcm[i] * COSINES[i];
  }
  return (-Math.atan2(imaginary, real) * frameMs) / (2 * Math.PI);
}

/** @param {number} ms @returns {number} less whole periods of the tone */
const wrapped = (ms) => ms - frameMs * Math.round(ms / frameMs);

/**
 * Follows a signal piece by piece: its greatest step, and its pitch between looks ten seconds
 * apart.
 */
class Listener {
  jump = 0;
  pitchPpm = 0;
  spreadMs = 0;
  #last = NaN;
  #looks = 0;
  #before = NaN;
  #least = Infinity;
  #most = -Infinity;

  /** @param {Float32Array} pcm @param {number} count */
  hear(pcm, count) {
    for (let i = 0; i < count; i++) {
      const jump = Math.abs(pcm[i] - this.#last);
      if (jump > this.jump) this.jump = jump;
      this.#last = pcm[i];
    }
  }

  /** @param {number} lateMs once each frame */
  look(lateMs) {
    this.#least = Math.min(this.#least, lateMs);
    this.#most = Math.max(this.#most, lateMs);
    if (this.#looks++ % (10_000 / frameMs) !== 0) return;
    if (this.#looks > 1) {
      this.pitchPpm = Math.max(this.pitchPpm, (Math.abs(lateMs - this.#before) / 10_000) * 1e6);
      this.spreadMs = Math.max(this.spreadMs, this.#most - this.#least);
    }
    this.#before = lateMs;
    [this.#least, this.#most] = [lateMs, lateMs];
  }
}

/**
 * The server's sample clock at time 0, in samples, and the client's clock, which runs at another
 * speed.
 */
const ORIGIN = 160_000_080.3;
const clientMs = (/** @type {number} */ ms, /** @type {number} */ ppm) =>
  5000 + ms * (1 + ppm * 1e-6);

/**
 * One exchange that begins at a time of the server's.
 * @param {ClockSync} sync @param {number} ms @param {number} clockPpm @param {() => number} random
 */
function exchange(sync, ms, clockPpm, random) {
  const up = 10 + 20 * random() ** 2;
  const down = 10 + 20 * random() ** 2;
  sync.add(clientMs(ms, clockPpm), clientMs(ms + up + down, clockPpm), ORIGIN + (ms + up) * PER_MS);
}

describe('a long call', () => {
  it.each([100, -100])(
    'of a clock that is off by %i ppm: known to a few milliseconds, and even',
    (ppm) => {
      const random = randomOf(31);
      const sync = new ClockSync(format.sampleRate);
      let [worst, before, speed] = [0, 0, 0];
      for (let ms = 0; ms < CALL_MS; ms += 2000) {
        exchange(sync, ms, ppm, random);
        for (const t of [ms + 100, ms + 1100]) {
          const clock = sync.sampleClockAt(clientMs(t, ppm));
          if (ms > SETTLED_MS) {
            worst = Math.max(worst, Math.abs(clock - ORIGIN - t * PER_MS) / PER_MS);
            speed = Math.max(speed, Math.abs((clock - before) / (1000 * PER_MS) - 1));
          }
          before = clock;
        }
      }
      expect(worst).toBeLessThan(frameMs / 4);
      expect(speed).toBeLessThan(700e-6);
      expect(sync.jumps).toBe(0);
      expect(Math.abs(sync.driftPpm + ppm)).toBeLessThan(15);
    },
  );

  it.each([
    [100, -100],
    [-100, 100],
  ])(
    'of a microphone off by %i ppm, and a clock by %i: every frame once, on the grid',
    (cardPpm, clockPpm) => {
      const random = randomOf(77);
      const clockSync = new ClockSync(format.sampleRate);
      const pcm = new Float32Array(frameSamples);
      const seen = { frame: -1, count: 0, wrong: 0, off: 0 };
      const listener = new Listener();
      const opus = {
        lookahead: 0,
        setComplexity: () => {},
        setMono: () => {},
        setPrediction: () => {},
        encode: (
          /** @type {Float32Array} */ frame,
          /** @type {Uint8Array} */ out,
          /** @type {number} */ at,
        ) => {
          pcm.set(frame);
          out[at] = 1;
          return 1;
        },
        close: () => {},
      };
      let nowMs = 0;
      const packet = new Packet();
      const uplink = new Uplink({
        format,
        clockSync,
        encoder: new PayloadEncoder(opus, format),
        send: (bytes) => {
          readPacket(bytes, packet);
          if (seen.frame >= 0 && packet.frame !== seen.frame + 1) seen.wrong += 1;
          seen.frame = packet.frame;
          seen.count += 1;
          if (nowMs < 1000) return true;
          // The tone's phase is counted from the server's time 0.
          // Sound is shifted on purpose, so that its pieces complete frames (see Uplink).
          const off = wrapped(latenessMs(pcm) - ORIGIN / PER_MS - uplink.stats().laterMs);
          seen.off = Math.max(seen.off, Math.abs(off));
          listener.hear(pcm, frameSamples);
          if (nowMs > SETTLED_MS) listener.look(off);
          return true;
        },
      });
      const chunk = new Float32Array(frameSamples);
      const rate = 1 + cardPpm * 1e-6;
      for (let i = 0; i < 8; i++) exchange(clockSync, i * 25 - 500, clockPpm, random);
      let captured = 0;
      for (let k = 1; nowMs < CALL_MS; k++) {
        for (let i = 0; i < frameSamples; i++) chunk[i] = toneAt(captured++ / rate);
        nowMs = captured / (PER_MS * rate);
        if (k % 100 === 0) exchange(clockSync, nowMs - 60, clockPpm, random);
        uplink.capture(chunk, frameSamples, clientMs(nowMs + random() * 8, clockPpm));
      }
      expect(seen.wrong).toBe(0);
      expect(Math.abs(seen.count - CALL_MS / frameMs)).toBeLessThan(15);
      expect(uplink.counters).toMatchObject({ reanchored: 0, skippedFrames: 0, droppedFrames: 0 });
      expect(seen.off).toBeLessThan(frameMs / 4);
      expect(listener.jump).toBeLessThan(1.2 * STEEPEST);
      expect(listener.pitchPpm).toBeLessThan(200);
      expect(Math.abs(uplink.driftPpm - cardPpm)).toBeLessThan(15);
    },
    180_000,
  );

  it.each([
    [100, -100],
    [-100, 100],
  ])(
    'of a speaker off by %i ppm, and a clock by %i: none lost or cut, and the delay stays',
    (cardPpm, clockPpm) => {
      const random = randomOf(5);
      const period = Float32Array.from({ length: frameSamples }, (_, i) => toneAt(i));
      const decoder = () => ({
        /** @type {import('../../../../public/shared/stream/codec.js').Decoder['decode']} */
        decode: (_bytes, _start, _length, out, at) => {
          out.set(period, at);
          return true;
        },
        conceal: (/** @type {Float32Array} */ out, /** @type {number} */ at) => out.set(period, at),
        close: () => {},
      });
      const playout = new Playout(
        format,
        [0, 1].map(() => new PayloadDecoder(decoder(), format)),
      );
      const packet = new Packet();
      const bytes = new Uint8Array(100);
      const out = new Float32Array(pullSamples(format));
      const listener = new Listener();
      const delay = { least: Infinity, most: 0 };
      const rate = 1 + cardPpm * 1e-6;
      let [pullMs, heard, lagMs, settled] = [3, 0, 0, /** @type {any} */ (null)];
      packet.level = 20;
      for (let frame = 0; frame * frameMs < CALL_MS; frame++) {
        const arrivalMs = (frame + 1) * frameMs + 30 + 3 * random();
        for (; pullMs < arrivalMs; pullMs = 3 + heard / (PER_MS * rate)) {
          const count = playout.pull(out, clientMs(pullMs + random() * 2, clockPpm));
          heard += count;
          if (pullMs < SETTLED_MS) continue;
          settled ??= { ...playout.counters };
          listener.hear(out, count);
          if (count >= frameSamples) {
            lagMs += wrapped(pullMs + latenessMs(out) - lagMs);
            listener.look(lagMs);
          }
          delay.least = Math.min(delay.least, playout.delayMs);
          delay.most = Math.max(delay.most, playout.delayMs);
        }
        packet.frame = frame;
        const at = writeAudioHeader(bytes, packet);
        bytes[at] = 1;
        const read = new Packet();
        readPacket(bytes.subarray(0, at + 1), read);
        playout.receive(read, bytes.subarray(0, at + 1), clientMs(arrivalMs, clockPpm));
      }
      const { concealed, inserted, dropped, lost, late, skipped } = playout.counters;
      expect({ concealed, inserted, dropped, lost, late, skipped }).toEqual({
        concealed: settled.concealed,
        inserted: settled.inserted,
        dropped: settled.dropped,
        lost: 0,
        late: settled.late,
        skipped: 0,
      });
      expect(delay.least).toBeGreaterThan(2);
      expect(delay.most).toBeLessThan(18);
      expect(listener.jump).toBeLessThan(1.2 * STEEPEST);
      expect(listener.pitchPpm).toBeLessThan(200);
      expect(listener.spreadMs).toBeLessThan(1);
      expect(Math.abs(playout.driftPpm - cardPpm)).toBeLessThan(15);
    },
    180_000,
  );
});
