import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { PayloadDecoder } from '../../../public/shared/stream/payload.js';
import { encodeSpeech, readSpeech } from '../../../testkit/participants/speech.js';
import { align } from '../../../testkit/sound/signal.js';
import { seededRandom } from '../../../testkit/random.js';
import { heardFrom, marksOf } from '../../ways/heard.js';
import { loadCodec } from '../../../server/codec/codec.js';

const FRAME_SAMPLES = 960;
const COUNT = 150;
const AGE_MS = 30;

const codec = await loadCodec('libopus-wasm');
const format = createAudioFormat({ frameMs: 20 });
const speech = await readSpeech(48_000);
const payloads = await encodeSpeech(format, 48_000);

/** Ages of COUNT packets. @param {(i: number) => number} [age] */
const agesOf = (age = () => AGE_MS) => Array.from({ length: COUNT }, (_, i) => age(i));

/** @param {number[]} ages @param {{ first?: number, settle?: number }} [options] */
const hear = (ages, options) => heardFrom({ codec, speech, payloads, ages, ...options });

/** The marks of what was heard. @param {ReturnType<typeof hear>} heard */
const marksOfHeard = ({ said, sound, mouthToEarMs }) => marksOf(said, sound, mouthToEarMs);

/** The payloads one after another, without a playout. */
function decoded() {
  const decoder = new PayloadDecoder(
    codec.createDecoder({ sampleRate: 48_000, frameSamples: FRAME_SAMPLES }),
    format,
  );
  const pcm = new Float32Array(COUNT * FRAME_SAMPLES);
  for (let i = 0; i < COUNT; i++)
    decoder.decode(payloads[i], 0, payloads[i].length, pcm, i * FRAME_SAMPLES);
  decoder.close();
  return pcm;
}

describe('what a listener hears of packets with ages', () => {
  it('is all of it where all come in time, later by as much as is told', () => {
    const { said, sound, presentPercent, concealedPercent, playoutDelayMs, mouthToEarMs } = hear(
      agesOf(),
      { settle: 50 },
    );
    expect([presentPercent, concealedPercent]).toEqual([100, 0]);
    expect(said).toEqual(speech.subarray(50 * FRAME_SAMPLES, COUNT * FRAME_SAMPLES));
    expect(playoutDelayMs).toBeGreaterThan(0);
    expect(playoutDelayMs).toBeLessThan(20);
    const { lag, correlation } = align(said.subarray(24_000, 48_000), sound, {
      from: 24_000,
      to: 34_000,
    });
    expect(correlation).toBeGreaterThan(0.9);
    // Opus's lookahead of 2.5 ms is in the sound, and not in the figure.
    expect(Math.abs((lag - 24_000) / 48 - 2.5 - mouthToEarMs)).toBeLessThan(1.5);
    expect(mouthToEarMs).toBeGreaterThan(20 + AGE_MS + 10 - 1);
  });

  it('has no frame that never came, nor one that came too late', () => {
    const { presentPercent, concealedPercent } = hear(
      agesOf((i) => ({ 50: Infinity, 80: Infinity, 110: 400 })[i] ?? AGE_MS),
    );
    expect(presentPercent).toBeCloseTo((100 * (COUNT - 3)) / COUNT, 9);
    expect(concealedPercent).toBeCloseTo((100 * 3) / COUNT, 9);
  });

  it('is heard later after a stall, and whole, since concealment replaced no frame', () => {
    const even = hear(agesOf());
    const stalled = hear(agesOf((i) => (i >= 50 && i < 54 ? AGE_MS + (54 - i) * 20 : AGE_MS)));
    expect(stalled.presentPercent).toBe(100);
    expect(stalled.concealedPercent).toBeGreaterThan(0);
    expect(stalled.mouthToEarMs).toBeGreaterThan(even.mouthToEarMs + 5);
    expect(stalled.playoutDelayMs).toBeGreaterThan(even.playoutDelayMs + 5);
  });

  it('counts from where it has settled, and goes around from where it is told to', () => {
    const first = payloads.length - 60;
    const { said, presentPercent } = hear(
      agesOf((i) => (i < 50 ? Infinity : AGE_MS)),
      { first, settle: 100 },
    );
    expect(presentPercent).toBe(100);
    expect(said).toEqual(speech.subarray(40 * FRAME_SAMPLES, 90 * FRAME_SAMPLES));
  });

  it('is nothing where nothing came', () => {
    const { sound, presentPercent, mouthToEarMs } = hear(agesOf(() => Infinity));
    expect([presentPercent, mouthToEarMs]).toEqual([0, NaN]);
    expect(sound.every((sample) => sample === 0)).toBe(true);
  });
});

describe('marks of what is heard', () => {
  const heard = hear(agesOf());
  const marks = marksOfHeard(heard);

  it("are the decoder's own where nothing is lost", () => {
    const own = marksOf(heard.said, decoded(), heard.mouthToEarMs);
    expect(marks.visqol).toBeCloseTo(own.visqol, 1);
    expect(marks.estoi).toBeCloseTo(own.estoi, 1);
    expect(Math.abs(marks.rating - own.rating)).toBeLessThan(2);
  });

  it('are all lower with a tenth lost', () => {
    const random = seededRandom(3);
    const lossy = marksOfHeard(hear(agesOf(() => (random() < 0.1 ? Infinity : AGE_MS))));
    expect(marks.visqol - lossy.visqol).toBeGreaterThan(0.1);
    expect(marks.estoi - lossy.estoi).toBeGreaterThan(0.03);
    expect(marks.rating - lossy.rating).toBeGreaterThan(5);
  });

  it('are lower in R alone where all comes 300 ms later', () => {
    const late = hear(agesOf(() => AGE_MS + 300));
    const later = marksOfHeard(late);
    expect(late.mouthToEarMs).toBeCloseTo(heard.mouthToEarMs + 300, 6);
    expect(later.visqol).toBeCloseTo(marks.visqol, 2);
    expect(later.estoi).toBeCloseTo(marks.estoi, 2);
    expect(marks.rating - later.rating).toBeGreaterThan(10);
  });

  it('are the lowest where nothing is heard', () => {
    expect(marksOf(heard.said, new Float32Array(heard.said.length), NaN)).toMatchObject({
      visqol: 1,
      estoi: 0,
    });
  });
});
