/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Ladder } from '../broadcast/ladder.js'
 * @import { RateCounts } from '../broadcast/rate-counts.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { MixMessage } from './mix-message.js'
 */

import { Packet, PacketType, readPacket } from '../../public/shared/wire/packet.js';
import { Layers } from '../broadcast/layers.js';
import { SharedFanout } from '../mix/shared-fanout.js';
import { ROOM_RATE } from './mix-message.js';
import { PassedStream } from './passed-stream.js';

/** The object that every packet is read into: nothing of it is kept after the call. */
const packet = new Packet();

/** What layers have of a mix that is encoded elsewhere. */
const NO_SOUND = new Float32Array(0);
const NO_SPEAKERS = /** @type {any} */ (null);

/**
 * The mix as the home sends it to one relay, and those who listen to it there: at the room's own
 * rate, or in a broadcast each at the rate that suits their way. Each rate is asked of the home
 * while somebody wants it; until it comes they hear the room's own.
 */
export class PassedMix {
  #counts;
  #clock;
  #want;
  #fanout = new SharedFanout();
  #room = new PassedStream();
  /** From the first listener to a broadcast on. @type {Layers | null} */
  #layers = null;
  /** By its number in RATES. @type {(PassedStream | null)[]} */
  #streams = [];
  /** Those whose rate is still to come. @type {Set<LightListener>} */
  #waiting = new Set();
  /** The last frame that was taken, at whatever rate. */
  #frame = -1;
  /** The frame of the message that came last. */
  #cameLast = -1;
  /** Whether the home has been asked for what was lost on the way, and hasn't begun to send it. */
  #isAwaiting = false;
  #told = '';

  /**
   * @param {object} options
   * @param {RateCounts} options.counts
   * @param {Clock} options.clock
   * @param {(rates: number[]) => void} options.want  tells the home which rates are wanted
   */
  constructor({ counts, clock, want }) {
    this.#counts = counts;
    this.#clock = clock;
    this.#want = want;
  }

  /**
   * @param {LightListener} light
   * @param {Ladder | null} ladder the rates that there are for them; null for the room's alone
   */
  add(light, ladder) {
    if (ladder === null || light.rate === null) {
      this.#fanout.addLight(light);
      return this.#review();
    }
    this.#layers ??= this.#openLayers(ladder);
    if (this.#isReady(light)) this.#layers.add(light);
    else {
      this.#waiting.add(light);
      this.#fanout.addLight(light);
      this.#layers.open(light.rate.index);
    }
    this.#review();
  }

  /** @param {LightListener} light */
  #isReady(light) {
    return light.rate !== null && this.#streams[light.rate.index]?.isReady === true;
  }

  /** @param {Ladder} ladder */
  #openLayers(ladder) {
    const { frameMs } = ladder;
    /** @param {number} index */
    const open = (index) => {
      const closed = () => {
        this.#streams[index] = null;
        this.#review();
      };
      const stream = (this.#streams[index] = new PassedStream(closed));
      this.#review();
      return stream;
    };
    return new Layers({
      ladder,
      format: { frameMs },
      open,
      clock: this.#clock,
      counts: this.#counts,
    });
  }

  /** @param {LightListener} light */
  remove(light) {
    this.#waiting.delete(light);
    if (!this.#layers?.remove(light)) this.#fanout.removeLight(light);
    this.#review();
  }

  /** The packets that somebody needs are others from now on. @param {LightListener} light */
  changed(light) {
    this.#fanout.invalidate();
    this.#layers?.changed(light);
    if (this.#waiting.has(light) && light.rate) this.#layers?.open(light.rate.index);
  }

  /**
   * As Layers and SharedFanout have it.
   * @param {LightListener} light
   * @param {number} ms
   * @param {number} frameMs
   */
  fill(light, ms, frameMs) {
    if (!this.#layers?.fill(light, ms, frameMs)) this.#fanout.fill(light, ms, frameMs);
  }

  /** Tells the home what is wanted, where that has changed. */
  #review() {
    if (this.#layers === null) return;
    const wanted = [];
    for (let i = 0; i < this.#streams.length; i++) if (this.#streams[i]) wanted.push(i);
    if (this.#fanout.count > 0) wanted.push(ROOM_RATE);
    if (String(wanted) === this.#told) return;
    this.#told = String(wanted);
    this.#want(wanted);
  }

  /** Tells the home once more: what it was told may have been lost. */
  tell() {
    this.#told = '';
    this.#review();
  }

  /**
   * Messages may have been lost, and the home is asked for them: none is taken before those that it
   * follows.
   */
  await() {
    this.#isAwaiting = true;
  }

  /** What hasn't come by now is lost. */
  giveUp() {
    this.#isAwaiting = false;
  }

  /**
   * Takes a frame, and sends everybody what they are to have of it.
   * @param {Uint8Array} bytes
   * @param {MixMessage} message  what is in them
   * @returns {boolean} false where they aren't packets of sound, or not of one frame
   */
  take(bytes, { count, rates, starts, lengths }) {
    let frame = -1;
    for (let i = 0; i < count; i++) {
      if (
        readPacket(bytes.subarray(starts[i], starts[i] + lengths[i]), packet) !== null ||
        packet.type !== PacketType.audio
      )
        return false;
      if (frame >= 0 && packet.frame !== frame) return false;
      frame = packet.frame;
    }
    // The home has begun to send again: what follows is in order, and has all that was lost.
    if (frame <= this.#cameLast) this.#isAwaiting = false;
    this.#cameLast = frame;
    if (frame <= this.#frame) return true;
    // It has overtaken what was lost, and will come again behind it.
    if (this.#isAwaiting && frame > this.#frame + 1) return true;
    // Frames were left out, at home or on the way: what waits for them to fill a packet goes
    // without them.
    if (frame > this.#frame + 1 && this.#frame >= 0) this.#sendOpen();
    this.#frame = frame;
    let hasRoom = false;
    for (let i = 0; i < count; i++)
      hasRoom =
        this.#takeRate(rates[i], bytes.subarray(starts[i], starts[i] + lengths[i])) || hasRoom;
    if (hasRoom) {
      this.#fanout.settle(frame);
      this.#fanout.send(this.#room, frame);
    }
    if (this.#layers !== null) this.#sendLayers(this.#layers, frame);
    return true;
  }

  /** @param {number} rate @param {Uint8Array} sound @returns {boolean} whether it is the room's */
  #takeRate(rate, sound) {
    const stream = rate === ROOM_RATE ? this.#room : this.#streams[rate];
    if (!stream) return false;
    readPacket(sound, packet);
    stream.take(sound, packet);
    return rate === ROOM_RATE;
  }

  /** @param {Layers} layers @param {number} frame */
  #sendLayers(layers, frame) {
    if (this.#waiting.size > 0) this.#arrive(layers);
    layers.begin(frame, NO_SOUND, true, NO_SPEAKERS, []);
    layers.end();
    layers.send(frame);
  }

  /** Those whose rate has come hear it from now on. @param {Layers} layers */
  #arrive(layers) {
    for (const light of this.#waiting) {
      if (!this.#isReady(light)) continue;
      this.#waiting.delete(light);
      this.#fanout.removeLight(light);
      layers.add(light);
    }
    this.#review();
  }

  #sendOpen() {
    if (this.#room.frame === this.#frame) this.#fanout.sendOpen(this.#room, this.#frame);
    this.#layers?.sendOpen(this.#frame);
  }

  /** Nothing is sent any more. Idempotent. */
  close() {
    this.#fanout.close();
    this.#layers?.close();
    this.#layers = null;
  }
}
