/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { PayloadEncoder } from '../../public/shared/stream/payload.js'
 * @import { MixMath } from '../codec/mix-math.js'
 *
 * @typedef {Pick<MixStream, 'write' | 'writeStride' | 'leavesOut' | 'endsSound' | 'isSparse'>}
 *   FrameStream packets of one frame after the other, in the forms that recipients need
 */

import { MAX_LISTED_SPEAKERS, SILENT_LEVEL, VOICE_BIT } from '../../public/shared/wire/packet.js';
import { PacketStream } from '../../public/shared/stream/packet-stream.js';
import { mixMath } from '../codec/mix-math.js';

/** Longest time between two lists of speakers, in milliseconds; a change is listed at once. */
const LIST_MS = 100;

/** @type {ReadonlyArray<Float32Array>} */
const NOTHING = Object.freeze([]);

/** Buffers for own mixes while their encoding begins, by their length. */
const ownMixes = /** @type {Map<number, Float32Array>} */ (new Map());

/** @param {number} values @returns {Float32Array} the same one each time */
function ownMixOf(values) {
  const known = ownMixes.get(values);
  if (known) return known;
  const made = new Float32Array(values);
  ownMixes.set(values, made);
  return made;
}

/** Speakers in a mix, as packets list them: MAX_LISTED_SPEAKERS at most. */
export class SpeakerList {
  count = 0;
  ids = new Uint16Array(MAX_LISTED_SPEAKERS);
  levels = new Uint8Array(MAX_LISTED_SPEAKERS);

  clear() {
    this.count = 0;
  }

  /**
   * @param {number} number of the source, modulo 2^16
   * @param {number} level of its sound, in -dBov
   * @param {boolean} voice true when there is voice in it
   */
  add(number, level, voice) {
    if (this.count === MAX_LISTED_SPEAKERS) return;
    this.ids[this.count] = number;
    this.levels[this.count] = level | (voice ? VOICE_BIT : 0);
    this.count += 1;
  }

  /** Adds the speakers of another list. @param {SpeakerList} others */
  addAll({ count, ids, levels }) {
    for (let i = 0; i < count && this.count < MAX_LISTED_SPEAKERS; i++) {
      this.ids[this.count] = ids[i];
      this.levels[this.count] = levels[i];
      this.count += 1;
    }
  }
}

/** Stream of packets that carries a mix, with a limiter and lists of speakers. */
export class MixStream extends PacketStream {
  #limiter;
  #listInterval;
  #lastFrame = -2;
  /** Speakers in the mix of the last frame. @type {SpeakerList | null} */
  #speakers = null;
  #listedFrame = -1;
  #listedIds = new Uint16Array(MAX_LISTED_SPEAKERS);
  #listed = 0;

  /**
   * @param {number} stream one of Stream
   * @param {PayloadEncoder} encoder closed with this
   * @param {AudioFormat} format
   * @param {object} [options]
   * @param {boolean} [options.suppresses] true to leave out packets in silence
   * @param {{ readonly complexity: number }} [options.effort] complexity of the encoder, read for
   *   each frame
   * @param {MixMath} [options.math]
   */
  constructor(stream, encoder, format, { suppresses, effort, math = mixMath } = {}) {
    const { sampleRate, channels, frameMs } = format;
    super({ encoder, frameMs, suppresses, effort });
    this.packet.stream = stream;
    this.#limiter = new math.MixLimiter(sampleRate, channels);
    this.#listInterval = Math.ceil(LIST_MS / frameMs);
  }

  /**
   * Begins to encode one frame of the mix, so that several streams are encoded in parallel. Call
   * end() next.
   *
   * @param {number} frame
   * @param {Float32Array} pcm one frame; limited in place, unless `own` is given; may be reused at
   *   once
   * @param {boolean} sounding false for a silent frame, whatever pcm holds
   * @param {SpeakerList} speakers in the mix
   * @param {ReadonlyArray<Float32Array>} [before] preceding frames of sound as they were heard,
   *   oldest first. They pre-roll a stream that didn't have them: encoder and decoder continue from
   *   them, and a frame lost in the other stream is still heard
   * @param {Float32Array | null} [own] frame that is taken out of the mix
   * @returns {boolean} true when there is a packet to send: none if silence is left out
   */
  beginMix(frame, pcm, sounding, speakers, before = NOTHING, own = null) {
    const { packet } = this;
    if (sounding && frame !== this.#lastFrame + 1) {
      for (let i = 0; i < before.length; i++) this.preRoll(frame - before.length + i, before[i]);
    }
    this.#lastFrame = frame;
    const mix = own === null ? pcm : ownMixOf(pcm.length);
    let level = SILENT_LEVEL;
    if (sounding)
      level = own === null ? this.#limiter.limit(mix) : this.#limiter.limitLess(mix, pcm, own);
    if (!this.begin(frame, sounding ? mix : null)) return false;
    packet.voice = sounding;
    packet.level = level;
    this.#list(frame, speakers);
    return true;
  }

  /** @param {number} frame @param {SpeakerList} speakers */
  #list(frame, speakers) {
    const { count, ids } = speakers;
    const { packet } = this;
    this.#speakers = speakers;
    packet.speakers = 0;
    let isSame = count === this.#listed;
    for (let i = 0; isSame && i < count; i++) isSame = ids[i] === this.#listedIds[i];
    if (isSame && frame > this.#listedFrame && frame - this.#listedFrame < this.#listInterval)
      return;
    for (let i = 0; i < count; i++) this.#listedIds[i] = ids[i];
    this.#listed = count;
    this.#listedFrame = frame;
    this.#put(speakers);
  }

  /** @param {SpeakerList} speakers for the packet */
  #put({ count, ids, levels }) {
    const { packet } = this;
    for (let i = 0; i < count; i++) {
      packet.speakerIds[i] = ids[i];
      packet.speakerLevels[i] = levels[i];
    }
    packet.speakers = count;
  }

  /**
   * Writes the packet of the last encoded frame for recipients that don't get each frame's packet.
   * The packet always lists the speakers, because such a recipient may have missed earlier lists.
   * @param {number} redundancy
   * @param {number} [back] see write()
   * @returns {Uint8Array} see write()
   */
  writeStride(redundancy, back) {
    const listed = this.packet.speakers;
    if (this.#speakers) this.#put(this.#speakers);
    const bytes = this.write(redundancy, back);
    this.packet.speakers = listed;
    return bytes;
  }
}
