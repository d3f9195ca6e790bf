/** How much one more packet moves the mean lateness. */
const LATENESS_WEIGHT = 1 / 50;

/** What the server counts of one participant's uplink. */
export class Reception {
  #firstSequence = -1;
  #highest = -1;
  #inTime = 0;
  #late = 0;

  constructor() {
    /** Packets for a frame that was there already. */
    this.duplicate = 0;
    /** Frames that were made up by the decoder. */
    this.concealed = 0;
    /** Frames that were taken from a later packet's redundancy. */
    this.recovered = 0;
    /** Frames whose payload wasn't Opus of the room's format. */
    this.garbage = 0;
    /** Mean lateness in milliseconds: arrival less the end of the frame on the sample clock. */
    this.latenessMs = 0;
    /** Packets that were dropped unread, by reason. */
    this.dropped = {
      empty: 0,
      oversized: 0,
      version: 0,
      type: 0,
      truncated: 0,
      malformed: 0,
      early: 0,
      past: 0,
      flood: 0,
      control: 0,
    };
  }

  /**
   * A packet that was there before its frame was mixed.
   * @param {number} sequence
   * @param {number} latenessMs
   */
  inTime(sequence, latenessMs) {
    this.#inTime += 1;
    this.#arrived(sequence, latenessMs);
  }

  /**
   * A packet that missed its frame's mix.
   * @param {number} sequence
   * @param {number} latenessMs
   */
  late(sequence, latenessMs) {
    this.#late += 1;
    this.#arrived(sequence, latenessMs);
  }

  /**
   * @param {number} sequence modulo 2^16
   * @param {number} latenessMs
   */
  #arrived(sequence, latenessMs) {
    this.latenessMs += (latenessMs - this.latenessMs) * LATENESS_WEIGHT;
    if (this.#firstSequence < 0) {
      this.#firstSequence = sequence;
      this.#highest = sequence;
      return;
    }
    const ahead = ((sequence - this.#highest) << 16) >> 16;
    if (ahead > 0) this.#highest += ahead;
  }

  /** The counters as they are shown: packets, frames, and the share of the sent frames that were mixed. */
  snapshot() {
    const arrived = this.#inTime + this.#late;
    const expected = this.#highest - this.#firstSequence + 1;
    const lost = arrived === 0 ? 0 : Math.max(0, expected - arrived);
    const sent = arrived + lost;
    return {
      received: this.#inTime,
      late: this.#late,
      lost,
      duplicate: this.duplicate,
      concealed: this.concealed,
      recovered: this.recovered,
      garbage: this.garbage,
      receivedPercent: sent === 0 ? null : (100 * this.#inTime) / sent,
      latenessMs: this.latenessMs,
      dropped: { ...this.dropped },
    };
  }
}
