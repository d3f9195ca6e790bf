/**
 * The first packet of a QUIC connection (RFC 9000, section 17.2.2; RFC 9001), as a client sends it
 * that goes no further.
 */

import { createCipheriv, createHmac, randomBytes } from 'node:crypto';

const VERSION = Buffer.from([0, 0, 0, 1]);

/** The salt of the first keys (RFC 9001, section 5.2). */
const SALT = Buffer.from('38762cf7f55934b34d179ae6a4c80cadccbb7f0a', 'hex');

/** The size of a client's first datagram, in bytes (RFC 9000, section 14.1). */
const DATAGRAM_BYTES = 1200;

const TAG_BYTES = 16;
const ID_BYTES = 8;

/** Kinds of long packets, by the first byte's bits (RFC 9000, section 17.2). */
const KIND_MASK = 0xf0;
const RETRY = 0xf0;

/**
 * A vector as TLS writes it: behind its length in 1, 2 or 3 bytes.
 * @param {number} bytes
 * @param {Uint8Array[]} parts
 */
function vector(bytes, ...parts) {
  const content = Buffer.concat(parts);
  const length = Buffer.alloc(bytes);
  length.writeUIntBE(content.length, 0, bytes);
  return Buffer.concat([length, content]);
}

/** @param {number} kind @param {Uint8Array[]} parts */
const extension = (kind, ...parts) =>
  Buffer.concat([Buffer.of(kind >>> 8, kind), vector(2, ...parts)]);

/**
 * QUIC's transport parameters (RFC 9000, section 18.2) by which a server may open the three streams
 * of HTTP/3, of 8 KiB: initial_max_data, initial_max_stream_data_uni, initial_max_streams_uni.
 * Behind them comes initial_source_connection_id.
 */
const STREAMS = Buffer.of(0x04, 2, 0x60, 0, 0x07, 2, 0x60, 0, 0x09, 1, 3);

/**
 * A TLS client's first message (RFC 8446, section 4.1.2) for HTTP/3.
 * @param {Buffer} id the connection's, at the client
 */
function clientHello(id) {
  const x25519 = Buffer.of(0, 0x1d);
  const extensions = [
    extension(43, vector(1, Buffer.of(3, 4))),
    extension(10, vector(2, x25519)),
    extension(13, vector(2, Buffer.of(4, 3, 8, 4, 8, 7, 4, 1))),
    extension(51, vector(2, x25519, vector(2, randomBytes(32)))),
    extension(16, vector(2, vector(1, Buffer.from('h3')))),
    extension(57, STREAMS, Buffer.of(0x0f, id.length), id),
  ];
  const suites = vector(2, Buffer.of(0x13, 1));
  const fields = [
    Buffer.of(3, 3),
    randomBytes(32),
    vector(1),
    suites,
    vector(1, Buffer.of(0)),
    vector(2, ...extensions),
  ];
  return Buffer.concat([Buffer.of(1), vector(3, ...fields)]);
}

/** @param {Buffer} secret @param {string} label @param {number} bytes 32 or fewer */
function expand(secret, label, bytes) {
  const info = Buffer.concat([
    Buffer.of(0, bytes),
    vector(1, Buffer.from(`tls13 ${label}`)),
    Buffer.of(0, 1),
  ]);
  return createHmac('sha256', secret).update(info).digest().subarray(0, bytes);
}

/**
 * The keys of a client's first packets (RFC 9001, section 5.2).
 * @param {Buffer} to the server's connection id
 */
function keys(to) {
  const first = createHmac('sha256', SALT).update(to).digest();
  const secret = expand(first, 'client in', 32);
  return {
    key: expand(secret, 'quic key', 16),
    iv: expand(secret, 'quic iv', 12),
    mask: expand(secret, 'quic hp', 16),
  };
}

/** @param {number} number below 2^14 */
const varint2 = (number) => Buffer.of(0x40 | (number >>> 8), number);

/** A connection that is begun. */
export class Handshake {
  #id = randomBytes(ID_BYTES);
  /** The server's id of the connection. @type {Buffer} */
  #to = randomBytes(ID_BYTES);
  #hello = clientHello(this.#id);

  /** @returns {Buffer} the datagram that begins it @param {Buffer} [token] of a Retry */
  first(token = Buffer.alloc(0)) {
    const { key, iv, mask } = keys(this.#to);
    const numberBytes = 1;
    const head = [
      Buffer.of(0xc0),
      VERSION,
      vector(1, this.#to),
      vector(1, this.#id),
      varint2(token.length),
      token,
    ];
    const headBytes = Buffer.concat(head).length + 2;
    const payload = Buffer.alloc(DATAGRAM_BYTES - headBytes - numberBytes - TAG_BYTES);
    Buffer.concat([Buffer.of(6, 0), varint2(this.#hello.length), this.#hello]).copy(payload);
    const header = Buffer.concat([
      ...head,
      varint2(numberBytes + payload.length + TAG_BYTES),
      Buffer.of(0),
    ]);
    const cipher = createCipheriv('aes-128-gcm', key, iv).setAAD(header);
    const sealed = Buffer.concat([cipher.update(payload), cipher.final(), cipher.getAuthTag()]);
    const packet = Buffer.concat([header, sealed]);
    // The header's protection (RFC 9001, section 5.4).
    const sample = packet.subarray(headBytes + 4, headBytes + 4 + 16);
    const hidden = createCipheriv('aes-128-ecb', mask, null).update(sample);
    packet[0] ^= hidden[0] & 0x0f;
    packet[headBytes] ^= hidden[1];
    return packet;
  }

  /**
   * The datagram with which a client proves its address, where a server asks for that (RFC 9000,
   * section 17.2.5).
   * @param {Buffer} packet from the server
   * @returns {Buffer | null} null where it isn't asked
   */
  again(packet) {
    if ((packet[0] & KIND_MASK) !== RETRY || !packet.includes(this.#id)) return null;
    const from = 6 + packet[5];
    this.#to = packet.subarray(from + 1, from + 1 + packet[from]);
    return this.first(packet.subarray(from + 1 + packet[from], packet.length - TAG_BYTES));
  }
}
