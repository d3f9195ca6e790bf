/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { SpeakerList } from '../mix/mix-stream.js'
 * @import { Transport } from '../session/session.js'
 * @import { Ladder } from './ladder.js'
 * @import { RatedListener } from './rate-watch.js'
 * @import { LayerStream } from './layer.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { RATES } from '../../public/shared/sound/audio-format.js';
import { isDue } from '../mix/recipient-lists.js';
import { Layer, Place } from './layer.js';
import { RateWatch } from './rate-watch.js';

/**
 * Time for which an unused layer keeps its encoder, in milliseconds: a path that changed may change
 * back.
 */
const KEEP_MS = 5000;

/** Placeholder for the sessions of other nodes, which aren't checked. @type {[]} */
const NOBODY = [];

/**
 * Mix of a broadcast at several bit rates. Each rate is encoded once a frame, while a listener
 * wants it, and goes to its own lists of listeners. A listener changes between two packets, once
 * all earlier frames are sent. The first packet of the new rate repeats earlier frames, from which
 * the client's decoder continues.
 */
export class Layers {
  #ladder;
  #open;
  #frameMs;
  #keepFrames;
  #watch;
  /** @type {Layer[]} */
  #layers;
  /** @type {Map<LightListener, Place>} */
  #places = new Map();
  /** Listeners whose next packet is the first of a rate. @type {Place[]} */
  #arriving = [];
  /** Listeners that want another rate or form. @type {Set<Place>} */
  #changing = new Set();

  /**
   * @param {object} options
   * @param {Ladder} options.ladder
   * @param {Pick<AudioFormat, 'frameMs'>} options.format
   * @param {(index: number, bitrate: number) => LayerStream} options.open opens a layer's stream;
   *   throws `codec-instances`
   * @param {Clock} options.clock
   * @param {RateCounts} options.counts
   */
  constructor({ ladder, format, open, clock, counts }) {
    this.#ladder = ladder;
    this.#open = open;
    this.#frameMs = format.frameMs;
    this.#keepFrames = KEEP_MS / format.frameMs;
    this.#layers = ladder.rates.map(() => new Layer());
    this.#watch = new RateWatch({ clock, counts, onStep: (listener) => this.changed(listener) });
  }

  /** Number of listeners. */
  get size() {
    return this.#places.size;
  }

  /** Number of listeners at each rate, by bits a second. @returns {Record<string, number>} */
  get listenersByRate() {
    return Object.fromEntries(
      this.#layers.map(({ places }, index) => [String(RATES[index]), places.size]),
    );
  }

  /**
   * @param {LightListener} listener
   * @returns {boolean} false if it can't be sent at any rate: it has no rule, or the codec has no
   *   encoder for it
   */
  add(listener) {
    if (!isRated(listener)) return false;
    const place = new Place(listener);
    if (!this.#findRate(place)) return false;
    this.#places.set(listener, place);
    this.#arrives(place);
    this.#watch.add(listener);
    return true;
  }

  /** @param {LightListener} listener @returns {boolean} false if it isn't there */
  remove(listener) {
    const place = this.#places.get(listener);
    if (!place) return false;
    this.#places.delete(listener);
    this.#changing.delete(place);
    this.#leave(place);
    place.isGone = true;
    this.#watch.remove(/** @type {RatedListener} */ (listener));
    return true;
  }

  /** Handles a listener that may want another rate or form. @param {LightListener} listener */
  changed(listener) {
    const place = this.#places.get(listener);
    if (!place || place.isArriving) return;
    if (place.isContent(this.#ladder)) this.#changing.delete(place);
    else if (this.#findRate(place)) this.#wants(place);
  }

  /**
   * Sets the rates that other nodes relay to their listeners: each packet is sent to them once.
   * @param {Pick<Transport, 'sendMany'>} relays
   * @param {ReadonlySet<number>} indices of the rates; a rate without an encoder of the codec isn't
   *   sent
   */
  setRelayed(relays, indices) {
    for (let i = 0; i < this.#layers.length; i++)
      this.#layers[i].relays = indices.has(i) && this.open(i) ? relays : null;
  }

  /** True if a rate is sent already. @param {number} index */
  isReady(index) {
    const { stream } = this.#layers[index];
    return stream !== null && stream.isReady !== false;
  }

  /**
   * Opens a layer, and keeps it for some seconds even without listeners.
   * @param {number} index
   * @returns {boolean} false if the codec has no encoder for it
   */
  open(index) {
    const layer = this.#layers[index];
    try {
      layer.stream ??= this.#open(index, this.#ladder.rates[index]);
      return true;
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code !== 'codec-instances') throw error;
      return false;
    }
  }

  /** @param {Place} place with its wanted layer open */
  #wants(place) {
    if (place.index < 0) this.#arrives(place);
    else this.#changing.add(place);
  }

  /**
   * Opens the layer that a listener wants.
   * @param {Place} place
   * @returns {boolean} false if the codec has no encoder for it: the listener keeps its layer, or
   *   gets any open one
   */
  #findRate(place) {
    const { rate } = place.listener;
    if (this.open(rate.index)) return true;
    const index = this.#layers.findIndex(({ stream }) => stream !== null);
    if (index >= 0) rate.index = place.index >= 0 ? place.index : index;
    return index >= 0 && place.index < 0;
  }

  /**
   * Sends a listener recent packets of its rate at once.
   * @param {LightListener} listener
   * @param {number} ms age of the first one
   * @param {number} frameMs
   * @returns {boolean} false if the listener isn't there
   */
  fill(listener, ms, frameMs) {
    const place = this.#places.get(listener);
    if (place && place.index >= 0)
      this.#layers[place.index].far.fill(
        listener.session,
        listener.carriage,
        Math.ceil(ms / frameMs),
      );
    return place !== undefined;
  }

  /** @param {Place} place */
  #leave(place) {
    if (place.index < 0) return;
    const layer = this.#layers[place.index];
    layer.far.forget(place.listener.session);
    layer.isStale = layer.places.delete(place) || layer.isStale;
  }

  /**
   * Begins to encode a frame at each wanted rate. Call end() next.
   * @param {number} frame
   * @param {Float32Array} pcm one frame of the mix; limited in place
   * @param {boolean} sounding
   * @param {SpeakerList} speakers
   * @param {ReadonlyArray<Float32Array>} before frames of sound right before it
   */
  begin(frame, pcm, sounding, speakers, before) {
    for (const place of this.#arriving) if (!place.isGone) this.#arrive(place);
    const hasSure = this.#keepLowest();
    for (let i = 0; i < this.#layers.length; i++) {
      const layer = this.#layers[i];
      layer.isSent = false;
      if (layer.stream === null) continue;
      if (layer.places.size > 0 || layer.relays !== null || (i === 0 && hasSure)) {
        layer.usedFrame = frame;
        layer.isSent = layer.stream.beginMix(frame, pcm, sounding, speakers, before);
      } else if (layer.usedFrame < 0) layer.usedFrame = frame;
      else if (frame - layer.usedFrame > this.#keepFrames) layer.close();
    }
  }

  /**
   * Keeps the lowest rate encoded while there are listeners with sure arrival: when their path
   * becomes narrow, it repeats the packets that haven't arrived.
   * @returns {boolean} true if there are such listeners
   */
  #keepLowest() {
    const [lowest] = this.#layers;
    let stride = 0;
    for (let i = 0; i < this.#layers.length; i++)
      stride = Math.max(stride, this.#layers[i].sureStride);
    if (stride === 0) return false;
    if (lowest.stream === null) this.open(0);
    if (lowest.places.size === 0) lowest.far.stride = stride;
    return true;
  }

  /** @param {Place} place listener's place, due to get its first packet of a rate */
  #arrive(place) {
    const from = place.index;
    // Its rule may have chosen another rate since, or the layer has no listeners left.
    place.index = -1;
    if (!this.#findRate(place)) return;
    place.take(this.#ladder);
    place.isBehind = place.carriage === 'surely' && place.index < from && this.isReady(0);
    if (place.isBehind) place.index = 0;
    this.#layers[place.index].places.add(place);
  }

  /** Ends the encoding. */
  end() {
    for (let i = 0; i < this.#layers.length; i++) this.#layers[i].stream?.end();
  }

  /** Sends the last encoded frame. @param {number} frame */
  send(frame) {
    for (let i = 0; i < this.#layers.length; i++) {
      const { stream, lists, far, relays, isSent } = this.#layers[i];
      if (!isSent || stream === null) continue;
      relays?.sendMany(NOBODY, stream.writeStride(MAX_REDUNDANCY));
      lists.send(stream, frame);
      far.send(stream, frame);
    }
    if (this.#arriving.length > 0) this.#welcome();
    for (const place of this.#changing) this.#change(place, frame);
    for (let i = 0; i < this.#layers.length; i++)
      if (this.#layers[i].isStale) this.#layers[i].gather();
  }

  /**
   * Sends the last unsent frames, because the next ones are left out.
   * @param {number} frame that was sent last
   */
  sendOpen(frame) {
    for (let i = 0; i < this.#layers.length; i++) {
      const { stream, lists, far, isSent } = this.#layers[i];
      if (!isSent || stream === null) continue;
      lists.sendOpen(stream, frame);
      far.sendOpen(stream, frame);
    }
  }

  /**
   * Sends the first packet of a rate, with as many repeats as possible, to the listeners that
   * change to it.
   */
  #welcome() {
    for (const place of this.#arriving) {
      place.isArriving = false;
      if (place.isGone || place.index < 0) continue;
      const layer = this.#layers[place.index];
      layer.isStale = true;
      if (place.isBehind && this.#resend(place)) {
        this.#changing.add(place);
        continue;
      }
      if (layer.isSent && layer.stream !== null)
        place.send(layer.stream.writeStride(MAX_REDUNDANCY));
    }
    this.#arriving.length = 0;
  }

  /**
   * Repeats the packets that haven't arrived to a listener whose path has become narrow, in the
   * fewest bits. Its own rate follows only then, because the path can't carry the waiting packets
   * at that rate.
   * @param {Place} place
   * @returns {boolean} false if the lowest rate wasn't encoded, or everything has arrived
   */
  #resend(place) {
    const { session, rate } = place.listener;
    const ageMs = session.surely?.restart(rate.arrivedMs) ?? 0;
    place.isBehind =
      ageMs > 0 && this.#layers[0].far.goBack(session, Math.ceil(ageMs / this.#frameMs) + 1);
    return place.isBehind;
  }

  /**
   * @param {Place} place that changes, unless earlier frames are still unsent
   * @param {number} frame
   */
  #change(place, frame) {
    const layer = this.#layers[place.index];
    if (
      place.isBehind &&
      (layer.far.isBehind(place.listener.session) || !place.listener.rate.isCalm)
    )
      return;
    place.isBehind = false;
    // Ends with the longer stride: a packet with more frames than before replaces one that would
    // follow it at once. A path that has become narrow has no time for that.
    const stride =
      place.listener.rate.index < place.index ? place.stride : place.longerStride(this.#ladder);
    if (layer.isSent && layer.stream !== null && !isDue(layer.stream, frame, stride)) return;
    // The room's home node hasn't sent the new rate yet.
    if (!this.isReady(place.listener.rate.index)) return;
    this.#changing.delete(place);
    if (place.listener.rate.index === place.index) {
      place.take(this.#ladder);
      layer.isStale = true;
      return;
    }
    this.#leave(place);
    this.#arrives(place);
  }

  /** @param {Place} place that gets no more packets of its old rate */
  #arrives(place) {
    place.isArriving = true;
    this.#arriving.push(place);
  }

  /** Idempotent. */
  close() {
    this.#watch.close();
    for (const layer of this.#layers) layer.close();
    this.#places.clear();
    this.#changing.clear();
    this.#arriving.length = 0;
  }
}

/** @param {LightListener} listener @returns {listener is RatedListener} */
const isRated = (listener) => listener.rate !== null;

/** Counts of bit rate changes of listeners, in all of a host's rooms since it began. */
export class RateCounts {
  up = 0;
  down = 0;
  /** Number of probes for a higher rate that showed that the path doesn't carry it. */
  failed = 0;
}
