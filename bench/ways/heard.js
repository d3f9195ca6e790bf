/**
 * The sound that a listener would hear from packets with these ages: through aloud's own playout
 * and decoder, offline.
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Codec } from '../../public/shared/stream/codec.js'
 * @import { Pull } from '../../testkit/sound/voice-path.js'
 *
 * @typedef {object} Heard
 * @property {Float32Array} said        speech of the measured packets
 * @property {Float32Array} sound heard sound from the start of the first of them until all had
 *   been played; both mono, at 48 kHz
 * @property {Pull[]} pulls                 all pieces from the playout
 * @property {number} presentPercent share of the measured frames that was there when
 *   played
 * @property {number} concealedPercent concealed frames during these, in percent
 *   of these; a late frame counts here too if it is played after a concealed one
 * @property {number} playoutDelayMs mean delay that playout added to that of the fastest
 *   packet
 * @property {number} mouthToEarMs mean time from a present frame's start to its playing: frame
 *   length, packet's age, wait for playout, and 10 ms in a sound card. The devices' own delays,
 *   Opus's lookahead (2.5 ms as the product encodes) and a server's mix aren't included
 *
 * @typedef {{ visqol: number, estoi: number, rating: number }} Marks rating: the E-model's R,
 *   wideband
 */

import { createAudioFormat } from '../../public/shared/sound/audio-format.js';
import { heardByListener, writePacket } from '../../testkit/sound/voice-path.js';
import { rating, visqolImpairment } from '../stats/e-model.js';
import { estoi } from '../stats/estoi.js';
import { mean } from '../../testkit/statistics.js';
import { visqol } from '../stats/visqol.js';

/** A frame of 20 ms for each packet. @type {Readonly<AudioFormat>} */
const FORMAT = createAudioFormat({ sampleRate: 48_000, frameMs: 20 });

/**
 * Time after the last packet's arrival in which it is played: the longest delay of the playout, and
 * more, in milliseconds.
 */
const AFTER_MS = 1000;

/**
 * @param {object} options
 * @param {Codec} options.codec
 * @param {Float32Array} options.speech at 48 kHz, mono; in a loop, as the payloads
 * @param {readonly Uint8Array[]} options.payloads    of the speech, a frame of 20 ms each
 * @param {readonly number[]} options.ages of packets at arrival, in milliseconds; each was sent
 *   at its frame's end; Infinity if lost
 * @param {number} [options.first]                    payload index of the first of them
 * @param {number} [options.settle] packets before the measured ones, while the playout finds its
 *   delay
 * @returns {Heard}
 */
export function heardFrom({ codec, speech, payloads, ages, first = 0, settle = 0 }) {
  const { frameMs, frameSamples, sampleRate } = FORMAT;
  const said = speechOf(speech, payloads.length, first, ages.length);
  const packets = ages.map((age, frame) => {
    const pcm = said.subarray(frame * frameSamples, (frame + 1) * frameSamples);
    return {
      bytes: writePacket(frame, pcm, payloads[(first + frame) % payloads.length]),
      atMs: (frame + 1) * frameMs + age,
    };
  });
  const came = packets.filter(({ atMs }) => atMs < Infinity).sort((a, b) => a.atMs - b.atMs);
  const endMs = Math.max(ages.length * frameMs, came.at(-1)?.atMs ?? 0) + AFTER_MS;
  const { sound, pulls } = heardByListener(
    codec,
    { format: FORMAT, packets: came },
    Math.round((endMs * sampleRate) / 1000),
  );
  const during = pulls.filter(({ frame }) => frame >= settle && frame < ages.length);
  const count = ages.length - settle;
  const sumOf = (/** @type {'played' | 'concealed'} */ what) =>
    during.reduce((sum, pull) => sum + pull[what], 0);
  return {
    said: said.subarray(settle * frameSamples),
    sound: sound.subarray(settle * frameSamples),
    pulls,
    presentPercent: (100 * sumOf('played')) / count,
    concealedPercent: (100 * sumOf('concealed')) / count,
    playoutDelayMs: mean(during.map(({ delayMs }) => delayMs)),
    mouthToEarMs: mean(
      during
        .filter(({ played }) => played > 0)
        .map(({ heardMs, frame }) => heardMs - frame * frameMs),
    ),
  };
}

/**
 * Returns `count` frames of speech from frame `first`, wrapping at the end.
 * @param {Float32Array} speech
 * @param {number} frames  whole frames of the speech
 * @param {number} first
 * @param {number} count
 */
function speechOf(speech, frames, first, count) {
  const { frameSamples } = FORMAT;
  const whole = frames * frameSamples;
  return Float32Array.from(
    { length: count * frameSamples },
    (_, i) => speech[(first * frameSamples + i) % whole],
  );
}

/**
 * The pieces by which ESTOI compares: it knows one lag for the whole, and a playout's delay moves
 * within longer ones.
 */
const PIECE_SAMPLES = 2 * FORMAT.sampleRate;

/**
 * The time before and after a piece's place in which it is looked for: the longest playout delay,
 * and more.
 */
const SLACK_SAMPLES = FORMAT.sampleRate / 2;

/**
 * Estimates the sound's quality, without the opinion of people (bench/docs/measuring.md).
 *
 * @param {Float32Array} said   at 48 kHz, mono: some seconds of speech
 * @param {Float32Array} heard  at 48 kHz, mono
 * @param {number} mouthToEarMs
 * @param {number} [lag] approximate delay of the heard sound, in samples; by default that from
 *   mouth to ear, of sound that begins when the speech does
 * @returns {Marks} ViSQOL's mark, the mean of ESTOI for pieces of 2 s, and R. R comes from the
 *   delay, and from ViSQOL's mark as the impairment by codec and loss (L. Sun and E. Ifeachor, see
 *   visqolImpairment())
 */
export function marksOf(said, heard, mouthToEarMs, lag = samplesIn(mouthToEarMs || 0)) {
  const { mos } = visqol(said, heard, FORMAT);
  const r = rating({ delayMs: mouthToEarMs, impairment: visqolImpairment(mos) });
  return {
    visqol: mos,
    estoi: mean(estoiOfPieces(said, heard, lag)),
    rating: r,
  };
}

/** @param {number} ms */
const samplesIn = (ms) => Math.round((ms * FORMAT.sampleRate) / 1000);

/**
 * @param {Float32Array} said
 * @param {Float32Array} heard
 * @param {number} lag  approximate delay of the heard sound, in samples
 * @returns {number[]} marks of the pieces with half a second of speech
 */
function estoiOfPieces(said, heard, lag) {
  const marks = [];
  for (let at = 0; at === 0 || at + PIECE_SAMPLES <= said.length; at += PIECE_SAMPLES) {
    const piece = said.subarray(at, at + PIECE_SAMPLES);
    const place = heard.subarray(
      Math.max(0, at + lag - SLACK_SAMPLES),
      at + lag + PIECE_SAMPLES + SLACK_SAMPLES,
    );
    try {
      marks.push(estoi(piece, place, FORMAT));
    } catch (error) {
      if (!(error instanceof RangeError)) throw error;
    }
  }
  return marks;
}
