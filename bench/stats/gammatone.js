/**
 * The gammatone filter bank, a model of the ear's frequency analysis, and the spectrogram made with
 * it. The filters are those of M. Slaney, "An Efficient Implementation of the Patterson-Holdsworth
 * Auditory Filter Bank", Apple Technical Report 35, 1993, with the bandwidths of Glasberg and
 * Moore, 1990.
 */

/**
 * Glasberg and Moore's equivalent rectangular bandwidth is LEAST_BANDWIDTH + frequency / EAR_Q, in
 * Hz.
 */
const EAR_Q = 9.26449;
const LEAST_BANDWIDTH = 24.7;

/**
 * Bandwidth of a fourth-order gammatone filter over the equivalent rectangular bandwidth (Slaney,
 * 1993).
 */
const BANDWIDTH_FACTOR = 1.019;

/**
 * @typedef {object} GammatoneFilter four second-order sections with the same two poles and one zero
 *   each
 * @property {number} frequency centre frequency, Hz
 * @property {number[]} zeros   of the four sections; all real
 * @property {number} pole      twice the poles' real part
 * @property {number} radius    the poles' squared magnitude
 * @property {number} gain      of the four sections together at the centre frequency
 *
 * @typedef {object} Spectrogram
 * @property {number} bands
 * @property {number} frames
 * @property {Float64Array} values frame by frame, from the lowest band to the highest
 */

/**
 * Filters at even distances on the scale of equivalent rectangular bandwidths.
 *
 * @param {{ bands: number, lowest: number, highest: number, sampleRate: number }} options lowest:
 *   centre frequency of the first filter, Hz; highest: centre frequency that a filter after the
 *   last one would have, Hz
 * @returns {GammatoneFilter[]} from the lowest to the highest
 */
export function gammatoneFilters({ bands, lowest, highest, sampleRate }) {
  const corner = EAR_Q * LEAST_BANDWIDTH;
  const ratio = (highest + corner) / (lowest + corner);
  return Array.from({ length: bands }, (_, band) =>
    gammatoneFilter((lowest + corner) * ratio ** (band / bands) - corner, sampleRate),
  );
}

/**
 * @param {number} frequency
 * @param {number} sampleRate
 * @returns {GammatoneFilter}
 */
function gammatoneFilter(frequency, sampleRate) {
  const bandwidth = BANDWIDTH_FACTOR * (LEAST_BANDWIDTH + frequency / EAR_Q);
  const decay = Math.exp((-2 * Math.PI * bandwidth) / sampleRate);
  const angle = (2 * Math.PI * frequency) / sampleRate;
  const [cos, sin] = [Math.cos(angle), Math.sin(angle)];
  const zeros = [Math.SQRT2 + 1, -Math.SQRT2 - 1, Math.SQRT2 - 1, 1 - Math.SQRT2].map(
    (x) => decay * (cos + x * sin),
  );
  // Both poles seen from the centre frequency's place on the unit circle: at the same angle, and
  // mirrored.
  const poles = (1 - decay) * Math.hypot(cos - decay * cos, sin + decay * sin);
  const gain = zeros.reduce((product, zero) => (product * Math.hypot(cos - zero, sin)) / poles, 1);
  return { frequency, zeros, pole: 2 * decay * cos, radius: decay * decay, gain };
}

/**
 * The root mean square of each filter's output in windows of the signal. The filters begin each
 * window at rest, and what they say after its end doesn't count.
 *
 * @param {Float32Array} samples
 * @param {GammatoneFilter[]} filters
 * @param {Float64Array} window weights of a window's samples
 * @param {number} hop samples from a window's start to the next one's
 * @returns {Spectrogram} a frame for each window that lies in the signal as a whole
 */
export function gammatoneSpectrogram(samples, filters, window, hop) {
  const bands = filters.length;
  const frames = Math.max(0, 1 + Math.floor((samples.length - window.length) / hop));
  const values = new Float64Array(frames * bands);
  const windowed = new Float64Array(window.length);
  for (let frame = 0; frame < frames; frame++) {
    for (let i = 0; i < window.length; i++) windowed[i] = samples[frame * hop + i] * window[i];
    if (windowed.every((value) => value === 0)) continue;
    for (let band = 0; band < bands; band++)
      values[frame * bands + band] = filteredLevel(windowed, filters[band]);
  }
  return { bands, frames, values };
}

/**
 * @param {Float64Array} samples
 * @param {GammatoneFilter} filter
 * @returns {number} the root mean square of the filter's output
 */
function filteredLevel(samples, { zeros, pole, radius, gain }) {
  const [zero1, zero2, zero3, zero4] = zeros;
  // Two values of memory for each section, in the transposed direct form II.
  let [near1, near2, near3, near4, far1, far2, far3, far4] = [0, 0, 0, 0, 0, 0, 0, 0];
  let sum = 0;
  for (let i = 0; i < samples.length; i++) {
    const input = samples[i];
    const first = input + near1;
    near1 = far1 + pole * first - zero1 * input;
    far1 = -radius * first;
    const second = first + near2;
    near2 = far2 + pole * second - zero2 * first;
    far2 = -radius * second;
    const third = second + near3;
    near3 = far3 + pole * third - zero3 * second;
    far3 = -radius * third;
    const fourth = third + near4;
    near4 = far4 + pole * fourth - zero4 * third;
    far4 = -radius * fourth;
    sum += fourth * fourth;
  }
  return Math.sqrt(sum / samples.length) / gain;
}
