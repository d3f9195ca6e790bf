const SAMPLE_RATE = 48_000;

/** The lowest tones of the chords, in Hz, and the others' ratios to them. */
const ROOTS = [220, 262, 196, 247];
const CHORD = [1, 1.26, 1.5, 2];

const CHORD_SAMPLES = SAMPLE_RATE / 4;

/**
 * Plucked chords, four a second, up to 20 kHz.
 * @param {number} seconds
 * @returns {Float32Array} at 48 kHz, mono
 */
export function musicOf(seconds) {
  const music = new Float32Array(seconds * SAMPLE_RATE);
  for (let from = 0, n = 0; from < music.length; from += CHORD_SAMPLES, n++) {
    for (const ratio of CHORD) pluck(music, from, ROOTS[n % ROOTS.length] * ratio);
  }
  return music;
}

/**
 * @param {Float32Array} music added to
 * @param {number} from
 * @param {number} hz
 */
function pluck(music, from, hz) {
  for (let h = 1; h < 12 && h * hz < 20_000; h++) {
    const loud = 0.06 / h;
    for (let i = 0; i < 1.5 * CHORD_SAMPLES && from + i < music.length; i++) {
      const envelope = Math.min(1, i / 100) * Math.exp((-i * Math.sqrt(h)) / 9000);
      music[from + i] += loud * envelope * Math.sin((2 * Math.PI * h * hz * i) / SAMPLE_RATE + h);
    }
  }
}
