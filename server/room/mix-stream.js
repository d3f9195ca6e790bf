/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { PayloadEncoder } from '../../public/shared/payload.js'
 */

import { levelOf } from '../../public/shared/level.js';
import { Packet, SILENT_LEVEL, writeAudioHeader } from '../../public/shared/packet.js';
import { Limiter } from '../audio/mixer.js';

/** One stream of packets that a mix is sent as: its encoder, its limiter, its numbering. */
export class MixStream {
  #packet = new Packet();
  #encoder;
  #limiter;

  /**
   * @param {number} stream one of Stream
   * @param {PayloadEncoder} encoder closed with this
   * @param {AudioFormat} format
   */
  constructor(stream, encoder, format) {
    this.#packet.stream = stream;
    this.#encoder = encoder;
    this.#limiter = new Limiter(format.sampleRate);
  }

  /**
   * Writes the packet that holds one frame of the mix.
   *
   * @param {Uint8Array} out MAX_PACKET_BYTES long; filled
   * @param {number} frame
   * @param {Float32Array} pcm one frame; limited in place
   * @param {boolean} sounding false for a silent packet, whatever is in pcm
   * @returns {number} the packet's bytes
   */
  write(out, frame, pcm, sounding) {
    if (sounding) this.#limiter.process(pcm);
    const packet = this.#packet;
    packet.sequence = (packet.sequence + 1) & 0xffff;
    packet.frame = frame;
    packet.voice = sounding;
    packet.level = sounding ? levelOf(pcm) : SILENT_LEVEL;
    const at = writeAudioHeader(out, packet);
    return sounding ? at + this.#encoder.encode(pcm, out, at) : at;
  }

  close() {
    this.#encoder.close();
  }
}
