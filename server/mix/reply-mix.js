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
 * How far ahead of the clock a reader may be before its clock is taken for wrong, in milliseconds.
 */
const CLOCK_TOLERANCE_MS = 5;

/**
 * How many mixes are kept: for those who read with other delays, and to know who was heard just
 * before.
 */
const KEPT = 8;

/** The part of a source in a mix. @enum {number} */
const Place = Object.freeze({ none: 0, mixed: 1, leftOut: 2 });

/**
 * The mix of one stretch of time, as it answers all who ask for it. Each of them takes their own
 * sound out.
 */
class Stretch {
  start = -Infinity;
  /** Whether nothing has come since that belongs to it. */
  fresh = false;
  /** Whether what was missing has been made up; else it was still waited for. */
  due = false;
  /** How many samples of sound were added. */
  added = 0;
  /** How many of those in the room had begun to send, and how many samples of theirs were there. */
  senders = 0;
  sent = 0;
  /** For each source by its index: one of Place, and the gains with which it begins and ends. */
  places = new Uint8Array(0);
  from = new Float32Array(0);
  to = new Float32Array(0);

  /**
   * @param {number} frameValues
   * @param {number} sources  how many there are
   */
  constructor(frameValues, sources) {
    this.pcm = new Float32Array(frameValues);
    this.resize(sources);
  }

  /** Forgets what it holds. @param {number} sources  how many there are */
  resize(sources) {
    this.start = -Infinity;
    this.fresh = false;
    if (this.places.length >= sources) return;
    this.places = new Uint8Array(2 * sources);
    this.from = new Float32Array(2 * sources);
    this.to = new Float32Array(2 * sources);
  }

  /**
   * @param {number} start
   * @param {boolean} due
   */
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
 * Mixes for those whose delivery is `reply`: each packet is answered with the mix at its own clock
 * less the server-side delay (thesis, section 2.3: read_clock = write_clock - server_side_delay).
 * All who ask for the same time get the same mix, less their own sound: it is made once, and again
 * when more has come that belongs to it.
 */
export class ReplyMixer {
  #format;
  #sampleClock;
  #echo;
  #observer;
  #delay;
  #speakers;
  /** @type {Stretch[]} */
  #stretches = [];
  #turn = 0;
  #mix;
  #old;
  #list = new SpeakerList();
  /** The last frame for which the speakers were chosen. */
  #chosen = -1;
  /** Whether anybody hears with the room's own delay, and whether the tick chooses the speakers. */
  #hasOrdinary = false;
  #ticks = false;
  /** Those in the room, and behind them those that drain. @type {ReadonlyArray<Source>} */
  #sources = [];
  #inRoom = 0;
  /** The indices of those in the room, by id. @type {Map<string, number>} */
  #indices = new Map();

  /**
   * @param {object} options
   * @param {AudioFormat} options.format
   * @param {SampleClock} options.sampleClock
   * @param {boolean} options.echo  whether everybody hears themselves too
   * @param {DelayControl} options.delay  the room's
   * @param {ActiveSpeakers} options.speakers  the room's
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
   * Participants came or went, or one took a delay of its own.
   * @param {ReadonlyArray<Source>} sources  those in the room, and behind them those that drain
   * @param {number} inRoom  how many the first are
   * @param {ReadonlyArray<Listener>} listeners
   * @param {boolean} ticks  whether the tick mixes too, and chooses the speakers
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
   * A packet has brought something: mixes of its frame and of later ones are made anew.
   * @param {number} frame  the earliest
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
   * @param {number} frame  of the packet
   * @returns {boolean} whether there was anything to be heard
   */
  reply(listener, frame) {
    const { frameSamples: size, sampleRate } = this.#format;
    const ordinary = this.#delay.replyDelaySamples;
    const own = listener.ownDelaySamples;
    const delay = own ?? ordinary;
    const start = frame * size - delay;
    // A listener who reads earlier than the others makes up nothing that still comes in time for
    // them.
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

  /** @param {number} start @returns {Stretch | null} */
  #find(start) {
    for (let i = 0; i < this.#stretches.length; i++)
      if (this.#stretches[i].start === start) return this.#stretches[i];
    return null;
  }

  /**
   * @param {number} start
   * @param {boolean} due  whether what is missing is made up
   */
  #stretchAt(start, due) {
    const known = this.#find(start);
    if (known?.fresh && (known.due || !due)) return known;
    const stretch = known ?? this.#oldest();
    const before = this.#find(start - this.#format.frameSamples);
    this.#fill(stretch, start, due, before === stretch ? null : before);
    return stretch;
  }

  /** @returns {Stretch} to be filled */
  #oldest() {
    if (this.#stretches.length < KEPT)
      this.#stretches.push(new Stretch(this.#format.frameValues, this.#sources.length));
    this.#turn = (this.#turn + 1) % this.#stretches.length;
    return this.#stretches[this.#turn];
  }

  /**
   * Mixes a stretch. A source that makes room for another, or is given room, in the middle of sound
   * is faded.
   * @param {Stretch} stretch
   * @param {number} start
   * @param {boolean} due
   * @param {Stretch | null} before  the stretch right before, where it is known
   */
  #fill(stretch, start, due, before) {
    const size = this.#format.frameSamples;
    const first = Math.floor(start / size);
    const last = Math.floor((start + size - 1) / size);
    const chooses = due && !this.#ticks && first > this.#chosen;
    if (chooses) this.#speakers.choose((this.#chosen = first));
    stretch.begin(start, due);
    for (let i = 0; i < this.#sources.length; i++) {
      const source = this.#sources[i];
      if (source.isOver(first)) continue;
      const makesRoom = this.#speakers.isLeftOut(source);
      const was = before === null ? Place.none : before.places[i];
      if (makesRoom) {
        stretch.places[i] = Place.leftOut;
        if (was !== Place.mixed) {
          // A source that isn't heard is decoded no further back than its decoder needs once it is.
          source.prime(first);
          continue;
        }
      }
      for (let f = first; f <= last; f++) source.pull(f, due);
      stretch.add(i, source, was === Place.leftOut ? 0 : 1, makesRoom ? 0 : 1);
      if (i >= this.#inRoom || makesRoom || !source.hasSentAt(start)) continue;
      stretch.senders += 1;
      stretch.sent += source.ring.sentSamples(start, size);
    }
    if (chooses) this.#speakers.measure(first);
  }

  /**
   * Fills the listener's own mix, and lists the speakers in it.
   * @param {Listener} listener
   * @param {number} frame  that is answered
   * @param {Stretch} stretch
   * @returns {number} how many samples of sound there are
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

  /**
   * @param {Listener} listener
   * @param {Stretch} stretch
   */
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
   * Goes over, within one frame, from what would have been read at the delay before to what is read
   * now.
   * @param {Listener} listener
   * @param {number} start  of what would have been read
   * @returns {number} how many samples of sound were added
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
