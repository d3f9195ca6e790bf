import {
  MAX_PACKET_BYTES,
  MAX_REDUNDANCY,
  Packet,
  readPacket,
  writeAudioHeader,
} from '../../public/shared/wire/packet.js';

/** Number of kept packets: the last one, and the frames that it may repeat. */
const KEPT = MAX_REDUNDANCY + 1;

/**
 * Passes on a stream like a fan-out: packets arrive with all the repeats that fit, and leave with
 * as many as are requested.
 */
export class RelayedStream {
  /** @type {{ bytes: Uint8Array, length: number, frame: number, isSilent: boolean }[]} */
  #kept = Array.from({ length: KEPT }, () => ({
    bytes: new Uint8Array(MAX_PACKET_BYTES),
    length: 0,
    frame: -1,
    isSilent: true,
  }));
  #turn = 0;
  #redundancy = 0;
  #fewer = { packet: new Packet(), bytes: new Uint8Array(MAX_PACKET_BYTES) };
  #soundFrame = -Infinity;
  /** Frame of the last packet. */
  frame = -Infinity;
  /** True after the end of the sound was signalled. */
  #hasEnded = true;
  /** True when the last packet signals the end. */
  endsSound = false;
  /** True in a silence of which most packets are left out. */
  isSparse = false;

  #onClose;

  /** @param {() => void} [onClose]  nobody wants it any more */
  constructor(onClose = () => {}) {
    this.#onClose = onClose;
  }

  /** True while packets arrive. */
  get isReady() {
    return this.frame >= 0;
  }

  /** Checks, like a layer, that the packet of a frame has arrived. @param {number} frame */
  beginMix(frame) {
    return this.frame === frame;
  }

  end() {}

  close() {
    this.#onClose();
  }

  /** @param {Uint8Array} bytes  of a packet; copied @param {Packet} read  the parsed packet */
  take(bytes, { frame, payloadBytes, redundancy }) {
    const isSilent = payloadBytes[0] === 0;
    if (!isSilent) {
      this.#soundFrame = frame;
      this.#hasEnded = false;
    }
    this.endsSound = !this.#hasEnded && isSilent && frame - this.#soundFrame >= 2;
    if (this.endsSound) this.#hasEnded = true;
    this.isSparse = isSilent && frame - this.frame > 2;
    this.frame = frame;
    this.#redundancy = redundancy;
    this.#turn = (this.#turn + 1) % KEPT;
    const kept = this.#kept[this.#turn];
    kept.bytes.set(bytes);
    kept.length = bytes.length;
    kept.frame = frame;
    kept.isSilent = isSilent;
  }

  /** @param {number} back  frames before the last */
  #before(back) {
    return this.#kept[(this.#turn + KEPT - back) % KEPT];
  }

  /** The last packet. @param {number} [redundancy]  number of its repeats */
  write(redundancy) {
    return this.writeStride(redundancy);
  }

  /**
   * @param {number} [redundancy]  number of repeats; the last packet may get more, to cover missing
   *   ones
   * @param {number} [back]  frames before the last one
   * @returns {Uint8Array} valid until the next call
   */
  writeStride(redundancy = MAX_REDUNDANCY, back = 0) {
    const kept = this.#before(back);
    const whole = kept.bytes.subarray(0, kept.length);
    const { packet, bytes } = this.#fewer;
    const repeats = back === 0 ? this.#repeatsFor(redundancy) : redundancy;
    if (
      repeats >= MAX_REDUNDANCY ||
      readPacket(whole, packet) !== null ||
      packet.redundancy <= repeats
    )
      return whole;
    packet.redundancy = repeats;
    const at = writeAudioHeader(bytes, packet);
    const payloads = whole.subarray(packet.payloadStart[repeats]);
    bytes.set(payloads, at);
    return bytes.subarray(0, at + payloads.length);
  }

  /**
   * @param {number} asked
   * @returns {number} at least `asked`, and enough to repeat the frames whose own packets are
   *   missing
   */
  #repeatsFor(asked) {
    let repeats = asked;
    for (let r = asked + 1; r <= this.#redundancy; r++)
      if (!this.#hasArrived(this.frame - r)) repeats = r;
    return repeats;
  }

  /** @param {number} frame  one of the last few */
  #hasArrived(frame) {
    for (let i = 0; i < KEPT; i++) if (this.#kept[i].frame === frame) return true;
    return false;
  }

  /**
   * @param {number} redundancy
   * @returns {number} number of the preceding `redundancy` frames that the last packet doesn't
   *   repeat
   */
  leavesOut(redundancy) {
    for (let r = this.#redundancy + 1; r <= redundancy; r++) {
      const { frame, isSilent } = this.#before(r);
      if (frame === this.frame - r && !isSilent) return redundancy - r + 1;
    }
    return 0;
  }
}
