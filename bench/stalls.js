/**
 * Measures what a stall does to a voice that goes on: for how long it is heard later, and what
 * catching up costs its quality. With the server's Source and the client's Playout, Opus, and
 * clocks of its own: no sockets, no real time.
 */

import { Command, InvalidArgumentError } from 'commander';
import { framesToScale, TimeScale } from '../public/shared/sound/time-scale.js';
import { loadCodec } from '../server/codec/codec.js';
import {
  decodedSound,
  heardByListener,
  heardByServer,
  packetsOf,
} from '../testkit/sound/voice-path.js';
import { wholeNumber } from './options.js';
import { textTable } from './report/text-table.js';
import { stallTargets } from './scenarios/targets.js';
import { stallFigure } from './stats/bootstrap.js';
import { seededRandom } from '../testkit/random.js';
import { align, fft, levelDb } from '../testkit/sound/signal.js';
import { PIECE_MS, pieceDelays } from '../testkit/sound/sound-lag.js';
import { quantile, sorted } from '../testkit/statistics.js';
import { visqol } from './stats/visqol.js';
import { readWav } from '../testkit/sound/wav.js';

/** @import { SentVoice } from '../testkit/sound/voice-path.js' */

const RATE = 48_000;

/** The shortest call: its stall begins within 5 to 7 s, and what comes after is marked. */
const LEAST_SECONDS = 13;
const MOST_SECONDS = 120;

/** Most seconds after a stall that are marked on their own. */
const AFTER_SECONDS = 8;

/** The stall begins within this time, in milliseconds. */
const FROM_MS = 5000;
const TO_MS = 7000;

/**
 * The time before a call's end in which no piece is looked for, in milliseconds: what it says may
 * be heard after the end.
 */
const END_MS = 600;

/** Range beyond the stall in which a piece is looked for, in milliseconds. */
const BEYOND_MS = 300;

/** The longest stall: the voices say the same again after some 6.3 s. */
const MOST_STALL_MS = 5000;

/**
 * A voice is in time again when it is heard no later than this beyond what was before, in
 * milliseconds.
 */
const IN_TIME_MS = 10;

const codec = await loadCodec();
const samplesIn = (/** @type {number} */ ms) => Math.round((ms * RATE) / 1000);

/**
 * Speech as packets, each of which comes when its frame ends, or when the stall does.
 * @param {Float32Array} said
 * @param {number} frameMs
 * @param {{ fromMs: number, toMs: number }} stall
 */
function stalledPackets(said, frameMs, { fromMs, toMs }) {
  const { format, packets } = packetsOf(codec, said, {
    frameMs,
    bitrate: 64_000,
    application: 'audio',
  });
  return {
    format,
    packets: packets.map(({ bytes, atMs }) => ({
      bytes,
      atMs: atMs >= fromMs && atMs < toMs ? toMs : atMs,
    })),
  };
}

/** Through the server, which mixes each frame when it ends. @type {Way} */
const uplink = (sent, seconds) => heardByServer(codec, sent, seconds * RATE);

/** Through a listener's playout. @type {Way} */
const downlink = (sent, seconds) => heardByListener(codec, sent, seconds * RATE).sound;

/** @typedef {(sent: SentVoice, seconds: number) => Float32Array} Way  returns the heard sound */
/** @type {Record<string, Way>} */
const WAYS = Object.freeze({
  'uplink, at the server': uplink,
  'downlink, at the client': downlink,
});

/**
 * @param {Float32Array} said
 * @param {Float32Array} heard
 * @param {number} fromMs @param {number} toMs
 */
const delaysOf = (said, heard, fromMs, toMs) =>
  pieceDelays(said, heard, {
    sampleRate: RATE,
    fromMs,
    toMs,
    mostMs: Math.max(END_MS, options.stall + BEYOND_MS),
  });

/** The steepest step from one sample to the next. @param {Float32Array} sound */
const steepest = (sound) =>
  sound.reduce((most, x, i) => Math.max(most, i > 0 ? Math.abs(x - sound[i - 1]) : 0), 0);

/**
 * Movement of undisturbed sound, in milliseconds, once the delay has settled.
 * @param {Float32Array} decoded  the decoder's output: Opus itself moves pieces by a sample
 * @param {Float32Array} untouched
 */
function movedMs(decoded, untouched) {
  const delays = delaysOf(decoded, untouched, FROM_MS, 1000 * options.seconds - END_MS).map(
    ({ delayMs }) => delayMs,
  );
  return delays.length === 0 ? NaN : Math.max(...delays) - Math.min(...delays);
}

/**
 * @param {Way} way
 * @param {Float32Array} said
 * @param {Float32Array} untouched  heard sound without a stall
 * @param {number} frameMs
 * @param {number} fromMs  time of the stall
 * @param {number} stallMs
 */
function measure(way, said, untouched, frameMs, fromMs, stallMs) {
  const toMs = fromMs + stallMs;
  const stalled = way(stalledPackets(said, frameMs, { fromMs, toMs }), options.seconds);
  const before = quantile(
    sorted(delaysOf(said, stalled, fromMs - 1500, fromMs).map(({ delayMs }) => delayMs)),
    0.5,
  );
  const after = delaysOf(said, stalled, fromMs, fromMs + 5000);
  const lastLate = after.findLast(({ delayMs }) => delayMs > before + IN_TIME_MS);
  // The quality is that of the sound from the stall's end on, not of the wait.
  const partAfter = (/** @type {Float32Array} */ sound, /** @type {number} */ ms) =>
    sound.subarray(samplesIn(ms), samplesIn(ms + 1000 * AFTER_SECONDS));
  const markOf = (/** @type {Float32Array} */ heard, /** @type {number} */ ms) =>
    visqol(partAfter(said, fromMs + 100), partAfter(heard, ms), { sampleRate: RATE }).mos;
  const [mark, markUntouched] = [markOf(stalled, toMs), markOf(untouched, fromMs)];
  const [whole, wholeUntouched] = [stalled, untouched].map(
    (heard) => visqol(said, heard.subarray(samplesIn(before)), { sampleRate: RATE }).mos,
  );
  return {
    mostMs: Math.max(...after.map(({ delayMs }) => delayMs)) - before,
    backSeconds:
      after.length === 0
        ? NaN
        : lastLate === undefined
          ? 0
          : (lastLate.ms + PIECE_MS - toMs) / 1000,
    markUntouched,
    worse: markUntouched - mark,
    worseWhole: wholeUntouched - whole,
    steeper: steepest(stalled) / steepest(said),
  };
}

/** The sound that a TimeScale is given at once. */
const SCALE_SAMPLES = samplesIn(framesToScale({ frameMs: 20 }) * 20);

/**
 * The level below which sound is a pause, in dBFS, and the part of a pause that is kept, in
 * milliseconds.
 */
const QUIET_DB = -50;
const KEPT_QUIET_MS = 40;

/**
 * @typedef {(said: Float32Array, samples: number) => Float32Array} Remedy speech that is shorter by
 *   so many samples at most
 */

/** @param {number} share @returns {Remedy} */
const faster = (share) => (said, samples) => {
  const left = Math.min(samples, Math.floor((said.length * share) / (1 + share)));
  const out = new Float32Array(said.length - left);
  for (let i = 0; i < out.length; i++) {
    const place = i + Math.min(i * share, left);
    const k = Math.floor(place);
    out[i] = said[k] + (place - k) * ((said[k + 1] ?? 0) - said[k]);
  }
  return out;
};

/** @type {Record<string, Remedy>} */
const REMEDIES = Object.freeze({
  'made shorter, as above': (said, samples) => {
    const scale = new TimeScale({ sampleRate: RATE, channels: 1 });
    const out = new Float32Array(said.length);
    let [at, count, waiting, left] = [0, 0, 0, samples];
    const pcm = new Float32Array(SCALE_SAMPLES);
    while (at + SCALE_SAMPLES - waiting <= said.length) {
      const fresh = SCALE_SAMPLES - waiting;
      pcm.set(said.subarray(at, at + fresh), waiting);
      at += fresh;
      const length = scale.shorten(pcm, SCALE_SAMPLES, fresh, left);
      left -= SCALE_SAMPLES - length;
      waiting = Math.floor(length / 2);
      out.set(pcm.subarray(0, length - waiting), count);
      count += length - waiting;
      pcm.copyWithin(0, length - waiting, length);
    }
    for (const rest of [pcm.subarray(0, waiting), said.subarray(at)]) {
      out.set(rest, count);
      count += rest.length;
    }
    return out.subarray(0, count);
  },
  'played faster by a tenth': faster(0.1),
  'played faster by 0.3 %': faster(0.003),
  'in pauses alone': (said, samples) => {
    const out = new Float32Array(said.length);
    const step = samplesIn(10);
    let [count, quiet, left] = [0, 0, samples];
    for (let at = 0; at + step <= said.length; at += step) {
      const piece = said.subarray(at, at + step);
      quiet = levelDb(piece) < QUIET_DB ? quiet + step : 0;
      if (quiet > samplesIn(KEPT_QUIET_MS) && left > 0) {
        left -= step;
        continue;
      }
      out.set(piece, count);
      count += step;
    }
    return out.subarray(0, count);
  },
  'left out at once': (said, samples) => said.subarray(samples),
});

/**
 * The cost of shorter speech on its own, without a network and Opus: the median by which ViSQOL is
 * below its best mark.
 * @param {Remedy} remedy
 */
function costOf(remedy) {
  const lead = samplesIn(100);
  const costs = voices.flatMap((said) =>
    moments.map((fromMs) => {
      const speech = said.subarray(samplesIn(fromMs), samplesIn(fromMs + 1000 * AFTER_SECONDS));
      const shorter = remedy(speech.subarray(lead), samplesIn(options.stall));
      const heard = new Float32Array(lead + shorter.length);
      heard.set(speech.subarray(0, lead));
      heard.set(shorter, lead);
      const markOf = (/** @type {Float32Array} */ sound) =>
        visqol(speech, sound, { sampleRate: RATE }).mos;
      return markOf(speech) - markOf(heard);
    }),
  );
  return {
    estimate: quantile(sorted(costs), 0.5),
    least: Math.min(...costs),
    most: Math.max(...costs),
  };
}

/** The window by which spectra are compared, in samples, and the frequencies that count, in Hz. */
const WINDOW_SAMPLES = 8192;
const LEAST_HZ = 80;
const MOST_HZ = 8000;

/** Chords of four notes with overtones, a bass and a drum, one after the other. */
function chords() {
  const notes = seededRandom(2);
  const sound = new Float32Array(options.seconds * RATE);
  const length = RATE / 2;
  for (let k = 0; k * length < sound.length; k++) {
    const root = [-9, 0, -4, -2][(k >> 2) % 4];
    for (const step of [-12, 0, 4, 7, 12]) {
      const hz = 220 * 2 ** ((root + step) / 12) * (1 + (notes() - 0.5) / 1000);
      const phase = notes() * 2 * Math.PI;
      for (let i = 0; i < 2 * length && k * length + i < sound.length; i++) {
        const t = i / RATE;
        for (let n = 1; n <= 6; n++)
          sound[k * length + i] +=
            (0.05 / n) *
            Math.exp(-3 * t * Math.sqrt(n)) *
            Math.min(1, 200 * t) *
            Math.sin(2 * Math.PI * hz * n * t + phase);
      }
    }
    for (let i = 0; i < length / 4; i++)
      sound[k * length + i] += 0.1 * (notes() - 0.5) * Math.exp((-30 * i) / RATE);
  }
  return sound;
}

/**
 * @param {Float32Array} samples WINDOW_SAMPLES of them
 * @returns {Float64Array} its levels by frequency, in dB
 */
function spectrumOf(samples) {
  const re = Float64Array.from(
    samples,
    (x, i) => x * (0.5 - 0.5 * Math.cos((2 * Math.PI * i) / WINDOW_SAMPLES)),
  );
  const im = new Float64Array(WINDOW_SAMPLES);
  fft(re, im);
  return re.map((x, i) => 10 * Math.log10(x * x + im[i] * im[i] + 1e-4));
}

/**
 * Distance of spectra in dB: the root mean square over time and frequency, each piece at its best
 * alignment.
 * @param {Float32Array} said
 * @param {Float32Array} heard
 */
function spectrumOff(said, heard) {
  const [least, most] = [LEAST_HZ, MOST_HZ].map((hz) => Math.round((hz * WINDOW_SAMPLES) / RATE));
  let [sum, count] = [0, 0];
  for (let at = 0; at + WINDOW_SAMPLES <= heard.length; at += WINDOW_SAMPLES) {
    const piece = heard.subarray(at, at + WINDOW_SAMPLES);
    const { lag } = align(piece, said, { from: at - 480, to: at + samplesIn(options.stall) + 480 });
    const [a, b] = [spectrumOf(piece), spectrumOf(said.slice(lag, lag + WINDOW_SAMPLES))];
    for (let k = least; k <= most; k++) sum += (a[k] - b[k]) ** 2;
    count += most + 1 - least;
  }
  return Math.sqrt(sum / count);
}

/** The ways of being shorter, and what each does to a voice and to music within three seconds. */
function musicRows() {
  const sounds = { 'a voice': voices[0], chords: chords() };
  return Object.entries(sounds).flatMap(([sound, said]) =>
    Object.entries(REMEDIES).map(([remedy, apply]) => {
      const from = samplesIn(FROM_MS);
      const piece = said.subarray(from, from + 3 * RATE);
      const heard = apply(piece, samplesIn(options.stall));
      return {
        name: `${sound}, ${remedy}`,
        shorterMs: (1000 * (piece.length - heard.length)) / RATE,
        off: spectrumOff(said.subarray(from), heard),
      };
    }),
  );
}

/** @param {string} text */
function milliseconds(text) {
  const value = Number(text);
  if ([5, 10, 20, 40, 60].includes(value)) return value;
  throw new InvalidArgumentError('must be 5, 10, 20, 40 or 60');
}

const options = new Command('stalls')
  .description(
    'What a stall does to a voice that goes on: for how long it is heard later, and what ' +
      'catching up costs.',
  )
  .option('--stall <ms>', 'how long nothing comes', wholeNumber(1, MOST_STALL_MS), 300)
  .option(
    '--seconds <n>',
    'the length of a call, of which ViSQOL marks the whole too',
    wholeNumber(LEAST_SECONDS, MOST_SECONDS),
    30,
  )
  .option('--frame <ms>', 'the length of a frame', milliseconds, 20)
  .option(
    '--calls <n>',
    'calls for each voice, which stall at other moments',
    wholeNumber(1, 100),
    6,
  )
  .option('--seed <n>', 'of the moments', wholeNumber(1, 10_000), 1)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

const VOICES = ['speech-low', 'speech-high'];
const random = seededRandom(options.seed);
const moments = Array.from({ length: options.calls }, () =>
  Math.round(FROM_MS + random() * (TO_MS - FROM_MS)),
);
const voices = /** @type {Float32Array[]} */ ([]);
for (const name of VOICES) {
  const {
    channels: [speech],
  } = await readWav(new URL(`../testkit/speech/${name}.wav`, import.meta.url));
  voices.push(
    Float32Array.from({ length: options.seconds * RATE }, (_, i) => speech[i % speech.length]),
  );
}

const rows = Object.entries(WAYS).map(([name, way]) => {
  const ofVoices = voices.map((said) => {
    const sent = stalledPackets(said, options.frame, { fromMs: 0, toMs: 0 });
    const untouched = way(sent, options.seconds);
    const moved = movedMs(decodedSound(codec, sent), untouched);
    return moments.map((fromMs) => {
      process.stderr.write(`\r${name}: ${fromMs} ms \x1b[K`);
      return { ...measure(way, said, untouched, options.frame, fromMs, options.stall), moved };
    });
  });
  const figure = (/** @type {keyof typeof ofVoices[0][0]} */ what, /** @type {number} */ digits) =>
    stallFigure(
      ofVoices.map((calls) => calls.map((call) => call[what])),
      digits,
    );
  return {
    name,
    calls: ofVoices.flat().length,
    most: figure('mostMs', 0),
    back: figure('backSeconds', 1),
    untouched: figure('markUntouched', 2),
    worse: figure('worse', 2),
    worseWhole: figure('worseWhole', 2),
    steeper: figure('steeper', 2),
    moved: figure('moved', 2),
  };
});
process.stderr.write('\r\x1b[K');
const costs = Object.entries(REMEDIES).map(([name, remedy]) => ({ name, ...costOf(remedy) }));

const music = musicRows();

if (options.json) console.log(JSON.stringify({ ...options, rows, costs, music }, null, 2));
else {
  console.log(
    `${textTable(stallTargets({ stall: options.stall, seconds: options.seconds, rows }))}\n`,
  );
  console.log(
    `A stall of ${options.stall} ms in speech without a pause, frames of ${options.frame} ` +
      `ms, Opus by ${codec.name}; medians with intervals of 95 %, and the worst of ` +
      `${rows[0].calls} calls.`,
  );
  const shown = (
    /** @type {{ estimate: number, low: number, high: number, worst: number }} */ {
      estimate,
      low,
      high,
      worst,
    },
  ) => `${Number.isFinite(low) ? `${estimate} [${low}, ${high}]` : estimate}, ${worst}`;
  console.table(
    Object.fromEntries(
      rows.map(({ name, most, back, untouched, worse, worseWhole }) => [
        name,
        {
          'later, ms': shown(most),
          [`within ${IN_TIME_MS} ms after, s`]: shown(back),
          'ViSQOL untouched': shown(untouched),
          [`less in ${AFTER_SECONDS} s after`]: shown(worse),
          [`of all ${options.seconds} s`]: shown(worseWhole),
        },
      ]),
    ),
  );
  console.log(
    `The cost alone of being ${options.stall} ms shorter, without a network and ` +
      'without Opus: medians, the least and the most.',
  );
  console.table(
    Object.fromEntries(
      costs.map(({ name, estimate, least, most }) => [
        name,
        { 'ViSQOL less': `${estimate.toFixed(2)} [${least.toFixed(2)}, ${most.toFixed(2)}]` },
      ]),
    ),
  );
  console.log(
    'The same for three seconds of a voice and of music: by how much they get shorter, and ' +
      'how far their spectra are off.',
  );
  console.table(
    Object.fromEntries(
      music.map(({ name, shorterMs, off }) => [
        name,
        { 'shorter, ms': shorterMs.toFixed(0), 'spectrum off, dB': off.toFixed(1) },
      ]),
    ),
  );
}
