/**
 * The parts of Mumble's protocol that a client needs to speak and listen. Control messages are
 * protocol buffers; voice packets have their own coding of numbers.
 */

/** Types of control messages. */
export const MessageType = Object.freeze({
  version: 0,
  authenticate: 2,
  ping: 3,
  reject: 4,
  serverSync: 5,
  cryptSetup: 15,
});

/**
 * Types of UDP packets, in the upper three bits of the first byte; the others are the target, 0 for
 * the channel.
 */
export const UdpType = Object.freeze({ ping: 1, opus: 4 });

/** Bytes before a control message: 2 of its type, 4 of its length. */
const MESSAGE_HEADER_BYTES = 6;

/** The bit beside a voice packet's length that says that the speaker ends. */
const LAST_BIT = 0x2000;

/** Longest UDP packet with a ping, in bytes without its seal. */
export const MAX_PING_BYTES = 10;

/**
 * @param {number} value a whole number, 0 to 2^53
 * @returns {number[]} as protocol buffers have it, seven bits a byte, lowest first
 */
function varint(value) {
  const bytes = [];
  for (; value >= 0x80; value = Math.floor(value / 0x80)) bytes.push((value % 0x80) | 0x80);
  return [...bytes, value];
}

/**
 * A control message.
 * @param {number} type
 * @param {Record<number, number | string | Uint8Array>} fields  values by their numbers
 * @returns {Buffer}
 */
export function writeMessage(type, fields) {
  const parts = Object.entries(fields).map(([number, value]) => {
    if (typeof value === 'number')
      return Buffer.from([...varint(Number(number) << 3), ...varint(value)]);
    const bytes = Buffer.from(value);
    return Buffer.concat([
      Buffer.from([...varint((Number(number) << 3) | 2), ...varint(bytes.length)]),
      bytes,
    ]);
  });
  const body = Buffer.concat(parts);
  const header = Buffer.alloc(MESSAGE_HEADER_BYTES);
  header.writeUInt16BE(type);
  header.writeUInt32BE(body.length, 2);
  return Buffer.concat([header, body]);
}

/**
 * Reads a control message's fields. A repeated field has its last value.
 * @param {Uint8Array} body
 * @returns {Map<number, number | Uint8Array>} values by the fields' numbers; those of fixed size
 *   are left out
 * @throws {RangeError} where it ends within a field
 */
export function readFields(body) {
  const fields = new Map();
  let at = 0;
  const next = () => {
    let value = 0;
    for (let factor = 1; ; factor *= 0x80) {
      if (at >= body.length) throw new RangeError('a message ends within a number');
      value += (body[at] & 0x7f) * factor;
      if (body[at++] < 0x80) return value;
    }
  };
  while (at < body.length) {
    const key = next();
    const [number, kind] = [key >>> 3, key & 7];
    if (kind === 0) fields.set(number, next());
    else if (kind === 1 || kind === 5) at += kind === 1 ? 8 : 4;
    else if (kind === 2) {
      const length = next();
      fields.set(number, body.subarray(at, at + length));
      at += length;
    } else throw new RangeError(`a field has the unknown kind ${kind}`);
    if (at > body.length) throw new RangeError('a message ends within a field');
  }
  return fields;
}

/** Cuts what comes over TCP into control messages. */
export class MessageReader {
  #rest = Buffer.alloc(0);

  /**
   * @param {Buffer} bytes
   * @returns {{ type: number, body: Buffer }[]} the messages that are complete
   */
  read(bytes) {
    this.#rest = Buffer.concat([this.#rest, bytes]);
    const messages = [];
    while (this.#rest.length >= MESSAGE_HEADER_BYTES) {
      const end = MESSAGE_HEADER_BYTES + this.#rest.readUInt32BE(2);
      if (this.#rest.length < end) break;
      messages.push({
        type: this.#rest.readUInt16BE(),
        body: this.#rest.subarray(MESSAGE_HEADER_BYTES, end),
      });
      this.#rest = this.#rest.subarray(end);
    }
    return messages;
  }
}

/**
 * Writes a number as UDP packets have it. The leading ones of the first byte count the bytes that
 * follow; from 2^28 on the first byte is 0xf0.
 * @param {number} value  0 to 2^32 - 1
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {number} end of the number
 */
export function writeNumber(value, bytes, at) {
  const more =
    value < 0x80 ? 0 : value < 0x4000 ? 1 : value < 0x200000 ? 2 : value < 0x10000000 ? 3 : 4;
  bytes[at] = (0xf00 >> more) | (more === 4 ? 0 : value >>> (8 * more));
  for (let i = 1; i <= more; i++) bytes[at + i] = value >>> (8 * (more - i));
  return at + more + 1;
}

/**
 * @param {Uint8Array} bytes
 * @param {number} at
 * @returns {[value: number, end: number]} number in writeNumber()'s format
 */
export function readNumber(bytes, at) {
  const more = Math.min(4, Math.clz32(~(bytes[at] << 24)));
  let value = more === 4 ? 0 : bytes[at] & (0x7f >> more);
  for (let i = 1; i <= more; i++) value = value * 0x100 + bytes[at + i];
  return [value, at + more + 1];
}

/**
 * Writes a voice packet as clients send it.
 * @param {Uint8Array} bytes
 * @param {number} sequence  of the first 10 ms in it
 * @param {Uint8Array} payload  an Opus packet
 * @returns {number} the packet's length in bytes
 */
export function writeVoice(bytes, sequence, payload) {
  bytes[0] = UdpType.opus << 5;
  const at = writeNumber(payload.length, bytes, writeNumber(sequence, bytes, 1));
  bytes.set(payload, at);
  return at + payload.length;
}

/**
 * Reads a voice packet as the server sends it.
 * @param {Uint8Array} bytes
 * @returns {{ session: number, sequence: number, payload: Uint8Array } | null} session: the
 *   speaker's; null: it is none, or damaged
 */
export function readVoice(bytes) {
  if (bytes[0] >> 5 !== UdpType.opus) return null;
  const [session, afterSession] = readNumber(bytes, 1);
  const [sequence, afterSequence] = readNumber(bytes, afterSession);
  const [length, start] = readNumber(bytes, afterSequence);
  const end = start + (length & ~LAST_BIT);
  return end <= bytes.length ? { session, sequence, payload: bytes.subarray(start, end) } : null;
}
