/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Packet } from '../../public/shared/wire/packet.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { Delivery } from '../mix/delivery.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { Listener } from '../mix/listener.js'
 * @import { RoomConfig } from '../room/room-config.js'
 * @import { Source } from '../source/source.js'
 */

import { MAX_VOICES } from '../../public/shared/wire/packet.js';
import { ActiveSpeakers } from '../mix/active-speakers.js';
import { Draining } from '../mix/draining.js';
import { SharedFanout } from '../mix/shared-fanout.js';
import { BundleStream } from './bundle-stream.js';

/**
 * Forwards what the participants of a room say, and decodes and encodes nothing: each frame goes
 * out once, when its time has come, as one bundle of the loudest speakers' payloads. All listeners
 * of a transport get the same bytes; those who speak leave their own voice out themselves. Who is
 * loud is known by the levels that senders tell (RFC 6464).
 * @implements {Delivery}
 */
export class Forwarding {
  #delay;
  #stream;
  #fanout = new SharedFanout();
  #draining;
  #onDrained;
  #sounding = false;
  #mixedThrough = -1;
  /** @type {Set<Source>} */
  #sources = new Set();

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {Clock} options.clock
   * @param {DelayControl} options.delay  the room's
   * @param {(source: Source) => void} options.onDrained nothing of a source that has left is to be
   *   heard any more
   */
  constructor({ config, clock, delay, onDrained }) {
    this.#onDrained = onDrained;
    const { format, maxSpeakers, silenceSuppression } = config;
    this.#delay = delay;
    this.speakers = new ActiveSpeakers(format, Math.min(MAX_VOICES, maxSpeakers));
    this.#stream = new BundleStream(format.frameMs, silenceSuppression);
    this.#draining = new Draining(clock, (source) => this.drained(source));
    /** Those of the tick: nobody else can be forwarded to. @type {Set<Listener>} */
    this.listeners = new Set();
  }

  get sounding() {
    return this.#sounding;
  }

  get mixedThrough() {
    return this.#mixedThrough;
  }

  /** @param {number} places  how many speakers are heard at once from the next frame on */
  setPlaces(places) {
    this.speakers.places = Math.min(MAX_VOICES, places);
  }

  /**
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener  no light one: an audience hears a mix
   */
  enter(source, listener) {
    if (source) {
      this.#sources.add(source);
      this.speakers.add(source);
    }
    if (listener && !listener.isLight && listener.delivery === 'tick') this.listeners.add(listener);
    this.listenersChanged();
  }

  /**
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener
   */
  leave(source, listener) {
    if (listener && !listener.isLight) this.listeners.delete(listener);
    if (source && this.#sources.delete(source)) this.#draining.add(source, this.#delay.delayMs);
    this.listenersChanged();
  }

  /** @param {Source} source  of which nothing is to be heard any more */
  drained(source) {
    this.speakers.remove(source);
    this.#onDrained(source);
  }

  get draining() {
    return this.#draining.sources;
  }

  /** @type {Delivery['takeDraining']} */
  takeDraining(source) {
    this.enter(source, null);
    this.speakers.notice(source);
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
   * @param {Source} source
   * @param {number} _frame
   * @param {Packet} _packet
   * @param {Uint8Array} _bytes
   */
  received(source, _frame, _packet, _bytes) {
    this.#draining.succeed(source);
    if (source.soundThrough > this.#mixedThrough) this.speakers.notice(source);
  }

  /** @param {number} frame */
  tick(frame) {
    this.#mixedThrough = frame;
    this.#sounding = this.speakers.pass(frame) > 0;
    this.send(frame, this.#sounding);
  }

  /** Chooses the speakers from a frame on, and sends none of it. @param {number} frame */
  choose(frame) {
    this.#mixedThrough = frame;
    this.speakers.choose(frame);
    this.speakers.believe(frame);
    this.#sounding = this.speakers.placed.length > 0;
  }

  /**
   * Sends the bundle of a frame.
   * @param {number} frame
   * @param {boolean} hasVoices  false for a silent one
   */
  send(frame, hasVoices) {
    this.#fanout.settle(frame);
    if (this.#stream.begin(frame, hasVoices ? this.speakers.heard : NOBODY))
      this.#fanout.send(this.#stream, frame);
  }

  /** Nobody can be answered: those who can only `reply` aren't let into a room that forwards. */
  reply() {}

  /**
   * Volumes are each listener's own, where sound is forwarded: they are kept for a room that mixes
   * again.
   * @type {Delivery['setVolume']}
   */
  setVolume(listener, source, gain, pan) {
    listener.volumes.set(source.id, gain, source.format.channels === 2 ? pan : 0, -1);
  }

  listenersChanged() {
    this.#fanout.listeners = [...this.listeners];
  }

  redundancyChanged() {
    this.#fanout.invalidate();
  }

  /** Idempotent. */
  close() {
    this.#draining.close();
  }
}

/** @type {ReadonlyArray<never>} */
const NOBODY = Object.freeze([]);
