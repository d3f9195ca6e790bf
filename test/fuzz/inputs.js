/**
 * Inputs for fuzzing: changed valid ones, built ones and random bytes. Each has its own seed, so
 * that any one can be made again.
 */

/** The longest input, in bytes. */
export const MAX_INPUT_BYTES = 8 * 1024;

/** The longest input of random bytes, and the most changes of a valid one. */
const MAX_RANDOM_BYTES = 64;
const MAX_CHANGES = 6;

/** Bytes at which lengths, signs and versions change. */
const EDGES = Uint8Array.of(0, 1, 2, 0x0a, 0x10, 0x11, 0x22, 0x7f, 0x80, 0xfb, 0xfc, 0xfe, 0xff);

/**
 * Whole numbers from a seed: Marsaglia's xorshift (Journal of Statistical Software 8, 2003, page
 * 4).
 */
export class Numbers {
  #state = 1;

  /** Starts over. @param {number} seed @param {number} index */
  restart(seed, index) {
    this.#state = Math.imul(seed ^ 0x9e3779b9, 2654435761) ^ Math.imul(index + 1, 2246822519) || 1;
    for (let i = 0; i < 4; i++) this.next();
  }

  /** @returns {number} 32 bits */
  next() {
    this.#state ^= this.#state << 13;
    this.#state ^= this.#state >>> 17;
    this.#state ^= this.#state << 5;
    return this.#state >>> 0;
  }

  /** @param {number} end @returns {number} 0 or more, below it */
  below(end) {
    return this.next() % end;
  }
}

/** Makes inputs in one buffer. */
export class Inputs {
  #numbers = new Numbers();
  #bytes = new Uint8Array(MAX_INPUT_BYTES);
  #length = 0;
  #valid;
  #make;

  /**
   * @param {readonly Uint8Array[]} valid
   * @param {((numbers: Numbers, out: Uint8Array) => number)} [make] writes an input that has the
   *   form of a valid one, and gives its length
   */
  constructor(valid, make) {
    this.#valid = valid;
    this.#make = make;
  }

  /**
   * @param {number} seed
   * @param {number} index
   * @returns {Uint8Array} valid until the next
   */
  at(seed, index) {
    const numbers = this.#numbers;
    numbers.restart(seed, index);
    const kind = numbers.below(8);
    if (kind === 0) this.#random();
    else if (kind <= 2 && this.#make) this.#length = this.#make(numbers, this.#bytes);
    else this.#copy();
    if (kind !== 0)
      for (let changes = numbers.below(MAX_CHANGES); changes > 0; changes--) this.#change();
    return this.#bytes.subarray(0, this.#length);
  }

  #random() {
    this.#length = this.#numbers.below(MAX_RANDOM_BYTES);
    for (let i = 0; i < this.#length; i++) this.#bytes[i] = this.#numbers.next();
  }

  #copy() {
    const valid = this.#valid[this.#numbers.below(this.#valid.length)];
    this.#bytes.set(valid);
    this.#length = valid.length;
  }

  #change() {
    const numbers = this.#numbers;
    const at = numbers.below(this.#length + 1);
    switch (numbers.below(8)) {
      case 0:
        this.#bytes[Math.min(at, MAX_INPUT_BYTES - 1)] ^= 1 << numbers.below(8);
        break;
      case 1:
        this.#bytes[Math.min(at, MAX_INPUT_BYTES - 1)] = EDGES[numbers.below(EDGES.length)];
        break;
      case 2:
        this.#bytes[Math.min(at, MAX_INPUT_BYTES - 1)] = numbers.next();
        break;
      case 3:
        this.#length = at;
        break;
      case 4:
        this.#move(at, Math.min(this.#length, at + 1 + numbers.below(8)));
        break;
      case 5:
        this.#move(Math.min(this.#length, at + 1 + numbers.below(8)), at);
        break;
      case 6:
        this.#splice(at);
        break;
      default:
        this.#longer(at);
    }
  }

  /**
   * Moves what is behind `from` to `to`: bytes are left out, or come twice.
   * @param {number} from
   * @param {number} to
   */
  #move(from, to) {
    const end = Math.min(this.#length, MAX_INPUT_BYTES - Math.max(0, to - from));
    this.#bytes.copyWithin(to, from, end);
    this.#length = to + Math.max(0, end - from);
  }

  /** Goes on with another valid input. @param {number} at */
  #splice(at) {
    const other = this.#valid[this.#numbers.below(this.#valid.length)];
    const from = this.#numbers.below(other.length + 1);
    const count = Math.min(other.length - from, MAX_INPUT_BYTES - at);
    this.#bytes.set(other.subarray(from, from + count), at);
    this.#length = at + count;
  }

  /** Fills up, as far as 1 500 bytes more. @param {number} at */
  #longer(at) {
    const end = Math.min(MAX_INPUT_BYTES, this.#length + this.#numbers.below(1500));
    this.#bytes.fill(this.#numbers.next(), at, end);
    this.#length = end;
  }
}
