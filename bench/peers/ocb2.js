/**
 * OCB2-AES128, with which Mumble seals each UDP packet: Rogaway, draft-krovetz-ocb-00. For
 * measuring beside Mumble only: OCB2 is broken (eprint 2019/311).
 */

import { createCipheriv, createDecipheriv } from 'node:crypto';

const BLOCK = 16;

/**
 * Bytes before a sealed packet's content: the lowest byte of its nonce, and the first three of its
 * tag.
 */
export const SEAL_BYTES = 4;

/** Longest content of a packet, in bytes. */
const MAX_BYTES = 1500;

const ALGORITHM = 'aes-128-ecb';

/**
 * Writes twice a block, in GF(2^128), into another.
 * @param {Uint8Array} from
 * @param {Uint8Array} to may be the same
 */
function double(from, to) {
  const carry = from[0] >> 7;
  for (let i = 0; i < BLOCK - 1; i++) to[i] = (from[i] << 1) | (from[i + 1] >> 7);
  to[BLOCK - 1] = (from[BLOCK - 1] << 1) ^ (carry * 0x87);
}

/**
 * The cipher with one key. Its methods return tags of 16 bytes, and use buffers of its own, so none
 * of them is asynchronous.
 */
export class Ocb2 {
  #cipher;
  #decipher;
  /** The offset of each block, and behind them that of the tag. */
  #offsets = new Uint8Array(MAX_BYTES + 3 * BLOCK);
  #work = new Uint8Array(MAX_BYTES + BLOCK);
  #checksum = new Uint8Array(BLOCK);

  /** @param {Uint8Array} key  of 16 bytes */
  constructor(key) {
    this.#cipher = createCipheriv(ALGORITHM, key, null).setAutoPadding(false);
    this.#decipher = createDecipheriv(ALGORITHM, key, null).setAutoPadding(false);
  }

  /**
   * Fills the offsets, and clears the checksum.
   * @param {Uint8Array} nonce @param {number} length  of the content, in bytes
   * @returns {number} bytes in all blocks but the last one
   */
  #begin(nonce, length) {
    if (length > MAX_BYTES) throw new RangeError(`${length} bytes are more than a packet has`);
    const whole = BLOCK * Math.max(0, Math.ceil(length / BLOCK) - 1);
    let before = this.#cipher.update(nonce);
    for (let at = 0; at <= whole; at += BLOCK) {
      const offset = this.#offsets.subarray(at, at + BLOCK);
      double(before, offset);
      before = /** @type {any} */ (offset);
    }
    // Three times the last block's offset is the tag's.
    const last = this.#offsets.subarray(whole, whole + BLOCK);
    const tags = this.#offsets.subarray(whole + BLOCK, whole + 2 * BLOCK);
    double(last, tags);
    for (let i = 0; i < BLOCK; i++) tags[i] ^= last[i];
    this.#checksum.fill(0);
    return whole;
  }

  /**
   * Puts what the last block's pad is made of behind the whole blocks.
   * @param {number} whole
   * @param {number} length
   */
  #putLength(whole, length) {
    this.#work.set(this.#offsets.subarray(whole, whole + BLOCK), whole);
    this.#work[whole + BLOCK - 1] ^= 8 * (length - whole);
  }

  /** @param {number} whole */
  #tag(whole) {
    const sum = this.#checksum;
    for (let i = 0; i < BLOCK; i++) sum[i] ^= this.#offsets[whole + BLOCK + i];
    return this.#cipher.update(sum);
  }

  /** @param {Uint8Array} nonce @param {Uint8Array} plain @param {Uint8Array} sealed  is filled */
  encrypt(nonce, plain, sealed) {
    const whole = this.#begin(nonce, plain.length);
    const sum = this.#checksum;
    for (let i = 0; i < whole; i++) {
      this.#work[i] = this.#offsets[i] ^ plain[i];
      sum[i % BLOCK] ^= plain[i];
    }
    this.#putLength(whole, plain.length);
    const blocks = this.#cipher.update(this.#work.subarray(0, whole + BLOCK));
    for (let i = 0; i < whole; i++) sealed[i] = blocks[i] ^ this.#offsets[i];
    for (let i = whole; i < whole + BLOCK; i++) {
      // The pad itself stands for what the last block lacks.
      sum[i - whole] ^= i < plain.length ? plain[i] : blocks[i];
      if (i < plain.length) sealed[i] = plain[i] ^ blocks[i];
    }
    return this.#tag(whole);
  }

  /** @param {Uint8Array} nonce @param {Uint8Array} sealed @param {Uint8Array} plain  is filled */
  decrypt(nonce, sealed, plain) {
    const whole = this.#begin(nonce, sealed.length);
    const sum = this.#checksum;
    for (let i = 0; i < whole; i++) this.#work[i] = this.#offsets[i] ^ sealed[i];
    const blocks = this.#decipher.update(this.#work.subarray(0, whole));
    for (let i = 0; i < whole; i++) {
      plain[i] = blocks[i] ^ this.#offsets[i];
      sum[i % BLOCK] ^= plain[i];
    }
    this.#putLength(whole, sealed.length);
    const pad = this.#cipher.update(this.#work.subarray(whole, whole + BLOCK));
    for (let i = 0; i < BLOCK; i++) {
      const isContent = whole + i < sealed.length;
      if (isContent) plain[whole + i] = sealed[whole + i] ^ pad[i];
      sum[i] ^= isContent ? plain[whole + i] : pad[i];
    }
    return this.#tag(whole);
  }
}

/**
 * Adds to a nonce, whose first byte is the lowest.
 * @param {Uint8Array} nonce
 * @param {number} add -128 to 127
 */
function move(nonce, add) {
  let carry = add;
  for (let i = 0; i < BLOCK && carry !== 0; i++) {
    const sum = nonce[i] + carry;
    nonce[i] = sum;
    carry = sum >> 8;
  }
}

/** The seal of one client's UDP packets: each is sealed with the nonce after the one before. */
export class PacketSeal {
  #ocb;
  #sending;
  #receiving;
  #out = new Uint8Array(SEAL_BYTES + MAX_BYTES);

  /**
   * @param {Uint8Array} key
   * @param {Uint8Array} sending the last nonce of the own side
   * @param {Uint8Array} receiving that of the other
   */
  constructor(key, sending, receiving) {
    this.#ocb = new Ocb2(key);
    this.#sending = Uint8Array.from(sending);
    this.#receiving = Uint8Array.from(receiving);
  }

  /**
   * @param {Uint8Array} plain
   * @returns {Uint8Array} the packet, valid until the next one is sealed
   */
  seal(plain) {
    move(this.#sending, 1);
    const tag = this.#ocb.encrypt(this.#sending, plain, this.#out.subarray(SEAL_BYTES));
    this.#out[0] = this.#sending[0];
    this.#out.set(tag.subarray(0, SEAL_BYTES - 1), 1);
    return this.#out.subarray(0, SEAL_BYTES + plain.length);
  }

  /**
   * Opens a packet that is fewer than 128 packets from the newest that was opened.
   * @param {Uint8Array} packet
   * @returns {Uint8Array | null} the content, or null where the tag is wrong
   */
  open(packet) {
    if (packet.length < SEAL_BYTES) return null;
    const ahead = ((packet[0] - this.#receiving[0]) << 24) >> 24;
    const nonce = Uint8Array.from(this.#receiving);
    move(nonce, ahead);
    const plain = new Uint8Array(packet.length - SEAL_BYTES);
    const tag = this.#ocb.decrypt(nonce, packet.subarray(SEAL_BYTES), plain);
    if (tag[0] !== packet[1] || tag[1] !== packet[2] || tag[2] !== packet[3]) return null;
    if (ahead > 0) this.#receiving = nonce;
    return plain;
  }
}
