/**
 * @import { AnswerMix } from './answer-mix.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { Participant } from '../room/member.js'
 * @import { RoomSettings } from '../room/room-config.js'
 * @import { Speakers } from './active-speakers.js'
 */

import { addRamped, rampGain } from '../../public/shared/level.js';
import { AnswerMixes } from './answer-mix.js';
import { PRIMING_FRAMES } from './speaker.js';
import { SpeakerList } from './speaker-list.js';

/** A reader may be so far ahead of the clock before it is taken for one whose clock is wrong. */
const CLOCK_TOLERANCE_MS = 5;

/**
 * Those whose delivery is `reply`: each packet is answered with the mix at its own clock less the server-side delay.
 * Who asks for the same time gets the same mix, less what they said themselves: it is made once, and again where
 * more has come.
 */
export class Answers {
  #settings;
  #delay;
  #speakers;
  #mixes;
  #mix;
  #old;
  #list = new SpeakerList();
  /** The last frame for which it was chosen who is heard. */
  #chosen = -1;
  /** Whether there is anybody who hears with the room's own delay, and whether it is chosen on the tick. */
  #hasOrdinary = false;
  #ticks = false;
  /** Those in the room, and behind them those of whom something still waits. @type {ReadonlyArray<Participant>} */
  #everybody = [];
  #inRoom = 0;

  /**
   * @param {RoomSettings} settings
   * @param {DelayControl} delay the room's
   * @param {Speakers} speakers
   */
  constructor(settings, delay, speakers) {
    const { frameValues } = settings.format;
    this.#settings = settings;
    this.#delay = delay;
    this.#speakers = speakers;
    this.#mixes = new AnswerMixes(frameValues);
    this.#mix = new Float32Array(frameValues);
    this.#old = new Float32Array(frameValues);
  }

  /**
   * People came or went, or one took a delay of its own.
   * @param {ReadonlyArray<Participant>} everybody those in the room, and behind them those of whom something waits
   * @param {number} inRoom how many the first are
   */
  peopleChanged(everybody, inRoom) {
    this.#everybody = everybody;
    this.#inRoom = inRoom;
    const present = everybody.slice(0, inRoom);
    this.#hasOrdinary = present.some(({ ownDelaySamples }) => ownDelaySamples === null);
    this.#ticks = present.some(({ delivery }) => delivery === 'tick');
    this.received(-1);
  }

  /**
   * A packet has brought something.
   * @param {number} frame the earliest that it was for: what was mixed of it and of later ones is mixed anew
   */
  received(frame) {
    const { frameSamples } = this.#settings.format;
    this.#mixes.spoil(frame * frameSamples, frameSamples);
  }

  /**
   * Answers a packet with the mix at its own clock less the server-side delay (thesis, section 2.3:
   * read_clock = write_clock - server_side_delay).
   * @param {Participant} listener
   * @param {number} frame of the packet
   * @returns {boolean} whether there was anything to be heard
   */
  reply(listener, frame) {
    const { format, sampleClock } = this.#settings;
    const size = format.frameSamples;
    const ordinary = this.#delay.replyDelaySamples;
    const delay = listener.ownDelaySamples ?? ordinary;
    const start = frame * size - delay;
    // Who reads earlier than the others mustn't have made up what still comes in time for them.
    const waits = this.#hasOrdinary ? Math.max(delay, ordinary) : delay;
    const ahead = start + size + waits - sampleClock.now();
    const answer = this.#mixAt(start, ahead <= (CLOCK_TOLERANCE_MS * format.sampleRate) / 1000);
    let added = this.#hear(listener, frame, answer);
    this.#count(listener, answer);
    const before = listener.readDelaySamples;
    if (before >= 0 && before !== delay && listener.ownDelaySamples === null) {
      added += this.#fadeFrom(listener, frame * size - before, this.#mix);
    }
    listener.readDelaySamples = delay;
    listener.answeredFrame = frame;
    listener.downlink.send(frame, this.#mix, added > 0, this.#list);
    return added > 0;
  }

  /**
   * @param {number} start
   * @param {boolean} due whether what is missing is made up
   */
  #mixAt(start, due) {
    const known = this.#mixes.find(start);
    if (known?.fresh && (known.due || !due)) return known;
    const answer = known ?? this.#mixes.next();
    const before = this.#mixes.find(start - this.#settings.format.frameSamples);
    this.#fill(answer, start, due, before === answer ? null : before);
    return answer;
  }

  /**
   * Mixes a stretch. Who has to make room for another, or gets it, in the middle of sound is faded.
   * @param {AnswerMix} answer
   * @param {number} start
   * @param {boolean} due
   * @param {AnswerMix | null} before of the stretch right before, where that is known
   */
  #fill(answer, start, due, before) {
    const size = this.#settings.format.frameSamples;
    const first = Math.floor(start / size);
    const last = Math.floor((start + size - 1) / size);
    const chooses = due && !this.#ticks && first > this.#chosen;
    if (chooses) this.#speakers.choose((this.#chosen = first));
    answer.begin(start, due);
    for (let i = 0; i < this.#everybody.length; i++) {
      const person = this.#everybody[i];
      const { sound, speaker } = person;
      if (speaker.isOver(first)) continue;
      const makesRoom = this.#speakers.isLeftOut(speaker);
      const wasLeftOut = before !== null && before.leftOut.includes(person);
      if (makesRoom) {
        answer.leftOut.push(person);
        // Of what isn't heard no more is decoded than the decoder needs where it will be.
        if (wasLeftOut || !before?.people.includes(person)) {
          sound.skipTo(first - PRIMING_FRAMES);
          continue;
        }
      }
      for (let f = first; f <= last; f++) sound.pull(f, due);
      answer.add(person, wasLeftOut ? 0 : 1, makesRoom ? 0 : 1);
      if (i < this.#inRoom && !makesRoom) answer.count(person, size);
    }
    if (chooses) this.#speakers.measure(first);
  }

  /**
   * Fills the listener's own mix, and lists who is in it.
   * @param {Participant} listener
   * @param {number} frame that is answered
   * @param {AnswerMix} answer
   * @returns {number} how many samples of sound there are
   */
  #hear(listener, frame, { start, pcm, people, from, to, added }) {
    const mix = this.#mix;
    const { volumes } = listener.downlink;
    const isShared = volumes.size === 0;
    if (isShared) mix.set(pcm);
    else mix.fill(0);
    let heard = isShared ? added : 0;
    this.#list.clear();
    for (let i = 0; i < people.length; i++) {
      const person = people[i];
      const { sound, speaker } = person;
      if (person.holder === listener && !this.#settings.echo) {
        if (isShared) heard -= sound.ring.addTo(mix, start, -from[i], -to[i]);
        continue;
      }
      const samples = isShared ? 1 : volumes.addTo(mix, start, person, frame, from[i], to[i]);
      if (samples > 0) this.#list.add(speaker.number, sound.level, sound.voice);
      if (!isShared) heard += samples;
    }
    return heard;
  }

  /**
   * @param {Participant} listener
   * @param {AnswerMix} answer
   */
  #count(listener, { start, leftOut, senders, sent }) {
    const { format, echo, observer } = this.#settings;
    const size = format.frameSamples;
    const asked = listener.heard.ask(start, size);
    const { sound } = listener;
    const isCounted = sound.hasSentAt(start) && !leftOut.includes(listener);
    const others = senders - Number(isCounted);
    const own = isCounted ? sound.ring.sentSamples(start, size) : 0;
    if (others > 0) listener.heard.add(asked * others, sent - own);
    if (observer === undefined) return;
    for (const person of this.#everybody) {
      const isOwn = person.holder === listener && !echo;
      const isHeard = !person.speaker.isOver(Math.floor(start / size)) && !leftOut.includes(person);
      if (!isOwn && isHeard) observer.mixed(listener, person, start, size);
    }
  }

  /**
   * Goes over, within one frame, from what would have been read at the delay before to what is read now.
   * @param {Participant} listener
   * @param {number} start of what would have been read
   * @param {Float32Array} mix what is read now; changed in place
   * @returns {number} how many samples of sound were added
   */
  #fadeFrom(listener, start, mix) {
    const { frameSamples: size, channels } = this.#settings.format;
    const old = this.#old.fill(0);
    let added = 0;
    for (let i = 0; i < this.#everybody.length; i++) {
      const person = this.#everybody[i];
      const { sound, speaker } = person;
      if ((person.holder === listener && !this.#settings.echo) || this.#speakers.isLeftOut(speaker)) continue;
      for (let f = Math.floor(start / size); f * size < start + size; f++) sound.pull(f, false);
      added += sound.ring.addTo(old, start);
    }
    rampGain(mix, 0, size, channels, 0, 1);
    addRamped(mix, 0, old, 0, size, channels, 1, 0);
    return added;
  }
}
