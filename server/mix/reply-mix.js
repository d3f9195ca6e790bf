/**
 * @import { AudioFormat } from '../../public/shared/sound/audio-format.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Source } from '../source/source.js'
 * @import { ActiveSpeakers } from './active-speakers.js'
 * @import { Listener } from './listener.js'
 */

import { addRamped, rampGain } from '../../public/shared/sound/level.js';
import { SpeakerList } from './mix-stream.js';

/**
 * Most that a reader may be ahead of the clock before its own clock counts as wrong, in
 * milliseconds.
 */
const CLOCK_TOLERANCE_MS = 5;

/** Number of kept mixes: for readers with other delays, and to know who was heard just before. */
const KEPT = 8;

/** Part of a source in a mix. @enum {number} */
const Place = Object.freeze({ none: 0, mixed: 1, leftOut: 2 });

/** Mix of one span of time, shared by all who ask for it. Each takes their own sound out. */
class ReplyStretch {
  start = -Infinity;
  /** False once a newer packet changes it. */
  fresh = false;
  /** True when missing frames have been made up; false while they were still awaited. */
  due = false;
  /** Number of samples of sound that were added. */
  added = 0;
  /**
   * Number of sources in the room that had begun to send, and number of their samples that were
   * there.
   */
  senders = 0;
  sent = 0;
  /** Place of each source by its index, and the gains at the beginning and the end. */
  places = new Uint8Array(0);
  from = new Float32Array(0);
  to = new Float32Array(0);

  /** @param {number} frameValues @param {number} sources number of sources */
  constructor(frameValues, sources) {
    this.pcm = new Float32Array(frameValues);
    this.resize(sources);
  }

  /** Forgets its content. @param {number} sources number of sources */
  resize(sources) {
    this.start = -Infinity;
    this.fresh = false;
    if (this.places.length >= sources) return;
    this.places = new Uint8Array(2 * sources);
    this.from = new Float32Array(2 * sources);
    this.to = new Float32Array(2 * sources);
  }

  /** @param {number} start @param {boolean} due */
  begin(start, due) {
    this.start = start;
    this.due = due;
    this.fresh = true;
    this.added = this.senders = this.sent = 0;
    this.pcm.fill(0);
    this.places.fill(Place.none);
    this.from.fill(0);
    this.to.fill(0);
  }

  /**
   * @param {number} index
   * @param {Source} source
   * @param {number} from
   * @param {number} to
   */
  add(index, source, from, to) {
    const added = source.ring.addTo(this.pcm, this.start, from, to);
    if (added === 0) return;
    this.added += added;
    this.from[index] = from;
    this.to[index] = to;
    if (this.places[index] === Place.none) this.places[index] = Place.mixed;
  }
}

/**
 * Mixes for listeners with delivery `reply`. Each packet is answered with the mix at its own clock
 * minus the server-side delay (thesis, section 2.3: `read_clock = write_clock -
 * server_side_delay`). All listeners that ask for the same time get the same mix, without their own
 * sound. It is made once, and again after a new packet that belongs to it.
 */
export class ReplyMixer {
  #format;
  #sampleClock;
  #echo;
  #observer;
  #delay;
  #speakers;
  /** @type {ReplyStretch[]} */
  #stretches = [];
  #turn = 0;
  #mix;
  #old;
  #list = new SpeakerList();
  /** Last frame whose speakers were chosen. */
  #chosen = -1;
  /** True when some listeners have the room's delay. */
  #hasOrdinary = false;
  /** True when a tick chooses the speakers. */
  #ticks = false;
  /** Sources in the room, followed by the draining ones. @type {ReadonlyArray<Source>} */
  #sources = [];
  #inRoom = 0;
  /** Indices of the sources in the room, by id. @type {Map<string, number>} */
  #indices = new Map();

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {SampleClock} options.sampleClock
   * @param {boolean} options.echo true when participants hear themselves too
   * @param {DelayControl} options.delay of the room
   * @param {ActiveSpeakers} options.speakers of the room
   * @param {{ mixed: (listener: Listener, source: Source, start: number, samples: number) => void
   *   }} [options.observer]
   */
  constructor({ format, sampleClock, echo, delay, speakers, observer }) {
    this.#format = format;
    this.#sampleClock = sampleClock;
    this.#echo = echo;
    this.#observer = observer;
    this.#delay = delay;
    this.#speakers = speakers;
    this.#mix = new Float32Array(format.frameValues);
    this.#old = new Float32Array(format.frameValues);
  }

  /**
   * Adopts the current participants, after one came, left or chose an own delay.
   * @param {ReadonlyArray<Source>} sources in the room, followed by the draining ones
   * @param {number} inRoom number of sources in the room
   * @param {ReadonlyArray<Listener>} listeners
   * @param {boolean} ticks true when the tick mixes too, and chooses the speakers
   */
  participantsChanged(sources, inRoom, listeners, ticks) {
    this.#sources = sources;
    this.#inRoom = inRoom;
    this.#indices = new Map(sources.slice(0, inRoom).map(({ id }, i) => [id, i]));
    this.#hasOrdinary = listeners.some(({ ownDelayMs }) => ownDelayMs === null);
    this.#ticks = ticks;
    for (const stretch of this.#stretches) stretch.resize(sources.length);
  }

  /**
   * Marks mixes of a packet's frame and of later ones to be made again.
   * @param {number} frame earliest one
   */
  received(frame) {
    const size = this.#format.frameSamples;
    for (let i = 0; i < this.#stretches.length; i++) {
      if (this.#stretches[i].start + size > frame * size) this.#stretches[i].fresh = false;
    }
  }

  /**
   * Answers a packet.
   * @param {Listener} listener
   * @param {number} frame of the packet
   * @returns {boolean} true when there was sound
   */
  reply(listener, frame) {
    const { frameSamples: size, sampleRate } = this.#format;
    const ordinary = this.#delay.replyDelaySamples;
    const own = listener.ownDelaySamples;
    const delay = own ?? ordinary;
    const start = frame * size - delay;
    // A listener that reads earlier than the others must not conceal frames that still come in time
    // for them.
    const waits = this.#hasOrdinary ? Math.max(delay, ordinary) : delay;
    const ahead = start + size + waits - this.#sampleClock.now();
    const stretch = this.#stretchAt(start, ahead <= (CLOCK_TOLERANCE_MS * sampleRate) / 1000);
    let added = this.#hear(listener, frame, stretch);
    this.#count(listener, stretch);
    const before = listener.readDelay;
    if (before >= 0 && before !== delay && own === null)
      added += this.#fadeFrom(listener, frame * size - before);
    listener.answered(frame, delay);
    listener.send(frame, this.#mix, added > 0, this.#list);
    return added > 0;
  }

  /** @param {number} start @returns {ReplyStretch | null} */
  #find(start) {
    for (let i = 0; i < this.#stretches.length; i++)
      if (this.#stretches[i].start === start) return this.#stretches[i];
    return null;
  }

  /** @param {number} start @param {boolean} due true to make up missing frames */
  #stretchAt(start, due) {
    const known = this.#find(start);
    if (known?.fresh && (known.due || !due)) return known;
    const stretch = known ?? this.#oldest();
    const before = this.#find(start - this.#format.frameSamples);
    this.#fill(stretch, start, due, before === stretch ? null : before);
    return stretch;
  }

  /** @returns {ReplyStretch} one to fill */
  #oldest() {
    if (this.#stretches.length < KEPT)
      this.#stretches.push(new ReplyStretch(this.#format.frameValues, this.#sources.length));
    this.#turn = (this.#turn + 1) % this.#stretches.length;
    return this.#stretches[this.#turn];
  }

  /**
   * Mixes a span. A source that gains or loses its place in the middle of sound is faded.
   * @param {ReplyStretch} stretch
   * @param {number} start
   * @param {boolean} due
   * @param {ReplyStretch | null} before preceding span, if known
   */
  #fill(stretch, start, due, before) {
    const first = Math.floor(start / this.#format.frameSamples);
    const chooses = due && !this.#ticks && first > this.#chosen;
    if (chooses) this.#speakers.choose((this.#chosen = first));
    stretch.begin(start, due);
    for (let i = 0; i < this.#sources.length; i++) {
      if (!this.#sources[i].isOver(first))
        this.#fillFrom(i, stretch, before === null ? Place.none : before.places[i]);
    }
    if (chooses) this.#speakers.measure(first);
  }

  /**
   * Adds one source to a span.
   * @param {number} i index of the source
   * @param {ReplyStretch} stretch
   * @param {number} was its Place in the preceding span
   */
  #fillFrom(i, stretch, was) {
    const { start, due } = stretch;
    const source = this.#sources[i];
    const size = this.#format.frameSamples;
    const first = Math.floor(start / size);
    const last = Math.floor((start + size - 1) / size);
    const makesRoom = this.#speakers.isLeftOut(source);
    if (makesRoom) {
      stretch.places[i] = Place.leftOut;
      // A source without a place is decoded only as far back as its decoder will need.
      if (was !== Place.mixed) return source.prime(first);
    }
    for (let f = first; f <= last; f++) source.pull(f, due);
    stretch.add(i, source, was === Place.leftOut ? 0 : 1, makesRoom ? 0 : 1);
    if (i >= this.#inRoom || makesRoom || !source.hasSentAt(start)) return;
    stretch.senders += 1;
    stretch.sent += source.ring.sentSamples(start, size);
  }

  /**
   * Fills the listener's own mix, and lists the speakers in it.
   * @param {Listener} listener
   * @param {number} frame answered one
   * @param {ReplyStretch} stretch
   * @returns {number} number of samples of sound
   */
  #hear({ id, volumes }, frame, { start, pcm, from, to, added }) {
    const mix = this.#mix;
    const isShared = volumes.size === 0;
    if (isShared) mix.set(pcm);
    else mix.fill(0);
    let heard = isShared ? added : 0;
    this.#list.clear();
    for (let i = 0; i < this.#sources.length; i++) {
      if (from[i] === 0 && to[i] === 0) continue;
      const source = this.#sources[i];
      if (source.id === id && !this.#echo) {
        if (isShared) heard -= source.ring.addTo(mix, start, -from[i], -to[i]);
        continue;
      }
      const samples = isShared ? 1 : volumes.addTo(mix, start, source, frame, from[i], to[i]);
      if (samples > 0) this.#list.add(source.number, source.level, source.voice);
      if (!isShared) heard += samples;
    }
    return heard;
  }

  /** @param {Listener} listener @param {ReplyStretch} stretch */
  #count(listener, { start, places, senders, sent }) {
    const size = this.#format.frameSamples;
    const asked = listener.received.ask(start, size);
    let [others, there] = [senders, sent];
    const own = this.#indices.get(listener.id);
    if (own !== undefined && places[own] !== Place.leftOut && this.#sources[own].hasSentAt(start)) {
      others -= 1;
      there -= this.#sources[own].ring.sentSamples(start, size);
    }
    if (others > 0) listener.received.add(asked * others, there);
    if (this.#observer === undefined) return;
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i];
      const isHeard = places[i] !== Place.leftOut && !source.isOver(Math.floor(start / size));
      if (isHeard && (source.id !== listener.id || this.#echo))
        this.#observer.mixed(listener, source, start, size);
    }
  }

  /**
   * Fades within one frame from the sound at the previous delay to the sound at the new one.
   * @param {Listener} listener
   * @param {number} start of the sound at the previous delay
   * @returns {number} number of samples of sound that were added
   */
  #fadeFrom({ id }, start) {
    const { frameSamples: size, channels } = this.#format;
    const old = this.#old.fill(0);
    let added = 0;
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i];
      if ((source.id === id && !this.#echo) || this.#speakers.isLeftOut(source)) continue;
      for (let f = Math.floor(start / size); f * size < start + size; f++) source.pull(f, false);
      added += source.ring.addTo(old, start);
    }
    rampGain(this.#mix, 0, size, channels, 0, 1);
    addRamped(this.#mix, 0, old, 0, size, channels, 1, 0);
    return added;
  }
}
