/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Encoded } from './mix-track.js'
 * @import { PayloadDecoder } from '../../public/shared/stream/payload.js'
 * @import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js'
 * @import { Track } from './track.js'
 */

import { levelOf } from '../../public/shared/sound/level.js';
import { SILENT_LEVEL } from '../../public/shared/wire/packet.js';
import { MixTrack } from './mix-track.js';

/** Writes one person's track, and adds the person to the mix. */
export class PersonTrack {
  #packets;
  /**
   * Packets of the same person before a break; the last ones are still to be written.
   * @type {PacketBuffer | null}
   */
  #before = null;
  #track;
  #decoder;
  #file;
  #firstFrame;
  #pcm;
  #format;
  #encoded;
  /** Encodes PCM, from the first frame on. @type {MixTrack | null} */
  #encoding = null;
  #ended = false;

  /**
   * @param {object} options
   * @param {{ id: string, label: string, owner?: string }} options.person  owner: of a shared sound
   * @param {PacketBuffer} options.packets  of the person
   * @param {Track} options.track
   * @param {PayloadDecoder} options.decoder closed with this
   * @param {{ end: (seconds: number) => void, remove: () => void }} options.file
   * @param {AudioFormat} options.format
   * @param {number} options.firstFrame of the recording
   * @param {number} options.agreedFrame first frame covered by the person's consent
   * @param {Encoded | null} [options.encoded]  for a person who sends PCM
   */
  constructor({
    person: { id, label, owner },
    packets,
    track,
    decoder,
    file,
    format,
    firstFrame,
    agreedFrame,
    encoded = null,
  }) {
    this.person = { id, label, owner };
    this.#packets = packets;
    this.agreedFrame = agreedFrame;
    /** Last frame of the track, once the person has left. */
    this.lastFrame = Infinity;
    this.#track = track;
    this.#decoder = decoder;
    this.#file = file;
    this.#format = format;
    this.#encoded = encoded;
    this.#firstFrame = firstFrame;
    this.#pcm = new Float32Array(format.frameValues);
    this.frameSeconds = format.frameMs / 1000;
  }

  /** True when packets are decoded and encoded again, not kept as they came. */
  get isEncoded() {
    return this.#encoded !== null;
  }

  /**
   * Writes one frame, and adds it to the mix.
   * @param {number} frame
   * @param {Float32Array} mix
   * @returns {number} level of the person's sound, in −dBov
   */
  write(frame, mix) {
    if (frame < this.agreedFrame) {
      // After hours this takes longer than a frame, and their first words would be missing.
      this.#track.fillAhead(frame - this.#firstFrame);
      return SILENT_LEVEL;
    }
    if (this.#encoded) return this.#encode(frame, mix, this.#encoded);
    if (!this.#track.fill(frame - this.#firstFrame)) return SILENT_LEVEL;
    const packets = this.#packetsWith(frame);
    const length = packets.has(frame) ? packets.length(frame) : -1;
    if (length === 0) this.#track.putSilence();
    else if (length < 0) this.#track.putMissing();
    else if (this.#track.put(packets.bytes, packets.start(frame), length)) {
      this.#decoder.decode(packets.bytes, packets.start(frame), length, this.#pcm, 0);
      add(mix, this.#pcm);
      return levelOf(this.#pcm);
    }
    if (this.#track.conceals) this.#conceal(mix);
    return SILENT_LEVEL;
  }

  /**
   * Writes one frame of a person who sends PCM, encoded as the mix is.
   * @param {number} frame
   * @param {Float32Array} mix
   * @param {Encoded} encoded
   */
  #encode(frame, mix, { encoder, lookahead }) {
    if (this.#encoding === null) {
      if (!this.#track.fill(frame - this.#firstFrame)) return SILENT_LEVEL;
      this.#encoding = new MixTrack(this.#track, encoder, lookahead, this.#format);
    }
    const packets = this.#packetsWith(frame);
    const length = packets.has(frame) ? packets.length(frame) : 0;
    if (length > 0) this.#decoder.decode(packets.bytes, packets.start(frame), length, this.#pcm, 0);
    else this.#pcm.fill(0);
    this.#encoding.add(this.#pcm);
    add(mix, this.#pcm);
    return length > 0 ? levelOf(this.#pcm) : SILENT_LEVEL;
  }

  /** @param {number} frame */
  #packetsWith(frame) {
    const [before, packets] = [this.#before, this.#packets];
    return before?.has(frame) && !packets.has(frame) ? before : packets;
  }

  /** @param {PacketBuffer} packets  the same person's, after a break */
  continueWith(packets) {
    this.#before = this.#packets;
    this.#packets = packets;
  }

  /** @param {Float32Array} mix */
  #conceal(mix) {
    this.#decoder.conceal(this.#pcm, 0);
    add(mix, this.#pcm);
  }

  /** Ends the file. Idempotent. */
  end() {
    if (this.#ended) return;
    this.#ended = true;
    try {
      if (this.#encoding) this.#encoding.end();
      else this.#track.end();
    } finally {
      this.#file.end(this.#track.frames * this.frameSeconds);
      this.#close();
    }
  }

  #close() {
    this.#decoder.close();
    this.#encoded?.encoder.close();
  }

  /** Deletes the file. Idempotent. */
  remove() {
    if (!this.#ended) this.#close();
    this.#ended = true;
    this.#file.remove();
  }
}

/** @param {Float32Array} mix @param {Float32Array} pcm */
function add(mix, pcm) {
  for (let i = 0; i < mix.length; i++) mix[i] += pcm[i];
}
