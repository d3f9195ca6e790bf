/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { PayloadEncoder } from '../../public/shared/stream/payload.js'
 * @import { Track } from './track.js'
 *
 * @typedef {{ encoder: PayloadEncoder, lookahead: number }} Encoded  lookahead: in samples of the
 *   room's rate
 */

import { MAX_PACKET_BYTES } from '../../public/shared/wire/packet.js';

/** Receives every encoded frame of a mix. */
const out = new Uint8Array(MAX_PACKET_BYTES);

/**
 * Writes the mix. Its encoder is fed ahead by its lookahead, so that decoded sound lies on the same
 * frame grid as people's tracks. Therefore a frame is encoded once part of the next one is there.
 */
export class MixTrack {
  #track;
  #encoder;
  /** Mixed sound to encode, interleaved, up to #to. */
  #waiting;
  #to = 0;
  /** Values to drop at the beginning: they lie in the pre-skip, so they are never heard. */
  #skip;
  #frame;
  #mixed;

  /**
   * @param {Track} track  ended with this
   * @param {PayloadEncoder} encoder  closed with this
   * @param {number} lookahead  of the encoder, in samples of the room's rate
   * @param {AudioFormat} format
   */
  constructor(track, encoder, lookahead, { frameValues, channels }) {
    this.#track = track;
    this.#encoder = encoder;
    this.#skip = lookahead * channels;
    this.#frame = new Float32Array(frameValues);
    this.#waiting = new Float32Array(2 * frameValues);
    this.#mixed = track.frames;
  }

  /** The number of encoded frames. */
  get frames() {
    return this.#track.frames;
  }

  /** Adds a frame of the mix. @param {Float32Array} mix */
  add(mix) {
    this.#mixed += 1;
    this.#take(mix);
  }

  /** @param {Float32Array} mix  a frame */
  #take(mix) {
    const skipped = Math.min(this.#skip, mix.length);
    this.#skip -= skipped;
    for (let i = skipped; i < mix.length; i++) this.#waiting[this.#to++] = mix[i];
    const frame = this.#frame;
    if (this.#to < frame.length) return;
    for (let i = 0; i < frame.length; i++) frame[i] = this.#waiting[i];
    this.#waiting.copyWithin(0, frame.length, this.#to);
    this.#to -= frame.length;
    this.#track.put(out, 0, this.#encoder.encode(frame, out, 0));
  }

  /** Encodes the rest, so that as many frames are encoded as were mixed. Call it once. */
  end() {
    const silence = new Float32Array(this.#frame.length);
    while (this.#track.frames < this.#mixed) this.#take(silence);
    this.#track.end();
    this.#encoder.close();
  }
}
