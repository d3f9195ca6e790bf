/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { LightListener } from '../mix/light-listener.js'
 * @import { SpeakerList } from '../mix/mix-stream.js'
 * @import { Transport } from '../transport/session.js'
 * @import { Ladder } from './ladder.js'
 * @import { RateCounts } from './rate-counts.js'
 * @import { RatedListener } from './rate-watch.js'
 * @import { LayerStream } from './layer.js'
 */

import { MAX_REDUNDANCY } from '../../public/shared/wire/packet.js';
import { RATES } from '../../public/shared/sound/rates.js';
import { isDue } from '../mix/recipient-lists.js';
import { Layer, Place } from './layer.js';
import { RateWatch } from './rate-watch.js';

/**
 * How long a layer's encoder is kept that nobody wants any more, in milliseconds: a way that
 * changed may change back.
 */
const KEEP_MS = 5000;

/** The sessions of other nodes aren't looked at. @type {[]} */
const NOBODY = [];

/**
 * The mix of a broadcast at several bit rates: each is encoded once a frame, while a listener wants
 * it, and goes to its listeners in lists of their own. A listener changes between two packets, once
 * everything before is sent; the first one of the new rate repeats what came before it, from which
 * the client's decoder goes on.
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
  /** Those whose next packet is the first of a rate. @type {Place[]} */
  #arriving = [];
  /** Those who want another rate, or form, than they have. @type {Set<Place>} */
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

  /** How many listeners there are. */
  get size() {
    return this.#places.size;
  }

  /** How many there are at each rate, by bits a second. @returns {Record<string, number>} */
  get listenersByRate() {
    return Object.fromEntries(
      this.#layers.map(({ places }, index) => [String(RATES[index]), places.size]),
    );
  }

  /**
   * @param {LightListener} listener
   * @returns {boolean} false where it can't be sent any of the rates: it has none, or the codec has
   *   no encoder for it
   */
  add(listener) {
    if (!isRated(listener)) return false;
    const place = new Place(listener);
    if (!this.#wish(place)) return false;
    this.#places.set(listener, place);
    this.#arrives(place);
    this.#watch.add(listener);
    return true;
  }

  /** @param {LightListener} listener @returns {boolean} false where it isn't there */
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

  /** A listener may want another rate, or form, than it has. @param {LightListener} listener */
  changed(listener) {
    const place = this.#places.get(listener);
    if (!place || place.isArriving) return;
    if (place.isContent(this.#ladder)) this.#changing.delete(place);
    else if (this.#wish(place)) this.#wants(place);
  }

  /**
   * Other nodes relay the mix at some rates to their listeners: each of its packets is sent to them
   * once.
   * @param {Pick<Transport, 'sendMany'>} relays
   * @param {ReadonlySet<number>} indices of the rates; one for which the codec has no encoder isn't
   *   sent
   */
  setRelayed(relays, indices) {
    for (let i = 0; i < this.#layers.length; i++)
      this.#layers[i].relays = indices.has(i) && this.open(i) ? relays : null;
  }

  /** Whether a rate is sent: a listener that is added is heard at once. @param {number} index */
  isReady(index) {
    const { stream } = this.#layers[index];
    return stream !== null && stream.isReady !== false;
  }

  /**
   * Opens a layer. It is kept for some seconds though nobody has it.
   * @param {number} index
   * @returns {boolean} false where the codec has no encoder for it
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

  /** @param {Place} place  that can have what it wants */
  #wants(place) {
    if (place.index < 0) this.#arrives(place);
    else this.#changing.add(place);
  }

  /**
   * Opens the layer that a listener wants.
   * @param {Place} place
   * @returns {boolean} false where the codec has no encoder for it: the listener keeps to what it
   *   has, or gets what there is
   */
  #wish(place) {
    const { rate } = place.listener;
    if (this.open(rate.index)) return true;
    const index = this.#layers.findIndex(({ stream }) => stream !== null);
    if (index >= 0) rate.index = place.index >= 0 ? place.index : index;
    return index >= 0 && place.index < 0;
  }

  /**
   * Sends a listener at once what was sent to others at its rate lately.
   * @param {LightListener} listener
   * @param {number} ms  since when
   * @param {number} frameMs
   * @returns {boolean} false where it isn't there
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
   * Begins to encode a frame at each rate that is wanted. end() is to follow.
   * @param {number} frame
   * @param {Float32Array} pcm  one frame of the mix; limited in place
   * @param {boolean} sounding
   * @param {SpeakerList} speakers
   * @param {ReadonlyArray<Float32Array>} before  the frames right before it that were sound
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
   * The lowest rate is encoded while there are listeners whose packets arrive surely: where their
   * way becomes narrow, what hasn't arrived is sent anew in it.
   * @returns {boolean} whether there are such
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

  /** @param {Place} place  in which a listener gets its first packet of a rate */
  #arrive(place) {
    const from = place.index;
    // Its rule may have decided otherwise since, or nobody was left there.
    place.index = -1;
    if (!this.#wish(place)) return;
    place.take(this.#ladder);
    place.isBehind = place.carriage === 'surely' && place.index < from && this.isReady(0);
    if (place.isBehind) place.index = 0;
    this.#layers[place.index].places.add(place);
  }

  /** Ends what was begun. */
  end() {
    for (let i = 0; i < this.#layers.length; i++) this.#layers[i].stream?.end();
  }

  /**
   * Sends the frame that was encoded last.
   * @param {number} frame
   */
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
   * Sends what hasn't been sent of the last frames: the next ones are left out.
   * @param {number} frame  that was sent last
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
   * Sends the first packet of a rate, with all that it can repeat, to those who have come to it.
   */
  #welcome() {
    for (const place of this.#arriving) {
      place.isArriving = false;
      if (place.isGone || place.index < 0) continue;
      const layer = this.#layers[place.index];
      layer.isStale = true;
      if (place.isBehind && this.#sendAnew(place)) {
        this.#changing.add(place);
        continue;
      }
      if (layer.isSent && layer.stream !== null)
        place.send(layer.stream.writeStride(MAX_REDUNDANCY));
    }
    this.#arriving.length = 0;
  }

  /**
   * Sends a listener whose way has become narrow what hasn't arrived, in the fewest bits, and only
   * then at its rate: the way would have to carry what waits for it at a rate that it can't.
   * @param {Place} place
   * @returns {boolean} false where the lowest rate wasn't encoded, or everything has arrived
   */
  #sendAnew(place) {
    const { session, rate } = place.listener;
    const ageMs = session.surely?.restart(rate.arrivedMs) ?? 0;
    place.isBehind =
      ageMs > 0 && this.#layers[0].far.goBack(session, Math.ceil(ageMs / this.#frameMs) + 1);
    return place.isBehind;
  }

  /**
   * @param {Place} place that changes, unless frames before are still to be sent
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
    // The longer stride's end: a packet of more frames than before is sent in place of one that
    // would follow it at once. A way that has become narrow has no time for that.
    const stride =
      place.listener.rate.index < place.index ? place.stride : place.longerStride(this.#ladder);
    if (layer.isSent && layer.stream !== null && !isDue(layer.stream, frame, stride)) return;
    // What it goes to is still to come from the room's home.
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

  /** @param {Place} place  that is sent nothing more of what it had */
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
