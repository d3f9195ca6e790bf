/**
 * @import { Carriage } from '../mix/light-listener.js'
 * @import { FrameStream, MixStream } from '../mix/mix-stream.js'
 * @import { Transport } from '../transport/session.js'
 * @import { Ladder } from './ladder.js'
 * @import { RatedListener } from './rate-watch.js'
 *
 * @typedef {FrameStream & Pick<MixStream, 'beginMix' | 'end' | 'close'> & { isReady?: boolean }}
 *   LayerStream isReady: false while it has no packets yet
 */

import { withLength } from '../../public/shared/wire/carry.js';
import { FarListeners } from '../mix/far-listeners.js';
import { RecipientLists } from '../mix/recipient-lists.js';

/** The rate and the form in which one listener is sent packets now. */
export class Place {
  /** The layer; -1 before the first. */
  index = -1;
  stride = 1;
  repeats = 0;
  /** @type {Carriage} */
  carriage = 'once';
  isGone = false;
  /** Whether its next packet is the first of a rate. */
  isArriving = false;
  /** Whether it is sent anew, at the lowest rate, what hasn't arrived at a higher one. */
  isBehind = false;

  /** @param {RatedListener} listener */
  constructor(listener) {
    this.listener = listener;
  }

  /**
   * The form in which the listener is to be sent frames: as its loss asks, or as a probe.
   * @param {Ladder} ladder
   */
  #form(ladder) {
    const { stride, repeats, rate, carriage } = this.listener;
    // Loss that is mended, and packets that go several times, send as much as a probe does, or
    // more.
    if (stride < ladder.stride || carriage !== 'once') return { stride, repeats };
    return rate.probe ?? (stride > 1 ? ladder.usual[rate.index] : { stride, repeats });
  }

  /** @param {Uint8Array} bytes  the first packet of a rate */
  send(bytes) {
    const { session } = this.listener;
    if (this.carriage === 'surely') session.surely?.send(withLength(bytes));
    else session.send(bytes);
  }

  /** @param {Ladder} ladder @returns {boolean} whether it has what it wants */
  isContent(ladder) {
    const { stride, repeats } = this.#form(ladder);
    const isSame =
      this.stride === stride &&
      this.repeats === repeats &&
      this.carriage === this.listener.carriage;
    return isSame && this.index === this.listener.rate.index;
  }

  /**
   * How many frames there are to a packet in the longer of the forms that it has and wants.
   * @param {Ladder} ladder
   */
  longerStride(ladder) {
    return Math.max(this.stride, this.#form(ladder).stride);
  }

  /** @param {Ladder} ladder */
  take(ladder) {
    const { stride, repeats } = this.#form(ladder);
    this.index = this.listener.rate.index;
    this.stride = stride;
    this.repeats = repeats;
    this.carriage = this.listener.carriage;
  }
}

/** The mix at one bit rate, and those who get it. */
export class Layer {
  /** @type {LayerStream | null} */
  stream = null;
  /** Other nodes that are sent it. @type {Pick<Transport, 'sendMany'> | null} */
  relays = null;
  lists = new RecipientLists();
  far = new FarListeners();
  /** @type {Set<Place>} */
  places = new Set();
  isStale = false;
  /** Whether the frame that was encoded last has a packet. */
  isSent = false;
  /** The last frame that was encoded for anybody, or since which nobody came; -1 before it. */
  usedFrame = -1;
  /** The most frames to a packet of those whose packets arrive surely; 0 where there are none. */
  sureStride = 0;

  gather() {
    this.isStale = false;
    this.sureStride = 0;
    this.lists.begin();
    this.far.begin();
    for (const {
      listener: { session, longStride },
      stride,
      repeats,
      carriage,
    } of this.places) {
      this.far.stride = longStride;
      if (carriage === 'once') this.lists.add(session, repeats, stride);
      else this.far.add(session, carriage);
      if (carriage === 'surely') this.sureStride = Math.max(this.sureStride, longStride);
    }
    this.lists.end();
    this.far.end();
  }

  /** Gives the encoder back. Idempotent. */
  close() {
    this.stream?.close();
    this.stream = null;
    this.usedFrame = -1;
    this.lists.close();
    this.far.close();
    // Packets from before aren't those sent lately, once it is opened again.
    this.far = new FarListeners();
  }
}
