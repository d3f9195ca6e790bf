/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { LazyEncoder } from '../audio/lazy-codec.js'
 * @import { SpeakerList } from './speaker-list.js'
 */

import { levelOf } from '../../public/shared/level.js';
import { lengthBytes } from '../../public/shared/packet-lengths.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  MAX_REDUNDANCY,
  Packet,
  SILENT_LEVEL,
  speakersBytes,
  writeAudioHeader,
} from '../../public/shared/packet.js';
import { Limiter } from '../audio/mixer.js';

/** So many silent frames are sent after sound, so that a loss isn't noticed; */
const SILENT_FRAMES = 2;
/** then one in so many milliseconds. */
const SILENT_MS = 200;

/** Speakers are listed this often, in milliseconds, and when they change. */
const LIST_MS = 100;

const PAYLOADS = MAX_REDUNDANCY + 1;

/** One stream of packets that a mix is sent as: its encoder, its limiter, its numbering. */
export class MixStream {
  #packet = new Packet();
  #encoder;
  #limiter;
  #suppresses;
  #silentInterval;
  #listInterval;
  /** The last frames' payloads, in turn. @type {Uint8Array[]} */
  #payloads = [];
  #lengths = new Uint16Array(PAYLOADS);
  #turn = 0;
  /** How many frames before the last one are kept, without a gap. */
  #kept = 0;
  #frame = -2;
  /** The last frame that was encoded. */
  #soundFrame = -1;
  /** The frame that was last encoded only for the decoder's sake, before the first of a run. */
  #primerFrame = -Infinity;
  #silentFrames = 0;
  #sentFrame = -1;
  #listedFrame = -1;
  #listedIds;
  #listed = 0;

  /**
   * @param {number} stream one of Stream
   * @param {LazyEncoder} encoder closed with this
   * @param {AudioFormat} format
   * @param {boolean} [suppresses] whether packets are left out in silence
   */
  constructor(stream, encoder, { sampleRate, channels, frameMs }, suppresses = false) {
    this.#packet.stream = stream;
    this.#listedIds = new Uint16Array(this.#packet.speakerIds.length);
    this.#encoder = encoder;
    this.#limiter = new Limiter(sampleRate, channels);
    this.#suppresses = suppresses;
    this.#silentInterval = Math.ceil(SILENT_MS / frameMs);
    this.#listInterval = Math.ceil(LIST_MS / frameMs);
  }

  /**
   * Encodes one frame of the mix.
   *
   * @param {number} frame
   * @param {Float32Array} pcm one frame; limited in place
   * @param {boolean} sounding false for a silent frame, whatever is in pcm
   * @param {SpeakerList} speakers who is in the mix
   * @param {Float32Array | null} before the frame before it as it was heard; null where it was silent. Where this
   *   stream didn't have it, it goes into the packet before this one, so that encoder and decoder go on from it
   * @returns {boolean} whether there is a packet to be written: none where silence is left out
   */
  encode(frame, pcm, sounding, speakers, before) {
    const packet = this.#packet;
    const isNext = frame === this.#frame + 1;
    const primer = !isNext && sounding ? before : null;
    if (isNext) this.#kept = Math.min(this.#kept + 1, MAX_REDUNDANCY);
    else this.#kept = primer === null ? 0 : 1;
    if (primer !== null) {
      this.#primerFrame = frame - 1;
      this.#keep(primer);
    }
    this.#frame = frame;
    if (sounding) this.#limiter.process(pcm);
    this.#keep(sounding ? pcm : null);
    this.#silentFrames = sounding ? 0 : this.#silentFrames + 1;
    if (this.#isLeftOut(frame)) return false;
    this.#sentFrame = frame;
    packet.frame = frame;
    packet.sequence = (packet.sequence + 1) & 0xffff;
    packet.voice = sounding;
    packet.level = sounding ? levelOf(pcm) : SILENT_LEVEL;
    this.#list(frame, speakers);
    return true;
  }

  /** @param {Float32Array | null} pcm one frame; null where it is silent */
  #keep(pcm) {
    this.#turn = (this.#turn + 1) % PAYLOADS;
    this.#lengths[this.#turn] = 0;
    if (pcm === null) return;
    while (this.#payloads.length < PAYLOADS) {
      this.#payloads.push(new Uint8Array(MAX_PACKET_BYTES - AUDIO_HEADER_BYTES));
    }
    this.#soundFrame = this.#frame;
    this.#lengths[this.#turn] = this.#encoder.encode(pcm, this.#payloads[this.#turn], 0);
  }

  /** @param {number} frame */
  #isLeftOut(frame) {
    if (!this.#suppresses || this.#silentFrames <= SILENT_FRAMES) return false;
    return frame - this.#sentFrame < this.#silentInterval;
  }

  /**
   * @param {number} frame
   * @param {SpeakerList} speakers
   */
  #list(frame, speakers) {
    const { count, ids, levels } = speakers;
    const packet = this.#packet;
    packet.speakers = 0;
    let isSame = count === this.#listed;
    for (let i = 0; isSame && i < count; i++) isSame = ids[i] === this.#listedIds[i];
    if (isSame && frame > this.#listedFrame && frame - this.#listedFrame < this.#listInterval) return;
    for (let i = 0; i < count; i++) {
      this.#listedIds[i] = packet.speakerIds[i] = ids[i];
      packet.speakerLevels[i] = levels[i];
    }
    packet.speakers = this.#listed = count;
    this.#listedFrame = frame;
  }

  /**
   * Writes the packet of the frame that was encoded last.
   * @param {Uint8Array} out MAX_PACKET_BYTES long; filled
   * @param {number} redundancy how many frames before it are to be repeated, as far as there is room
   * @param {number} [heard] how many of them those have heard in this stream to whom it goes: to the decoder of
   *   one who comes from another stream the others are given all the same, in two packets, since one may be lost
   * @returns {number} the packet's bytes
   */
  write(out, redundancy, heard = MAX_REDUNDANCY) {
    const packet = this.#packet;
    const run = this.#frame - this.#primerFrame - 1;
    const least = run < MAX_REDUNDANCY ? run + 1 : 0;
    this.#fit(Math.min(Math.max(least, redundancy), this.#kept));
    packet.primers = Math.max(0, packet.redundancy - Math.min(heard, run));
    let at = writeAudioHeader(out, packet);
    for (let r = packet.redundancy; r >= 0; r--) {
      const turn = (this.#turn + PAYLOADS - r) % PAYLOADS;
      const length = this.#lengths[turn];
      const payload = this.#payloads[turn];
      for (let i = 0; i < length; i++) out[at + i] = payload[i];
      at += length;
    }
    return at;
  }

  /** Leaves out what a packet has no room for. @param {number} redundancy */
  #fit(redundancy) {
    const packet = this.#packet;
    const own = AUDIO_HEADER_BYTES + this.#lengths[this.#turn];
    if (own + speakersBytes(packet.speakers) > MAX_PACKET_BYTES) packet.speakers = 0;
    let bytes = own + speakersBytes(packet.speakers);
    packet.redundancy = 0;
    for (let r = 1; r <= redundancy; r++) {
      const length = this.#lengths[(this.#turn + PAYLOADS - r) % PAYLOADS];
      bytes += lengthBytes(length) + length;
      if (bytes > MAX_PACKET_BYTES) return;
      packet.redundancy = r;
      packet.payloadBytes[r] = length;
    }
  }

  /**
   * Gives back, until there is sound again, what only sound needs.
   * @param {number} frame if nothing was encoded from this one on
   */
  rest(frame) {
    if (this.#soundFrame >= frame || this.#payloads.length === 0) return;
    this.#payloads = [];
    this.#lengths.fill(0);
  }

  close() {
    this.#encoder.close();
  }
}
