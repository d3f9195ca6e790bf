/** Reads any number of samples from a source that gives pieces of its own length. */
export class SampleReader {
  #pull;
  #piece;
  #channels;
  #start = 0;
  #end = 0;

  /**
   * @param {(out: Float32Array) => number} pull fills a piece from its start, and returns its
   *   samples: never 0
   * @param {number} pieceSamples the longest piece
   * @param {number} [channels]
   */
  constructor(pull, pieceSamples, channels = 1) {
    this.#pull = pull;
    this.#piece = new Float32Array(pieceSamples * channels);
    this.#channels = channels;
  }

  /**
   * @param {Float32Array} out filled
   * @param {number} [length] its first numbers alone
   */
  read(out, length = out.length) {
    for (let at = 0; at < length;) {
      if (this.#start === this.#end) {
        this.#start = 0;
        this.#end = this.#pull(this.#piece) * this.#channels;
      }
      const count = Math.min(length - at, this.#end - this.#start);
      for (let i = 0; i < count; i++) out[at + i] = this.#piece[this.#start + i];
      at += count;
      this.#start += count;
    }
  }
}
