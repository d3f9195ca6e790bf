import { describe, expect, it } from 'vitest';
import { readWav } from '../../../../testkit/sound/wav.js';
import { VoiceActivity } from '../../../../public/client/capture/voice-activity.js';
import { createAudioFormat } from '../../../../public/shared/sound/audio-format.js';
import { random as randomOf } from '../../../fakes/random.js';

const RATE = 48_000;
const TAU = 2 * Math.PI;

const speeches = await Promise.all(
  ['speech-low', 'speech-high'].map(async (name) => {
    const { channels } = await readWav(
      new URL(`../../../../testkit/speech/${name}.wav`, import.meta.url),
    );
    return channels[0];
  }),
);

/** @param {Float32Array} samples */
function rmsOf(samples) {
  let sum = 0;
  for (let i = 0; i < samples.length; i++) sum += samples[i] * samples[i];
  return Math.sqrt(sum / samples.length);
}

/** Silence, then speech with pauses of five seconds. @param {number} seconds */
function speechOf(seconds) {
  const clean = new Float32Array(seconds * RATE);
  let turn = 0;
  for (let at = 10 * RATE; ; turn++) {
    const speech = speeches[turn % 2];
    if (at + speech.length > clean.length) return clean;
    clean.set(speech, at);
    at += speech.length + 3 * RATE;
  }
}

/** @type {Record<string, () => () => number>} noise of any loudness */
const noises = {
  white: () => gauss(7),
  pink: () => {
    const next = gauss(8);
    const slow = [0, 0, 0];
    return () => {
      const white = next();
      slow[0] = 0.99765 * slow[0] + white * 0.099;
      slow[1] = 0.963 * slow[1] + white * 0.2965;
      slow[2] = 0.57 * slow[2] + white * 1.0527;
      return slow[0] + slow[1] + slow[2] + 0.1848 * white;
    };
  },
  fan: () => {
    const next = gauss(9);
    let [slow, n] = [0, 0];
    return () => {
      slow = 0.99 * slow + 0.1 * next();
      const t = n++ / RATE;
      return slow * (1 + 0.12 * Math.sin(TAU * 1.3 * t)) + 0.5 * Math.sin(TAU * 120 * t);
    };
  },
  hum: () => {
    let n = 0;
    return () => {
      const t = n++ / RATE;
      return [1, 2, 3, 5, 7].reduce((sum, h) => sum + Math.sin(TAU * 50 * h * t + h) / h, 0);
    };
  },
};

/** @param {number} seed */
function gauss(seed) {
  const random = randomOf(seed);
  return () => {
    let sum = -6;
    for (let i = 0; i < 12; i++) sum += random();
    return sum;
  };
}

/** Half a minute of each noise, made once. @type {Map<string, Float32Array>} */
const made = new Map();

/** @param {string} kind @param {number} length @param {number} rms */
function noiseOf(kind, length, rms) {
  let noise = made.get(kind);
  if (!noise) {
    noise = new Float32Array(30 * RATE);
    for (let i = 0, next = noises[kind](); i < noise.length; i++) noise[i] = next();
    made.set(kind, noise);
  }
  const part = noise.subarray(0, length);
  const gain = rms / rmsOf(part);
  return part.map((sample) => sample * gain);
}

/**
 * Says how much of the speech above the noise is taken for sound, and how often silence is.
 * @param {Float32Array} clean @param {Float32Array} noise @param {number} frameMs
 */
function judge(clean, noise, frameMs) {
  const format = createAudioFormat({ frameMs });
  const { frameSamples } = format;
  const activity = new VoiceActivity(format);
  const noisePower = rmsOf(noise) ** 2;
  const pcm = new Float32Array(frameSamples);
  let [spoken, sent, pauses, taken, sinceSpeech] = [0, 0, 0, 0, RATE];
  for (let from = 0; from + frameSamples <= clean.length; from += frameSamples) {
    for (let i = 0; i < frameSamples; i++) pcm[i] = clean[from + i] + noise[from + i];
    const active = activity.next(pcm);
    for (let at = from; at < from + frameSamples; at += 120) {
      const power = rmsOf(clean.subarray(at, at + 120)) ** 2;
      sinceSpeech = power > 1e-9 ? 0 : sinceSpeech + 120;
      if (power < 10 * noisePower || power < 1e-8) continue;
      spoken += power;
      if (active) sent += power;
    }
    if (sinceSpeech < 0.5 * RATE || from < 5 * RATE) continue;
    pauses += 1;
    if (active) taken += 1;
  }
  return { sentShare: sent / spoken, falseShare: taken / pauses };
}

describe('VoiceActivity', () => {
  const clean = speechOf(30);
  const loudness = rmsOf(speeches[0]);
  /** @type {[string, number, number][]} */
  const cases = [
    ['white', 3, 20],
    ['white', 15, 2.5],
    ['pink', 5, 20],
    ['pink', 10, 60],
    ['fan', 6, 20],
    ['hum', 0, 20],
  ];
  it.each(cases)(
    'sends the speech in %s noise %i dB below it, and none of the noise (frames of %f ms)',
    (kind, snr, frameMs) => {
      const noise = noiseOf(kind, clean.length, loudness / 10 ** (snr / 20));
      const { sentShare, falseShare } = judge(clean, noise, frameMs);
      expect(sentShare).toBeGreaterThanOrEqual(0.999);
      expect(falseShare).toBeLessThan(0.02);
    },
  );

  it.each([20, 2.5])(
    'sends the speech of a quiet room, and no pause (frames of %f ms)',
    (frameMs) => {
      const { sentShare, falseShare } = judge(clean, new Float32Array(clean.length), frameMs);
      expect(sentShare).toBeGreaterThanOrEqual(0.999);
      expect(falseShare).toBeLessThan(0.001);
    },
  );

  it('hears a soft voice, at -55 dBFS', () => {
    const soft = clean.map((sample) => (sample / loudness) * 10 ** (-55 / 20));
    const { sentShare } = judge(soft, noiseOf('white', clean.length, 10 ** (-80 / 20)), 20);
    expect(sentShare).toBeGreaterThanOrEqual(0.999);
  });

  /**
   * @param {() => number} next
   * @param {number} seconds
   * @returns {boolean[]} for each frame of 20 ms
   */
  const follow = (next, seconds) => {
    const activity = new VoiceActivity(createAudioFormat());
    const pcm = new Float32Array(960);
    return Array.from({ length: seconds * 50 }, () => {
      for (let i = 0; i < pcm.length; i++) pcm[i] = next();
      return activity.next(pcm);
    });
  };

  /** @type {[string, number][]} */
  const steady = [
    ['white', -65],
    ['fan', -40],
    ['hum', -10],
  ];
  it.each(steady)(
    'takes steady %s for silence after some seconds, at %i dBFS and when it changes',
    (kind, db) => {
      const noise = noiseOf(kind, 26 * RATE, 10 ** (db / 20));
      let n = 0;
      const active = follow(() => noise[n] * (n++ < 12 * RATE ? 0.1 : 1), 26);
      expect(active.slice(4 * 50, 12 * 50).filter(Boolean).length).toBe(0);
      // Louder by 20 dB it is sound at first, and noise again after ten seconds.
      expect(active.slice(12 * 50 + 1, 18 * 50).every(Boolean)).toBe(true);
      expect(active.slice(22 * 50).filter(Boolean).length).toBeLessThan(10);
    },
  );

  it('takes music and singing for sound, however even they are', () => {
    const scale = [262, 294, 330, 349, 392, 440, 494, 523];
    const random = randomOf(3);
    let [n, phase, hz] = [0, 0, 262];
    const melody = () => {
      if (n++ % (RATE / 2) === 0) hz = scale[Math.floor(random() * 8)];
      return 0.2 * Math.sin((phase += (TAU * hz) / RATE));
    };
    expect(follow(melody, 30).slice(50).every(Boolean)).toBe(true);

    [n, phase] = [0, 0];
    const singing = () => {
      const t = n++ / RATE;
      const vibrato = Math.sin(TAU * 5.5 * t);
      phase += (TAU * (scale[Math.floor(t / 4) % 8] / 2) * (1 + 0.02 * vibrato)) / RATE;
      let sum = 0;
      for (let h = 1; h < 12; h++) sum += Math.sin(h * phase) / h;
      return 0.1 * sum;
    };
    expect(
      follow(singing, 30)
        .slice(5 * 50)
        .every(Boolean),
    ).toBe(true);

    n = 0;
    const piano = () => {
      const t = n++ / RATE;
      return 0.4 * Math.exp(-1.5 * (t % 3)) * Math.sin(TAU * scale[Math.floor(t / 3) % 8] * t);
    };
    expect(
      follow(piano, 30)
        .slice(5 * 50)
        .filter(Boolean).length,
    ).toBeGreaterThan(0.98 * 25 * 50);
  });

  it('takes for sound what isn’t a number for no longer than it lasts', () => {
    const activity = new VoiceActivity(createAudioFormat());
    activity.next(new Float32Array(960).fill(NaN));
    for (let i = 0; i < 50; i++) activity.next(new Float32Array(960));
    expect(activity.next(new Float32Array(960))).toBe(false);
    expect(activity.next(Float32Array.from({ length: 960 }, () => Math.random() - 0.5))).toBe(true);
  });
});
