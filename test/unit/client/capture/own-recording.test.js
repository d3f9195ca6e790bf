import { execFileSync } from 'node:child_process';
import { mkdtempSync, rmSync, writeFileSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { OwnRecording } from '../../../../public/client/capture/own-recording.js';
import { OwnFileWriter } from '../../../../public/client/capture/recording-worker.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { readWavHeader, WAV_HEADER_BYTES } from '../../../../public/shared/sound/wav.js';
import { hasFfmpeg, ofTheMachine, requireOrSkip } from '../../../../testkit/skip.js';

const RATE = 48_000;
const PIECE = 480;
const FULL = 2 ** 23;

/** The room's clock at the device's time 0, on no frame's border. */
const ORIGIN = 5_000_017;

/** A file of the browser's own, in memory. */
class FakeHandle {
  bytes = new Uint8Array(0);
  closed = 0;
  flush() {}
  close() {
    this.closed += 1;
  }
  /** @param {Uint8Array} bytes @param {{ at: number }} options */
  write(bytes, { at }) {
    const end = at + bytes.length;
    if (end > this.bytes.length) {
      const longer = new Uint8Array(end);
      longer.set(this.bytes);
      this.bytes = longer;
    }
    this.bytes.set(bytes, at);
    return bytes.length;
  }
}

/**
 * @param {{ channels?: number, ofFile?: number, muted?: boolean, handle?: FakeHandle, stuck?:
 *   boolean, clock?: number }} [options] channels: of the room, and of the file; stuck: the disk
 *   gives nothing back; clock: the room's at time 0
 */
function setUp({ channels = 1, muted = false, handle = new FakeHandle(), ...options } = {}) {
  const { ofFile, stuck, clock } = options;
  let nowMs = 0;
  const format = createAudioFormat({ channels });
  /** @type {any[]} */
  const told = [];
  const file = new OwnFileWriter(handle, 'tea, Ann', (message) => told.push(message));
  const port = /** @type {any} */ ({
    onmessage: () => {},
    postMessage(/** @type {any} */ part) {
      file.add(part, (buffer) => stuck || port.onmessage({ data: buffer }));
    },
  });
  const time = { now: () => nowMs };
  const recording = new OwnRecording({ format, channels: ofFile, port, muted, clock: time });
  const origin = clock ?? ORIGIN;
  recording.follow({ sample: origin, atMs: 0 });
  let next = 0;
  return {
    recording,
    told,
    handle,
    /** @param {number} ms */
    pass: (ms) => (nowMs += ms),
    follow: (/** @type {number} */ sample) => recording.follow({ sample, atMs: nowMs }),
    /**
     * Captures sound that arrives as soon as it is there.
     * @param {number} seconds
     * @param {(index: number, channel: number) => number} valueOf
     * @param {number} [captured]  channels
     */
    capture(seconds, valueOf, captured = channels) {
      for (let i = 0; i < (seconds * RATE) / PIECE; i++) {
        nowMs += (PIECE * 1000) / RATE;
        const samples = Float32Array.from({ length: PIECE * captured }, (_, k) =>
          valueOf(next + Math.floor(k / captured), k % captured),
        );
        next += PIECE;
        recording.capture(samples, PIECE, RATE, 0, captured);
      }
    },
  };
}

/** @param {FakeHandle} handle @returns {Int32Array} its samples, interleaved */
function samplesOf({ bytes }) {
  const sound = bytes.subarray(WAV_HEADER_BYTES);
  return Int32Array.from(
    { length: sound.length / 3 },
    (_, i) => ((sound[3 * i] | (sound[3 * i + 1] << 8) | (sound[3 * i + 2] << 16)) << 8) >> 8,
  );
}

/** A ramp of single 24-bit steps, from which a sample's number can be read. */
const ramp = (/** @type {number} */ index) => (index + 1) / FULL;

describe('a recording of one’s own sound', () => {
  it('has each sample in 24 bits, at its place on the room’s clock', () => {
    const { recording, capture, handle, told } = setUp();
    capture(3, ramp);
    recording.stop();
    const samples = samplesOf(handle);
    const wav = readWavHeader(handle.bytes);
    expect(wav).toMatchObject({ sampleRate: RATE, channels: 1, dataBytes: samples.length * 3 });
    expect(samples.length).toBeGreaterThan(2.8 * RATE);
    // Sample k was captured when the room's clock was ORIGIN + k.
    const place = (wav?.timeReference ?? 0) - ORIGIN;
    expect(samples[0] - 1 - place).toBe(0);
    expect(samples.every((value, i) => value === samples[0] + i)).toBe(true);
    expect(told.at(-1)).toEqual({ ended: '' });
    expect(handle.closed).toBe(1);
  });

  it('has both sides of a stereo room', () => {
    const { recording, capture, handle } = setUp({ channels: 2 });
    capture(1, (index, channel) => (channel === 0 ? ramp(index) : -ramp(index)));
    recording.stop();
    const samples = samplesOf(handle);
    expect(readWavHeader(handle.bytes)?.channels).toBe(2);
    expect(samples[1001]).toBe(-samples[1000]);
    expect(samples[1002]).toBe(samples[1000] + 1);
  });

  it('has both of two inputs in a mono room, and one on both sides when there is one again', () => {
    const { recording, capture, handle } = setUp({ ofFile: 2 });
    const sides = (/** @type {number} */ index, /** @type {number} */ channel) =>
      channel === 0 ? ramp(index) : -ramp(index);
    capture(1, sides, 2);
    capture(1, sides, 1);
    recording.stop();
    const samples = samplesOf(handle);
    expect(readWavHeader(handle.bytes)?.channels).toBe(2);
    expect(samples[1001]).toBe(-samples[1000]);
    const last = samples.length - 2;
    expect([samples[last + 1], samples[last - 2]]).toEqual([samples[last], samples[last] - 1]);
  });

  it('has the voice of two inputs where it began with one', () => {
    const { recording, capture, handle } = setUp();
    capture(1, ramp);
    capture(1, (index, channel) => (channel === 0 ? ramp(index) : 0.5), 2);
    recording.stop();
    const samples = samplesOf(handle);
    expect(readWavHeader(handle.bytes)?.channels).toBe(1);
    expect(samples.every((value, i) => value === samples[0] + i)).toBe(true);
  });

  it('is silent in gaps and while muted, so that all later sound is at its place', () => {
    const { recording, capture, pass, handle } = setUp();
    const tone = () => 0.25;
    capture(1, tone);
    pass(2000);
    recording.restartCapture();
    capture(1, tone);
    recording.mute(true);
    capture(1, tone);
    recording.mute(false);
    capture(1, tone);
    recording.stop();
    const samples = samplesOf(handle);
    const { timeReference = 0 } = readWavHeader(handle.bytes) ?? {};
    const at = (/** @type {number} */ seconds) =>
      samples[Math.round(ORIGIN + seconds * RATE - timeReference)];
    expect([0.9, 1.5, 2.9, 3.9, 4.5, 5.9].map(at)).toEqual([FULL / 4, 0, 0, FULL / 4, 0, FULL / 4]);
    // Muting fades: no step is larger than that of 5 ms.
    const muted = samples.subarray(Math.round(ORIGIN + 3.9 * RATE - timeReference));
    const steps = muted.map((value, i) => Math.abs(value - (muted[i - 1] ?? value)));
    expect(Math.max(...steps)).toBeLessThanOrEqual(Math.ceil(FULL / 4 / 240) + 1);
  });

  it('goes on when another server has another clock', () => {
    const { recording, capture, follow, handle } = setUp();
    capture(1, ramp);
    follow(77);
    capture(1, ramp);
    recording.stop();
    const samples = samplesOf(handle);
    expect(samples.length).toBeLessThan(2 * RATE);
    expect(samples.length).toBeGreaterThan(1.7 * RATE);
    expect(samples.at(-1)).toBe(samples[0] + samples.length - 1);
  });

  it('ends when the room comes back with another sample rate, and keeps what is there', () => {
    const { recording, capture, handle, told } = setUp();
    capture(1, ramp);
    recording.joined(createAudioFormat({ channels: 2, frameMs: 10 }));
    capture(1, ramp);
    recording.joined(createAudioFormat({ sampleRate: 24_000 }));
    capture(1, ramp);
    expect(told.at(-1)).toEqual({ ended: 'own-rate' });
    const { dataBytes = 0 } = readWavHeader(handle.bytes) ?? {};
    expect(dataBytes / 3 / RATE).toBeGreaterThan(1.8);
    expect(dataBytes / 3 / RATE).toBeLessThanOrEqual(2);
  });

  it('begins muted for a muted person, and waits for the room’s clock', () => {
    const { recording, capture, handle } = setUp({ muted: true, clock: NaN });
    capture(1, () => 0.5);
    recording.follow({ sample: 9000, atMs: 1000 });
    capture(1, () => 0.5);
    recording.stop();
    expect(samplesOf(handle).every((value) => value === 0)).toBe(true);
  });

  it('clips, and rounds to the nearest step', () => {
    const values = [1.5, -1.5, 0.4 / FULL, 0.6 / FULL, -0.6 / FULL];
    const { recording, capture, handle } = setUp();
    capture(1, (index) => values[index % values.length]);
    recording.stop();
    expect(new Set(samplesOf(handle))).toEqual(new Set([FULL - 1, -FULL, 0, 1, -1]));
  });

  it('stops when the disk is full, too slow or broken, and keeps what is there', () => {
    class Full extends FakeHandle {
      /** @override @type {FakeHandle['write']} */
      write(bytes, options) {
        if (options.at > 200_000) throw Object.assign(new Error(), { name: this.reason });
        return super.write(bytes, options);
      }
      reason = 'QuotaExceededError';
    }
    const full = setUp({ handle: new Full() });
    full.capture(4, ramp);
    expect(full.told.at(-1)).toEqual({ ended: 'own-full' });
    const { dataBytes = 0 } = readWavHeader(full.handle.bytes) ?? {};
    expect(WAV_HEADER_BYTES + dataBytes).toBe(full.handle.bytes.length);

    const broken = setUp({ handle: Object.assign(new Full(), { reason: 'InvalidStateError' }) });
    broken.capture(4, ramp);
    expect(broken.told.at(-1)).toEqual({ ended: 'own-failed' });

    const slow = setUp({ stuck: true });
    slow.capture(30, ramp);
    expect(slow.told.at(-1)).toEqual({ ended: 'own-slow' });
  });

  const withFfmpeg = requireOrSkip(hasFfmpeg(), 'ffmpeg is not installed', ofTheMachine);
  withFfmpeg.it('is read by ffprobe with its place', () => {
    const { recording, capture, handle } = setUp();
    capture(1, ramp);
    recording.stop();
    const directory = mkdtempSync(join(tmpdir(), 'own-'));
    const path = join(directory, 'x.wav');
    writeFileSync(path, handle.bytes);
    try {
      const probe = execFileSync('ffprobe', [
        ...['-v', 'error', '-of', 'json', '-show_entries', 'stream:format_tags', path],
      ]);
      const { streams, format } = JSON.parse(probe.toString());
      expect(streams[0]).toMatchObject({ codec_name: 'pcm_s24le', sample_rate: '48000' });
      const { timeReference } = readWavHeader(handle.bytes) ?? {};
      expect(format.tags.time_reference).toBe(String(timeReference));
    } finally {
      rmSync(directory, { recursive: true });
    }
  });
});
