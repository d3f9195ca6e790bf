/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Layers } from '../broadcast/layers.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { MixMath } from '../codec/mix-math.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Delivery } from './delivery.js'
 * @import { Observer, RoomConfig } from '../room/room-config.js'
 * @import { Source } from '../source/source.js'
 * @import { LightListener } from './light-listener.js'
 * @import { Listener } from './listener.js'
 * @import { MixStream } from './mix-stream.js'
 * @import { Speaker } from './speaker.js'
 */

import { addRamped } from '../../public/shared/sound/level.js';
import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { ActiveSpeakers } from './active-speakers.js';
import { EndingSources } from './ending-sources.js';
import { mixMath } from '../codec/mix-math.js';
import { SpeakerList } from './mix-stream.js';
import { ReplyMixer } from './reply-mix.js';
import { SharedFanout } from './shared-fanout.js';
import { HISTORY_MS } from '../source/source.js';

/**
 * Number of speakers from which their own mixes, each without one of them, share libopus's analysis
 * of the sound. Already with three, measures of the sound hardly tell the difference
 * (`node bench/codec/shared-analysis.js`).
 */
const ALIKE = 4;

/**
 * Mixes the sound of a room for its listeners. In `tick` each frame of the grid is mixed once, and
 * encoded once for all listeners whose own voice isn't in it. In `reply` each packet is answered.
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
  #ending;
  #onSourceEnded;
  #math;
  #bed;
  #hasReplies = false;
  /** True after a change of sources or listeners. */
  #isStale = false;
  /** Sources in the room. @type {Set<Source>} */
  #sources = new Set();
  /** @type {Map<string, Listener>} */
  #listeners = new Map();
  /** Listeners of the tick that have set volumes, or get PCM. @type {Listener[]} */
  #particular = [];
  /** Listeners whose own mix is being encoded. @type {Listener[]} */
  #begun = [];
  #sounding = false;
  /** True when the shared stream has a packet of the last frame. */
  #hasShared = false;
  #mixedThrough = -1;

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {Clock} options.clock
   * @param {SampleClock} options.sampleClock
   * @param {DelayControl} options.delay of the room
   * @param {MixStream} options.shared stream of the listeners whose voice isn't in the mix; closed
   *   with this
   * @param {Layers} options.layers mix at other bit rates, for listeners of a broadcast; closed
   *   with this
   * @param {Observer} [options.observer]
   * @param {(source: Source) => void} options.onSourceEnded called when all sound of the source has
   *   been heard
   * @param {MixMath} [options.math]
   * @param {FloorBed | null} [options.bed] the floor beneath the sources, which are interpreters
   */
  constructor({ config, clock, sampleClock, delay, shared, layers, observer, ...options }) {
    const { onSourceEnded, math = mixMath, bed = null } = options;
    this.#bed = bed;
    this.#onSourceEnded = onSourceEnded;
    const { format, maxSpeakers, echo } = config;
    this.#config = config;
    this.#delay = delay;
    this.#shared = shared;
    this.#layers = layers;
    this.#speakers = new ActiveSpeakers(format, maxSpeakers, math);
    this.#replies = new ReplyMixer({
      format,
      sampleClock,
      echo,
      delay,
      speakers: this.#speakers,
      observer,
    });
    this.#ending = new EndingSources(clock, (source) => this.#sourceEnded(source));
    this.#math = math;
    this.#recent = new RecentMixes(format.frameValues);
    this.#ownMix = new Float32Array(format.frameValues);
  }

  /** @param {number} places number of speakers mixed at once from the next frame on */
  setPlaces(places) {
    this.#speakers.places = places;
  }

  /** True when there was sound in the last mix. */
  get sounding() {
    return this.#sounding;
  }

  /** Number of listeners of a broadcast at each rate, by bits a second. */
  get listenersByRate() {
    return this.#layers.listenersByRate;
  }

  /** Last frame that the tick has mixed; -1 before it. */
  get mixedThrough() {
    return this.#mixedThrough;
  }

  /** @param {Source | null} source @param {Listener | LightListener | null} listener */
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

  /** @param {Source | null} source @param {Listener | LightListener | null} listener */
  leave(source, listener) {
    if (this.#takeOut(source, listener) && source)
      this.#ending.add(source, this.#hasReplies ? this.#config.maxDelayMs : this.#delay.delayMs);
  }

  /** @type {Delivery['release']} */
  release(source, listener) {
    if (!this.#takeOut(source, listener) || !source) return;
    this.#speakers.remove(source);
    source.keepFor(this, 0);
  }

  /**
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener
   * @returns {boolean} true when the source was here
   */
  #takeOut(source, listener) {
    if (listener?.isLight) {
      if (!this.#layers.remove(listener)) this.#fanout.removeLight(listener);
    } else if (listener) {
      if (this.#listeners.get(listener.id) === listener) this.#listeners.delete(listener.id);
      this.#fanout.forget(listener);
    }
    this.#changed();
    return source !== null && this.#sources.delete(source);
  }

  /** @param {Source} source without any sound left */
  #sourceEnded(source) {
    this.#speakers.remove(source);
    this.#onSourceEnded(source);
    this.#changed();
  }

  get ending() {
    return this.#ending.sources;
  }

  /** @type {Delivery['takeEnding']} */
  takeEnding(source) {
    this.enter(source, null);
    this.#speakers.notice(source);
    this.leave(source, null);
  }

  /** @param {string} id @param {() => void} then */
  whenEnded(id, then) {
    this.#ending.whenEnded(id, then);
  }

  /**
   * Marks sources or listeners as changed. The consequences follow once before the next frame, for
   * all changes together.
   */
  #changed() {
    this.#isStale = true;
  }

  /** PCM is kept longer only for replies, and longest if their readers may be far apart. */
  #settle() {
    this.#isStale = false;
    const listeners = [...this.#listeners.values()];
    const sources = [...this.#sources, ...this.#ending.sources];
    const hadReplies = this.#hasReplies;
    this.#hasReplies = listeners.some(({ delivery }) => delivery === 'reply');
    this.#fanout.listeners = listeners.filter(({ delivery }) => delivery === 'tick');
    // Decodes only now the frames that the tick left out.
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
    // One size fits any delay, so changing it costs nobody anything.
    const repliesMs = HISTORY_MS + (hasOwnDelay ? this.#config.maxDelayMs : 0);
    for (const source of sources) source.keepFor(this, this.#hasReplies ? repliesMs : 0);
  }

  #volumesChanged() {
    this.#particular.length = 0;
    for (const listener of this.#listeners.values()) {
      const isParticular = listener.volumes.size > 0 || listener.pcm !== undefined;
      if (listener.delivery === 'tick' && isParticular) this.#particular.push(listener);
    }
  }

  /** Handles a listener's new own delay, or forgotten volumes. */
  listenersChanged() {
    this.#changed();
  }

  /** Handles a listener's need for packets with another redundancy. */
  redundancyChanged() {
    this.#fanout.invalidate();
  }

  /**
   * Handles a light listener's new nearness.
   * @param {LightListener} listener
   * @param {number} fillMs span of recent packets that it is sent at once; 0: none
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

  /** @param {Source} source that has kept a packet */
  received(source) {
    if (this.#isStale) this.#settle();
    this.#ending.succeed(source);
    if (source.soundThrough > this.#mixedThrough) this.#speakers.notice(source);
    if (this.#hasReplies) this.#replies.received(source.keptFrom);
  }

  /** @param {Listener} listener @param {number} frame of the answered packet */
  reply(listener, frame) {
    if (this.#isStale) this.#settle();
    this.#sounding = this.#replies.reply(listener, frame);
  }

  /**
   * Mixes a frame once, when its time has come, and sends it. In silence it checks no source.
   * @param {number} frame
   */
  tick(frame) {
    if (this.#isStale) this.#settle();
    if (frame !== this.#mixedThrough + 1) this.#sendOpen();
    this.#mixedThrough = frame;
    const recent = this.#recent;
    recent.turn(frame);
    let count = this.#speakers.mix(frame, recent.full);
    const { heard } = this.#speakers;
    this.#list.clear();
    for (let i = 0; i < count; i++) this.#list.add(heard[i].number, heard[i].level, heard[i].voice);
    if (this.#bed) count += this.#addFloor(this.#bed, frame, count);
    recent.filled(count > 0);
    this.#sounding = count > 0;
    try {
      this.#begin(frame, count);
    } finally {
      this.#math.shareAnalysis?.(false);
    }
    this.#endOwn();
    this.#shared.end();
    this.#layers.end();
    if (this.#hasShared) this.#fanout.send(this.#shared, frame);
    this.#layers.send(frame);
  }

  /**
   * @param {FloorBed} bed
   * @param {number} frame
   * @param {number} count  of interpreters in the mix
   * @returns {number} 1 when the floor is in it, too; else 0
   */
  #addFloor(bed, frame, count) {
    const { full } = this.#recent;
    if (count === 0) full.fill(0);
    const floor = bed.addTo(frame, full, this.#speakers.heard);
    if (floor === null) return 0;
    this.#list.addAll(floor);
    return 1;
  }

  /** @type {Floor['addTo']} */
  addTo(mix, from, to) {
    if (!this.#sounding) return null;
    const { frameSamples, channels } = this.#config.format;
    addRamped(mix, 0, this.#recent.full, 0, frameSamples, channels, from, to);
    return this.#list;
  }

  /**
   * Sends incomplete packets of several frames, because frames are left out after a stall of the
   * server.
   */
  #sendOpen() {
    if (this.#hasShared) this.#fanout.sendOpen(this.#shared, this.#mixedThrough);
    this.#layers.sendOpen(this.#mixedThrough);
  }

  /**
   * Begins all mixes of a frame; the codec's threads encode them beside each other.
   * @param {number} frame
   * @param {number} count of speakers
   */
  #begin(frame, count) {
    const { full, before } = this.#recent;
    if (count > 0) this.#beginParticular(frame);
    this.#math.shareAnalysis?.(count >= ALIKE);
    if (count > 0) this.#beginOwn(frame);
    this.#beginLingering(frame);
    this.#fanout.settle(frame);
    // The shared stream and its layers are the same sound.
    if (count < ALIKE) this.#math.shareAnalysis?.(true);
    this.#hasShared =
      this.#fanout.size > 0 && this.#shared.beginMix(frame, full, count > 0, this.#list, before);
    // Begun last, because layers may use sound that is already limited.
    this.#layers.begin(frame, full, count > 0, this.#list, before);
  }

  /**
   * @param {Listener} listener
   * @param {number} frame
   * @param {boolean} sounding true when its mix has sound
   * @param {Float32Array} mix limited in place, unless `own` is given
   * @param {Float32Array} [own] frame that is taken out of it
   */
  #beginFor(listener, frame, sounding, mix, own) {
    listener.begin(frame, mix, sounding, this.#list, this.#recent.before, own);
    this.#begun.push(listener);
  }

  /** Sends the listeners' own mixes; several threads encode all before the first is sent. */
  #endOwn() {
    for (let i = 0; i < this.#begun.length; i++) this.#begun[i].end();
    this.#begun.length = 0;
  }

  /** Begins the mixes of listeners with volumes or PCM. @param {number} frame */
  #beginParticular(frame) {
    const { heard } = this.#speakers;
    const { echo } = this.#config;
    const mix = this.#ownMix;
    for (let i = 0; i < this.#particular.length; i++) {
      const listener = this.#particular[i];
      if (!listener.isParticular(heard)) continue;
      this.#fanout.takeOut(listener, frame);
      this.#beginFor(
        listener,
        frame,
        listener.volumes.mix(mix, frame, heard, echo ? null : listener.id),
        mix,
      );
    }
  }

  /**
   * Begins the mixes of the speakers, without their own voice. The first one's analysis may be
   * shared: it is of the softest speaker, because that mix is the nearest to all others.
   * @param {number} frame
   */
  #beginOwn(frame) {
    if (this.#config.echo) return;
    const { heard } = this.#speakers;
    let softest = 0;
    for (let i = 1; i < heard.length; i++) if (heard[i].level > heard[softest].level) softest = i;
    for (let i = 0; i < heard.length; i++)
      this.#beginWithout(heard[(softest + i) % heard.length], frame);
  }

  /** @param {Speaker} speaker @param {number} frame */
  #beginWithout({ id, samples }, frame) {
    // Found by id, so a returning person doesn't hear their own earlier words.
    const listener = this.#listeners.get(id);
    if (listener === undefined || listener.delivery !== 'tick' || listener.heardOwn(frame)) return;
    const { full } = this.#recent;
    this.#fanout.takeOut(listener, frame);
    this.#beginFor(listener, frame, this.#speakers.heard.length > 1, full, samples);
  }

  /** Begins the own mix of listeners whose voice was in it until recently. @param {number} frame */
  #beginLingering(frame) {
    const { own } = this.#fanout;
    for (let i = 0; i < own.length; i++) {
      const listener = own[i];
      if (listener.closed || listener.heardOwn(frame) || !listener.lingers(frame)) continue;
      this.#ownMix.set(this.#recent.full);
      this.#beginFor(listener, frame, this.#sounding, this.#ownMix);
    }
  }

  /** Idempotent. */
  close() {
    for (const source of this.#sources) source.keepFor(this, 0);
    this.#ending.close();
    this.#fanout.close();
    this.#layers.close();
    this.#shared.close();
  }
}

/** Full mix of the current frame, with the mixes of the frames before it. */
class RecentMixes {
  #buffers;
  #frame = -1;
  /** Number of frames with sound in a row, up to the last one. */
  #sounding = 0;

  /** Frames of sound right before this one, oldest first. @type {Float32Array[]} */
  before = [];

  /** @param {number} frameValues */
  constructor(frameValues) {
    this.#buffers = Array.from({ length: MAX_REDUNDANCY + 1 }, () => new Float32Array(frameValues));
  }

  /** Mix of this frame, to be filled. */
  get full() {
    return this.#buffers[0];
  }

  /** @param {number} frame next one to mix */
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

  /** @param {boolean} sounding true when it has sound */
  filled(sounding) {
    this.#sounding = sounding ? this.#sounding + 1 : 0;
  }
}

/**
 * @typedef {object} Floor  the mix of all speakers who aren't interpreters
 * @property {(mix: Float32Array, from: number, to: number) => SpeakerList | null} addTo adds its
 *   last frame to another mix, with a gain that changes from one value to another; returns its
 *   speakers, or null in silence
 */

/** Gain of the floor under an interpreter: 15 dB softer, so that both are understood. */
const UNDER = 10 ** (-15 / 20);

/** Softest sound of an interpreter that lowers the floor, in -dBov: noise doesn't. */
const SOFTEST = 50;

/** Time for which the floor stays low after an interpreter's sound, in milliseconds. */
const HOLD_MS = 3000;

/** Share of the way to its next gain that the floor goes in a frame of 20 ms: a fade of 0.2 s. */
const FADE = 0.3;

/**
 * The floor beneath the interpreters of a language: low while one of them speaks, and at its own
 * level when they have nothing to say.
 */
export class FloorBed {
  #floor;
  #holdFrames;
  #fade;
  #gain = 1;
  #spokenFrame = -Infinity;

  /** @param {Floor} floor @param {Pick<AudioFormat, 'frameMs'>} format */
  constructor(floor, { frameMs }) {
    this.#floor = floor;
    this.#holdFrames = HOLD_MS / frameMs;
    this.#fade = 1 - (1 - FADE) ** (frameMs / 20);
  }

  /**
   * Adds the floor to a mix of interpreters.
   * @param {number} frame  which the floor has just mixed
   * @param {Float32Array} mix
   * @param {ReadonlyArray<Speaker>} interpreters  in the mix
   * @returns {SpeakerList | null} speakers of the floor; null in silence
   */
  addTo(frame, mix, interpreters) {
    for (let i = 0; i < interpreters.length; i++)
      if (interpreters[i].level < SOFTEST) this.#spokenFrame = frame;
    const from = this.#gain;
    const wanted = frame - this.#spokenFrame <= this.#holdFrames ? UNDER : 1;
    this.#gain += (wanted - from) * this.#fade;
    return this.#floor.addTo(mix, from, this.#gain);
  }
}
