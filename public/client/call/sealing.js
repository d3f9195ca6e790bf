/**
 * @import { PayloadDecoder, PayloadEncoder } from '../../shared/stream/payload.js'
 * @import { Primitives } from '../../shared/stream/sframe.js'
 */

import { MAX_PACKET_BYTES } from '../../shared/wire/packet.js';
import { SEAL_BYTES, SFrameHeader, SFrameKey } from '../../shared/stream/sframe.js';

/** Bytes of a KID for the participant's id, and for the random part of each join. */
const ID_BYTES = 3;
const DRAWN_BYTES = 5;

/** Number of a participant's joins whose keys and counters are kept. */
const REMEMBERED = 16;

/** Number of payloads that fail while none is opened: then the key is wrong. */
const WRONG_AFTER = 25;

/**
 * One participant's end-to-end encryption of payloads, by SFrame. The KID is the participant's id
 * and 40 random bits of each join. Each KID has its own key, so a counter that restarts at 0 never
 * meets a used key.
 */
export class Sealing {
  #primitives;
  #roomKey;
  #opened = 0;
  #failed = 0;
  #own;
  #texts = 0;
  #header = new SFrameHeader();
  /**
   * Keys that opened payloads, with their last counter, by the speaker's number; the latest last.
   * @type {Map<number, { key: SFrameKey, ctr: number }[]>}
   */
  #speakers = new Map();

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
    this.#own = new SFrameKey(
      primitives,
      roomKey,
      Uint8Array.of(number >>> 16, number >>> 8, number, ...drawn),
    );
  }

  /** True when others send payloads and none can be opened: they have another key. */
  get isWrong() {
    return this.#opened === 0 && this.#failed >= WRONG_AFTER;
  }

  /** Numbers of opened and of failed payloads. */
  get counters() {
    return { opened: this.#opened, failed: this.#failed };
  }

  /** @param {PayloadEncoder} encoder @returns {SealingEncoder} closes it */
  encoder(encoder) {
    return new SealingEncoder(encoder, this.#own);
  }

  /**
   * Seals a text. An object that seals texts makes no encoder: both would count from 0.
   * @param {Uint8Array} plain
   * @param {Uint8Array} out  filled from its start
   * @param {Uint8Array} context  authenticated with it
   * @returns {number} bytes written
   */
  sealText(plain, out, context) {
    return this.#own.seal(this.#texts++, plain, out, 0, context);
  }

  /**
   * @param {PayloadDecoder} decoder
   * @param {number} number  the speaker's
   * @returns {OpeningDecoder} closes it
   */
  decoder(decoder, number) {
    return new OpeningDecoder(decoder, number, this);
  }

  /**
   * Opens a payload.
   * @param {number} number of the speaker that the packet names
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} end
   * @param {Uint8Array} out  filled from its start
   * @param {Uint8Array} [context]  authenticated with it
   * @returns {number} its bytes; -1 when it is another speaker's, sealed with another key, or not
   *   newer than the last opened one
   */
  open(number, bytes, start, end, out, context) {
    const opened = this.#open(number, bytes, start, end, out, context);
    if (opened < 0) this.#failed += 1;
    else this.#opened += 1;
    return opened;
  }

  /**
   * @param {number} number
   * @param {Uint8Array} bytes
   * @param {number} start
   * @param {number} end
   * @param {Uint8Array} out
   * @param {Uint8Array} [context]
   */
  #open(number, bytes, start, end, out, context) {
    const header = this.#header;
    if (!header.read(bytes, start, end)) return -1;
    const { kid, ctr } = header;
    // Prevents the server from giving one person's words to another.
    if (((kid[ID_BYTES - 2] << 8) | kid[ID_BYTES - 1]) !== number) return -1;
    const joins = this.#speakers.get(number) ?? [];
    let join = joins.find(({ key }) => isSame(key.kid, kid));
    if (join !== undefined && ctr <= join.ctr) return -1;
    const key = join?.key ?? new SFrameKey(this.#primitives, this.#roomKey, kid);
    const opened = key.open(header, bytes, start, end, out, context);
    if (opened < 0) return -1;
    if (join === undefined) {
      // Only KIDs that proved the room's key are kept.
      joins.push((join = { key, ctr }));
      if (joins.length > REMEMBERED) joins.shift();
      this.#speakers.set(number, joins);
    }
    join.ctr = ctr;
    return opened;
  }
}

/** @param {Uint8Array} one @param {Uint8Array} other of the same length */
function isSame(one, other) {
  for (let i = 0; i < one.length; i++) if (one[i] !== other[i]) return false;
  return true;
}

/** An encoder with sealed payloads: the part of a PayloadEncoder that PacketStream needs. */
class SealingEncoder {
  #encoder;
  #key;
  #ctr = 0;
  #plain = new Uint8Array(MAX_PACKET_BYTES);
  /** The part of #plain that still fits once it is sealed. */
  #room = this.#plain.subarray(0);
  /** @type {Uint8Array} */
  #out = this.#plain;
  #at = 0;

  /** @param {PayloadEncoder} encoder @param {SFrameKey} key */
  constructor(encoder, key) {
    this.#encoder = encoder;
    this.#key = key;
  }

  /** @type {PayloadEncoder['begin']} */
  begin(pcm, out, at, complexity, predicts) {
    this.#out = out;
    this.#at = at;
    const most = Math.max(0, out.length - at - SEAL_BYTES);
    if (this.#room.length !== most) this.#room = this.#plain.subarray(0, most);
    this.#encoder.begin(pcm, this.#room, 0, complexity, predicts);
  }

  end() {
    const length = this.#encoder.end();
    return length === 0
      ? 0
      : this.#key.seal(this.#ctr++, this.#plain.subarray(0, length), this.#out, this.#at);
  }

  close() {
    this.#encoder.close();
  }
}

/** A decoder of one speaker's sealed payloads. Payloads that fail are concealed. */
class OpeningDecoder {
  #decoder;
  #number;
  #sealing;
  #plain = new Uint8Array(2 * MAX_PACKET_BYTES);

  /** @param {PayloadDecoder} decoder @param {number} number @param {Sealing} sealing */
  constructor(decoder, number, sealing) {
    this.#decoder = decoder;
    this.#number = number;
    this.#sealing = sealing;
  }

  /** @type {PayloadDecoder['decode']} */
  decode(bytes, start, length, out, at) {
    const plainBytes = this.#sealing.open(this.#number, bytes, start, start + length, this.#plain);
    if (plainBytes > 0) return this.#decoder.decode(this.#plain, 0, plainBytes, out, at);
    this.#decoder.conceal(out, at);
    return false;
  }

  /** @type {PayloadDecoder['conceal']} */
  conceal(out, at) {
    this.#decoder.conceal(out, at);
  }

  close() {
    this.#decoder.close();
  }
}
