/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { PacketBuffer } from '../../public/shared/stream/packet-buffer.js'
 * @import { PayloadDecoder } from '../../public/shared/stream/payload.js'
 * @import { MixMath } from '../codec/mix-math.js'
 * @import { PcmRing } from './pcm-ring.js'
 * @import { ReceiverStats } from './receiver-stats.js'
 * @import { SoundQueue } from './sound-queue.js'
 *
 * @typedef {object} LevelGain moves a source's level towards the common one; see LevelBalance
 * @property {(pcm: Float32Array, at: number, level: number, voice: boolean) => void} process a
 *   decoded frame, in place
 * @property {(pcm: Float32Array, at: number) => void} hold a concealed frame, in place
 */

import { SILENT_LEVEL, VOICE_BIT } from '../../public/shared/wire/packet.js';
import { mostConcealed } from '../../public/shared/stream/concealment.js';
import { mixMath } from '../codec/mix-math.js';
import { FrameState } from './pcm-ring.js';

/** Decodes one participant's frames in order, into a ring or a queue, and conceals missing ones. */
export class VoiceDecoder {
  #format;
  #packets;
  #decoder;
  #balance;
  #stats;
  #math;
  #concealed = 0;
  /** Sender's frame whose decoding has begun; -1 for none. */
  #begun = -1;

  /**
   * FrameState of the last sent frame: received, silent, or absent before the first.
   * @type {number}
   */
  last = FrameState.absent;
  /** Level of the last decoded frame, in -dBov, and whether the sender found voice in it. */
  level = SILENT_LEVEL;
  voice = false;

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {PacketBuffer} options.packets
   * @param {PayloadDecoder} options.decoder closed with this
   * @param {LevelGain | null} options.balance null to leave levels unchanged
   * @param {ReceiverStats} options.stats
   * @param {MixMath} [options.math]
   */
  constructor({ format, packets, decoder, balance, stats, math = mixMath }) {
    this.#format = format;
    this.#math = math;
    this.#packets = packets;
    this.#decoder = decoder;
    this.#balance = balance;
    this.#stats = stats;
    /** Most frames in a row to conceal; silence follows. */
    this.maxConcealed = mostConcealed(format);
  }

  /**
   * True when a missing frame is to be concealed: sound came before, and not too much has been
   * concealed since.
   */
  get conceals() {
    return this.last === FrameState.received && this.#concealed < this.maxConcealed;
  }

  /** Continues as after silence. */
  begin() {
    this.last = FrameState.silent;
    this.#concealed = 0;
  }

  /**
   * Begins to decode the next frame, so that frames of several sources are decoded in parallel.
   * @param {number} frame of the sender, with a packet with sound
   */
  prepare(frame) {
    const packets = this.#packets;
    if (this.#decoder.begin(packets.bytes, packets.start(frame), packets.length(frame)))
      this.#begun = frame;
  }

  /**
   * @param {number} frame of the sender, with a packet
   * @param {PcmRing | SoundQueue} to
   * @param {number} heard its frame in `to`
   * @param {boolean} inTime true when it isn't mixed yet
   */
  decode(frame, to, heard, inTime) {
    const length = this.#packets.length(frame);
    this.begin();
    if (length > 0) {
      const at = to.claim(heard);
      const { samples } = to;
      const isBegun = this.#begun === frame;
      this.#begun = -1;
      const good = isBegun
        ? this.#decoder.end(samples, at)
        : this.#decoder.decode(
            this.#packets.bytes,
            this.#packets.start(frame),
            length,
            samples,
            at,
          );
      this.last = FrameState.received;
      this.voice = (this.#packets.level(frame) & VOICE_BIT) !== 0;
      this.level = this.#math.levelOf(samples, at, this.#format.frameValues);
      this.#balance?.process(samples, at, this.level, this.voice);
      if (!good) this.#stats.garbled();
      if (inTime && this.#packets.isRedundant(frame)) this.#stats.recovered();
    }
    to.mark(heard, this.last);
  }

  /**
   * Makes up a frame that continues the previous one.
   * @param {PcmRing | SoundQueue} to
   * @param {number} heard its frame in `to`
   */
  conceal(to, heard) {
    const at = to.claim(heard);
    const { samples } = to;
    this.#decoder.conceal(samples, at);
    this.#balance?.hold(samples, at);
    this.#concealed += 1;
    this.#stats.concealed();
    to.mark(heard, FrameState.concealed);
  }

  /** Frees the decoder. Idempotent. */
  close() {
    this.#decoder.close();
  }
}
