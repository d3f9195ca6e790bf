/**
 * Figures of one block of `interplay`, from looks at the path and the listener's notes. They say
 * which of two sets the rate of a broadcast's sound: the server's rule or QUIC's controller.
 *
 * @import { PathLook } from '../../plugin/watched-session.js'
 *
 * @typedef {PathLook & { atMs: number }} Look
 *
 * @typedef {object} Level  a part of a block in which the link stays as it is
 * @property {string} label
 * @property {number} rateBits    capacity of IP packets, in bits a second
 * @property {boolean} isFall     true if the capacity was higher before
 * @property {number} fromMs      on the machine's monotonic clock
 * @property {number} toMs
 *
 * @typedef {object} Decision  one look
 * @property {number} atMs
 * @property {number} applicationBps  rate at which the application handed packets over in the last
 *   second, in bits of QUIC packets a second
 * @property {number} controllerBps   congestion window × 8 ÷ smoothed round trip
 * @property {boolean} isApplication  true if the application's rate is below the controller's
 * @property {boolean} isAbove        true if the path carries less than the lower of the two
 * @property {boolean} isFull         true if the window has no room for another packet of that size
 *
 * @typedef {object} LevelFigures
 * @property {string} label
 * @property {number} soundKbits    bit rate of the sound that came
 * @property {number} quicKbits     of UDP payloads sent, what is sent again included
 * @property {number} quicLoss      packets declared lost, %
 * @property {number} never         frames with sound that were never heard, %
 * @property {number} rating        R; NaN if nothing was heard
 *
 * @typedef {object} BlockFigures
 * @property {number} application   share of looks at which the application's rate was lower, %
 * @property {number} afterFall     the same in the seconds after each fall of the capacity; NaN
 *   without one
 * @property {number} full          share of looks at which the window was full, %
 * @property {number} above         share of looks at which more was sent than the path carries, %
 * @property {number} waitP50       wait of packets beyond the quickest one, ms
 * @property {number} waitP95
 * @property {number} grownP95      growth of the smoothed round trip beyond its least, ms
 * @property {number} changes       of the sound's bit rate, a minute
 * @property {number} cuts          congestion events, a minute
 * @property {number} held          packets that QUIC dropped unsent, % of those handed over
 * @property {number} never
 * @property {number} rating
 * @property {number} said          share of the frames that had the speaker's sound in the mix, %
 * @property {LevelFigures[]} levels
 */

import { RATES } from '../../../public/shared/sound/audio-format.js';
import { Stream } from '../../../public/shared/wire/packet.js';
import { mean, quantile, sorted } from '../../../testkit/statistics.js';
import { burstRatioOf, lossImpairment, OPUS, rating } from '../../stats/e-model.js';

/** Time over which the application's rate is taken, in milliseconds: some 17 packets or more. */
const RATE_MS = 1000;

/** Bytes of a packet below the application: QUIC's header, tag and frame, and UDP and IP. */
const QUIC_BYTES = 31;
const IP_BYTES = 28;

/** Time after a fall in which a rate follows, in milliseconds. */
export const FALL_MS = 5000;

/** Time in a sound card, in milliseconds, as for the other comparisons. */
const CARD_MS = 10;

/**
 * Shares of looks, in percent. Above the first the application decides, below the second the
 * controller, and between them both by turns.
 */
export const DECIDES = Object.freeze({ application: 90, controller: 10 });

/**
 * @param {readonly Look[]} looks  at one session, in order
 * @param {readonly Level[]} levels
 * @returns {Decision[]} within the levels, from the first second of looks on
 */
export function decisionsOf(looks, levels) {
  const decisions = [];
  let from = 0;
  for (const look of looks) {
    const { atMs, packets, bytes, windowBytes, inFlight, rttMs } = look;
    while (looks[from + 1]?.atMs <= atMs - RATE_MS) from += 1;
    const before = looks[from];
    const level = levelAt(levels, atMs);
    if (before.atMs > atMs - RATE_MS || level === undefined || rttMs <= 0) continue;
    const [sent, count] = [bytes - before.bytes, packets - before.packets];
    const perSecond = 8000 / (atMs - before.atMs);
    const applicationBps = (sent + count * QUIC_BYTES) * perSecond;
    const controllerBps = (8000 * windowBytes) / rttMs;
    const overIp = (count * IP_BYTES * perSecond) / Math.max(1, applicationBps);
    decisions.push({
      atMs,
      applicationBps,
      controllerBps,
      isApplication: applicationBps < controllerBps,
      isFull: inFlight + sent / Math.max(1, count) + QUIC_BYTES > windowBytes,
      isAbove: Math.min(applicationBps, controllerBps) * (1 + overIp) > level.rateBits,
    });
  }
  return decisions;
}

/** @param {readonly Level[]} levels @param {number} atMs */
const levelAt = (levels, atMs) => levels.find(({ fromMs, toMs }) => fromMs <= atMs && atMs < toMs);

/**
 * Names the one that decides.
 * @param {number} percent  share of the time in which the application's rate is the lower one
 * @param {boolean} adapts  false for a rule that keeps its rate whatever the path does
 */
export function deciderOf(percent, adapts) {
  if (Number.isNaN(percent)) return 'not known';
  if (percent <= DECIDES.controller) return 'the controller';
  const application = adapts ? 'the application' : 'nobody';
  if (percent >= DECIDES.application) return application;
  return `by turns, ${percent >= 50 ? application : 'the controller'} more often`;
}

/**
 * @param {object} notes
 * @param {readonly Look[]} notes.looks  at the listener's session
 * @param {readonly Level[]} notes.levels
 * @param {readonly { frame: number, stream: number, sounding: number[], atMs: number }[]}
 *   notes.received
 * @param {readonly { frame: number, atMs: number }[]} notes.played
 * @param {ReadonlySet<number>} notes.sounding  frames of the mix that have sound in them
 * @param {number} notes.originMs  time of frame 0's first sample
 * @param {number} notes.frameMs
 * @param {ReadonlyMap<number, number>} notes.impairments  Ie by bit rate, in kb/s
 * @returns {BlockFigures}
 */
export function blockFigures({ looks, levels, ...notes }) {
  const decisions = decisionsOf(looks, levels);
  const isAfterFall = ({ atMs = 0 }) =>
    levels.some(({ isFall, fromMs }) => isFall && fromMs <= atMs && atMs < fromMs + FALL_MS);
  const isApplication = (/** @type {Decision} */ decision) => decision.isApplication;
  const during = looks.filter(({ atMs }) => levelAt(levels, atMs));
  const leastMs = during.reduce((least, { rttMs }) => Math.min(least, rttMs), Infinity);
  const waits = waitsOf(notes, levels);
  const [first, last] = [during[0], during[during.length - 1]];
  const minutes = (last.atMs - first.atMs) / 60_000;
  const frames = framesOf(notes);
  const said = frames.filter(({ saidMs }) => levelAt(levels, saidMs));
  const spanMs = levels.reduce((sum, { fromMs, toMs }) => sum + toMs - fromMs, 0);
  return {
    application: share(decisions, isApplication),
    afterFall: share(decisions.filter(isAfterFall), isApplication),
    full: share(decisions, ({ isFull }) => isFull),
    above: share(decisions, ({ isAbove }) => isAbove),
    waitP50: quantile(waits, 0.5),
    waitP95: quantile(waits, 0.95),
    grownP95: quantile(sorted(during.map(({ rttMs }) => rttMs - leastMs)), 0.95),
    changes: changesIn(said) / minutes,
    cuts: (last.cuts - first.cuts) / minutes,
    held: (100 * (last.held - first.held)) / (last.packets - first.packets),
    ...heardIn(said, notes.impairments),
    said: (100 * said.length * notes.frameMs) / spanMs,
    levels: levels.map((level) => levelFigures(level, during, frames, notes)),
  };
}

/**
 * @template T
 * @param {readonly T[]} all @param {(one: T) => boolean} counts
 * @returns {number} percent; NaN of none
 */
const share = (all, counts) => (100 * all.filter(counts).length) / all.length;

/** @param {Pick<Parameters<typeof blockFigures>[0], 'received' | 'originMs' | 'frameMs'>} notes */
function waitsOf({ received, originMs, frameMs }, /** @type {readonly Level[]} */ levels) {
  const ages = received
    .filter(({ atMs }) => levelAt(levels, atMs))
    .map(({ frame, atMs }) => atMs - (originMs + (frame + 1) * frameMs));
  const least = ages.reduce((a, b) => Math.min(a, b), Infinity);
  return sorted(ages.map((age) => age - least));
}

/**
 * @typedef {{ frame: number, saidMs: number, heardMs: number, kbits: number }} Frame heardMs: from
 *   its first sample to its playing, Infinity if never; kbits: of its sound, NaN if it never came
 */

/**
 * The fate of each frame with sound.
 * @param {Omit<Parameters<typeof blockFigures>[0], 'looks' | 'levels'>} notes
 * @returns {Frame[]} in order
 */
function framesOf({ received, played, sounding, originMs, frameMs }) {
  const heard = new Map(played.toReversed().map(({ frame, atMs }) => [frame, atMs]));
  /** @type {Map<number, number>} */
  const rates = new Map();
  for (const { stream, sounding: frames } of received)
    for (const frame of frames)
      if (!rates.has(frame)) rates.set(frame, RATES[stream - Stream.layers] / 1000);
  return [...sounding]
    .sort((a, b) => a - b)
    .map((frame) => {
      const saidMs = originMs + frame * frameMs;
      return {
        frame,
        saidMs,
        heardMs: (heard.get(frame) ?? Infinity) - saidMs,
        kbits: rates.get(frame) ?? NaN,
      };
    });
}

/**
 * Changes of the rate from frame to frame that came. Packets may come in another order, and streams
 * in any.
 * @param {readonly Frame[]} frames
 */
function changesIn(frames) {
  const rates = frames.map(({ kbits }) => kbits).filter((rate) => !Number.isNaN(rate));
  return rates.filter((rate, i) => i > 0 && rate !== rates[i - 1]).length;
}

/** @param {readonly Frame[]} frames @param {ReadonlyMap<number, number>} impairments */
function heardIn(frames, impairments) {
  const heard = frames.filter(({ heardMs }) => heardMs < Infinity);
  const never = share(frames, ({ heardMs }) => heardMs === Infinity);
  if (heard.length === 0) return { never, rating: NaN };
  const impairment = lossImpairment({
    ie: mean(heard.map(({ kbits }) => impairments.get(kbits) ?? OPUS.ie)),
    bpl: OPUS.bpl,
    lossPercent: never,
    burstRatio: burstRatioOf(frames.map(({ heardMs }) => heardMs === Infinity)),
  });
  const delayMs = mean(heard.map(({ heardMs }) => heardMs)) + CARD_MS;
  return { never, rating: rating({ delayMs, impairment }) };
}

/**
 * @param {Level} level
 * @param {readonly Look[]} looks
 * @param {readonly Frame[]} frames
 * @param {Pick<Parameters<typeof blockFigures>[0], 'impairments' | 'frameMs'>} notes
 * @returns {LevelFigures}
 */
function levelFigures({ label, fromMs, toMs }, looks, frames, { impairments, frameMs }) {
  const isIn = (/** @type {number} */ atMs) => fromMs <= atMs && atMs < toMs;
  const said = frames.filter(({ saidMs }) => isIn(saidMs));
  const seen = looks.filter(({ atMs }) => isIn(atMs));
  const [first, last] = [seen[0], seen[seen.length - 1]];
  const came = said.filter(({ kbits }) => !Number.isNaN(kbits));
  return {
    label,
    soundKbits: came.reduce((sum, { kbits }) => sum + kbits * frameMs, 0) / (toMs - fromMs),
    quicKbits: (8 * (last.sentBytes - first.sentBytes)) / (last.atMs - first.atMs),
    quicLoss:
      (100 * (last.lostPackets - first.lostPackets)) / (last.sentPackets - first.sentPackets),
    ...heardIn(said, impairments),
  };
}
