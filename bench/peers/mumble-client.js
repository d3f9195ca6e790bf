/**
 * A client of Mumble's server: control messages over TLS, voice over UDP. It says what it is given,
 * and counts what it hears.
 */

import { createSocket } from 'node:dgram';
import { connect } from 'node:tls';
import {
  MAX_PING_BYTES,
  MessageReader,
  MessageType,
  readFields,
  readVoice,
  UdpType,
  writeMessage,
  writeNumber,
  writeVoice,
} from './mumble-wire.js';
import { PacketSeal, SEAL_BYTES } from './ocb2.js';

/** Version 1.3.4, whose clients speak Opus. */
const VERSION = (1 << 16) | (3 << 8) | 4;

/**
 * The time that joining may take, and between UDP pings until the first is answered, in
 * milliseconds.
 */
const JOIN_MS = 20_000;
const ASK_MS = 500;

/** Longest packet without its seal, in bytes. */
const MAX_PACKET_BYTES = 1400;

/** Filled and sent at once, so all clients of a process share it. */
const plain = new Uint8Array(MAX_PACKET_BYTES);

export class MumbleClient {
  #tls;
  #udp = createSocket('udp4');
  #reader = new MessageReader();
  #name;
  /** @type {PacketSeal | null} */
  #seal = null;
  #canSend = false;
  #isReachable = false;
  #isClosed = false;
  /** Called when there may be news of the joining. */
  #changed = () => {};

  /** The number that voice packets have of this client; 0 before it has joined. */
  session = 0;
  /** Voice packets that came, and their bytes without the seal. */
  received = 0;
  bytes = 0;
  /** Why the session has ended, or can't begin. @type {string | null} */
  ended = null;
  /**
   * Gets what is heard, opened and read; null: a packet with a wrong tag. While there is none,
   * packets are only counted.
   * @type {((voice: ReturnType<typeof readVoice>) => void) | null}
   */
  onVoice = null;

  /** @param {{ host: string, port: number, name: string }} options */
  constructor({ host, port, name }) {
    this.#name = name;
    this.#tls = connect({ host, port, rejectUnauthorized: false }, () => {
      this.#tls.setNoDelay(true);
      this.#tls.write(writeMessage(MessageType.version, { 1: VERSION, 2: 'aloud', 3: 'Linux' }));
      this.#tls.write(writeMessage(MessageType.authenticate, { 1: name, 5: 1 }));
    });
    this.#tls.on('data', (/** @type {Buffer} */ bytes) => {
      for (const { type, body } of this.#reader.read(bytes)) this.#message(type, body);
    });
    this.#tls.on('error', ({ message }) => this.#end(message));
    const closed = () => this.#end('the server closed the connection');
    this.#tls.once('close', closed);
    this.#udp.on('error', (error) => {
      // The server has closed its port, which may show before the end of TCP.
      if (/** @type {NodeJS.ErrnoException} */ (error).code === 'ECONNREFUSED') closed();
      else this.#end(error.message);
    });
    this.#udp.on('message', (bytes) => this.#packet(bytes));
    this.#udp.connect(port, host, () => void (this.#canSend = true));
  }

  /**
   * Resolves when packets pass both ways.
   * @param {{ host: string, port: number, name: string }} options
   * @returns {Promise<MumbleClient>} rejects where the server refuses, or UDP doesn't pass
   */
  static async join(options) {
    const client = new MumbleClient(options);
    try {
      await client.#joined();
      return client;
    } catch (error) {
      client.close();
      throw error;
    }
  }

  async #joined() {
    const untilMs = performance.now() + JOIN_MS;
    while (this.session === 0 || !this.#isReachable) {
      if (this.ended !== null) throw new Error(`Mumble's client ${this.#name}: ${this.ended}`);
      if (performance.now() > untilMs)
        throw new Error(
          `Mumble's client ${this.#name}: ` +
            (this.session === 0
              ? 'the server lets nobody in'
              : 'the server answers nothing over UDP'),
        );
      if (this.session !== 0) this.#pingUdp();
      await new Promise((resolve) => {
        const timer = setTimeout(resolve, ASK_MS);
        this.#changed = () => {
          clearTimeout(timer);
          resolve(undefined);
        };
      });
    }
  }

  /** @param {string} why */
  #end(why) {
    if (!this.#isClosed) this.ended ??= why;
    this.#changed();
  }

  /** @param {number} type @param {Uint8Array} body */
  #message(type, body) {
    if (type === MessageType.reject)
      return this.#end(
        'the server refuses: ' +
          Buffer.from(/** @type {Uint8Array} */ (readFields(body).get(2) ?? [])),
      );
    if (type === MessageType.cryptSetup) {
      const [key, sending, receiving] = [1, 2, 3].map((field) => readFields(body).get(field));
      // Without a key it is about nonces that were lost, which loopback and the lab's loss don't
      // bring about.
      if (
        key instanceof Uint8Array &&
        sending instanceof Uint8Array &&
        receiving instanceof Uint8Array
      )
        this.#seal = new PacketSeal(key, sending, receiving);
    }
    if (type === MessageType.serverSync) {
      this.session = Number(readFields(body).get(1));
      this.#changed();
    }
  }

  /** @param {Uint8Array} bytes */
  #packet(bytes) {
    // Answers to pings are shorter than any voice packet, so they need not be opened to be told
    // apart.
    if (bytes.length <= SEAL_BYTES + MAX_PING_BYTES) {
      this.#isReachable = true;
      this.#changed();
      return;
    }
    this.received += 1;
    this.bytes += bytes.length - SEAL_BYTES;
    if (this.onVoice === null || this.#seal === null) return;
    const opened = this.#seal.open(bytes);
    this.onVoice(opened && readVoice(opened));
  }

  /** @param {number} length  of the content of `plain` */
  #send(length) {
    if (this.#seal === null || !this.#canSend) return;
    // The socket keeps its buffer until it is sent, and the seal's buffer is used for the
    // next packet.
    this.#udp.send(this.#seal.seal(plain.subarray(0, length)).slice());
  }

  #pingUdp() {
    plain[0] = UdpType.ping << 5;
    this.#send(writeNumber(Math.round(performance.now()), plain, 1));
  }

  /**
   * Tells the server that this client is there, over TCP and UDP: it is to be called every 5 s, as
   * Mumble's own client does.
   */
  ping() {
    if (this.#isClosed || this.ended !== null) return;
    this.#tls.write(writeMessage(MessageType.ping, { 1: Math.round(performance.now()) }));
    this.#pingUdp();
  }

  /**
   * Sends sound to all others.
   * @param {number} sequence  of the first 10 ms of it
   * @param {Uint8Array} payload  an Opus packet of more than MAX_PING_BYTES
   */
  speak(sequence, payload) {
    this.#send(writeVoice(plain, sequence, payload));
  }

  /** Leaves. Idempotent. */
  close() {
    if (this.#isClosed) return;
    this.#isClosed = true;
    this.#canSend = false;
    this.#tls.destroy();
    this.#udp.close();
  }
}
