/**
 * Sessions of the native engine that carry packets on streams instead of datagrams, if their URL
 * asks for it.
 *
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Carry } from './page/carry.js'
 */

import { PacketReader, withLength } from '../../public/shared/wire/stream-packets.js';
import { errors } from '../../public/shared/errors.js';
import { NativeEngineSession } from '../../server/transport/webtransport-native.js';
import { carryOf, RESET_MS } from './page/carry.js';

export class CarriedSession extends NativeEngineSession {
  /** Null if packets are datagrams. @type {PacketStreams | null} */
  #packets = null;

  /** @param {ConstructorParameters<typeof NativeEngineSession>[0]} options */
  constructor(options) {
    super(options);
    const { native, clock } = options;
    const carry = carryOf(native.request?.query ?? '');
    if (carry === undefined) this.closeWith('bad-request');
    else if (carry !== 'datagrams')
      this.#packets = new PacketStreams({ native, carry, clock, receive: this.receive });
  }

  /**
   * @override
   * @param {Uint8Array} bytes
   */
  send(bytes) {
    return this.#packets === null ? super.send(bytes) : this.#packets.send(bytes);
  }

  /**
   * @override
   * @param {Stream} stream
   */
  opened(stream) {
    if (!stream.bidi && this.#packets) this.#packets.take(stream);
    else super.opened(stream);
  }

  /** @override */
  get droppedHere() {
    return super.droppedHere + (this.#packets?.dropped ?? 0);
  }
}

/** Buffer for all reads, one after another. */
const chunk = new Uint8Array(4 * 1024);

class PacketStreams {
  #native;
  #carry;
  #clock;
  #receive;
  /** The stream of all packets. @type {Stream | null} */
  #stream = null;
  /** Streams to be reset, the oldest first. @type {{ stream: Stream, sentMs: number }[]} */
  #sent = [];

  /** Packets that weren't sent, since there was no room. */
  dropped = 0;

  /**
   * @param {object} options
   * @param {NativeSession} options.native
   * @param {Exclude<Carry, 'datagrams'>} options.carry
   * @param {Clock} options.clock
   * @param {(bytes: Uint8Array, arrivalMs: number) => void} options.receive
   */
  constructor({ native, carry, clock, receive }) {
    this.#native = native;
    this.#carry = carry;
    this.#clock = clock;
    this.#receive = receive;
  }

  /**
   * @param {Uint8Array} bytes  a packet; copied
   * @returns {boolean} false when it wasn't sent
   */
  send(bytes) {
    const isSent = this.#write(bytes);
    this.#resetOld();
    return isSent;
  }

  /** @param {Uint8Array} bytes */
  #write(bytes) {
    const stream =
      this.#carry === 'stream' ? this.#all() : this.#native.openStream({ bidi: false });
    if (!stream?.write(withLength(bytes))) {
      this.dropped += 1;
      return false;
    }
    if (this.#carry === 'streams') stream.finish();
    if (this.#carry === 'reset-streams') this.#sent.push({ stream, sentMs: this.#clock.now() });
    return true;
  }

  #all() {
    this.#stream ??= this.#native.openStream({ bidi: false });
    return this.#stream;
  }

  #resetOld() {
    const before = this.#clock.now() - RESET_MS;
    while (this.#sent.length > 0 && this.#sent[0].sentMs <= before)
      this.#sent.shift()?.stream.reset(0);
  }

  /** Takes a stream of the peer's. @param {Stream} stream */
  take(stream) {
    const reader = new PacketReader((bytes) => this.#receive(bytes, this.#clock.now()));
    stream.onReadable = () => {
      for (
        let count = stream.read(chunk);
        count !== null && count > 0;
        count = stream.read(chunk)
      ) {
        if (reader.push(chunk.subarray(0, count))) continue;
        stream.stop(errors['bad-request'].close);
        return;
      }
    };
    stream.onReadable();
  }
}
