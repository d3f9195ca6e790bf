/**
 * Titles in the bytes of a stream, as SHOUTcast has them: a block after each `METADATA_INTERVAL`
 * bytes of the file. Players of radio streams ask for them by `Icy-MetaData: 1`.
 */

/** Bytes of the file between two blocks of metadata, as most stations have it. */
export const METADATA_INTERVAL = 16_000;

/** Unit of a block's length, and its most bytes: the length is one byte. */
const UNIT_BYTES = 16;
const MOST_BYTES = 255 * UNIT_BYTES;

/** Block that says that nothing has changed. */
const UNCHANGED = Uint8Array.of(0);

/** Puts titles between the bytes of a file. */
export class IcyWriter {
  #write;
  /** Bytes of the file until the next block. */
  #left = METADATA_INTERVAL;
  /** @type {Uint8Array} */
  #block = UNCHANGED;

  /** @param {(part: Uint8Array) => void} write */
  constructor(write) {
    this.#write = write;
  }

  /** @param {string} title  for the next block */
  set title(title) {
    this.#block = blockOf(title);
  }

  /** @param {Uint8Array} part  of the file */
  write(part) {
    let at = 0;
    while (part.length - at >= this.#left) {
      this.#write(part.subarray(at, at + this.#left));
      at += this.#left;
      this.#write(this.#block);
      this.#block = UNCHANGED;
      this.#left = METADATA_INTERVAL;
    }
    this.#left -= part.length - at;
    if (at < part.length) this.#write(part.subarray(at));
  }
}

/**
 * @param {string} title
 * @returns {Uint8Array} block of metadata, with its length
 */
function blockOf(title) {
  // Players end the title at the first quote before a semicolon.
  const text = Buffer.from(`StreamTitle='${title.replaceAll("';", '’;')}';`);
  const units = Math.ceil(Math.min(text.length, MOST_BYTES) / UNIT_BYTES);
  const block = new Uint8Array(1 + units * UNIT_BYTES);
  block[0] = units;
  block.set(text.subarray(0, units * UNIT_BYTES), 1);
  return block;
}
