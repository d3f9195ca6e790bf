/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { Uplink } from '../capture/uplink.js'
 * @import { ClockSync } from '../clock/clock-sync.js'
 * @import { ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { Nearness } from '../../shared/nearness.js'
 * @import { Connection, ConnectionStats } from '../connection/connection.js'
 * @import { Playout } from '../playout/playout.js'
 * @import { CallAudio } from './call-audio.js'
 * @import { CallState } from './call-state.js'
 * @import { ClientOptions, Output } from './types.js'
 */

import { LossReport, ReceivedShare, reportOf } from '../playout/packet-loss.js';
import { sumOf } from './device-delays.js';

/**
 * @typedef {{ down: number, dropped: number }} Traffic
 *   bytes of packets since joining; packets that were no packets
 *
 * @typedef {object} ClientStats
 * @property {Connection['transport']} transport
 * @property {Nearness} nearness to the speakers, now
 * @property {number | null} roundTripMs      to the server and back
 * @property {number | null} receivedPercent of the last seconds' frames for this listener, those in
 *   time
 * @property {number | null} delayMs estimate, from an equally distant participant's microphone to
 *   this speaker; with the devices' delays if the page knows them
 * @property {DelayParts} delayParts the summands of delayMs
 * @property {number | null} microphoneMs the delay of one's own microphone, if the page knows it
 * @property {number} suppressionMs the delay of this person's noise model, part of microphoneMs
 * @property {number | null} behindMs by the clock: from a sound at the speaker's microphone until
 *   it is played here, with the transport; null while unknown
 * @property {{ up: number, down: number }} bytes  of packets, since joining
 * @property {{ sample: number, atMs: number }} clock the room's sample clock at a time of the
 *   client's clock
 * @property {StatsDetail} detail
 *
 * @typedef {object} StatsDetail
 * @property {Playout['counters'] & { delayMs: number, wantedMs: number, receivedPercent: number |
 *   null, driftPpm: number, movedMs: number }} playout driftPpm: the speaker's sound card against
 *   the server's sample clock; movedMs: by how much what is heard was ever moved
 * @property {Uplink['counters'] & { level: number, voice: boolean, driftPpm: number, laterMs:
 *   number }} uplink driftPpm: the microphone's against the server's sample clock; laterMs: by how
 *   much its sound is placed later on the grid than it was
 * @property {ConnectionStats} connection
 * @property {{ dropped: number, outputMs: number, gaps: number, gapMs: number, clockErrorMs:
 *   number, clockJumps: number, driftPpm: number, lateShare: number, isShortOfTime: boolean }}
 *   client `dropped`: malformed packets. `outputMs`: sound that waits for the sound card. `gaps`,
 *   `gapMs`: times without any. `clockErrorMs`, `clockJumps`, `driftPpm`: the server's clock as
 *   measured. `lateShare`: lateness of timers, 0 to 1
 * @property {ServerMessages['stats'] | null} server the server's statistics of this participant's
 *   uplink
 */

/** Interval of statistics, in milliseconds. */
const TELL_MS = 1000;

/** Interval of a listener's reports while the loss doesn't change, in milliseconds. */
const LISTENER_REPORT_MS = 10_000;

/** The statistics of a joined client, and its reports to the server. */
export class CallStatistics {
  #call;
  #clock;
  #received = new ReceivedShare();
  #lossReport = new LossReport();
  /** @type {unknown} */
  #timer = null;

  /**
   * @param {object} call
   * @param {CallAudio} call.audio
   * @param {Connection} call.connection
   * @param {ClockSync} call.sync
   * @param {CallState} call.room
   * @param {Traffic} call.traffic
   * @param {Readonly<Output>} call.output
   * @param {Pick<ClientOptions, 'microphoneMs' | 'suppressionMs'>} call.options  read again
   *   when it changes
   * @param {Clock} clock
   */
  constructor(call, clock) {
    this.#call = call;
    this.#clock = clock;
  }

  /**
   * Reports statistics once a second from now on, to `tell` and to the server.
   * @param {(stats: ClientStats) => void} tell
   */
  start(tell) {
    this.#timer = this.#clock.setTimeout(() => {
      this.start(tell);
      const { audio, connection, room } = this.#call;
      this.#received.add(audio.playout.counters);
      audio.followNearness();
      if (room.stats) audio.uplink.followDelay(room.stats, this.#clock.now());
      const stats = this.read();
      const now = this.#clock.now();
      const lostPercent = audio.playout.lostPercent(now);
      const againMs = room.isLight ? LISTENER_REPORT_MS : undefined;
      if (this.#lossReport.isDue(lostPercent, now, againMs))
        connection.sendControl(reportOf(lostPercent, stats));
      tell(stats);
    }, TELL_MS);
  }

  /** @returns {ClientStats} */
  read() {
    const { audio, connection, sync, room, traffic, output, options } = this.#call;
    const now = this.#clock.now();
    const { playout, uplink, processorTime } = audio;
    const { lateShare, isShort: isShortOfTime } = processorTime;
    const { waitMs: outputMs, gaps, gapMs } = output;
    // A forwarded packet has also come up to the server, and waits for nothing there.
    const welcome = playout.isDirect
      ? { ...room.welcome, delivery: /** @type {const} */ ('reply'), serverDelayMs: 0 }
      : room.welcome;
    const delayParts = {
      microphoneMs: room.stats?.microphoneMs ?? null,
      codecMs: audio.lookaheadMs * audio.codecs,
      ...delayPartsOf(welcome, sync, { playoutMs: playout.delayMs, outputMs }),
      laterMs: playout.isDirect ? 0 : room.roster.laterMs,
    };
    const uplinkStats = uplink.stats();
    const { microphoneMs, suppressionMs = 0 } = options;
    const sample = sync.sampleClockAt(now);
    const { sampleRate, frameMs } = room.welcome.format;
    return {
      transport: connection.transport,
      nearness: audio.nearness,
      roundTripMs: sync.roundTripMs,
      receivedPercent: this.#received.percent,
      delayMs: sumOf(delayParts),
      delayParts,
      microphoneMs: microphoneMsOf(microphoneMs, uplinkStats.laterMs + suppressionMs),
      suppressionMs,
      behindMs: behindOf((sample * 1000) / sampleRate - now + playout.originMs, frameMs),
      bytes: { up: uplink.bytes, down: traffic.down },
      clock: { sample, atMs: now },
      detail: {
        playout: playout.stats(),
        uplink: uplinkStats,
        connection: connection.stats(),
        client: {
          dropped: traffic.dropped,
          outputMs,
          gaps,
          gapMs,
          ...sync.stats(now),
          lateShare,
          isShortOfTime,
        },
        server: room.stats,
      },
    };
  }

  /** Tells no more. Idempotent. */
  close() {
    this.#clock.clearTimeout(this.#timer);
  }
}

/**
 * @param {number} ms by the playout's first frame, which its packet gives modulo 2^32
 * @param {number} frameMs
 * @returns {number | null} null while it is unknown
 */
function behindOf(ms, frameMs) {
  const lapMs = 2 ** 32 * frameMs;
  return Number.isFinite(ms) ? ms - lapMs * Math.round(ms / lapMs) : null;
}

/**
 * Delay of one's own microphone. Sound may be placed on the grid earlier than it arrives, but the
 * delay is never below 0.
 * @param {number | null | undefined} deviceMs
 * @param {number} laterMs see Uplink.stats()
 */
const microphoneMsOf = (deviceMs, laterMs) =>
  typeof deviceMs === 'number' ? Math.max(0, deviceMs + laterMs) : null;

/**
 * @typedef {object} DelayParts  in milliseconds
 * @property {number | null} [microphoneMs] delay of the others' microphones, if they report it
 * @property {number} [codecMs] lookahead of the codecs on the way
 * @property {number} frameMs        a frame is sent when it is over
 * @property {number} wayMs of delivery `tick`: the way down, since the server's delay holds the way
 *   up
 * @property {number} serverDelayMs
 * @property {number} [laterMs] by how much the others are heard later than that, as stragglers
 * @property {number} playoutMs sound that waits for jitter
 * @property {number} outputMs sound that waits for the sound card
 * @property {number | null} [speakerMs] the delay of sound card and speaker, if the page knows it
 */

/**
 * The parts of the delay of heard sound.
 * @param {Pick<ServerMessages['welcome'], 'delivery' | 'serverDelayMs' | 'format'>} welcome
 * @param {ClockSync} sync
 * @param {{ playoutMs: number, outputMs: number }} waits  in the client
 * @returns {DelayParts}
 */
function delayPartsOf({ delivery, serverDelayMs, format }, sync, waits) {
  const roundTrip = sync.leastRoundTripMs ?? 0;
  // In `tick` the server's delay holds the way up.
  const wayMs = delivery === 'reply' ? roundTrip : roundTrip / 2;
  return { frameMs: format.frameMs, wayMs, serverDelayMs, ...waits };
}
