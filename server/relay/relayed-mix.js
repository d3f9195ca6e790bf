/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Ladder } from '../broadcast/ladder.js'
 * @import { RateCounts } from '../broadcast/layers.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { SpeakerList } from '../mix/mix-stream.js'
 * @import { MixMessage } from './messages.js'
 */

import { Packet, PacketType, readPacket, unwrapFrame } from '../../public/shared/wire/packet.js';
import { Layers } from '../broadcast/layers.js';
import { SharedFanout } from '../mix/shared-fanout.js';
import { ROOM_RATE } from './messages.js';
import { RelayedStream } from './relayed-stream.js';

/** Receives every parsed packet; nothing of it is kept after the call. */
const packet = new Packet();

/** Placeholder for the sound of layers whose mix is encoded elsewhere. */
const NO_SOUND = new Float32Array(0);
const NO_SPEAKERS = /** @type {SpeakerList} */ (/** @type {unknown} */ (null));

/**
 * Sends the owner's mix to this relay's listeners: at the room's own rate, or in a broadcast at the
 * rate that suits each connection. A rate is requested from the owner while a listener wants it;
 * until it arrives the listener hears the room's own.
 */
export class RelayedMix {
  #counts;
  #clock;
  #want;
  #fanout = new SharedFanout();
  #room = new RelayedStream();
  /** Set from the first listener to a broadcast on. @type {Layers | null} */
  #layers = null;
  /** By index in RATES. @type {(RelayedStream | null)[]} */
  #streams = [];
  /** Listeners whose rate hasn't arrived yet. @type {Set<LightListener>} */
  #waiting = new Set();
  /** The last accepted frame, at any rate. */
  #frame = -1;
  /** The frame of the latest message. */
  #latestFrame = -1;
  /** True after lost messages were requested, until the owner starts to send them again. */
  #isAwaiting = false;
  #told = '';

  /**
   * @param {object} options
   * @param {RateCounts} options.counts
   * @param {Clock} options.clock
   * @param {(rates: number[]) => void} options.want  sends the wanted rates to the owner
   */
  constructor({ counts, clock, want }) {
    this.#counts = counts;
    this.#clock = clock;
    this.#want = want;
  }

  /**
   * @param {LightListener} light
   * @param {Ladder | null} ladder  the available rates; null for the room's only
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
      const stream = (this.#streams[index] = new RelayedStream(closed));
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

  /** Regroups packets after a listener's needs have changed. @param {LightListener} light */
  changed(light) {
    this.#fanout.invalidate();
    this.#layers?.changed(light);
    if (this.#waiting.has(light) && light.rate) this.#layers?.open(light.rate.index);
  }

  /**
   * See Layers and SharedFanout.
   * @param {LightListener} light
   * @param {number} ms
   * @param {number} frameMs
   */
  fill(light, ms, frameMs) {
    if (!this.#layers?.fill(light, ms, frameMs)) this.#fanout.fill(light, ms, frameMs);
  }

  /** Sends the wanted rates to the owner when they have changed. */
  #review() {
    if (this.#layers === null) return;
    const wanted = [];
    for (let i = 0; i < this.#streams.length; i++) if (this.#streams[i]) wanted.push(i);
    if (this.#fanout.count > 0) wanted.push(ROOM_RATE);
    if (String(wanted) === this.#told) return;
    this.#told = String(wanted);
    this.#want(wanted);
  }

  /** Repeats the wanted rates, because an earlier message may have been lost. */
  tell() {
    this.#told = '';
    this.#review();
  }

  /** Holds back newer messages while the owner is asked for possibly lost earlier ones. */
  await() {
    this.#isAwaiting = true;
  }

  /** Accepts the loss of messages that haven't arrived by now. */
  giveUp() {
    this.#isAwaiting = false;
  }

  /**
   * Accepts a frame, and sends it to the listeners.
   * @param {Uint8Array} bytes
   * @param {MixMessage} message  their contents
   * @returns {boolean} false unless all are sound packets of one frame
   */
  take(bytes, message) {
    const low = frameOf(bytes, message);
    if (low < 0) return false;
    const frame = this.#latestFrame < 0 ? low : unwrapFrame(low, this.#latestFrame);
    // The owner sends again: from here on everything is in order, the lost messages included.
    if (frame <= this.#latestFrame) this.#isAwaiting = false;
    this.#latestFrame = frame;
    if (frame <= this.#frame) return true;
    // This message overtook the lost ones, and comes again after them.
    if (this.#isAwaiting && frame > this.#frame + 1) return true;
    // Frames are missing, from the owner or lost on the network: packets that wait for them go
    // without.
    if (frame > this.#frame + 1 && this.#frame >= 0) this.#sendOpen();
    this.#frame = frame;
    let hasRoom = false;
    const { count, rates, starts, lengths } = message;
    for (let i = 0; i < count; i++)
      hasRoom =
        this.#takeRate(rates[i], bytes.subarray(starts[i], starts[i] + lengths[i]), frame) ||
        hasRoom;
    if (hasRoom) {
      this.#fanout.settle(frame);
      this.#fanout.send(this.#room, frame);
    }
    if (this.#layers !== null) this.#sendLayers(this.#layers, frame);
    return true;
  }

  /**
   * @param {number} rate
   * @param {Uint8Array} sound
   * @param {number} frame
   * @returns {boolean} true for the room's own rate
   */
  #takeRate(rate, sound, frame) {
    const stream = rate === ROOM_RATE ? this.#room : this.#streams[rate];
    if (!stream) return false;
    readPacket(sound, packet);
    packet.frame = frame;
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

  /** Switches listeners to their rate once it has arrived. @param {Layers} layers */
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

  /** Idempotent. */
  close() {
    this.#fanout.close();
    this.#layers?.close();
    this.#layers = null;
  }
}

/**
 * @param {Uint8Array} bytes
 * @param {MixMessage} message
 * @returns {number} the frame of all packets, modulo 2^32; -1 unless all are sound packets of one
 *   frame
 */
function frameOf(bytes, { count, starts, lengths }) {
  let frame = -1;
  for (let i = 0; i < count; i++) {
    const error = readPacket(bytes.subarray(starts[i], starts[i] + lengths[i]), packet);
    if (error !== null || packet.type !== PacketType.audio) return -1;
    if (frame >= 0 && packet.frame !== frame) return -1;
    frame = packet.frame;
  }
  return frame;
}
