/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { PayloadEncoder } from '../../public/shared/stream/payload.js'
 *
 * @typedef {Pick<MixStream, 'write' | 'writeStride' | 'leavesOut' | 'endsSound' | 'isSparse'>}
 *   FrameStream packets of one frame after the other, as those who get them need them
 */

import { levelOf } from '../../public/shared/sound/level.js';
import { MAX_LISTED_SPEAKERS, SILENT_LEVEL, VOICE_BIT } from '../../public/shared/wire/packet.js';
import { PacketStream } from '../../public/shared/stream/packet-stream.js';
import { Limiter } from '../../public/shared/sound/limiter.js';

/** The longest time between two lists of speakers, in milliseconds; a change is listed at once. */
const LIST_MS = 100;

/** @type {ReadonlyArray<Float32Array>} */
const NOTHING = Object.freeze([]);

/** The speakers in a mix, as packets list them: MAX_LISTED_SPEAKERS at most. */
export class SpeakerList {
  count = 0;
  ids = new Uint16Array(MAX_LISTED_SPEAKERS);
  levels = new Uint8Array(MAX_LISTED_SPEAKERS);

  clear() {
    this.count = 0;
  }

  /**
   * @param {number} number  the source's, modulo 2^16
   * @param {number} level  of its sound, in -dBov
   * @param {boolean} voice  whether there is voice in it
   */
  add(number, level, voice) {
    if (this.count === MAX_LISTED_SPEAKERS) return;
    this.ids[this.count] = number;
    this.levels[this.count] = level | (voice ? VOICE_BIT : 0);
    this.count += 1;
  }
}

/** One stream of packets as which a mix is sent: with a limiter, and lists of speakers. */
export class MixStream extends PacketStream {
  #limiter;
  #listInterval;
  #lastFrame = -2;
  /** Those in the mix of the last frame. @type {SpeakerList | null} */
  #speakers = null;
  #listedFrame = -1;
  #listedIds = new Uint16Array(MAX_LISTED_SPEAKERS);
  #listed = 0;

  /**
   * @param {number} stream  one of Stream
   * @param {PayloadEncoder} encoder  closed with this
   * @param {AudioFormat} format
   * @param {object} [options]
   * @param {boolean} [options.suppresses]  whether packets are left out in silence
   * @param {{ readonly complexity: number }} [options.effort] the encoder's complexity, looked at
   *   for each frame
   */
  constructor(stream, encoder, { sampleRate, channels, frameMs }, { suppresses, effort } = {}) {
    super({ encoder, frameMs, suppresses, effort });
    this.packet.stream = stream;
    this.#limiter = new Limiter(sampleRate, channels);
    this.#listInterval = Math.ceil(LIST_MS / frameMs);
  }

  /**
   * Begins to encode one frame of the mix, so that several streams are encoded at once. end() is to
   * follow.
   *
   * @param {number} frame
   * @param {Float32Array} pcm  one frame; limited in place; may be used again at once
   * @param {boolean} sounding  false for a silent frame, whatever is in pcm
   * @param {SpeakerList} speakers  those in the mix
   * @param {ReadonlyArray<Float32Array>} [before] the frames right before it that were sound, as
   *   they were heard, oldest first. Where this stream didn't have them they are pre-rolled:
   *   encoder and decoder go on from them, and a frame that was lost in the other stream is heard
   *   after all
   * @returns {boolean} whether there is a packet to be sent: none where silence is left out
   */
  beginMix(frame, pcm, sounding, speakers, before = NOTHING) {
    const { packet } = this;
    if (sounding && frame !== this.#lastFrame + 1) {
      for (let i = 0; i < before.length; i++) this.preRoll(frame - before.length + i, before[i]);
    }
    this.#lastFrame = frame;
    if (sounding) this.#limiter.process(pcm);
    if (!this.begin(frame, sounding ? pcm : null)) return false;
    packet.voice = sounding;
    packet.level = sounding ? levelOf(pcm) : SILENT_LEVEL;
    this.#list(frame, speakers);
    return true;
  }

  /**
   * @param {number} frame
   * @param {SpeakerList} speakers
   */
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

  /** @param {SpeakerList} speakers  to be listed in the packet */
  #put({ count, ids, levels }) {
    const { packet } = this;
    for (let i = 0; i < count; i++) {
      packet.speakerIds[i] = ids[i];
      packet.speakerLevels[i] = levels[i];
    }
    packet.speakers = count;
  }

  /**
   * Writes the packet of the frame that was encoded last for those who don't get each frame's: it
   * has the speakers always, since the packets that had them may not have been theirs.
   * @param {number} redundancy
   * @param {number} [back]  as write()
   * @returns {Uint8Array} as write()
   */
  writeStride(redundancy, back) {
    const listed = this.packet.speakers;
    if (this.#speakers) this.#put(this.#speakers);
    const bytes = this.write(redundancy, back);
    this.packet.speakers = listed;
    return bytes;
  }
}
