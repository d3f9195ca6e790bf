/**
 * @import { DropReason } from '../../public/shared/packet.js'
 * @import { Session } from '../transport/session.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Reception } from './receiver-stats.js'
 * @import { UplinkSound } from './uplink-sound.js'
 */

import { Packet, PacketType, readPacket, unwrapFrame, writeClockReply } from '../../public/shared/packet.js';
import { out, written } from '../mix/packet-out.js';
import { TokenBucket } from '../token-bucket.js';

/** Clock requests beyond this many a second aren't answered. */
const MAX_CLOCK_REQUESTS = 50;

/** Packets are read at this many times the frames' rate, for one who catches up, and so many seconds' of it at once. */
const MAX_RATE = 3;
const MAX_BURST_SECONDS = 2;

/** The first packets of one who joins come as its sound is being set up: they say nothing of the way. */
const SET_UP_MS = 500;

/** One object reads every packet: nothing of it is kept after the call. */
const packet = new Packet();

/** One participant's packets as they arrive: checked, counted, and kept under their frames; clocks are answered. */
export class Uplink {
  /** From when on lateness counts, on the monotonic clock. */
  #countsFromMs = Infinity;
  #clockRequests = new TokenBucket({ atOnce: MAX_CLOCK_REQUESTS, perSecond: MAX_CLOCK_REQUESTS });
  #rate;
  #frameSamples;
  #sampleClock;
  #reception;
  #session;
  #sound;

  /**
   * @param {object} options
   * @param {Session} options.session
   * @param {{ frameSamples: number, frameMs: number }} options.format
   * @param {SampleClock} options.sampleClock
   * @param {Reception} options.reception
   * @param {UplinkSound} options.sound
   */
  constructor({ session, format, sampleClock, reception, sound }) {
    this.#session = session;
    this.#frameSamples = format.frameSamples;
    this.#sampleClock = sampleClock;
    this.#reception = reception;
    this.#sound = sound;
    const perSecond = (MAX_RATE * 1000) / format.frameMs + MAX_CLOCK_REQUESTS;
    this.#rate = new TokenBucket({ atOnce: MAX_BURST_SECONDS * perSecond, perSecond });
  }

  /**
   * Takes a packet as it comes. Who sends too many has them dropped unread.
   * @param {Uint8Array} bytes
   * @param {number} arrivalMs on the monotonic clock
   * @param {number} stallMs so long the server itself had been standing still, just before
   * @returns {number} the frame that an audio packet was for, if it is the first for that frame; else -1
   */
  receive(bytes, arrivalMs, stallMs) {
    if (this.#rate.take(arrivalMs) > 0) return this.#drop('flood');
    const reason = readPacket(bytes, packet);
    if (reason !== null) return this.#drop(reason);
    if (packet.type === PacketType.clockRequest) return this.#answerClock(arrivalMs);
    if (packet.type !== PacketType.audio) return this.#drop('type');

    this.#reception.sequences.arrived(packet.sequence);
    const size = this.#frameSamples;
    const clock = this.#sampleClock.at(arrivalMs);
    const current = Math.floor(clock / size);
    const frame = unwrapFrame(packet.frame, current);
    if (frame > current + this.#sound.maxEarlyFrames) return this.#drop('early');
    if (frame < 0 || frame < current - this.#sound.maxPastFrames) return this.#drop('past');
    const latenessMs = ((clock - (frame + 1) * size) * 1000) / this.#sampleClock.sampleRate;
    return this.#keep(bytes, frame, latenessMs - stallMs, arrivalMs);
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number} frame
   * @param {number} latenessMs
   * @param {number} arrivalMs
   * @returns {number} the frame, or -1 when it was there already
   */
  #keep(bytes, frame, latenessMs, arrivalMs) {
    const isFirst = !this.#sound.packets.has(frame);
    if (!this.#sound.keep(frame, bytes, packet)) {
      this.#reception.duplicate += 1;
      return -1;
    }
    if (this.#countsFromMs === Infinity) this.#countsFromMs = arrivalMs + SET_UP_MS;
    // Who had it from a later packet already needn't have waited for its own.
    if (isFirst && arrivalMs >= this.#countsFromMs) {
      this.#reception.lateness.add(latenessMs, arrivalMs, packet.payloadBytes[0] > 0);
    }
    this.#reception.arrived(!this.#sound.isMixed(frame), latenessMs, packet.redundancy);
    return frame;
  }

  /** @param {DropReason | 'early' | 'past' | 'flood'} reason */
  #drop(reason) {
    this.#reception.dropped[reason] += 1;
    return -1;
  }

  /** @param {number} arrivalMs */
  #answerClock(arrivalMs) {
    if (this.#clockRequests.take(arrivalMs) > 0) return this.#drop('flood');
    const bytes = writeClockReply(out, packet.id, Math.max(0, this.#sampleClock.at(arrivalMs)));
    this.#session.send(written(bytes));
    return -1;
  }
}
