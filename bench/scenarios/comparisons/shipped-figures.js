/**
 * Figures of a call's block, from what was heard and from what each side counts.
 *
 * @import { Recorded } from '../../stats/sound-lag.js'
 *
 * @typedef {{ concealedSamples: number, totalSamplesReceived: number, jitterBufferDelay: number, jitterBufferEmittedCount: number }} PeerCounters
 *   as WebRTC's statistics name them (W3C, webrtc-stats, RTCInboundRtpStreamStats)
 *
 * @typedef {object} AloudCounters
 * @property {{ played: number, concealed: number, delayMs: number }} playout       the listener's
 * @property {{ received: number, recovered: number, concealed: number }} source    the speaker's, at the server
 */

import { meanLags, utterancesIn } from '../../stats/sound-lag.js';
import { mean } from '../../stats/statistics.js';
import { marksOf } from '../../ways/heard.js';

/** What is kept around an utterance, in seconds: more than a delay wanders within one. */
const MARGIN_SECONDS = 0.5;

/**
 * @param {object} recorded
 * @param {Recorded} recorded.ear
 * @param {readonly Recorded[]} recorded.loops  what the mouth's browser played of the microphone by itself
 * @param {Float32Array} recorded.speech        which the microphone says again and again, at the same sample rate
 * @param {number} recorded.fromMs
 * @param {number} recorded.toMs
 * @returns {{ mouthToEar: number, visqol: number, estoi: number, rating: number }}  R is 0, and mouth to ear Infinity,
 *   where half a second of the speech was found nowhere
 */
export function heardFigures({ ear, loops, speech, fromMs, toMs }) {
  const lags = meanLags(ear, loops, { fromMs });
  const mouthToEar = lags.length > 0 ? mean(lags) : Infinity;
  const perMs = ear.sampleRate / 1000;
  const [from, to] = [fromMs, toMs].map((ms) => Math.max(0, Math.round((ms - ear.startMs) * perMs)));
  const utterances = utterancesIn(ear.samples.subarray(from, to), speech, MARGIN_SECONDS * ear.sampleRate);
  const marks = utterances.map((heard) => marksOf(speech, heard, mouthToEar));
  return {
    mouthToEar,
    visqol: mean(marks.map(({ visqol }) => visqol)),
    estoi: mean(marks.map(({ estoi }) => estoi)),
    rating: lags.length > 0 ? mean(marks.map(({ rating }) => rating)) : 0,
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
 * Made up: a frame that is at the listener's as sent was neither made up by the server nor by the listener.
 * @param {AloudCounters} before
 * @param {AloudCounters} after
 */
export function aloudFigures(before, after) {
  const up = after.source.concealed - before.source.concealed;
  const there = after.source.received + after.source.recovered - before.source.received - before.source.recovered;
  const down = after.playout.concealed - before.playout.concealed;
  const played = after.playout.played - before.playout.played;
  return { madeUp: 100 * (1 - (there / (there + up)) * (played / (played + down))), waits: after.playout.delayMs };
}
