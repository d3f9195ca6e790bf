/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ClientAudio } from './client-audio.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 * @import { Connection, ConnectionStats, TransportName } from '../connection/connection.js'
 * @import { Output } from './client-types.js'
 * @import { DelayParts } from '../playout/delay-parts.js'
 * @import { Playout } from '../playout/playout.js'
 * @import { RoomState } from './room-state.js'
 * @import { Uplink } from '../capture/uplink.js'
 *
 * @typedef {{ up: number, down: number, dropped: number }} Traffic
 *   bytes of packets, since joining; packets that were no packets
 *
 * @typedef {object} ClientStats
 * @property {TransportName} transport
 * @property {number | null} roundTripMs      to the server and back
 * @property {number | null} receivedPercent  of the last seconds' frames for this listener, those in time
 * @property {number | null} delayMs          estimate, from a sound at another's microphone, who is as far from
 *   the server, to this one's speaker; sound cards not counted
 * @property {DelayParts} delayParts            what delayMs is the sum of
 * @property {{ up: number, down: number }} bytes  of packets, since joining
 * @property {StatsDetail} detail
 *
 * @typedef {object} StatsDetail
 * @property {Playout['counters'] & { delayMs: number, wantedMs: number, receivedPercent: number | null,
 *   driftPpm: number, movedMs: number }} playout  driftPpm: the speaker's sound card against the server's sample
 *   clock; movedMs: by how much what is heard was ever moved
 * @property {Uplink['counters'] & { level: number, voice: boolean, driftPpm: number }} uplink
 *   driftPpm: the microphone's against the server's sample clock
 * @property {ConnectionStats} connection
 * @property {{ dropped: number, outputMs: number, gaps: number, gapMs: number, clockErrorMs: number,
 *   clockJumps: number, driftPpm: number }} client  packets that were no packets; what waits for the sound card, how
 *   often that found nothing, and how long in all; how far the clock may be off, how often it had to jump, and the
 *   server's against this computer's
 * @property {Record<string, unknown> | null} server  what the server says of this one's uplink
 */

import { delayPartsOf, sumOf } from '../playout/delay-parts.js';
import { LossReport, reportOf } from '../playout/loss-report.js';
import { ReceivedShare } from '../playout/received-share.js';

/** How often statistics are told, in milliseconds. */
const TELL_MS = 1000;

/** What a client that has joined knows of its call. */
export class CallStatistics {
  #call;
  #clock;
  #received = new ReceivedShare();
  #lossReport = new LossReport();
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} call
   * @param {ClientAudio} call.audio
   * @param {Connection} call.connection
   * @param {ClockSync} call.sync
   * @param {RoomState} call.room
   * @param {Traffic} call.traffic
   * @param {{ output: Readonly<Output> }} call.client
   * @param {Clock} clock
   */
  constructor(call, clock) {
    this.#call = call;
    this.#clock = clock;
  }

  /**
   * Tells them once a second from now on, and the server what it must know of them.
   * @param {(stats: ClientStats) => void} tell
   */
  start(tell) {
    this.#timer = this.#clock.setTimeout(() => {
      this.start(tell);
      const { audio, connection } = this.#call;
      this.#received.add(audio.playout.counters);
      const stats = this.read();
      const now = this.#clock.now();
      const lostPercent = audio.playout.lostPercent(now);
      if (this.#lossReport.isDue(lostPercent, now)) connection.sendControl(reportOf(lostPercent, stats));
      tell(stats);
    }, TELL_MS);
  }

  /** @returns {ClientStats} */
  read() {
    const { audio, connection, sync, room, traffic, client } = this.#call;
    const { playout, uplink } = audio;
    const { waitMs: outputMs, gaps, gapMs } = client.output;
    const delayParts = delayPartsOf(room.welcome, sync, { playoutMs: playout.delayMs, outputMs });
    return {
      transport: connection.transport,
      roundTripMs: sync.roundTripMs,
      receivedPercent: this.#received.percent,
      delayMs: sumOf(delayParts),
      delayParts,
      bytes: { up: traffic.up, down: traffic.down },
      detail: {
        playout: playout.stats(),
        uplink: uplink.stats(),
        connection: connection.stats(),
        client: { dropped: traffic.dropped, outputMs, gaps, gapMs, ...sync.stats(this.#clock.now()) },
        server: room.stats,
      },
    };
  }

  /** Tells no more. Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}
