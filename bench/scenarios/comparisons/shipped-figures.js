/**
 * Figures of a call's block, from the heard sound and each side's counters.
 *
 * @import { FrameNote } from '../../../testkit/participants/participants.js'
 * @import { Recorded } from '../../../testkit/sound/sound-lag.js'
 *
 * @typedef {{ concealedSamples: number, totalSamplesReceived: number, jitterBufferDelay: number,
 *   jitterBufferEmittedCount: number }} PeerCounters as WebRTC's statistics name them (W3C,
 *   webrtc-stats, RTCInboundRtpStreamStats)
 *
 * @typedef {object} AloudCounters
 * @property {{ played: number, concealed: number, delayMs: number }} playout       the listener's
 * @property {SourceCounters} source    the speaker's, at the server
 *
 * @typedef {{ received: number, recovered: number, concealed: number, late: number, lost: number,
 *   early: number, dropped: { past: number } }} SourceCounters as the server's receiver statistics
 *   name them
 *
 * @typedef {{ fromMs: number, toMs: number }} Span  of the clock that all processes share
 */

import { meanLags, utterancesIn } from '../../../testkit/sound/sound-lag.js';
import { mean, quantile, sorted } from '../../../testkit/statistics.js';
import { marksOf } from '../../ways/heard.js';

/** Margin of sound around an utterance, in seconds: more than a delay wanders within one. */
const MARGIN_SECONDS = 0.5;

/**
 * Time by which an utterance may begin before the measured span, in seconds, on legs that are
 * impaired already. So 20 s hold a whole utterance of the longest voice, 10.9 s, wherever it
 * begins.
 */
export const EARLY_SECONDS = 2;

/**
 * Time that the last frame of a block has to come, in milliseconds: longer than the paths and their
 * queues take.
 */
const LAST_MS = 1500;

/**
 * @param {object} recorded
 * @param {Recorded} recorded.ear
 * @param {readonly Recorded[]} recorded.loops the microphone as the mouth's browser played it
 *   on its own
 * @param {Float32Array} recorded.speech which the microphone repeats, at the same
 *   sample rate
 * @param {number} recorded.fromMs
 * @param {number} recorded.toMs
 * @returns {{ figures: { mouthToEar: number, visqol: number, estoi: number, rating: number },
 *   utterance: Float32Array | null }} utterance: the first whole one as it was heard. R is 0, mouth
 *   to ear Infinity and utterance null if half a second of the speech was found nowhere
 */
export function heardFigures({ ear, loops, speech, fromMs, toMs }) {
  const lags = meanLags(ear, loops, { fromMs });
  const mouthToEar = lags.length > 0 ? mean(lags) : Infinity;
  const perMs = ear.sampleRate / 1000;
  const [from, to] = [fromMs - 1000 * EARLY_SECONDS, toMs].map((ms) =>
    Math.max(0, Math.round((ms - ear.startMs) * perMs)),
  );
  const utterances = utterancesIn(
    ear.samples.subarray(from, to),
    speech,
    MARGIN_SECONDS * ear.sampleRate,
  );
  const marks = utterances.map(({ sound, at }) => marksOf(speech, sound, mouthToEar, at));
  const first = lags.length > 0 && utterances[0];
  return {
    figures: {
      mouthToEar,
      visqol: mean(marks.map(({ visqol }) => visqol)),
      estoi: mean(marks.map(({ estoi }) => estoi)),
      rating: lags.length > 0 ? mean(marks.map(({ rating }) => rating)) : 0,
    },
    utterance: first ? first.sound.subarray(first.at, first.at + speech.length) : null,
  };
}

/**
 * @param {PeerCounters} before
 * @param {PeerCounters} after
 */
export function peerFigures(before, after) {
  const since = (/** @type {keyof PeerCounters} */ name) => after[name] - before[name];
  return {
    madeUp: (100 * since('concealedSamples')) / since('totalSamplesReceived'),
    waits: (1000 * since('jitterBufferDelay')) / since('jitterBufferEmittedCount'),
  };
}

/**
 * Made up: a frame that is at the listener's as sent was neither made up by the server nor by the
 * listener.
 * @param {AloudCounters} before
 * @param {AloudCounters} after
 */
export function aloudFigures(before, after) {
  const up = after.source.concealed - before.source.concealed;
  const there =
    after.source.received +
    after.source.recovered -
    before.source.received -
    before.source.recovered;
  const down = after.playout.concealed - before.playout.concealed;
  const played = after.playout.played - before.playout.played;
  return {
    madeUp: 100 * (1 - (there / (there + up)) * (played / (played + down))),
    waits: after.playout.delayMs,
  };
}

/**
 * Share of a peer's encoded frames that came to the other peer's jitter buffer, and their ages.
 * @param {readonly FrameNote[]} sent
 * @param {readonly FrameNote[]} received
 * @param {Span} span
 */
export function frameFigures(sent, received, { fromMs, toMs }) {
  const came = new Map(received.map(({ timestamp, atMs }) => [timestamp, atMs]));
  const counted = sent.filter(({ atMs }) => atMs >= fromMs && atMs < toMs - LAST_MS);
  const ages = counted.flatMap(({ timestamp, atMs }) =>
    came.has(timestamp) ? [Number(came.get(timestamp)) - atMs] : [],
  );
  return {
    sent: (1000 * counted.length) / (toMs - LAST_MS - fromMs),
    arrived: (100 * ages.length) / counted.length,
    ...ageFigures(ages),
  };
}

/**
 * Uplink of aloud's page, a frame to a packet. Figures are packets at the server, frames in time
 * for their mix (repeated ones too), and the time from a frame's end to its arrival.
 * @param {SourceCounters} before
 * @param {SourceCounters} after
 * @param {{ arrivals: readonly { frame: number, atMs: number }[], originMs: number, frameMs: number
 *   }} notes the server's
 * @param {Span} span
 */
export function uplinkFigures(before, after, { arrivals, originMs, frameMs }, { fromMs, toMs }) {
  const since = (/** @type {(counters: SourceCounters) => number} */ of) => of(after) - of(before);
  const lost = since((counters) => counters.lost);
  const sent =
    lost + since(({ received, late, early, dropped }) => received + late + early + dropped.past);
  const ages = arrivals
    .filter(({ atMs }) => atMs >= fromMs && atMs < toMs)
    .map(({ frame, atMs }) => atMs - originMs - (frame + 1) * frameMs);
  return {
    sent: (1000 * sent) / (toMs - fromMs),
    arrived: (100 * (sent - lost)) / sent,
    // Frames that arrived before the span may be mixed in it.
    present: Math.min(100, (100 * since(({ received, recovered }) => received + recovered)) / sent),
    ...ageFigures(ages),
  };
}

/** @param {readonly number[]} ages of received frames; Infinity if lost */
function ageFigures(ages) {
  const rising = sorted(ages);
  const at = (/** @type {number} */ share) =>
    ages.length > 0 ? quantile(rising, share) : Infinity;
  return { ageP50: at(0.5), ageP99: at(0.99) };
}
