/**
 * The packets of a session of the native engine on streams, in place of datagrams: see carry.js.
 * For measuring.
 *
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Carry } from '../../public/shared/wire/carry.js'
 */

import { PacketReader, RESET_MS, withLength } from '../../public/shared/wire/carry.js';
import { errors } from '../../public/shared/errors.js';

/**
 * The most streams that a peer may have open: those of the packets of RESET_MS, and those that loss
 * holds up.
 */
export const MAX_PACKET_STREAMS = 256;

/** What arrives is read through this, one read after another. */
const chunk = new Uint8Array(4 * 1024);

export class PacketStreams {
  #native;
  #carry;
  #clock;
  #receive;
  /** The one for all packets. @type {Stream | null} */
  #stream = null;
  /** Those that are to be reset, the oldest first. @type {{ stream: Stream, sentMs: number }[]} */
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
