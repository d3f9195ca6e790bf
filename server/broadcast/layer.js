/**
 * @import { Carriage } from '../mix/light-listener.js'
 * @import { FrameStream, MixStream } from '../mix/mix-stream.js'
 * @import { Transport } from '../session/session.js'
 * @import { Ladder } from './ladder.js'
 * @import { RatedListener } from './rate-watch.js'
 *
 * @typedef {FrameStream & Pick<MixStream, 'beginMix' | 'end' | 'close'> & { isReady?: boolean }}
 *   LayerStream isReady: false while it has no packets yet
 */

import { withLength } from '../../public/shared/wire/stream-packets.js';
import { FarListeners } from '../mix/far-listeners.js';
import { RecipientLists } from '../mix/recipient-lists.js';

/** Current rate and form of one listener's packets. */
export class Place {
  /** Index of the layer; -1 before the first. */
  index = -1;
  stride = 1;
  repeats = 0;
  /** @type {Carriage} */
  carriage = 'once';
  isGone = false;
  /** True if its next packet is the first of a rate. */
  isArriving = false;
  /** True while packets that haven't arrived at a higher rate are repeated at the lowest. */
  isBehind = false;

  /** @param {RatedListener} listener */
  constructor(listener) {
    this.listener = listener;
  }

  /** Form that the listener needs: by its loss, or as a probe. @param {Ladder} ladder */
  #form(ladder) {
    const { stride, repeats, rate, carriage } = this.listener;
    // Repairs, and packets sent several times, send as much as a probe does, or more.
    if (stride < ladder.stride || carriage !== 'once') return { stride, repeats };
    return rate.probe ?? (stride > 1 ? ladder.usual[rate.index] : { stride, repeats });
  }

  /** @param {Uint8Array} bytes first packet of a rate */
  send(bytes) {
    const { session } = this.listener;
    if (this.carriage === 'surely') session.surely?.send(withLength(bytes));
    else session.send(bytes);
  }

  /** @param {Ladder} ladder @returns {boolean} true if it has the wanted rate and form */
  isContent(ladder) {
    const { stride, repeats } = this.#form(ladder);
    const isSame =
      this.stride === stride &&
      this.repeats === repeats &&
      this.carriage === this.listener.carriage;
    return isSame && this.index === this.listener.rate.index;
  }

  /**
   * Number of frames in a packet of the longer of its current and wanted forms.
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

/** The mix at one bit rate, and its listeners. */
export class Layer {
  /** @type {LayerStream | null} */
  stream = null;
  /** Other nodes that receive it. @type {Pick<Transport, 'sendMany'> | null} */
  relays = null;
  lists = new RecipientLists();
  far = new FarListeners();
  /** @type {Set<Place>} */
  places = new Set();
  isStale = false;
  /** True if the last encoded frame has a packet. */
  isSent = false;
  /**
   * Last frame that was encoded for anybody, or the frame at which it lost its last user; -1 before
   * it.
   */
  usedFrame = -1;
  /** Most frames in a packet of listeners with sure arrival; 0 without any. */
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

  /** Frees the encoder. Idempotent. */
  close() {
    this.stream?.close();
    this.stream = null;
    this.usedFrame = -1;
    this.lists.close();
    this.far.close();
    // Renewed, because old packets aren't recent ones when the layer is opened again.
    this.far = new FarListeners();
  }
}
