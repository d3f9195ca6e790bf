/**
 * @import { Packet } from '../../shared/wire/packet.js'
 */

/** The window of the reported loss, in seconds. */
const SECONDS = 5;

/**
 * The share of a listener's packets that never come, by their sequence numbers, as RTP receivers
 * count it (RFC 3550, appendix A.3). A missing frame index says nothing, since a sender leaves
 * frames out in silence. Packets out of order are no loss.
 */
export class PacketLoss {
  #stream = -1;
  #sequence = 0;
  #frame = 0;
  #silent = false;
  /** Whether packets have come oftener than the stride is. */
  #often = false;
  #arrived = 0;
  /** Packets that were sent so far: those expected without those that the sender left out. */
  #sent = 0;
  /** The packets sent and arrived by the beginning of each of the last seconds. */
  #sentThen = new Float64Array(SECONDS);
  #arrivedThen = new Float64Array(SECONDS);
  #second = NaN;

  /** Packets that should have come so far. */
  expected = 0;
  /**
   * The most frames that a packet holds of those that are sent to this listener, not counting those
   * that an earlier one had.
   */
  stride = 1;

  /**
   * @param {Packet} packet one that wasn't there yet
   * @param {number} frame its frame index, unwrapped
   * @param {number} nowMs
   */
  add(packet, frame, nowMs) {
    this.#turn(nowMs);
    if (this.#stream < 0 || frame > this.#frame) this.#advance(packet, frame);
    this.#arrived = Math.min(this.#arrived + 1, this.#sent);
  }

  /**
   * @param {Packet} packet
   * @param {number} frame
   */
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
   * @param {number} frames by which it is further than the one before
   * @returns {number} the packets that should have come from the one before to this one
   */
  #steps(packet, frames) {
    if (this.stride > 1)
      return this.#silent ? 1 : Math.min(this.#strides(frames, packet), this.#gaps(frames, packet));
    if (packet.stream === this.#stream) {
      const steps = (packet.sequence - this.#sequence) & 0xffff;
      // Frames that were never made, or in `reply` never asked for, are missed like those that were
      // lost.
      if (steps > 1 && steps <= frames) return steps;
    }
    // The numbers of two streams have nothing to do with one another.
    return this.#silent ? 1 : frames;
  }

  /**
   * A sender that is short of time leaves frames out. They are missed, but repeats for them would
   * make its time shorter still.
   * @param {Packet} packet
   * @param {number} frames
   * @returns {number} the packets, at most, of the frames from the one before to this one that were
   *   made, as far as their numbers tell
   */
  #made(packet, frames) {
    const made = (packet.sequence - this.#sequence) & 0xffff;
    return packet.stream === this.#stream && !this.#silent && made > 0 && made < frames
      ? Math.ceil(made / this.#strideOf(packet))
      : Infinity;
  }

  /**
   * A broadcast's packets of a high bit rate hold fewer frames than the most: those are not of a
   * stride's last frame only.
   * @param {Packet} packet
   * @returns {number} how many frames there are to a packet
   */
  #strideOf({ redundancy }) {
    return this.#often ? Math.min(this.stride, redundancy + 1) : this.stride;
  }

  /**
   * @param {number} frames by which the newest packet is further than the one before; of each
   *   stride the last frame's is sent
   * @param {Packet} packet  the newest
   * @returns {number} the packets from the one before to the newest, which may have been sent
   *   between two strides
   */
  #strides(frames, packet) {
    const stride = this.#strideOf(packet);
    const [before, newest] = [this.#frame + 1, this.#frame + frames + 1];
    const whole = Math.floor(newest / stride) - Math.floor(before / stride);
    return newest % stride === 0 ? whole : whole + 1;
  }

  /**
   * Packets may come oftener than the stride is, as probes and repeats do: where one goes on where
   * the one before it ended, none is missing.
   * @param {number} frames
   * @param {Packet} packet  the newest
   * @returns {number} the packets from the one before to the newest, if one is missing for each
   *   stride between them
   */
  #gaps(frames, packet) {
    return 1 + Math.ceil(Math.max(0, frames - 1 - packet.redundancy) / this.#strideOf(packet));
  }

  /** @param {number} nowMs */
  #turn(nowMs) {
    const second = Math.floor(nowMs / 1000);
    if (!(second - this.#second < SECONDS)) this.#second = second - SECONDS;
    for (; this.#second < second; this.#second++) {
      this.#sentThen[(this.#second + 1) % SECONDS] = this.#sent;
      this.#arrivedThen[(this.#second + 1) % SECONDS] = this.#arrived;
    }
  }

  /** Packets that have not come, of those that should have before the newest that has. */
  get lost() {
    return this.expected - this.#arrived;
  }

  /**
   * @param {number} nowMs
   * @returns {number | null} of the packets that were sent in the last seconds, those that have not
   *   come, in percent; null when there were none
   */
  percent(nowMs) {
    this.#turn(nowMs);
    const oldest = (this.#second + 1) % SECONDS;
    const sent = this.#sent - this.#sentThen[oldest];
    const arrived = this.#arrived - this.#arrivedThen[oldest];
    return sent > 0 ? Math.max(0, (100 * (sent - arrived)) / sent) : null;
  }

  /** Another stream of frames begins, which has nothing to do with the one before. */
  reset() {
    this.#stream = -1;
    this.#often = false;
  }
}

/** The readings that the share is of: with one a second, the last ten seconds. */
const READINGS = 10;

/** The share of the frames due in the last seconds whose packet was there in time. */
export class ReceivedShare {
  /** @type {{ received: number, due: number }[]} */
  #readings = [];

  /** @param {{ received: number, late: number, lost: number }} counters totals so far */
  add({ received, late, lost }) {
    this.#readings.push({ received, due: received + late + lost });
    if (this.#readings.length > READINGS + 1) this.#readings.shift();
  }

  /** In percent; null before anything was due. */
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

/** The change of the loss that is reported at once, in percentage points. */
const CHANGE_PERCENT = 0.5;
/** The interval of reports while the loss doesn't change, in milliseconds. */
const AGAIN_MS = 5000;

/** The range that the server accepts of each figure: it refuses a report with one beyond. */
const BOUNDS = Object.freeze({
  playoutDelayMs: [0, 10_000],
  soundLatencyMs: [0, 60_000],
  driftPpm: [-10_000, 10_000],
});

/**
 * @param {number | null} lostPercent
 * @param {{ delayMs: number | null, detail: { playout: { delayMs: number, driftPpm: number },
 *   client?: { isShortOfTime: boolean } } }} stats
 * @returns {Record<string, unknown>} the control message, without figures out of range
 */
export function reportOf(lostPercent, { delayMs, detail: { playout, client } }) {
  const sound = {
    playoutDelayMs: playout.delayMs,
    soundLatencyMs: delayMs ?? NaN,
    driftPpm: playout.driftPpm,
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
 * Decides when the loss of the downlink, and the sound's latency with it, is reported to the
 * server. Asked once a second.
 */
export class LossReport {
  #toldPercent = 0;
  #toldMs = -Infinity;

  /**
   * @param {number | null} lostPercent of the last seconds; null where nothing was sent
   * @param {number} nowMs
   * @param {number} [againMs] the interval of reports while the loss doesn't change
   * @returns {boolean} whether to report it
   */
  isDue(lostPercent, nowMs, againMs = AGAIN_MS) {
    if (lostPercent === null) return false;
    const isChanged = Math.abs(lostPercent - this.#toldPercent) >= CHANGE_PERCENT;
    const isOld = nowMs - this.#toldMs >= againMs;
    if (!isChanged && !isOld) return false;
    this.#toldPercent = lostPercent;
    this.#toldMs = nowMs;
    return true;
  }
}
