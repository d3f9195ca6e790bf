/**
 * Splits what an encoder writes into the pieces that Low-Latency HLS offers: fragmented MP4
 * (ISO/IEC 14496-12, section 8.8) as it comes, byte by byte.
 *
 * @typedef {{ baseMediaDecodeTime: number, bytes: Buffer }} Fragment in units of the track's
 *   timescale; a `moof` with its `mdat`
 */

/** A box's size and type (ISO/IEC 14496-12, section 4.2), in bytes. */
const HEADER_BYTES = 8;

/** The largest box that is taken: a fragment of this lab has some kilobytes. */
const MOST_BYTES = 4 * 1024 * 1024;

/**
 * The boxes that belong to a fragment; those of the beginning belong to the initialization segment.
 */
const FRAGMENT_TYPES = new Set(['styp', 'sidx', 'moof', 'mdat']);
const INIT_TYPES = new Set(['ftyp', 'moov', 'free']);

export class FragmentSplitter {
  #onInit;
  #onFragment;
  /** Bytes of the next box that have come. */
  #rest = Buffer.alloc(0);
  /** The boxes of what is gathered. @type {Buffer[]} */
  #boxes = [];
  #hasInit = false;

  /**
   * @param {{ onInit: (bytes: Buffer) => void, onFragment: (fragment: Fragment) => void }} on
   *   onInit: once, first
   */
  constructor({ onInit, onFragment }) {
    this.#onInit = onInit;
    this.#onFragment = onFragment;
  }

  /**
   * @param {Uint8Array} bytes  the next ones
   * @throws {Error} where they are no fragmented MP4
   */
  push(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    while (this.#rest.length >= HEADER_BYTES) {
      const size = this.#rest.readUInt32BE(0);
      const type = this.#rest.toString('latin1', 4, HEADER_BYTES);
      if (size < HEADER_BYTES || size > MOST_BYTES)
        throw new Error(`a box of ${size} bytes ("${type}") isn't one of fragmented MP4`);
      if (this.#rest.length < size) return;
      this.#take(type, this.#rest.subarray(0, size));
      this.#rest = this.#rest.subarray(size);
    }
  }

  /** @param {string} type @param {Buffer} box */
  #take(type, box) {
    if (!(this.#hasInit ? FRAGMENT_TYPES : INIT_TYPES).has(type)) {
      // The index at a file's end is of no use to a stream.
      if (type === 'mfra') return;
      throw new Error(`a box of type "${type}" was not expected`);
    }
    this.#boxes.push(box);
    if (type !== 'moov' && type !== 'mdat') return;
    const bytes = Buffer.concat(this.#boxes.splice(0));
    if (type === 'mdat')
      return this.#onFragment({ baseMediaDecodeTime: decodeTimeOf(bytes), bytes });
    this.#hasInit = true;
    this.#onInit(bytes);
  }
}

/**
 * @param {Buffer} bytes  boxes, one after the other
 * @param {number} from @param {number} to
 * @param {string} wanted  a type
 * @returns {{ from: number, to: number } | null} where the content of the first such box is
 */
function find(bytes, from, to, wanted) {
  for (let at = from; at + HEADER_BYTES <= to;) {
    const size = bytes.readUInt32BE(at);
    if (size < HEADER_BYTES || at + size > to) return null;
    if (bytes.toString('latin1', at + 4, at + HEADER_BYTES) === wanted)
      return { from: at + HEADER_BYTES, to: at + size };
    at += size;
  }
  return null;
}

/**
 * The time of a fragment's first sample (`tfdt`, section 8.8.12).
 * @param {Buffer} bytes
 * @returns {number}
 * @throws {Error} where there is none
 */
function decodeTimeOf(bytes) {
  let place = /** @type {{ from: number, to: number } | null} */ ({ from: 0, to: bytes.length });
  for (const type of ['moof', 'traf', 'tfdt'])
    place = place && find(bytes, place.from, place.to, type);
  if (place === null || place.to - place.from < 8) throw new Error('a fragment has no time');
  const isLong = bytes[place.from] === 1;
  if (!isLong) return bytes.readUInt32BE(place.from + 4);
  if (place.to - place.from < 12) throw new Error('a fragment has no time');
  return Number(bytes.readBigUInt64BE(place.from + 4));
}
