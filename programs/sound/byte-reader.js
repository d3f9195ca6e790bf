/** Reads bytes in requested lengths from a source with pieces of any length. */
export class ByteReader {
  #stream;
  #pieces;
  /** Bytes read from the source and not taken yet. @type {Buffer} */
  #bytes = Buffer.alloc(0);
  #ended = false;
  #closed = false;

  /** @param {AsyncIterable<Uint8Array> & { destroy?: () => unknown }} stream */
  constructor(stream) {
    this.#stream = stream;
    this.#pieces = stream[Symbol.asyncIterator]();
  }

  /**
   * Looks at the next bytes without taking them.
   * @param {number} count
   * @returns {Promise<Buffer>} fewer at the end
   */
  async peek(count) {
    const pieces = [this.#bytes];
    let length = this.#bytes.length;
    while (length < count && !this.#ended) {
      const { done, value } = await this.#next();
      this.#ended = done ?? false;
      if (done) break;
      pieces.push(Buffer.from(value.buffer, value.byteOffset, value.byteLength));
      length += value.length;
    }
    if (pieces.length > 1) this.#bytes = Buffer.concat(pieces, length);
    return this.#bytes.subarray(0, count);
  }

  /** @param {number} count @returns {Promise<Buffer>} fewer at the end */
  async take(count) {
    const bytes = await this.peek(count);
    this.#bytes = this.#bytes.subarray(bytes.length);
    return bytes;
  }

  /**
   * Looks at the bytes that are there, or waits for the next ones.
   * @param {number} most
   * @returns {Promise<Buffer>} empty at the end
   */
  async here(most) {
    await this.peek(1);
    return this.#bytes.subarray(0, most);
  }

  /** Skips any number of bytes. @param {number} count */
  async skip(count) {
    for (let left = count; left > 0;) {
      const { length } = await this.take(Math.min(left, 65_536));
      if (length === 0) return;
      left -= length;
    }
  }

  /** Remaining bytes, piece by piece. */
  async *rest() {
    for (;;) {
      const bytes = await this.take(Math.max(1, this.#bytes.length));
      if (bytes.length === 0) return;
      yield bytes;
    }
  }

  /** @returns {Promise<IteratorResult<Uint8Array, undefined>>} */
  async #next() {
    try {
      return await this.#pieces.next();
    } catch (error) {
      // A waiting read ends with the stream.
      if (this.#closed) return { done: /** @type {const} */ (true), value: undefined };
      throw error;
    }
  }

  /** Stops reading; waiting calls get no bytes. Idempotent. */
  async close() {
    this.#closed = true;
    this.#stream.destroy?.();
  }
}
