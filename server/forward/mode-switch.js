/**
 * @import { Delivery } from '../mix/delivery.js'
 * @import { Floor } from '../mix/mixing.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { Listener } from '../mix/listener.js'
 * @import { Source } from '../source/source.js'
 *
 * @typedef {'mix' | 'bundle' | 'packets'} Mode delivery of a room's sound: mixed, forwarded as one
 *   bundle a frame, or forwarded packet by packet
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';

/**
 * Number of frames for which the next delivery runs beside the current one. By then it knows the
 * speakers and the frames that its first packets repeat, from which its listeners' decoders
 * continue.
 */
const WARM_UP_FRAMES = MAX_REDUNDANCY + 1;

/**
 * Delivery of a room whose mode may change during a call. During a change there are two deliveries:
 * the next one hears all sources, and then takes over the listeners between two frames. Owns the
 * room's sources.
 * @implements {Delivery}
 */
export class ModeSwitch {
  #make;
  /** @type {Delivery} */
  #now;
  /** @type {Mode} */
  #mode;
  /** @type {{ delivery: Delivery, mode: Mode, framesLeft: number } | null} */
  #next = null;
  /**
   * Forwards to listeners who want voices apart, while the others get a mix; null without one.
   * @type {Delivery | null}
   */
  #apart = null;
  /** @type {Set<Source>} */
  #sources = new Set();
  /** @type {Set<Listener | LightListener>} */
  #listeners = new Set();
  #places = 0;

  /**
   * @param {(mode: Mode, onSourceEnded: (source: Source) => void) => Delivery} make
   * @param {Mode} mode
   */
  constructor(make, mode) {
    this.#make = make;
    this.#mode = mode;
    this.#now = make(mode, (source) => this.#sourceEnded(source));
  }

  /**
   * Closes a source that has left once no delivery has any of its sound left.
   * @param {Source} source
   */
  #sourceEnded(source) {
    const deliveries = [this.#now, this.#next?.delivery, this.#apart];
    if (!deliveries.some((one) => [...(one?.ending ?? [])].includes(source))) source.close();
  }

  /** True for a listener who doesn't get the mix. @param {Listener | LightListener} listener */
  #isApart(listener) {
    return this.#mode === 'mix' && !listener.isLight && listener.wantsVoices;
  }

  /** @param {Listener | LightListener} listener  of the present mode */
  #enterListener(listener) {
    if (!this.#isApart(listener)) return this.#now.enter(null, listener);
    if (this.#apart === null) {
      this.#apart = this.#make('bundle', (source) => this.#sourceEnded(source));
      if (this.#places > 0) this.#apart.setPlaces(this.#places);
      for (const source of this.#sources) this.#apart.enter(source, null);
    }
    this.#apart.enter(null, listener);
  }

  /** @param {Listener | LightListener} listener  of the present mode */
  #leaveListener(listener) {
    if (!this.#isApart(listener)) return this.#now.leave(null, listener);
    this.#apart?.leave(null, listener);
    if (![...this.#listeners].some((other) => other !== listener && this.#isApart(other)))
      this.#closeApart();
  }

  /** Ends the forwarding beside a mix. Idempotent. */
  #closeApart() {
    const apart = this.#apart;
    this.#apart = null;
    const ending = [...(apart?.ending ?? [])];
    apart?.close();
    for (const source of ending) this.#sourceEnded(source);
  }

  /** Mode that is heard. */
  get mode() {
    return this.#mode;
  }

  /** Changes the mode, after some frames if anybody listens. @param {Mode} mode */
  change(mode) {
    if (mode === (this.#next?.mode ?? this.#mode)) return;
    this.#next?.delivery.close();
    this.#next = null;
    if (mode === this.#mode) return;
    const delivery = this.#make(mode, (source) => this.#sourceEnded(source));
    if (this.#places > 0) delivery.setPlaces(this.#places);
    this.#next = { delivery, mode, framesLeft: WARM_UP_FRAMES };
    for (const source of this.#sources) delivery.enter(source, null);
    for (const source of this.#now.ending) delivery.takeEnding(source);
    // Without listeners of the tick there is no frame to wait for.
    if (![...this.#listeners].some((listener) => listener.delivery === 'tick'))
      this.#take(this.#next);
  }

  /** @param {{ delivery: Delivery, mode: Mode }} next */
  #take({ delivery, mode }) {
    const before = this.#now;
    for (const listener of this.#listeners) {
      this.#leaveListener(listener);
      if (!listener.isLight) listener.hearShared(before.mixedThrough + 1);
    }
    this.#closeApart();
    this.#now = delivery;
    this.#mode = mode;
    this.#next = null;
    for (const listener of this.#listeners) this.#enterListener(listener);
    before.close();
  }

  get sounding() {
    return this.#now.sounding;
  }

  /**
   * Number of listeners of a broadcast at each rate, by bits a second.
   * @returns {Record<string, number>}
   */
  get listenersByRate() {
    return this.#now.listenersByRate ?? {};
  }

  get mixedThrough() {
    return this.#now.mixedThrough;
  }

  /** @type {Delivery['enter']} */
  enter(source, listener) {
    const isApart = listener !== null && this.#isApart(listener);
    if (source) this.#sources.add(source);
    if (listener) this.#listeners.add(listener);
    this.#now.enter(source, isApart ? null : listener);
    if (source) this.#next?.delivery.enter(source, null);
    if (source) this.#apart?.enter(source, null);
    if (isApart) this.#enterListener(listener);
  }

  /** @type {Delivery['leave']} */
  leave(source, listener) {
    const isApart = listener !== null && this.#isApart(listener);
    if (isApart) this.#leaveListener(listener);
    if (source) this.#sources.delete(source);
    if (listener) this.#listeners.delete(listener);
    this.#now.leave(source, isApart ? null : listener);
    if (source) this.#next?.delivery.leave(source, null);
    if (source) this.#apart?.leave(source, null);
  }

  /** True while there is a source. */
  get isSpoken() {
    return this.#sources.size > 0;
  }

  /** See Mixing; a room that forwards has no mix. @type {Floor['addTo']} */
  addTo(mix, from, to) {
    return this.#now.addTo?.(mix, from, to) ?? null;
  }

  /** @type {Delivery['release']} */
  release(source, listener) {
    const isApart = listener !== null && this.#isApart(listener);
    if (isApart) this.#leaveListener(listener);
    if (source) this.#sources.delete(source);
    if (listener) this.#listeners.delete(listener);
    this.#now.release(source, isApart ? null : listener);
    if (source) this.#next?.delivery.release(source, null);
    if (source) this.#apart?.release(source, null);
  }

  /** @type {Delivery['whenEnded']} */
  whenEnded(id, then) {
    this.#now.whenEnded(id, () => {
      // The delivery that has taken over may be draining it.
      const isHeard = [...this.#now.ending].some((source) => source.id === id);
      if (isHeard) this.whenEnded(id, then);
      else then();
    });
  }

  get ending() {
    return this.#now.ending;
  }

  /** @type {Delivery['takeEnding']} */
  takeEnding(source) {
    this.#now.takeEnding(source);
  }

  /** @type {Delivery['received']} */
  received(source, frame, packet, bytes) {
    this.#now.received(source, frame, packet, bytes);
    this.#next?.delivery.received(source, frame, packet, bytes);
    this.#apart?.received(source, frame, packet, bytes);
  }

  /** @param {number} frame */
  tick(frame) {
    this.#now.tick(frame);
    this.#apart?.tick(frame);
    const next = this.#next;
    if (next === null) return;
    next.delivery.tick(frame);
    next.framesLeft -= 1;
    if (next.framesLeft === 0) this.#take(next);
  }

  /** @type {Delivery['reply']} */
  reply(listener, frame) {
    this.#now.reply(listener, frame);
  }

  /** @param {number} places */
  setPlaces(places) {
    this.#places = places;
    this.#now.setPlaces(places);
    this.#next?.delivery.setPlaces(places);
    this.#apart?.setPlaces(places);
  }

  /** @type {Delivery['setVolume']} */
  setVolume(listener, source, gain, pan) {
    this.#now.setVolume(listener, source, gain, pan);
  }

  listenersChanged() {
    this.#now.listenersChanged();
  }

  /** @param {LightListener} listener @param {number} fillMs */
  nearer(listener, fillMs) {
    this.#now.nearer?.(listener, fillMs);
  }

  /** @type {NonNullable<Delivery['setRelayed']>} */
  setRelayed(relays, indices) {
    this.#now.setRelayed?.(relays, indices);
  }

  redundancyChanged() {
    this.#now.redundancyChanged();
    this.#apart?.redundancyChanged();
  }

  /** Idempotent. */
  close() {
    this.#next?.delivery.close();
    this.#apart?.close();
    this.#now.close();
    for (const source of this.#sources) source.close();
  }
}
