import { align, alignPieces, findGaps, levelDb } from '../../../testkit/sound/signal.js';

const RATE = 48_000;
const PIECE = { pieceSamples: 0.4 * RATE, searchSamples: 0.1 * RATE };

/** A stretch of speech that isn't heard counts as a gap if it is longer, in samples. */
const GAP_SAMPLES = 0.03 * RATE;

/**
 * Compares the heard sound with the speech, piece by piece. In pauses a call may change its delay,
 * and later pieces are a little earlier or later.
 * @param {Float32Array} speech at 48 kHz
 * @param {Float32Array} output
 * @returns {{ correlation: number, gainDb: number, gaps: { saidMs: number, ms: number }[] }} the
 *   pieces' means, each counting by its energy; what is missing, and where in the speech
 */
export function compareSpeech(speech, output) {
  const { lag } = align(speech, output);
  let [total, correlation, gainDb] = [0, 0, 0];
  for (const piece of alignPieces(speech, output, lag, PIECE)) {
    const energy =
      10 ** (levelDb(speech.subarray(piece.start, piece.start + PIECE.pieceSamples)) / 10);
    total += energy;
    correlation += energy * piece.correlation;
    gainDb += energy * piece.gainDb;
  }
  const gaps = findGaps(speech, output, lag, { longerThan: GAP_SAMPLES }).map(
    ({ start, samples }) => ({
      saidMs: ((start - lag) * 1000) / RATE,
      ms: (samples * 1000) / RATE,
    }),
  );
  return { correlation: correlation / total, gainDb: gainDb / total, gaps };
}
