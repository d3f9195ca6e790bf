/**
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { MixStream } from './mix-stream.js'
 * @import { Participant } from '../room/member.js'
 * @import { RoomSettings } from '../room/room-config.js'
 */

import { mixMinus } from './mixer.js';
import { Answers } from './answers.js';
import { Audience, lingers } from './shared-fanout.js';
import { Endings } from './draining.js';
import { RecentMixes } from './recent-mixes.js';
import { SpeakerList } from './speaker-list.js';
import { Speakers } from './active-speakers.js';

/** How many are mixed at once where nothing else is asked for. */
const MAX_SPEAKERS = 20;

/** What the people of a room hear: pulls their frames, mixes them, and sends the mix to each. */
export class Mix {
  #settings;
  #people;
  #delay;
  #recent;
  #ownMix;
  /** Those of the room whose delivery is `tick`, and those who hear a mix of their own at this tick. */
  #audience;
  #speakers;
  #list = new SpeakerList();
  #answers;
  /** Whether there is anybody who is answered. */
  #hasReplies = false;
  /** Those in the room, and behind them those of whom something still waits. @type {Participant[]} */
  #everybody = [];
  #endings;
  /** Those whose delivery is `tick` and who want to hear somebody in another way. @type {Participant[]} */
  #particular = [];

  /**
   * @param {RoomSettings} settings
   * @param {ReadonlyMap<string, Participant>} people those of the room, as they come and go
   * @param {DelayControl} delay the room's
   */
  constructor(settings, people, delay) {
    const { format, maxSpeakers = MAX_SPEAKERS } = settings;
    this.#settings = settings;
    this.#people = people;
    this.#delay = delay;
    this.#speakers = new Speakers(format, maxSpeakers);
    this.#answers = new Answers(settings, delay, this.#speakers);
    this.#audience = new Audience();
    this.#endings = new Endings(settings, (person) => this.#ended(person));
    this.#recent = new RecentMixes(format.frameValues);
    this.#ownMix = new Float32Array(format.frameValues);
    /** Whether there was anything to be heard in the last mix. */
    this.sounding = false;
    /** The last frame that was mixed on the tick; -1 before it. */
    this.ticked = { frame: -1 };
    /** The stream that all share whose own voice isn't in the mix. @type {MixStream | null} */
    this.shared = null;
  }

  /**
   * A packet has come.
   * @param {Participant} person
   */
  received(person) {
    if (person.sound.soundThrough > this.ticked.frame) this.#speakers.notice(person);
    if (this.#hasReplies) this.#answers.received(person.sound.keptFrom);
  }

  /**
   * Mixes a frame once, when its time has come, and sends it to everybody whose delivery is `tick`. Where
   * nobody speaks nobody is looked at.
   * @param {number} frame
   */
  tick(frame) {
    this.ticked.frame = frame;
    const recent = this.#recent;
    recent.turn(frame);
    const count = this.#speakers.mix(frame, recent.full);
    recent.filled(count > 0);
    this.sounding = count > 0;
    const { heard } = this.#speakers;
    this.#list.clear();
    for (let i = 0; i < count; i++) this.#list.add(heard[i].number, heard[i].level, heard[i].voice);
    if (count > 0) this.#sendOwn(frame);
    this.#sendLingering(frame);
    this.#audience.settle(frame);
    if (this.shared === null || this.#audience.size === 0) return;
    if (!this.shared.encode(frame, recent.full, count > 0, this.#list, recent.before)) return;
    this.#audience.send(this.shared);
  }

  /**
   * Those whose own voice is in the mix hear it without, and those who want to hear somebody of it in another
   * way a mix of their own.
   * @param {number} frame
   */
  #sendOwn(frame) {
    const { heard } = this.#speakers;
    const { full, before } = this.#recent;
    const { echo } = this.#settings;
    for (let i = 0; i < this.#particular.length; i++) {
      const { downlink } = this.#particular[i];
      if (!downlink.volumes.concern(heard)) continue;
      this.#audience.hearsOwn(this.#particular[i], frame);
      const except = echo ? null : this.#particular[i];
      const sounding = downlink.volumes.mix(this.#ownMix, frame, heard, except);
      downlink.send(frame, this.#ownMix, sounding, this.#list, before);
    }
    if (echo) return;
    for (let i = 0; i < heard.length; i++) {
      const { samples } = heard[i];
      // Who came back doesn't hear what was said before.
      const person = heard[i].person.holder;
      if (person.closed || person.delivery !== 'tick' || person.downlink.ownFrame === frame) continue;
      this.#audience.hearsOwn(person, frame);
      mixMinus(this.#ownMix, full, samples, 0);
      person.downlink.send(frame, this.#ownMix, heard.length > 1, this.#list, before);
    }
  }

  /** Those whose voice was in the mix until lately hear it in their own stream. @param {number} frame */
  #sendLingering(frame) {
    const { own } = this.#audience;
    for (let i = 0; i < own.length; i++) {
      const { downlink, closed } = own[i];
      if (closed || downlink.ownFrame === frame || !lingers(downlink, frame)) continue;
      this.#ownMix.set(this.#recent.full);
      downlink.send(frame, this.#ownMix, this.sounding, this.#list, this.#recent.before);
    }
  }

  /**
   * To be called when people came or went, or one took a delay of its own. PCM is kept longer where
   * readers may be far apart, and only there.
   */
  peopleChanged() {
    const inRoom = [...this.#people.values()];
    this.#particular = inRoom.filter(({ delivery, downlink }) => delivery === 'tick' && downlink.volumes.size > 0);
    const hadReplies = this.#hasReplies;
    this.#hasReplies = inRoom.some(({ delivery }) => delivery === 'reply');
    this.#audience.people = inRoom;
    this.#everybody = [...inRoom, ...this.#endings.people];
    // Of those who weren't heard nothing has been decoded until now.
    if (this.#hasReplies && !hadReplies) {
      for (const person of this.#everybody) person.sound.skipTo(this.ticked.frame - person.sound.maxPastFrames);
    }
    this.#answers.peopleChanged(this.#everybody, inRoom.length);
    const hasOwn = inRoom.some(({ ownDelaySamples }) => ownDelaySamples !== null);
    // One size for any delay: changing it back and forth mustn't cost anybody anything.
    const spreadMs = hasOwn ? this.#settings.maxDelayMs : 0;
    for (const person of this.#everybody) person.sound.keepFor(spreadMs);
  }

  /**
   * Somebody's session has ended, and they aren't among those in the room any more. What had come of them is mixed
   * to its end, which fades.
   * @param {Participant} person
   */
  end(person) {
    this.#endings.add(person, this.#hasReplies ? this.#settings.maxDelayMs : this.#delay.delayMs);
    this.peopleChanged();
  }

  /** @param {Participant} person of whom nothing waits any more */
  #ended(person) {
    this.#speakers.forget(person);
    person.sound.close();
    this.peopleChanged();
  }

  /**
   * Somebody's place is free: nobody needs to remember how loud they were to be.
   * @param {Participant} person
   * @param {Participant[]} everybody those who have a place, away or not
   */
  forget(person, everybody) {
    this.#endings.after(person, () => {
      for (const { downlink } of everybody) downlink.volumes.forget(person.speaker);
      this.peopleChanged();
    });
  }

  /**
   * Somebody has come back to their place: volumes stay as they were.
   * @param {Participant} before  the one who had the place
   * @param {Participant} person
   * @param {Participant[]} everybody those who have a place, away or not
   */
  replace(before, person, everybody) {
    for (const ending of this.#endings.people) if (ending.holder === before) ending.holder = person;
    before.holder = person;
    this.end(before);
    person.downlink.volumes.continue(before.downlink.volumes);
    for (const { downlink } of everybody) downlink.volumes.replace(before.speaker, person.speaker);
    this.forget(before, everybody);
  }

  /** Frees what the people's sound takes. Idempotent. */
  close() {
    this.#endings.close();
    for (const { sound } of this.#everybody) sound.close();
    this.shared?.close();
  }

  /** To be called when somebody reports loss: it may want other packets than before. */
  redundancyChanged() {
    this.#audience.changed();
  }

  /**
   * One listener wants to hear another louder, softer or not at all.
   * @param {Participant} listener
   * @param {Participant} person
   * @param {number} gain
   */
  setVolume(listener, person, gain) {
    const { speaker } = person;
    const frame = listener.delivery === 'tick' ? speaker.heardFrame : listener.answeredFrame;
    listener.downlink.volumes.set(speaker, gain, frame);
    this.peopleChanged();
  }

  /**
   * @param {Participant} listener
   * @param {number} frame of the packet that is answered
   */
  reply(listener, frame) {
    this.sounding = this.#answers.reply(listener, frame);
  }
}
