/**
 * @import { Layers } from '../broadcast/layers.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Delivery } from './delivery.js'
 * @import { Observer, RoomConfig } from '../room/room-config.js'
 * @import { Source } from '../source/source.js'
 * @import { LightListener } from './light-listener.js'
 * @import { Listener } from './listener.js'
 * @import { MixStream } from './mix-stream.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { ActiveSpeakers } from './active-speakers.js';
import { Draining } from './draining.js';
import { SpeakerList } from './mix-stream.js';
import { ReplyMixer } from './reply-mix.js';
import { SharedFanout } from './shared-fanout.js';

/**
 * Mixes what the listeners of a room hear. In `tick` each frame of the grid is mixed once, and
 * encoded once for all whose own voice isn't in it; in `reply` each packet is answered.
 * @implements {Delivery}
 */
export class Mixing {
  #config;
  #delay;
  #recent;
  #ownMix;
  #shared;
  #layers;
  #fanout = new SharedFanout();
  #speakers;
  #list = new SpeakerList();
  #replies;
  #draining;
  #onDrained;
  #hasReplies = false;
  /** Whether sources or listeners have changed. */
  #isStale = false;
  /** Those in the room. @type {Set<Source>} */
  #sources = new Set();
  /** @type {Map<string, Listener>} */
  #listeners = new Map();
  /** Those of the tick who have set volumes. @type {Listener[]} */
  #particular = [];
  /** Those whose own mix is being encoded. @type {Listener[]} */
  #begun = [];
  #sounding = false;
  /** Whether the shared stream has a packet of the last frame. */
  #hasShared = false;
  #mixedThrough = -1;

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {Clock} options.clock
   * @param {SampleClock} options.sampleClock
   * @param {DelayControl} options.delay  the room's
   * @param {MixStream} options.shared the stream of those whose voice isn't in the mix; closed with
   *   this
   * @param {Layers} options.layers the mix at other bit rates, for listeners of a broadcast; closed
   *   with this
   * @param {Observer} [options.observer]
   * @param {(source: Source) => void} options.onDrained nothing of a source that has left is to be
   *   heard any more
   */
  constructor({ config, clock, sampleClock, delay, shared, layers, observer, onDrained }) {
    this.#onDrained = onDrained;
    const { format, maxSpeakers, echo } = config;
    this.#config = config;
    this.#delay = delay;
    this.#shared = shared;
    this.#layers = layers;
    this.#speakers = new ActiveSpeakers(format, maxSpeakers);
    this.#replies = new ReplyMixer({
      format,
      sampleClock,
      echo,
      delay,
      speakers: this.#speakers,
      observer,
    });
    this.#draining = new Draining(clock, (source) => this.#drained(source));
    this.#recent = new RecentMixes(format.frameValues);
    this.#ownMix = new Float32Array(format.frameValues);
  }

  /** @param {number} places  how many speakers are mixed at once from the next frame on */
  setPlaces(places) {
    this.#speakers.places = places;
  }

  /** Whether anything was to be heard in the last mix. */
  get sounding() {
    return this.#sounding;
  }

  /** How many listeners of a broadcast there are at each rate, by bits a second. */
  get listenersByRate() {
    return this.#layers.listenersByRate;
  }

  /** The last frame that the tick has mixed; -1 before it. */
  get mixedThrough() {
    return this.#mixedThrough;
  }

  /**
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener
   */
  enter(source, listener) {
    if (source) {
      this.#sources.add(source);
      this.#speakers.add(source);
    }
    if (listener?.isLight) {
      if (!this.#layers.add(listener)) this.#fanout.addLight(listener);
    } else if (listener) this.#listeners.set(listener.id, listener);
    this.#changed();
  }

  /**
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener
   */
  leave(source, listener) {
    if (listener?.isLight) {
      if (!this.#layers.remove(listener)) this.#fanout.removeLight(listener);
    } else if (listener && this.#listeners.get(listener.id) === listener)
      this.#listeners.delete(listener.id);
    if (source && this.#sources.delete(source)) {
      this.#draining.add(source, this.#hasReplies ? this.#config.maxDelayMs : this.#delay.delayMs);
    }
    this.#changed();
  }

  /** @param {Source} source  of which nothing is to be heard any more */
  #drained(source) {
    this.#speakers.remove(source);
    this.#onDrained(source);
    this.#changed();
  }

  get draining() {
    return this.#draining.sources;
  }

  /** @type {Delivery['takeDraining']} */
  takeDraining(source) {
    this.enter(source, null);
    this.#speakers.notice(source);
    this.leave(source, null);
  }

  /**
   * @param {string} id
   * @param {() => void} then
   */
  afterDraining(id, then) {
    this.#draining.after(id, then);
  }

  /**
   * Sources or listeners came or went: what follows from it is done before the next frame, once for
   * all who came at once.
   */
  #changed() {
    this.#isStale = true;
  }

  /** PCM is kept longer where readers may be far apart, and only there. */
  #settle() {
    this.#isStale = false;
    const listeners = [...this.#listeners.values()];
    const sources = [...this.#sources, ...this.#draining.sources];
    const hadReplies = this.#hasReplies;
    this.#hasReplies = listeners.some(({ delivery }) => delivery === 'reply');
    this.#fanout.listeners = listeners.filter(({ delivery }) => delivery === 'tick');
    // Frames that the tick left out haven't been decoded until now.
    if (this.#hasReplies && !hadReplies)
      for (const source of sources) source.skipHistory(this.#mixedThrough);
    this.#replies.participantsChanged(
      sources,
      this.#sources.size,
      listeners,
      this.#fanout.count + this.#layers.size > 0,
    );
    this.#volumesChanged();
    const hasOwnDelay = listeners.some(({ ownDelayMs }) => ownDelayMs !== null);
    // One size for any delay: changing it to and fro costs nobody anything.
    for (const source of sources) source.keepFor(hasOwnDelay ? this.#config.maxDelayMs : 0);
  }

  #volumesChanged() {
    this.#particular.length = 0;
    for (const listener of this.#listeners.values()) {
      if (listener.delivery === 'tick' && listener.volumes.size > 0)
        this.#particular.push(listener);
    }
  }

  /** A listener has a delay of its own now, or has forgotten volumes. */
  listenersChanged() {
    this.#changed();
  }

  /** A listener may need packets with another redundancy than before. */
  redundancyChanged() {
    this.#fanout.invalidate();
  }

  /**
   * A light listener has chosen how near it is.
   * @param {LightListener} listener
   * @param {number} fillMs  for how long what was sent before is sent to it at once; 0: not at all
   */
  nearer(listener, fillMs) {
    const { frameMs } = this.#config.format;
    this.#fanout.invalidate();
    this.#layers.changed(listener);
    if (fillMs > 0 && !this.#layers.fill(listener, fillMs, frameMs))
      this.#fanout.fill(listener, fillMs, frameMs);
  }

  /** @type {NonNullable<Delivery['setRelayed']>} */
  setRelayed(relays, indices) {
    this.#layers.setRelayed(relays, indices);
  }

  /**
   * @param {Listener} listener
   * @param {Source} source
   * @param {number} gain
   * @param {number} pan
   */
  setVolume(listener, source, gain, pan) {
    const heardFrame = this.#speakers.of(source)?.heardFrame ?? -1;
    listener.volumes.set(
      source.id,
      gain,
      source.format.channels === 2 ? pan : 0,
      listener.delivery === 'tick' ? heardFrame : listener.answeredFrame,
    );
    this.#volumesChanged();
  }

  /** @param {Source} source  has kept a packet */
  received(source) {
    if (this.#isStale) this.#settle();
    this.#draining.succeed(source);
    if (source.soundThrough > this.#mixedThrough) this.#speakers.notice(source);
    if (this.#hasReplies) this.#replies.received(source.keptFrom);
  }

  /**
   * @param {Listener} listener
   * @param {number} frame  of the packet that is answered
   */
  reply(listener, frame) {
    if (this.#isStale) this.#settle();
    this.#sounding = this.#replies.reply(listener, frame);
  }

  /**
   * Mixes a frame once, when its time has come, and sends it. Where nobody speaks nobody is looked
   * at.
   * @param {number} frame
   */
  tick(frame) {
    if (this.#isStale) this.#settle();
    if (frame !== this.#mixedThrough + 1) this.#sendOpen();
    this.#mixedThrough = frame;
    const recent = this.#recent;
    recent.turn(frame);
    const count = this.#speakers.mix(frame, recent.full);
    recent.filled(count > 0);
    this.#sounding = count > 0;
    const { heard } = this.#speakers;
    this.#list.clear();
    for (let i = 0; i < count; i++) this.#list.add(heard[i].number, heard[i].level, heard[i].voice);
    if (count > 0) this.#beginOwn(frame);
    this.#beginLingering(frame);
    this.#fanout.settle(frame);
    this.#hasShared =
      this.#fanout.size > 0 &&
      this.#shared.beginMix(frame, recent.full, count > 0, this.#list, recent.before);
    // Last, since they may have the sound limited already; on the codec's threads they are encoded
    // beside the others.
    this.#layers.begin(frame, recent.full, count > 0, this.#list, recent.before);
    this.#endOwn();
    this.#shared.end();
    this.#layers.end();
    if (this.#hasShared) this.#fanout.send(this.#shared, frame);
    this.#layers.send(frame);
  }

  /**
   * Frames are left out, since the server stood still: packets that were to hold several frames go
   * with those that there are.
   */
  #sendOpen() {
    if (this.#hasShared) this.#fanout.sendOpen(this.#shared, this.#mixedThrough);
    this.#layers.sendOpen(this.#mixedThrough);
  }

  /**
   * @param {Listener} listener
   * @param {number} frame
   * @param {boolean} sounding whether there is anything in #ownMix
   */
  #begin(listener, frame, sounding) {
    listener.begin(frame, this.#ownMix, sounding, this.#list, this.#recent.before);
    this.#begun.push(listener);
  }

  /**
   * Sends the mixes that were begun: they are encoded on several threads, and all of them before
   * the first is sent.
   */
  #endOwn() {
    for (let i = 0; i < this.#begun.length; i++) this.#begun[i].end();
    this.#begun.length = 0;
  }

  /**
   * Begins the mix without their own voice for those who are in it, and a mix of their own for
   * those who have set the volume of somebody in it.
   * @param {number} frame
   */
  #beginOwn(frame) {
    const { heard } = this.#speakers;
    const { full } = this.#recent;
    const { echo } = this.#config;
    const mix = this.#ownMix;
    for (let i = 0; i < this.#particular.length; i++) {
      const listener = this.#particular[i];
      if (!listener.volumes.concern(heard)) continue;
      this.#fanout.takeOut(listener, frame);
      this.#begin(
        listener,
        frame,
        listener.volumes.mix(mix, frame, heard, echo ? null : listener.id),
      );
    }
    if (echo) return;
    for (let i = 0; i < heard.length; i++) {
      // By id: a person who came back doesn't hear what they said before.
      const listener = this.#listeners.get(heard[i].id);
      if (listener === undefined || listener.delivery !== 'tick' || listener.heardOwn(frame))
        continue;
      this.#fanout.takeOut(listener, frame);
      const { samples } = heard[i];
      for (let v = 0; v < mix.length; v++) mix[v] = full[v] - samples[v];
      this.#begin(listener, frame, heard.length > 1);
    }
  }

  /**
   * Begins the mix in their own stream for those whose voice was in it until lately.
   * @param {number} frame
   */
  #beginLingering(frame) {
    const { own } = this.#fanout;
    for (let i = 0; i < own.length; i++) {
      const listener = own[i];
      if (listener.closed || listener.heardOwn(frame) || !listener.lingers(frame)) continue;
      this.#ownMix.set(this.#recent.full);
      this.#begin(listener, frame, this.#sounding);
    }
  }

  /** Idempotent. */
  close() {
    this.#draining.close();
    this.#fanout.close();
    this.#layers.close();
    this.#shared.close();
  }
}

/** The full mix of the frame that is mixed now, and those of the frames before it. */
class RecentMixes {
  #buffers;
  #frame = -1;
  /** How many of the last frames, one after the other, were sound. */
  #sounding = 0;

  /** The frames right before this one that were sound, oldest first. @type {Float32Array[]} */
  before = [];

  /** @param {number} frameValues */
  constructor(frameValues) {
    this.#buffers = Array.from({ length: MAX_REDUNDANCY + 1 }, () => new Float32Array(frameValues));
  }

  /** This frame's mix, to be filled. */
  get full() {
    return this.#buffers[0];
  }

  /** @param {number} frame  is mixed next */
  turn(frame) {
    const buffers = this.#buffers;
    const oldest = buffers[MAX_REDUNDANCY];
    for (let i = MAX_REDUNDANCY; i > 0; i--) buffers[i] = buffers[i - 1];
    buffers[0] = oldest;
    if (frame !== this.#frame + 1) this.#sounding = 0;
    this.#frame = frame;
    this.before.length = 0;
    for (let i = Math.min(this.#sounding, MAX_REDUNDANCY); i > 0; i--) this.before.push(buffers[i]);
  }

  /** @param {boolean} sounding  whether there is anything in it */
  filled(sounding) {
    this.#sounding = sounding ? this.#sounding + 1 : 0;
  }
}
