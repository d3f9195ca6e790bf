/** Sums of many participants' packets and frames: those who are there, and those who have been. */
export class Traffic {
  /** Packets of audio that came and were used. */
  received = 0;
  /** Those of them whose frame had been mixed. */
  late = 0;
  /** Packets that never came, as their numbers tell. */
  lost = 0;
  /** Packets and messages that weren't used, by reason. @type {Record<string, number>} */
  dropped = {};
  /** Frames that the decoder made up. */
  concealed = 0;
  /** Frames that were there for their mix because a later packet repeated them. */
  recovered = 0;
  /** Frames of sound that weren't mixed because louder ones were. */
  unmixed = 0;
  /** Payloads that weren't Opus of the room's format. */
  garbled = 0;
  /** Packets to participants that weren't sent: the way was blocked. */
  unsent = 0;
  /** Packets to participants that the transport knows to be lost. */
  lostOut = 0;

  /**
   * @param {string} reason  of a bounded number: it comes from this code
   * @param {number} count
   */
  drop(reason, count) {
    this.dropped[reason] = (this.dropped[reason] ?? 0) + count;
  }

  /** @returns {Traffic} one that goes on from here by itself */
  copy() {
    return Object.assign(new Traffic(), this, { dropped: { ...this.dropped } });
  }
}
