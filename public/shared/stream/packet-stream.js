/** @import { PayloadEncoder } from './payload.js' */

import {
  AUDIO_HEADER_BYTES,
  MAX_HEADER_BYTES,
  MAX_REDUNDANCY,
  MAX_SENT_BYTES,
  Packet,
  lengthBytes,
  speakersBytes,
  writeAudioHeader,
} from '../wire/packet.js';

/** Number of silent packets after a sound: one of them may get lost. */
const SILENT_FRAMES = 2;

/** Interval of packets in longer silence, in milliseconds. */
const SILENT_MS = 200;

const PAYLOADS = MAX_REDUNDANCY + 1;

/** Buffer for every stream's packets, since connections don't keep it. */
const out = new Uint8Array(MAX_SENT_BYTES);

/** Views of the beginning of `out`, by their length. @type {Uint8Array[]} */
const views = [];

/** Decides which packets of silence are sent: the first two, then one per interval. */
export class SilencePace {
  #suppresses;
  #interval;
  #silentFrames = 0;
  #sentFrame = -Infinity;

  /**
   * @param {number} frameMs
   * @param {boolean} suppresses true when packets are left out in silence
   */
  constructor(frameMs, suppresses) {
    this.#suppresses = suppresses;
    this.#interval = Math.max(1, Math.round(SILENT_MS / frameMs));
  }

  /** @param {boolean} suppresses true when packets are left out in silence */
  set suppresses(suppresses) {
    this.#suppresses = suppresses;
  }

  /** True when the last frame was silent. */
  get isSilent() {
    return this.#silentFrames > 0;
  }

  /**
   * True when the last frame is the second silent one after sound, the last that is always sent.
   */
  get endsSound() {
    return this.#silentFrames === SILENT_FRAMES;
  }

  /** True while most packets of a long silence are left out. */
  get isSparse() {
    return this.#suppresses && this.#silentFrames > SILENT_FRAMES;
  }

  /**
   * Called for each frame.
   * @param {number} frame
   * @param {boolean} isSilent
   * @returns {boolean} true when its packet is sent
   */
  sends(frame, isSilent) {
    this.#silentFrames = isSilent ? this.#silentFrames + 1 : 0;
    const canSkip = this.#suppresses && this.#silentFrames > SILENT_FRAMES;
    if (canSkip && frame - this.#sentFrame < this.#interval) return false;
    this.#sentFrame = frame;
    return true;
  }
}

/**
 * A numbered stream of audio packets: encodes frames, leaves out silence, and repeats earlier
 * payloads. The client sends its microphone as one, the server each mix. It allocates nothing per
 * frame.
 *
 *     if (stream.encode(frame, pcm)) send(stream.write(redundancy));
 */
export class PacketStream {
  /**
   * Header of the next packet: the owner sets stream, level, voice and speakers; the rest is filled
   * in.
   */
  packet = new Packet();
  #encoder;
  #effort;
  #pace;
  #limit = MAX_SENT_BYTES;
  /** Payloads of the last frames, as a ring. @type {Uint8Array[]} */
  #payloads = [];
  /** Parts of #payloads that a payload may fill. @type {Uint8Array[]} */
  #rooms = [];
  /** Lengths of #payloads in bytes; 0 is silence. */
  #lengths = new Uint16Array(PAYLOADS);
  #turn = 0;
  /** True while the last frame's payload isn't finished. */
  #hasBegun = false;
  #frame = -2;
  /** First frame after a pre-roll. */
  #primedFrame = -Infinity;
  /** Last encoded frame. */
  #soundFrame = -2;

  /**
   * @param {object} options
   * @param {Pick<PayloadEncoder, 'begin' | 'end' | 'close'>} options.encoder closed with this
   * @param {number} options.frameMs
   * @param {boolean} [options.suppresses] true when packets are left out in silence; default false
   * @param {{ readonly complexity: number }} [options.effort] the encoder's complexity, checked for
   *   each frame
   */
  constructor({ encoder, frameMs, suppresses = false, effort }) {
    this.#encoder = encoder;
    this.#effort = effort;
    this.#pace = new SilencePace(frameMs, suppresses);
  }

  /** @param {boolean} suppresses true when packets are left out in silence */
  suppressSilence(suppresses) {
    this.#pace.suppresses = suppresses;
  }

  /**
   * Sets the maximum size of a packet from the next frame on: a payload fits it at any bit rate.
   * @param {number} bytes MAX_SENT_BYTES at most, which is the default
   */
  set limit(bytes) {
    if (bytes === this.#limit) return;
    this.#limit = bytes;
    this.#rooms = [];
  }

  /** True when the last frame was silent. */
  get isSilent() {
    return this.#pace.isSilent;
  }

  /**
   * True when the last frame is the second silent one after sound, the last that is always sent.
   */
  get endsSound() {
    return this.#pace.endsSound;
  }

  /** True while most packets of a long silence are left out. */
  get isSparse() {
    return this.#pace.isSparse;
  }

  /** Length of the last frame's payload in bytes; 0 for silence. */
  get payloadBytes() {
    return this.#lengths[this.#turn];
  }

  /**
   * Encodes an unheard frame right before the next one: the encoder continues from it, and the next
   * packets repeat it.
   * @param {number} frame the one before the next for encode() or preRoll()
   * @param {Float32Array} pcm
   */
  preRoll(frame, pcm) {
    this.encode(frame, pcm, false);
    this.#primedFrame = frame + 1;
  }

  /**
   * Encodes one frame.
   * @param {number} frame higher than the last; after a gap no earlier frame is repeated
   * @param {Float32Array | null} pcm one frame; null: silence
   * @param {boolean} [heard] false for a frame that has no packet of its own
   * @returns {boolean} true when its packet must be written; false for silence left out
   */
  encode(frame, pcm, heard = true) {
    const isSent = this.begin(frame, pcm, heard);
    this.end();
    return isSent;
  }

  /**
   * Starts what encode() does, so that several streams are encoded at once. end() must follow.
   * @param {number} frame
   * @param {Float32Array | null} pcm may be reused at once
   * @param {boolean} [heard]
   * @returns {boolean} as encode()
   */
  begin(frame, pcm, heard = true) {
    if (frame !== this.#frame + 1) this.#lengths.fill(0);
    this.#frame = frame;
    this.#turn = (this.#turn + 1) % PAYLOADS;
    this.#lengths[this.#turn] = 0;
    if (pcm !== null) {
      if (this.#rooms.length === 0) this.#claim();
      this.#encoder.begin(
        pcm,
        this.#rooms[this.#turn],
        0,
        this.#effort?.complexity,
        frame === this.#soundFrame + 1,
      );
      this.#soundFrame = frame;
      this.#hasBegun = true;
    }
    if (!heard) return false;
    if (!this.#pace.sends(frame, pcm === null)) return false;
    this.packet.sequence = (this.packet.sequence + 1) & 0xffff;
    return true;
  }

  /** Finishes the started frame: its packet can be written. */
  end() {
    if (this.#hasBegun) this.#lengths[this.#turn] = this.#encoder.end();
    this.#hasBegun = false;
  }

  #claim() {
    const most = MAX_SENT_BYTES - MAX_HEADER_BYTES;
    while (this.#payloads.length < PAYLOADS) this.#payloads.push(new Uint8Array(most));
    const bytes = Math.max(0, this.#limit - MAX_HEADER_BYTES);
    this.#rooms = this.#payloads.map((payload) => payload.subarray(0, bytes));
  }

  /**
   * Writes the packet of the last encoded frame; again with another redundancy for other receivers.
   * @param {number} redundancy 0 to MAX_REDUNDANCY: number of earlier frames to repeat if there is
   *   room; the maximum in the first packets after a pre-roll. The list of speakers is left out if
   *   it has no room
   * @param {number} [back] distance of the packet's own frame before the last one; with
   *   `redundancy` MAX_REDUNDANCY at most
   * @returns {Uint8Array} valid until any stream's next packet is written
   */
  write(redundancy, back = 0) {
    const { packet } = this;
    const { sequence } = packet;
    packet.frame = this.#frame - back;
    packet.sequence = (sequence - back) & 0xffff;
    const isPrimed = back === 0 && this.#frame - this.#primedFrame < MAX_REDUNDANCY;
    this.#fit(packet, isPrimed ? MAX_REDUNDANCY : redundancy, back);
    let at = writeAudioHeader(out, packet);
    for (let r = back + packet.redundancy; r >= back; r--) {
      const turn = (this.#turn + PAYLOADS - r) % PAYLOADS;
      const length = this.#lengths[turn];
      for (let i = 0; i < length; i++) out[at + i] = this.#payloads[turn][i];
      at += length;
    }
    packet.sequence = sequence;
    return (views[at] ??= out.subarray(0, at));
  }

  /**
   * @param {number} redundancy 0 to MAX_REDUNDANCY
   * @returns {number} number of these earlier frames without room in the last frame's packet,
   *   beside a full list of speakers
   */
  leavesOut(redundancy) {
    let bytes = AUDIO_HEADER_BYTES + speakersBytes(this.packet.speakers) + this.payloadBytes;
    for (let r = 1; r <= redundancy; r++) {
      const length = this.#lengthBefore(r);
      bytes += lengthBytes(length) + length;
      if (bytes > this.#limit) return redundancy - r + 1;
    }
    return 0;
  }

  /**
   * Chooses the payloads to repeat: as many as requested and possible, but none before the oldest
   * sound.
   * @param {Packet} packet
   * @param {number} redundancy
   * @param {number} back distance of the packet's own frame before the last one
   */
  #fit(packet, redundancy, back) {
    const own = AUDIO_HEADER_BYTES + this.#lengthBefore(back);
    if (own + speakersBytes(packet.speakers) > this.#limit) packet.speakers = 0;
    let bytes = own + speakersBytes(packet.speakers);
    packet.redundancy = 0;
    let oldest = MAX_REDUNDANCY - back;
    while (oldest > 0 && this.#lengthBefore(back + oldest) === 0) oldest -= 1;
    for (let r = 1; r <= redundancy && r <= oldest; r++) {
      const length = this.#lengthBefore(back + r);
      bytes += lengthBytes(length) + length;
      if (bytes > this.#limit) return;
      packet.payloadBytes[r] = length;
      packet.redundancy = r;
    }
  }

  /** @param {number} r @returns {number} the bytes of the payload r frames ago */
  #lengthBefore(r) {
    return this.#lengths[(this.#turn + PAYLOADS - r) % PAYLOADS];
  }

  /**
   * Frees the memory that only sound needs, until there is sound again.
   * @param {number} frame only if nothing was encoded from this one on
   */
  rest(frame) {
    if (this.#soundFrame >= frame || this.#payloads.length === 0) return;
    this.#payloads = [];
    this.#rooms = [];
    this.#lengths.fill(0);
  }

  /** Idempotent if the encoder's is. */
  close() {
    this.#encoder.close();
  }
}
