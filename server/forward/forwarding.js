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
import { EndingSources } from '../mix/ending-sources.js';
import { SharedFanout } from '../mix/shared-fanout.js';
import { BundleStream } from './bundle-stream.js';

/**
 * Forwards the sound of a room's participants without decoding or encoding. Each frame goes out
 * once, when its time has come, as one bundle of the loudest speakers' payloads. All listeners of a
 * transport get the same bytes, and speakers leave out their own voice themselves. Loudness is
 * known from the levels that senders report (RFC 6464).
 * @implements {Delivery}
 */
export class Forwarding {
  #delay;
  #stream;
  #fanout = new SharedFanout();
  #ending;
  #onSourceEnded;
  #sounding = false;
  #mixedThrough = -1;
  /** @type {Set<Source>} */
  #sources = new Set();

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {Clock} options.clock
   * @param {DelayControl} options.delay of the room
   * @param {(source: Source) => void} options.onSourceEnded called when all sound of the source has
   *   been heard
   */
  constructor({ config, clock, delay, onSourceEnded }) {
    this.#onSourceEnded = onSourceEnded;
    const { format, maxSpeakers, silenceSuppression } = config;
    this.#delay = delay;
    this.speakers = new ActiveSpeakers(format, Math.min(MAX_VOICES, maxSpeakers));
    this.#stream = new BundleStream(format.frameMs, silenceSuppression);
    this.#ending = new EndingSources(clock, (source) => this.sourceEnded(source));
    /** Listeners of the tick: forwarding has no others. @type {Set<Listener>} */
    this.listeners = new Set();
  }

  get sounding() {
    return this.#sounding;
  }

  get mixedThrough() {
    return this.#mixedThrough;
  }

  /** @param {number} places number of speakers heard at once from the next frame on */
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

  /** @param {Source | null} source @param {Listener | LightListener | null} listener */
  leave(source, listener) {
    if (this.#takeOut(source, listener) && source) this.#ending.add(source, this.#delay.delayMs);
  }

  /** @type {Delivery['release']} */
  release(source, listener) {
    if (this.#takeOut(source, listener) && source) this.speakers.remove(source);
  }

  /**
   * @param {Source | null} source
   * @param {Listener | LightListener | null} listener
   * @returns {boolean} true when the source was here
   */
  #takeOut(source, listener) {
    if (listener && !listener.isLight) this.listeners.delete(listener);
    this.listenersChanged();
    return source !== null && this.#sources.delete(source);
  }

  /** @param {Source} source without any sound left */
  sourceEnded(source) {
    this.speakers.remove(source);
    this.#onSourceEnded(source);
  }

  get ending() {
    return this.#ending.sources;
  }

  /** @type {Delivery['takeEnding']} */
  takeEnding(source) {
    this.enter(source, null);
    this.speakers.notice(source);
    this.leave(source, null);
  }

  /** @param {string} id @param {() => void} then */
  whenEnded(id, then) {
    this.#ending.whenEnded(id, then);
  }

  /**
   * @param {Source} source
   * @param {number} _frame
   * @param {Packet} _packet
   * @param {Uint8Array} _bytes
   */
  received(source, _frame, _packet, _bytes) {
    this.#ending.succeed(source);
    if (source.soundThrough > this.#mixedThrough) this.speakers.notice(source);
  }

  /** @param {number} frame */
  tick(frame) {
    this.#mixedThrough = frame;
    this.#sounding = this.speakers.pass(frame) > 0;
    this.send(frame, this.#sounding);
  }

  /** Chooses the speakers from a frame on, without sending it. @param {number} frame */
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

  /** Does nothing: a room that forwards admits no client that can only `reply`. */
  reply() {}

  /**
   * Keeps a volume for a room that mixes again: while sound is forwarded, clients apply volumes.
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
    this.#ending.close();
    this.#fanout.close();
  }
}

/** @type {ReadonlyArray<never>} */
const NOBODY = Object.freeze([]);
