/** @import { Packet } from '../../shared/wire/packet.js' */

/** Window of the reported loss, in seconds. */
const SECONDS = 5;

/**
 * Measures the share of a listener's packets that never come, by their sequence numbers, as RTP
 * receivers do (RFC 3550, appendix A.3). A missing frame index proves nothing, since a sender skips
 * frames in silence. Packets out of order are no loss.
 */
export class PacketLoss {
  #stream = -1;
  #sequence = 0;
  #frame = 0;
  #silent = false;
  /** True when packets came more often than once per stride. */
  #often = false;
  #arrived = 0;
  /** Number of packets sent so far: the expected ones minus the ones that the sender left out. */
  #sent = 0;
  /** Packets sent and arrived by the beginning of each of the last seconds. */
  #sentBySecond = new Float64Array(SECONDS);
  #arrivedBySecond = new Float64Array(SECONDS);
  #second = NaN;

  /** Number of packets that should have come so far. */
  expected = 0;
  /** Maximum number of new frames in a packet to this listener. */
  stride = 1;

  /**
   * @param {Packet} packet a new one
   * @param {number} frame its frame index, unwrapped
   * @param {number} nowMs
   */
  add(packet, frame, nowMs) {
    this.#turn(nowMs);
    if (this.#stream < 0 || frame > this.#frame) this.#advance(packet, frame);
    this.#arrived = Math.min(this.#arrived + 1, this.#sent);
  }

  /** @param {Packet} packet @param {number} frame */
  #advance(packet, frame) {
    const frames = frame - this.#frame;
    const isSilent = packet.payloadBytes[0] === 0;
    const isAtEnd = frame % this.stride === this.stride - 1;
    this.#often ||= !isAtEnd && !isSilent;
    const expected = this.#stream < 0 ? 1 : this.#steps(packet, frames);
    this.expected += expected;
    this.#sent += Math.min(expected, this.#made(packet, frames));
    this.#stream = packet.stream;
    this.#sequence = packet.sequence;
    this.#frame = frame;
    this.#silent = isSilent;
    if (isAtEnd && frames >= this.stride) this.#often = false;
  }

  /**
   * @param {Packet} packet
   * @param {number} frames distance to the previous packet's frame
   * @returns {number} packets that should have come since the previous packet, this one included
   */
  #steps(packet, frames) {
    if (this.stride > 1)
      return this.#silent ? 1 : Math.min(this.#strides(frames, packet), this.#gaps(frames, packet));
    if (packet.stream === this.#stream) {
      const steps = (packet.sequence - this.#sequence) & 0xffff;
      // Frames that were never made, or in `reply` never asked for, count as lost ones.
      if (steps > 1 && steps <= frames) return steps;
    }
    // Sequence numbers of two streams are unrelated.
    return this.#silent ? 1 : frames;
  }

  /**
   * Counts the packets that a sender made. A sender short of time skips frames: they are missed,
   * but repeats for them would make its time even shorter.
   * @param {Packet} packet
   * @param {number} frames
   * @returns {number} most packets, by their numbers, from the previous one to this one
   */
  #made(packet, frames) {
    const made = (packet.sequence - this.#sequence) & 0xffff;
    return packet.stream === this.#stream && !this.#silent && made > 0 && made < frames
      ? Math.ceil(made / this.#strideOf(packet))
      : Infinity;
  }

  /**
   * Reads the stride from a packet. A broadcast's packets of a high bit rate hold fewer frames than
   * the maximum: they don't only belong to a stride's last frame.
   * @param {Packet} packet
   * @returns {number} number of new frames in it
   */
  #strideOf({ redundancy }) {
    return this.#often ? Math.min(this.stride, redundancy + 1) : this.stride;
  }

  /**
   * @param {number} frames distance from the previous packet's frame to the newest; each stride
   *   sends its last frame
   * @param {Packet} packet the newest
   * @returns {number} packets from the previous to the newest, which may have been sent between two
   *   strides
   */
  #strides(frames, packet) {
    const stride = this.#strideOf(packet);
    const [before, newest] = [this.#frame + 1, this.#frame + frames + 1];
    const whole = Math.floor(newest / stride) - Math.floor(before / stride);
    return newest % stride === 0 ? whole : whole + 1;
  }

  /**
   * Counts packets that came more often than once per stride, as probes and repeats do. If a packet
   * continues where the previous one ended, none is missing.
   * @param {number} frames
   * @param {Packet} packet the newest
   * @returns {number} packets from the previous to the newest, if one is missing for each stride
   *   between them
   */
  #gaps(frames, packet) {
    return 1 + Math.ceil(Math.max(0, frames - 1 - packet.redundancy) / this.#strideOf(packet));
  }

  /** @param {number} nowMs */
  #turn(nowMs) {
    const second = Math.floor(nowMs / 1000);
    if (!(second - this.#second < SECONDS)) this.#second = second - SECONDS;
    for (; this.#second < second; this.#second++) {
      this.#sentBySecond[(this.#second + 1) % SECONDS] = this.#sent;
      this.#arrivedBySecond[(this.#second + 1) % SECONDS] = this.#arrived;
    }
  }

  /** Number of packets that should have come before the newest, but didn't. */
  get lost() {
    return this.expected - this.#arrived;
  }

  /**
   * @param {number} nowMs
   * @returns {number | null} share of the last seconds' packets that have not come, in percent;
   *   null without packets
   */
  percent(nowMs) {
    this.#turn(nowMs);
    const oldest = (this.#second + 1) % SECONDS;
    const sent = this.#sent - this.#sentBySecond[oldest];
    const arrived = this.#arrived - this.#arrivedBySecond[oldest];
    return sent > 0 ? Math.max(0, (100 * (sent - arrived)) / sent) : null;
  }

  /** Starts again for another stream of frames, unrelated to the one before. */
  reset() {
    this.#stream = -1;
    this.#often = false;
  }
}

/** Number of readings behind the share: with one a second, the last ten seconds. */
const READINGS = 10;

/** Measures the share of the last seconds' due frames whose packet was there in time. */
export class ReceivedShare {
  /** @type {{ received: number, due: number }[]} */
  #readings = [];

  /** @param {{ received: number, late: number, lost: number }} counters totals so far */
  add({ received, late, lost }) {
    this.#readings.push({ received, due: received + late + lost });
    if (this.#readings.length > READINGS + 1) this.#readings.shift();
  }

  /** The share in percent; null before anything was due. */
  get percent() {
    const last = this.#readings.at(-1);
    if (!last) return null;
    const first = this.#readings.length > 1 ? this.#readings[0] : { received: 0, due: 0 };
    const due = last.due - first.due;
    return due > 0
      ? Math.max(0, Math.min(100, (100 * (last.received - first.received)) / due))
      : null;
  }
}

/** Change of the loss that is reported at once, in percentage points. */
const CHANGE_PERCENT = 0.5;
/** Interval of reports while the loss doesn't change, in milliseconds. */
const AGAIN_MS = 5000;

/** Range that the server accepts for each figure: it refuses a report with one beyond. */
const BOUNDS = Object.freeze({
  playoutDelayMs: [0, 10_000],
  soundLatencyMs: [0, 60_000],
  driftPpm: [-10_000, 10_000],
  microphoneMs: [0, 10_000],
});

/**
 * @param {number | null} lostPercent
 * @param {{ delayMs: number | null, delayParts?: { microphoneMs?: number | null }, microphoneMs?:
 *   number | null, detail: { playout: { delayMs: number, driftPpm: number },
 *   client?: { isShortOfTime: boolean } } }} stats
 * @returns {Record<string, unknown>} the control message, without figures out of range
 */
export function reportOf(lostPercent, { delayMs, delayParts, microphoneMs, detail }) {
  const { playout, client } = detail;
  const sound = {
    playoutDelayMs: playout.delayMs,
    // Without the others' microphones: the server knows those.
    soundLatencyMs: (delayMs ?? NaN) - (delayParts?.microphoneMs ?? 0),
    driftPpm: playout.driftPpm,
    microphoneMs: microphoneMs ?? NaN,
  };
  /** @type {Record<string, unknown>} */
  const report = { type: 'report', lostPercent, ...(client && { isWeak: client.isShortOfTime }) };
  for (const [name, [least, most]] of Object.entries(BOUNDS)) {
    const value = sound[/** @type {keyof typeof BOUNDS} */ (name)];
    if (value >= least && value <= most) report[name] = Math.round(value * 100) / 100;
  }
  return report;
}

/**
 * Decides once a second whether to report the downlink's loss and the sound's latency to the
 * server.
 */
export class LossReport {
  #reportedPercent = 0;
  #reportedMs = -Infinity;

  /**
   * @param {number | null} lostPercent of the last seconds; null when nothing was sent
   * @param {number} nowMs
   * @param {number} [againMs] the interval of reports while the loss doesn't change
   * @returns {boolean} true when to report it
   */
  isDue(lostPercent, nowMs, againMs = AGAIN_MS) {
    if (lostPercent === null) return false;
    const isChanged = Math.abs(lostPercent - this.#reportedPercent) >= CHANGE_PERCENT;
    const isOld = nowMs - this.#reportedMs >= againMs;
    if (!isChanged && !isOld) return false;
    this.#reportedPercent = lostPercent;
    this.#reportedMs = nowMs;
    return true;
  }
}
