/**
 * @import { AudioFormat } from '../../public/shared/audio-format.js'
 * @import { LazyEncoder } from '../codec/lazy-codec.js'
 * @import { SpeakerList } from './speaker-list.js'
 */

import { levelOf } from '../../public/shared/level.js';
import {
  AUDIO_HEADER_BYTES,
  MAX_PACKET_BYTES,
  MAX_REDUNDANCY,
  Packet,
  SILENT_LEVEL,
  lengthBytes,
  speakersBytes,
  writeAudioHeader,
} from '../../public/shared/packet.js';
import { Limiter } from './mixer.js';

/** So many silent frames are sent after sound, so that a loss isn't noticed; */
const SILENT_FRAMES = 2;
/** then one in so many milliseconds. */
const SILENT_MS = 200;

/** Speakers are listed this often, in milliseconds, and when they change. */
const LIST_MS = 100;

const PAYLOADS = MAX_REDUNDANCY + 1;

/** @type {ReadonlyArray<Float32Array>} */
const NOTHING = Object.freeze([]);

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
  /** The last frame before which others were encoded that had been another stream's. */
  #primedFrame = -Infinity;
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
   * @param {ReadonlyArray<Float32Array>} [before] the frames right before it that were sound, as they were heard,
   *   oldest first. Where this stream didn't have them they go into its first two packets: encoder and decoder go on
   *   from them, and one that was lost in the other stream is heard after all
   * @returns {boolean} whether there is a packet to be written: none where silence is left out
   */
  encode(frame, pcm, sounding, speakers, before = NOTHING) {
    const packet = this.#packet;
    const isNext = frame === this.#frame + 1;
    if (isNext) this.#kept = Math.min(this.#kept + 1, MAX_REDUNDANCY);
    else this.#kept = sounding ? before.length : 0;
    if (!isNext && this.#kept > 0) {
      this.#primedFrame = frame;
      for (let i = 0; i < before.length; i++) this.#keep(before[i]);
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
   * @returns {number} the packet's bytes
   */
  write(out, redundancy) {
    const packet = this.#packet;
    const isPrimed = this.#frame - this.#primedFrame < MAX_REDUNDANCY;
    this.#fit(Math.min(isPrimed ? MAX_REDUNDANCY : redundancy, this.#kept));
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
