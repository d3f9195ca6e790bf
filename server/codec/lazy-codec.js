/**
 * Encoders and decoders that are opened when there is something to do for them: who never spoke has none. They
 * are kept from then on, since an Opus frame is coded against the one before it: a new decoder makes a burst of
 * the first sound after silence, and so does the other end's of a new encoder.
 * @import { PayloadDecoder, PayloadEncoder } from '../../public/shared/payload.js'
 */

/**
 * @template {PayloadDecoder | PayloadEncoder} T
 */
class Lazy {
  #open;
  /** @type {T | null} */
  #codec = null;
  #closed = false;

  /**
   * @param {() => T} open  may throw, as when there are too many
   * @param {boolean} atOnce  whether it is opened now; this then throws what it throws
   */
  constructor(open, atOnce) {
    this.#open = open;
    if (atOnce) this.#codec = open();
  }

  /** @returns {T | null} null where there can't be one */
  get codec() {
    if (this.#codec === null && !this.#closed) this.#codec = opened(this.#open);
    return this.#codec;
  }

  /** Idempotent. */
  close() {
    this.#closed = true;
    this.#codec?.close();
    this.#codec = null;
  }
}

/**
 * Nothing on a frame's way throws: one who can't be decoded is silent, and nobody else is less for it.
 * @template T
 * @param {() => T} open
 */
function opened(open) {
  try {
    return open();
  } catch {
    return null;
  }
}

/** @extends {Lazy<PayloadEncoder>} */
export class LazyEncoder extends Lazy {
  #effort;
  /** What the encoder is set to. */
  #complexity;

  /**
   * @param {() => PayloadEncoder} open
   * @param {boolean} atOnce
   * @param {{ readonly complexity: number }} effort  looked at for each frame
   * @param {number} complexity  that it is opened with
   */
  constructor(open, atOnce, effort, complexity) {
    super(open, atOnce);
    this.#effort = effort;
    this.#complexity = complexity;
  }

  /**
   * @param {Float32Array} pcm
   * @param {Uint8Array} out
   * @param {number} at
   * @returns {number} the payload's bytes; 0 when it failed or doesn't fit
   */
  encode(pcm, out, at) {
    const { codec } = this;
    if (codec === null) return 0;
    const { complexity } = this.#effort;
    if (complexity !== this.#complexity) {
      codec.setComplexity(complexity);
      this.#complexity = complexity;
    }
    return codec.encode(pcm, out, at);
  }
}

/** @extends {Lazy<PayloadDecoder>} */
export class LazyDecoder extends Lazy {
  #frameValues;

  /**
   * @param {() => PayloadDecoder} open
   * @param {boolean} atOnce
   * @param {number} frameValues
   */
  constructor(open, atOnce, frameValues) {
    super(open, atOnce);
    this.#frameValues = frameValues;
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} start where the payload starts
   * @param {number} length its bytes
   * @param {Float32Array} out
   * @param {number} at where the frame's samples go
   * @returns {boolean} false when there was garbage in it, or it can't be decoded
   */
  decode(bytes, start, length, out, at) {
    const { codec } = this;
    if (codec !== null) return codec.decode(bytes, start, length, out, at);
    out.fill(0, at, at + this.#frameValues);
    return false;
  }

  /**
   * @param {Float32Array} out
   * @param {number} at
   */
  conceal(out, at) {
    const { codec } = this;
    if (codec !== null) codec.conceal(out, at);
    else out.fill(0, at, at + this.#frameValues);
  }
}
