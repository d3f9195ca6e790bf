/** Any number of samples from a source that gives pieces of its own length. */
export class SampleReader {
  #pull;
  #piece;
  #channels;
  #start = 0;
  #end = 0;

  /**
   * @param {(out: Float32Array) => number} pull fills a piece from its start, and says how long it is: never 0
   * @param {number} pieceSamples what it may be at most
   * @param {number} [channels]
   */
  constructor(pull, pieceSamples, channels = 1) {
    this.#pull = pull;
    this.#piece = new Float32Array(pieceSamples * channels);
    this.#channels = channels;
  }

  /** @param {Float32Array} out filled */
  read(out) {
    for (let at = 0; at < out.length; ) {
      if (this.#start === this.#end) {
        this.#start = 0;
        this.#end = this.#pull(this.#piece) * this.#channels;
      }
      const count = Math.min(out.length - at, this.#end - this.#start);
      for (let i = 0; i < count; i++) out[at + i] = this.#piece[this.#start + i];
      at += count;
      this.#start += count;
    }
  }
}
