/**
 * The E-model: a call's rating, delay included, up to the maximum of its band. There is no least:
 * it may be below 0. It follows ITU-T G.107 (06/2015) for narrowband and G.107.1 (06/2019) for
 * wideband. Only the impairments of a packet call are modelled: mouth-to-ear delay, a codec with
 * its concealment, and loss. All else is at the Recommendations' defaults, and echoes are those of
 * a call without delay: R = R0 − Idd − Ie,eff. R and its marks are estimates for planning, and
 * nobody's opinion.
 */

/**
 * @typedef {object} Band
 * @property {number} most    R0: R of an unimpaired call at the defaults
 * @property {number} stretch ratio of its scale to the narrowband one
 */

/**
 * Up to 4 kHz. R0 − Is − Idle at the defaults is 93.2 (G.107, section 7.7).
 * @type {Readonly<Band>}
 */
export const NARROWBAND = Object.freeze({ most: 93.2, stretch: 1 });

/** Up to 8 kHz. R0 is 129 and Is is 0 (G.107.1, sections 7.2 and 7.3). @type {Readonly<Band>} */
export const WIDEBAND = Object.freeze({ most: 129, stretch: 1.29 });

/**
 * Ie and Bpl of aloud's Opus, its decoder and its concealment, wideband, for loss at random: 48
 * kb/s in frames of 20 ms. Fitted to ViSQOL's marks by `node bench/codec/impairment.js --seeds 5`.
 */
export const OPUS = Object.freeze({ ie: 7.8, bpl: 49 });

/**
 * The longest delay that nobody notices, mT's default, in milliseconds. The exponent 6 below is
 * that of sT = 1, its default.
 */
const NOTICED_MS = 100;

/**
 * The impairment that loss tends to, however good the codec (G.107, section 7.5; G.107.1, section
 * 7.5).
 */
const MOST_LOSS_IMPAIRMENT = 95;

/** Marks' range, from R = 0 up to R = 100 of narrowband (G.107, annex B). */
const LEAST_MARK = 1;
const MOST_MARK = 4.5;

/**
 * The least R from which the mark rises: the polynomial falls below 1 for a while (G.107, appendix
 * I).
 */
const LEAST_RATING = 6.5;

/** The mark that ViSQOL gives to equal signals. */
const MOST_VISQOL = 5;

/**
 * The impairment by delay only, Idd (G.107, section 7.4, equations 7-27 and 7-28; G.107.1, section
 * 7.4, 1.29 times that).
 *
 * @param {number} delayMs mouth to ear, Ta
 * @param {Readonly<Band>} [band]
 * @returns {number} 0 and more
 */
export function delayImpairment(delayMs, band = WIDEBAND) {
  if (delayMs <= NOTICED_MS) return 0;
  const x = Math.log2(delayMs / NOTICED_MS);
  const norm = (/** @type {number} */ value) => (1 + value ** 6) ** (1 / 6);
  return 25 * band.stretch * (norm(x) - 3 * norm(x / 3) + 2);
}

/**
 * The impairment by codec and loss, Ie,eff (G.107, section 7.5; G.107.1, section 7.5).
 *
 * @param {object} options
 * @param {number} options.ie          Ie, the codec's without loss, on the band's scale
 * @param {number} options.bpl Bpl, how well its concealment bears loss: the loss in percent at
 *   which half of what loss can do is done
 * @param {number} options.lossPercent Ppl: packets neither received in time nor recovered
 * @param {number} [options.burstRatio] BurstR, see burstRatioOf(); 1 for loss at random
 * @returns {number}
 */
export function lossImpairment({ ie, bpl, lossPercent, burstRatio = 1 }) {
  return ie + (MOST_LOSS_IMPAIRMENT - ie) * lossShare({ bpl, lossPercent, burstRatio });
}

/**
 * Share of the way from Ie to 95 that loss takes the impairment.
 *
 * @param {{ bpl: number, lossPercent: number, burstRatio: number }} options as of lossImpairment()
 * @returns {number} 0 to 1
 */
export const lossShare = ({ bpl, lossPercent, burstRatio }) =>
  lossPercent > 0 ? lossPercent / (lossPercent / burstRatio + bpl) : 0;

/**
 * BurstR: how many times longer runs of lost frames are than those of random loss of the same share
 * would be (G.107, section 7.5). Random loss with the share p has runs of 1 / (1 − p).
 *
 * @param {ArrayLike<boolean>} lost by frame
 * @returns {number} 1 where there is no loss, or nothing else
 */
export function burstRatioOf(lost) {
  let [count, runs] = [0, 0];
  for (let i = 0; i < lost.length; i++) {
    if (!lost[i]) continue;
    count++;
    if (i === 0 || !lost[i - 1]) runs++;
  }
  if (count === 0 || count === lost.length) return 1;
  return (count / runs) * (1 - count / lost.length);
}

/**
 * R, the transmission rating (G.107, section 7.1).
 *
 * @param {{ delayMs?: number, impairment?: number, band?: Readonly<Band> }} call impairment:
 *   Ie,eff, from lossImpairment() or visqolImpairment()
 * @returns {number} the band's `most` at most; below 0 where everything is lost
 */
export const rating = ({ delayMs = 0, impairment = 0, band = WIDEBAND }) =>
  band.most - delayImpairment(delayMs, band) - impairment;

/**
 * Returns the estimated conversational mark, MOS-CQE (G.107, annex B, equation B-4; G.107.1, annex
 * A, of R / 1.29).
 *
 * @param {number} r
 * @param {Readonly<Band>} [band]  scale of r
 * @returns {number} 1 to 4.5
 */
export function estimatedMark(r, band = WIDEBAND) {
  const narrow = r / band.stretch;
  if (narrow <= 0) return LEAST_MARK;
  if (narrow >= 100) return MOST_MARK;
  return 1 + 0.035 * narrow + narrow * (narrow - 60) * (100 - narrow) * 7e-6;
}

/**
 * R from an estimated mark, the inverse of estimatedMark() (G.107, appendix I).
 *
 * @param {number} mark below 1 and above 4.5 taken as these
 * @param {Readonly<Band>} [band] on whose scale R is to be
 * @returns {number} from 6.5 to 100, 1.29 times that for wideband
 */
export function ratingOfMark(mark, band = WIDEBAND) {
  const m = Math.min(MOST_MARK, Math.max(LEAST_MARK, mark));
  const y = 15 * Math.sqrt(Math.max(0, -903522 + 1113960 * m - 202500 * m * m));
  const h = Math.atan2(y, 18566 - 6750 * m) / 3;
  const narrow = (20 / 3) * (8 - Math.sqrt(226) * Math.cos(h + Math.PI / 3));
  return band.stretch * Math.min(100, Math.max(LEAST_RATING, narrow));
}

/**
 * Returns the impairment of heard sound, Ie,eff, from its ViSQOL mark: the gap between R by that
 * mark and the maximum of wideband. ViSQOL's marks end at 5 and the E-model's at 4.5, so marks are
 * first scaled from 1 to 5 to 1 to 4.5. So a listening mark replaces a conversational one, as with
 * PESQ in L. Sun and E. Ifeachor, "Voice quality prediction models and their application in VoIP
 * networks", IEEE Transactions on Multimedia 8(4), 2006.
 *
 * @param {number} mark of ViSQOL, 1 to 5
 * @returns {number} 0 for equal signals
 */
export function visqolImpairment(mark) {
  const scaled =
    LEAST_MARK + ((mark - LEAST_MARK) * (MOST_MARK - LEAST_MARK)) / (MOST_VISQOL - LEAST_MARK);
  return WIDEBAND.most - ratingOfMark(scaled);
}
