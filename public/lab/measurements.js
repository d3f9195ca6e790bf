/**
 * @import { AudioFormat } from '../shared/sound/audio-format.js'
 * @import { Protocol } from './runs/protocol.js'
 * @import { ClientName } from './runs/pair.js'
 * @import { RunEvent } from './runs/run.js'
 *
 * @typedef {object} RoundTrip
 * @property {ClientName} client
 * @property {number} frame
 * @property {number} atMs                send time since the run began
 * @property {number | null} roundTripMs  null when it was lost
 *
 * @typedef {{ atMs: number, latencyMs: number }} HeardSound atMs: since the run began; latencyMs:
 *   from A to B
 *
 * @typedef {object} ProtocolRun  the measurements of one protocol in one run
 * @property {AudioFormat} format
 * @property {number} serverDelayMs
 * @property {RoundTrip[]} roundTrips
 * @property {HeardSound[]} heard
 * @property {number[]} correlations  of each window of sound with the known signal
 * @property {number} unknownPieces   number of windows without the signal
 *
 * @typedef {object} ReceivedSpan the audio that one client received of the other while the delay
 *   stayed
 * @property {Protocol} protocol
 * @property {ClientName} client
 * @property {number} serverDelayMs
 * @property {number} atMs
 * @property {number} sentSamples
 * @property {number} heardSamples
 */

import { SoundLag } from './runs/known-signal.js';

/** All measurements on the page, until they are repeated. */
export class Measurements {
  /** The last run of round trips. @type {Map<Protocol, ProtocolRun>} */
  runs = new Map();
  /** @type {{ protocol: Protocol, startMs: number, endMs: number }[]} */
  turns = [];
  /** The lateness of this page's own sending, in milliseconds. @type {number[]} */
  latenessMs = [];
  /** @type {ReceivedSpan[]} */
  received = [];
  /** Failed protocols with the reason. @type {{ protocol: Protocol, reason: string }[]} */
  failures = [];
  /** @type {Map<Protocol, SoundLag>} */
  #lags = new Map();

  /** Forgets the last run of round trips, before a new one. */
  beginRoundTrips() {
    this.runs = new Map();
    this.turns = [];
    this.latenessMs = [];
    this.failures = [];
  }

  /**
   * Forgets some protocols' received audio, before a new sweep.
   * @param {readonly Protocol[]} protocols
   */
  beginSweep(protocols) {
    this.received = this.received.filter(({ protocol }) => !protocols.includes(protocol));
    this.failures = [];
  }

  /** @param {RunEvent} event of a run of round trips */
  addToRoundTrips(event) {
    if (event.type === 'opened') {
      const { protocol, format, serverDelayMs } = event;
      this.#lags.set(protocol, new SoundLag(format));
      const empty = { roundTrips: [], heard: [], correlations: [], unknownPieces: 0 };
      this.runs.set(protocol, { format, serverDelayMs, ...empty });
    } else if (event.type === 'answers') {
      const { client, protocol } = event;
      for (const { frame, sentMs, roundTripMs } of event.answers) {
        this.runs.get(protocol)?.roundTrips.push({ client, frame, atMs: sentMs, roundTripMs });
      }
    } else if (event.type === 'window') this.#addSound(event);
    else if (event.type === 'turn') this.turns.push(event);
    else if (event.type === 'lateness') this.latenessMs.push(...event.latenessMs);
    else if (event.type === 'failed') this.failures.push(event);
  }

  /** @param {import('./runs/run.js').WindowEvent} event */
  #addSound({ protocol, window }) {
    const run = this.runs.get(protocol);
    if (!run) return;
    const found = this.#lags.get(protocol)?.latencies(window, run.serverDelayMs);
    if (!found) {
      run.unknownPieces += 1;
      return;
    }
    run.heard.push(...found.latenciesMs);
    run.correlations.push(found.correlation);
  }

  /** @param {RunEvent} event of a live run or a sweep */
  addToReceived(event) {
    if (event.type === 'heard') {
      const { type: _type, ...span } = event;
      this.received.push(span);
    } else if (event.type === 'failed') this.failures.push(event);
  }

  /**
   * Received audio of one client by the server-side delay.
   * @param {Protocol} protocol
   * @param {ClientName} client
   * @returns {Map<number, number>} percent, by delay in milliseconds, in ascending order
   */
  receivedCurve(protocol, client) {
    /** @type {Map<number, { sent: number, heard: number }>} */
    const sums = new Map();
    for (const span of this.received) {
      if (span.protocol !== protocol || span.client !== client) continue;
      const sum = sums.get(span.serverDelayMs) ?? { sent: 0, heard: 0 };
      sum.sent += span.sentSamples;
      sum.heard += span.heardSamples;
      sums.set(span.serverDelayMs, sum);
    }
    const delays = [...sums.keys()].sort((a, b) => a - b);
    return new Map(delays.map((delay) => [delay, percentOf(sums.get(delay))]));
  }

  /** True when there is nothing to download. */
  get isEmpty() {
    return (
      this.received.length === 0 &&
      [...this.runs.values()].every(({ roundTrips }) => roundTrips.length === 0)
    );
  }
}

/** @param {{ sent: number, heard: number } | undefined} sum */
const percentOf = (sum) => (sum && sum.sent > 0 ? Math.min(100, (100 * sum.heard) / sum.sent) : 0);

/**
 * Times of the answered round trips.
 * @param {ProtocolRun} run
 * @returns {number[]} in milliseconds
 */
export function roundTripsMs(run) {
  const found = [];
  for (const { roundTripMs } of run.roundTrips) if (roundTripMs !== null) found.push(roundTripMs);
  return found;
}

/**
 * Sound latency by the sum of the thesis (section 4.5): a frame's length, its round trip and the
 * server-side delay.
 * @param {ProtocolRun} run
 * @returns {number[]} in milliseconds
 */
export const addedUpMs = (run) =>
  roundTripsMs(run).map((ms) => run.format.frameMs + ms + run.serverDelayMs);
