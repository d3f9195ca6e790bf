/**
 * @import { PayloadDecoder, PayloadEncoder } from '../../shared/payload.js'
 * @import { Primitives } from '../../shared/sframe.js'
 */

import { MAX_PACKET_BYTES } from '../../shared/packet.js';
import { SFrameHeader, SFrameKey } from '../../shared/sframe.js';

/** The bytes of a room's key. */
const KEY_BYTES = 16;

/** The bytes of a KID for the participant's id, and for what is drawn anew for each join. */
const ID_BYTES = 3;
const DRAWN_BYTES = 5;

/** How many payloads of others fail, and none is opened, until the key is taken for the wrong one. */
const WRONG_AFTER = 25;

/**
 * Reads a room's key from a link.
 * @param {string} text  base64url (RFC 4648, section 5)
 * @returns {Uint8Array | null} null when it is none
 */
export function readRoomKey(text) {
  try {
    const bytes = Uint8Array.from(atob(text.replaceAll('-', '+').replaceAll('_', '/')), (char) => char.charCodeAt(0));
    return bytes.length === KEY_BYTES ? bytes : null;
  } catch {
    return null;
  }
}

/**
 * Makes a room's key.
 * @param {(bytes: Uint8Array<ArrayBuffer>) => void} [fillRandom]
 * @returns {string} as a link has it
 */
export function makeRoomKey(fillRandom = (bytes) => crypto.getRandomValues(bytes)) {
  const bytes = new Uint8Array(KEY_BYTES);
  fillRandom(bytes);
  return btoa(String.fromCharCode(...bytes)).replaceAll('+', '-').replaceAll('/', '_').replaceAll('=', '');
}

/**
 * One participant's end-to-end encryption of payloads, by SFrame. The KID is the participant's id and 40 bits that are
 * drawn for each join, and each KID has a key of its own, so a counter that begins at 0 again never meets a key that it
 * was used with.
 */
export class Sealing {
  #primitives;
  #roomKey;
  #opened = 0;
  #failed = 0;
  #own;

  /**
   * @param {Primitives} primitives
   * @param {Uint8Array} roomKey
   * @param {string} id  one's own
   * @param {(bytes: Uint8Array<ArrayBuffer>) => void} [fillRandom]
   */
  constructor(primitives, roomKey, id, fillRandom = (bytes) => crypto.getRandomValues(bytes)) {
    this.#primitives = primitives;
    this.#roomKey = roomKey;
    const drawn = new Uint8Array(DRAWN_BYTES);
    fillRandom(drawn);
    const number = Number(id);
    this.#own = new SFrameKey(primitives, roomKey, Uint8Array.of(number >>> 16, number >>> 8, number, ...drawn));
  }

  /** Whether others' payloads come, and none can be opened: they have another key. */
  get isWrong() {
    return this.#opened === 0 && this.#failed >= WRONG_AFTER;
  }

  /** Payloads of others that were opened, and that could not be. */
  get counters() {
    return { opened: this.#opened, failed: this.#failed };
  }

  /** @param {PayloadEncoder} encoder @returns {SealingEncoder} closes it */
  encoder(encoder) {
    return new SealingEncoder(encoder, this.#own);
  }

  /**
   * @param {PayloadDecoder} decoder
   * @param {number} number  the speaker's
   * @returns {OpeningDecoder} closes it
   */
  decoder(decoder, number) {
    const open = (/** @type {Uint8Array} */ kid) => new SFrameKey(this.#primitives, this.#roomKey, kid);
    const count = (/** @type {boolean} */ isOpened) => void (isOpened ? (this.#opened += 1) : (this.#failed += 1));
    return new OpeningDecoder(decoder, number, open, count);
  }
}

/** An encoder whose payloads go out sealed: what PacketStream needs of a PayloadEncoder. */
class SealingEncoder {
  #encoder;
  #key;
  #ctr = 0;
  #plain = new Uint8Array(MAX_PACKET_BYTES);
  /** @type {Uint8Array} */
  #out = this.#plain;
  #at = 0;

  /** @param {PayloadEncoder} encoder @param {SFrameKey} key */
  constructor(encoder, key) {
    this.#encoder = encoder;
    this.#key = key;
  }

  /** @type {PayloadEncoder['begin']} */
  begin(pcm, out, at, complexity) {
    this.#out = out;
    this.#at = at;
    this.#encoder.begin(pcm, this.#plain, 0, complexity);
  }

  end() {
    const length = this.#encoder.end();
    return length === 0 ? 0 : this.#key.seal(this.#ctr++, this.#plain.subarray(0, length), this.#out, this.#at);
  }

  close() {
    this.#encoder.close();
  }
}

/**
 * A decoder of one speaker's sealed payloads. A payload that isn't of the speaker, wasn't sealed with the room's key, or
 * is older than one before it is concealed.
 */
class OpeningDecoder {
  #decoder;
  #number;
  #open;
  #count;
  #header = new SFrameHeader();
  #plain = new Uint8Array(2 * MAX_PACKET_BYTES);
  /** The key of the speaker's session that was heard last, and its last counter. @type {SFrameKey | null} */
  #key = null;
  #ctr = -1;

  /**
   * @param {PayloadDecoder} decoder
   * @param {number} number
   * @param {(kid: Uint8Array) => SFrameKey} open
   * @param {(isOpened: boolean) => void} count
   */
  constructor(decoder, number, open, count) {
    this.#decoder = decoder;
    this.#number = number;
    this.#open = open;
    this.#count = count;
  }

  /** @type {PayloadDecoder['decode']} */
  decode(bytes, start, length, out, at) {
    const plainBytes = this.#unseal(bytes, start, start + length);
    this.#count(plainBytes >= 0);
    if (plainBytes > 0) return this.#decoder.decode(this.#plain, 0, plainBytes, out, at);
    this.#decoder.conceal(out, at);
    return false;
  }

  /** @param {Uint8Array} bytes @param {number} start @param {number} end @returns {number} -1 where it can't be opened */
  #unseal(bytes, start, end) {
    const header = this.#header;
    if (!header.read(bytes, start, end)) return -1;
    const { kid, ctr } = header;
    // The server can't give one the words of another.
    if (((kid[ID_BYTES - 2] << 8) | kid[ID_BYTES - 1]) !== this.#number) return -1;
    const isSame = this.#key !== null && kid.every((byte, i) => byte === this.#key?.kid[i]);
    if (isSame && ctr <= this.#ctr) return -1;
    const key = isSame && this.#key !== null ? this.#key : this.#open(kid);
    const plainBytes = key.open(header, bytes, start, end, this.#plain);
    if (plainBytes < 0) return -1;
    this.#key = key;
    this.#ctr = ctr;
    return plainBytes;
  }

  /** @type {PayloadDecoder['conceal']} */
  conceal(out, at) {
    this.#decoder.conceal(out, at);
  }

  close() {
    this.#decoder.close();
  }
}
