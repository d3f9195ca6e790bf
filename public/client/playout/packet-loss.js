/** @import { Packet } from '../../shared/packet.js' */

/** Loss is told of so many seconds. */
const SECONDS = 5;

/**
 * Which share of the packets for a listener never comes, by their sequence numbers, as RTP receivers
 * count it (RFC 3550, appendix A.3): in silence a sender leaves frames out, so a frame index that is
 * missing says nothing. What comes out of order is no loss.
 */
export class PacketLoss {
  #stream = -1;
  #sequence = 0;
  #frame = 0;
  #silent = false;
  #arrived = 0;
  /** What had been expected and had arrived at the beginning of each of the last seconds. */
  #expectedThen = new Float64Array(SECONDS);
  #arrivedThen = new Float64Array(SECONDS);
  #second = NaN;

  /** Packets that should have come so far. */
  expected = 0;

  /**
   * @param {Packet} packet one that wasn't there yet
   * @param {number} frame its frame index, unwrapped
   * @param {number} nowMs
   */
  add(packet, frame, nowMs) {
    this.#turn(nowMs);
    if (this.#stream < 0 || frame > this.#frame) this.#advance(packet, frame);
    this.#arrived = Math.min(this.#arrived + 1, this.expected);
  }

  /**
   * @param {Packet} packet
   * @param {number} frame
   */
  #advance(packet, frame) {
    this.expected += this.#stream < 0 ? 1 : this.#steps(packet, frame - this.#frame);
    this.#stream = packet.stream;
    this.#sequence = packet.sequence;
    this.#frame = frame;
    this.#silent = packet.payloadBytes[0] === 0;
  }

  /**
   * @param {Packet} packet
   * @param {number} frames by which it is further than the one before
   * @returns {number} how many packets were sent from the one before to this one
   */
  #steps(packet, frames) {
    if (packet.stream === this.#stream) {
      const steps = (packet.sequence - this.#sequence) & 0xffff;
      // Frames that were never made, or in `reply` never asked for, are missed like those that were lost.
      if (steps > 1 && steps <= frames) return steps;
    }
    // The numbers of two streams have nothing to do with one another.
    return this.#silent ? 1 : frames;
  }

  /** @param {number} nowMs */
  #turn(nowMs) {
    const second = Math.floor(nowMs / 1000);
    if (!(second - this.#second < SECONDS)) this.#second = second - SECONDS;
    for (; this.#second < second; this.#second++) {
      this.#expectedThen[(this.#second + 1) % SECONDS] = this.expected;
      this.#arrivedThen[(this.#second + 1) % SECONDS] = this.#arrived;
    }
  }

  /** Packets that have not come, of those that were sent before the newest that has. */
  get lost() {
    return this.expected - this.#arrived;
  }

  /**
   * @param {number} nowMs
   * @returns {number | null} of the packets of the last seconds, those that have not come, in percent; null when
   *   there were none
   */
  percent(nowMs) {
    this.#turn(nowMs);
    const oldest = (this.#second + 1) % SECONDS;
    const expected = this.expected - this.#expectedThen[oldest];
    const arrived = this.#arrived - this.#arrivedThen[oldest];
    return expected > 0 ? Math.max(0, (100 * (expected - arrived)) / expected) : null;
  }

  /** Another stream of frames begins, which has nothing to do with the one before. */
  reset() {
    this.#stream = -1;
  }
}
