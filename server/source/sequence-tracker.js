/** So many numbers, counted back from the highest, are known one by one; a power of two. */
const WINDOW = 1024;

/** Numbers that are further behind than this are those of a sender that begins anew (as RFC 3550, A.1). */
const MOST_BEHIND = 256;

/** And further ahead than this. */
const MOST_AHEAD = 3000;

/** Loss is told of at least so many seconds, and so many packets, */
const LOSS_SECONDS = 5;
const LOSS_PACKETS = 100;
/** and of so many seconds at most. */
const MOST_SECONDS = 20;

/**
 * The sequence numbers of one sender's packets: which came, and how many never did. A sender that leaves
 * silent frames out counts the packets that it sends, so that loss is known from the numbers alone.
 */
export class Sequences {
  #highest = -1;
  #seen = new Uint32Array(WINDOW / 32);
  /** Of all numbers up to now, how many there were and how many of them came. */
  #sent = 0;
  #came = 0;
  /** Both by the ends of the last seconds. */
  #seconds = new Float64Array(2 * (MOST_SECONDS + 1));
  #second = 0;

  /**
   * @param {number} sequence modulo 2^16
   * @returns {boolean} false when it was there before
   */
  arrived(sequence) {
    if (this.#highest < 0) this.#begin(sequence);
    const ahead = ((sequence - this.#highest) << 16) >> 16;
    if (ahead < -MOST_BEHIND || ahead > MOST_AHEAD) this.#begin(sequence);
    else if (ahead > 0) this.#advance(ahead);
    const at = sequence & (WINDOW - 1);
    const bit = 1 << (at & 31);
    if (this.#seen[at >>> 5] & bit) return false;
    this.#seen[at >>> 5] |= bit;
    this.#came += 1;
    return true;
  }

  /** @param {number} sequence of the first packet */
  #begin(sequence) {
    this.#highest = sequence;
    this.#seen.fill(0);
    this.#sent += 1;
  }

  /** @param {number} steps */
  #advance(steps) {
    this.#sent += steps;
    if (steps >= WINDOW) this.#seen.fill(0);
    else for (let i = 1; i <= steps; i++) this.#forget((this.#highest + i) & (WINDOW - 1));
    this.#highest = (this.#highest + steps) & 0xffff;
  }

  /** @param {number} at */
  #forget(at) {
    this.#seen[at >>> 5] &= ~(1 << (at & 31));
  }

  /** How many packets were sent, as far as is known. */
  get sent() {
    return this.#sent;
  }

  /** How many of them never came. */
  get lost() {
    return this.#sent - this.#came;
  }

  endSecond() {
    this.#second = (this.#second + 1) % (MOST_SECONDS + 1);
    this.#seconds[2 * this.#second] = this.#sent;
    this.#seconds[2 * this.#second + 1] = this.#came;
  }

  /**
   * Of the packets of the last seconds, how many there were and how many of them never came.
   * @param {number} [seconds]  at least so many, and more where they had few packets
   * @returns {{ sent: number, lost: number }}
   */
  lately(seconds = LOSS_SECONDS) {
    let sent = 0;
    let came = 0;
    for (let back = seconds; back <= MOST_SECONDS; back++) {
      const then = 2 * ((this.#second + MOST_SECONDS + 1 - back) % (MOST_SECONDS + 1));
      sent = this.#sent - this.#seconds[then];
      came = this.#came - this.#seconds[then + 1];
      if (sent >= LOSS_PACKETS) break;
    }
    return { sent, lost: Math.max(0, sent - came) };
  }
}
