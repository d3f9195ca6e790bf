import { expect, it } from 'vitest';
import { random } from '../../fakes/random.js';
import { opusOrNull } from '../../../testkit/native.js';
import { readSpeech } from '../../../testkit/participants/speech.js';
import { canBuildOpus, requireOrSkip } from '../../../testkit/skip.js';

const opus = opusOrNull();
const native = requireOrSkip(opus, 'the native Opus codec is not built', canBuildOpus);
const { OpusEncoder, shareAnalysis } = /** @type {NonNullable<typeof opus>} */ (opus ?? {});

/** Numbers of libopus for applications. */
const VOIP = 2048;
const LOW_DELAY = 2051;
const CELT = 2053;

const FRAMES = 60;
const speech = await readSpeech(48000);

/** @param {number} samples of each frame @param {number} [seed] noise is added */
function framesOf(samples, seed) {
  const next = random(seed ?? 1);
  return Array.from({ length: FRAMES }, (_, i) =>
    speech
      .slice(i * samples, (i + 1) * samples)
      .map((value) => value + (seed === undefined ? 0 : 0.05 * (2 * next() - 1))),
  );
}

/**
 * Encodes with two encoders, frame by frame.
 * @param {Float32Array[][]} sounds frames of the first and of the second
 * @param {{ application?: number, complexity?: number, isAlike?: boolean }} [options]
 * @returns {string[][]} payloads of the first and of the second
 */
function encode(sounds, { application = CELT, complexity = 8, isAlike = true } = {}) {
  const encoders = sounds.map(
    ([{ length }]) => new OpusEncoder(48000, length, 48000, complexity, application, 1),
  );
  const out = new Uint8Array(1275);
  const payloads = sounds.map(() => /** @type {string[]} */ ([]));
  for (let frame = 0; frame < FRAMES; frame++) {
    shareAnalysis(isAlike);
    for (const [i, encoder] of encoders.entries()) {
      expect(encoder.begin(sounds[i][frame], out.length)).toBe(true);
      if (!isAlike) payloads[i].push(take(encoder, out));
    }
    shareAnalysis(false);
    if (isAlike)
      for (const [i, encoder] of encoders.entries()) payloads[i].push(take(encoder, out));
  }
  for (const encoder of encoders) encoder.close();
  return payloads;
}

/** @param {InstanceType<typeof OpusEncoder>} encoder @param {Uint8Array} out */
const take = (encoder, out) => Buffer.from(out.subarray(0, encoder.end(out, 0))).toString('hex');

/**
 * Reads the period of a CELT frame's postfilter (RFC 6716, sections 4.1 and 4.3.7.1).
 * @param {string} payload of one frame
 * @returns {number} in samples; 0 without a postfilter
 */
function periodOf(payload) {
  const [, ...bytes] = Buffer.from(payload, 'hex');
  let [at, last, range] = [1, bytes[0], 128];
  let value = 127 - (last >> 1);
  const normalize = () => {
    while (range <= 2 ** 23) {
      const next = bytes[at++] ?? 0;
      const symbol = (((last << 8) | next) >> 1) & 255;
      range *= 256;
      value = (value * 256 + 255 - symbol) % 2 ** 31;
      last = next;
    }
  };
  const readFlag = (/** @type {number} */ log) => {
    const part = Math.floor(range / 2 ** log);
    const isSet = value < part;
    if (!isSet) value -= part;
    range = isSet ? part : range - part;
    normalize();
    return isSet;
  };
  normalize();
  const isSilent = readFlag(15);
  if (isSilent || !readFlag(1)) return 0;
  const part = Math.floor(range / 6);
  const octave = 6 - Math.min(Math.floor(value / part) + 1, 6);
  // Raw bits are read from the payload's end.
  const [first = 0, second = 0] = bytes.reverse();
  return (16 << octave) + (((second << 8) | first) & (2 ** (4 + octave) - 1)) - 1;
}

native.describe('the analysis of sound that is alike', () => {
  it.each([
    [LOW_DELAY, 960],
    [CELT, 960],
    [CELT, 480],
    [CELT, 120],
  ])('gives the same packets where it is the same sound: %i, %i samples', (application, n) => {
    const sound = framesOf(n);
    const [first, second] = encode([sound, sound], { application });
    expect(second).toEqual(first);
    expect(first).toEqual(encode([sound, sound], { application, isAlike: false })[0]);
  });

  it.runIf(process.platform === 'linux')('is the first one in another encoder, too', () => {
    const sounds = [framesOf(960), framesOf(960, 7)];
    const [first, second] = encode(sounds);
    const alone = encode(sounds, { isAlike: false });
    expect(first).toEqual(alone[0]);
    expect(second).not.toEqual(alone[1]);
  });

  it.runIf(process.platform === 'linux')('has the pitch of the first one', () => {
    const sounds = [framesOf(960), framesOf(960, 7)];
    const [first, second] = encode(sounds).map((payloads) => payloads.map(periodOf));
    const alone = encode(sounds, { isAlike: false })[1].map(periodOf);
    const isOther = (/** @type {number} */ period, /** @type {number} */ i) =>
      period > 0 && first[i] > 0 && period !== first[i];
    expect(alone.filter(isOther)).not.toEqual([]);
    expect(second.filter(isOther)).toEqual([]);
    expect(second.filter((period) => period > 0).length).toBeGreaterThan(FRAMES / 4);
  });

  it.each([
    ['speech and hybrid modes', { application: VOIP }, 960, 960],
    ['encoders without analysis', { complexity: 5 }, 960, 960],
    ['frames of more than 20 ms', {}, 1920, 1920],
    ['frames of different lengths', {}, 960, 480],
  ])('is not shared by %s', (_, options, one, other) => {
    const sounds = [framesOf(one), framesOf(other, 7)];
    expect(encode(sounds, options)).toEqual(encode(sounds, { ...options, isAlike: false }));
  });
});
