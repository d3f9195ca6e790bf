/**
 * @import { Packet } from '../../../public/shared/wire/packet.js'
 * @import { DelayControl } from '../../clock/delay-control.js'
 * @import { Listener } from '../../mix/listener.js'
 * @import { Member } from '../people/member.js'
 * @import { RoomBase, RoomConfig, RoomOwner, RoomServices } from '../room-config.js'
 * @import { RoomSettings } from './mode.js'
 */

import { TickLoad } from '../../clock/load-shares.js';
import { MixClock, TickLateness } from '../../clock/mix-clock.js';
import { RoomCodec } from '../../codec/room-codec.js';
import { RoomDelay } from './delay.js';
import { openDelivery, RoomMode } from './mode.js';
import { Streams } from './streams.js';

/** Lateness of a tick, in milliseconds, from which the loads of all rooms are settled at once. */
const SETTLE_LATE_MS = 10;

/**
 * The sound of a room: takes packets from members, mixes or forwards them on the room's clock, and
 * answers members over transports that can't push.
 */
export class Sound {
  #services;
  #owner;
  #people;
  #roomDelay;

  /**
   * @param {RoomBase & { delay: DelayControl, settings: RoomSettings }} options  delay: the room's
   */
  constructor({ config, services, owner, clock, sampleClock, delay, settings, people, events }) {
    const { codec, ticks, observer, log } = services;
    this.#services = services;
    this.#owner = owner;
    this.#people = people;
    this.sampleClock = sampleClock;
    this.frameMs = config.format.frameMs;
    this.delay = delay;
    this.pace = new RoomPace(config, services, owner);
    this.codec = new RoomCodec(codec, config, log);
    this.streams = new Streams({ config, services, sampleClock, codec: this.codec, settings });
    this.delivery = openDelivery(
      { config, clock, sampleClock, delay, rates: owner.totals.rates, observer },
      this.streams,
    );
    this.mode = new RoomMode({ config, settings, people, delivery: this.delivery });
    this.#roomDelay = new RoomDelay({ control: delay, people, stragglerMs: config.stragglerMs });
    this.mixClock = new MixClock({
      ticks,
      sampleClock,
      frameSamples: config.format.frameSamples,
      delaySamples: delay.delaySamples,
      load: this.pace.load,
      mix: this.#tick.bind(this),
      failed: (error) => events.emit('fault', 'its tick', error),
    });
  }

  /** People whose packets need more delay than most. */
  get late() {
    return this.#roomDelay.people;
  }

  /** Last frame that the tick has mixed; -1 before the first. */
  get mixedThrough() {
    return this.delivery.mixedThrough;
  }

  clockNow() {
    return this.#services.clock.now();
  }

  /** @param {number} arrivalMs  on the monotonic clock */
  sampleAt(arrivalMs) {
    return this.sampleClock.at(arrivalMs);
  }

  /** @param {number} arrivalMs  on the monotonic clock */
  stallBefore(arrivalMs) {
    return this.#services.ticks.stallBefore(arrivalMs);
  }

  /** @param {'tick' | 'reply'} delivery */
  serverDelayMs(delivery) {
    return this.delay.shownDelayMs(delivery);
  }

  /** @param {Member} member @returns {number} see RoomDelay */
  delayWithoutMs(member) {
    return this.#roomDelay.withoutMs(member);
  }

  /**
   * Tells the delay and the delivery that a member's source has kept a frame's packet. Answers
   * the packet of a member whose delivery is `reply`.
   * @param {Member} member
   * @param {number} frame
   * @param {number} arrivalMs
   * @param {Packet} packet  valid during the call, as its bytes are
   * @param {Uint8Array} bytes
   */
  received(member, frame, arrivalMs, packet, bytes) {
    const { source, listener } = member;
    if (source === null) return;
    const { delay, delivery, mixClock } = this;
    const ticks = mixClock.running;
    if (this.#roomDelay.observe(member, arrivalMs)) this.#followDelay();
    if (!ticks && delay.advanceTo(this.sampleAt(arrivalMs), delivery.sounding)) this.#followDelay();
    this.#services.observer?.received(member, frame, arrivalMs);
    member.session.holdAudio?.(ticks && member.delivery === 'tick' && delivery.mode !== 'packets');
    delivery.received(source, frame, packet, bytes);
    if (listener !== null && !listener.isLight && listener.delivery === 'reply')
      this.#reply(listener, frame);
  }

  /**
   * Answers a packet, unless the server is overloaded and this room is one of the heavy ones.
   * @param {Listener} listener
   * @param {number} frame
   */
  #reply(listener, frame) {
    if (!this.pace.mayReply()) return;
    const startMs = this.clockNow();
    this.delivery.reply(listener, frame);
    this.pace.load.add(this.clockNow() - startMs);
  }

  /**
   * @param {number} frame
   * @param {number} latenessMs
   */
  #tick(frame, latenessMs) {
    if (this.pace.ticked(latenessMs)) this.delivery.setPlaces(this.pace.places);
    if (latenessMs > SETTLE_LATE_MS) this.#owner.settle();
    this.#services.observer?.ticked(frame, latenessMs);
    this.delivery.tick(frame);
    if (this.delay.advance(1, this.delivery.sounding)) this.#followDelay();
  }

  #followDelay() {
    this.mixClock.delaySamples = this.delay.delaySamples;
  }

  /** Follows the people after a member's welcome. @param {Member} member */
  welcomed({ delivery }) {
    this.mode.review(this.clockNow());
    if (delivery === 'tick') this.mixClock.start();
  }

  /** Ends the sound of a removed member; received sound is still heard. @param {Member} member */
  leave({ source, listener }) {
    this.delivery.leave(source, listener);
    if (this.#people.ticking === 0) this.mixClock.stop();
  }

  /** Forgets a member's volumes once all their sound has been heard. @param {string} id */
  forget(id) {
    this.delivery.whenEnded(id, () => {
      for (const { listener } of this.#people.everybody)
        if (!listener?.isLight) listener?.volumes.forget(id);
      this.delivery.listenersChanged();
    });
  }

  /** Reviews delay and mode, once a second. @param {number} nowMs  on the monotonic clock */
  review(nowMs) {
    this.#roomDelay.review(nowMs);
    this.mode.review(nowMs);
  }

  /** Frees the room's own objects, and adds its counters to the server's. */
  close() {
    this.pace.totals.codecFaults += this.codec.faults;
    this.pace.totals.skippedFrames += this.mixClock.skipped;
    this.delivery.close();
  }
}

/**
 * Greatest weight of a room that keeps its replies on an overloaded server, in milliseconds a
 * second.
 */
const MAX_REPLY_MS = 200;

/**
 * The pace of a room: lateness of its mixes, its cost, and the work that it leaves out under
 * overload.
 */
export class RoomPace {
  #ticks;
  #isBusy;
  #lateness = new TickLateness();
  #places;
  #shedReplies = 0;

  /** Cost of the room. */
  load = new TickLoad();

  /**
   * @param {Pick<RoomConfig, 'maxSpeakers'>} config
   * @param {Pick<RoomServices, 'ticks'>} services
   * @param {Pick<RoomOwner, 'totals' | 'isBusy'>} owner
   */
  constructor({ maxSpeakers }, { ticks }, { totals, isBusy }) {
    this.#ticks = ticks;
    this.#isBusy = isBusy;
    this.#places = new SpeakerPlaces(maxSpeakers);
    /** Figures of all rooms. */
    this.totals = totals;
  }

  /** Number of speakers that are mixed now. */
  get places() {
    return this.#places.now;
  }

  get reduced() {
    return this.#places.reduced;
  }

  get shedReplies() {
    return this.#shedReplies;
  }

  /**
   * Notes a tick.
   * @param {number} latenessMs
   * @returns {boolean} true when the number of places has changed
   */
  ticked(latenessMs) {
    this.#lateness.add(latenessMs);
    this.totals.ticks.add(latenessMs);
    return this.#places.note(latenessMs);
  }

  /**
   * Decides whether a packet is answered. A missing reply is a gap, so it is the last resort: only
   * while newcomers are refused, and only in a heavy room.
   */
  mayReply() {
    if (this.load.weight <= MAX_REPLY_MS || !this.#ticks.overloaded || !this.#isBusy()) return true;
    this.#shedReplies += 1;
    return false;
  }

  describe() {
    return {
      ...this.#lateness.describe(),
      places: this.#places.now,
      shedReplies: this.#shedReplies,
    };
  }
}

/** Lateness from which a mixed frame counts as late, in milliseconds. */
const LATE_MS = 40;

/** Number of frames in a window, and number of late ones among them that takes places away. */
const WINDOW_FRAMES = 25;
const MOST_LATE = 8;

/** Number of windows in a row without a late frame that gives places back. */
const CALM_WINDOWS = 10;

/** Places that a room keeps however late it is: a conversation has no more speakers. */
const LEAST_PLACES = 4;

/**
 * Number of speakers that a room mixes. It is halved repeatedly while mixes are late, so the load
 * falls and the loudest speakers are heard in time.
 */
export class SpeakerPlaces {
  #most;
  #least;
  #frames = 0;
  #late = 0;
  #calm = 0;

  /** @param {number} most */
  constructor(most) {
    this.#most = most;
    this.#least = Math.min(most, LEAST_PLACES);
    /** Current number. */
    this.now = most;
  }

  /** True when it is below the most. */
  get reduced() {
    return this.now < this.#most;
  }

  /**
   * @param {number} latenessMs of the frame being mixed
   * @returns {boolean} true when the number of places has changed
   */
  note(latenessMs) {
    this.#frames += 1;
    if (latenessMs > LATE_MS) this.#late += 1;
    if (this.#late < MOST_LATE && this.#frames < WINDOW_FRAMES) return false;
    const before = this.now;
    if (this.#late >= MOST_LATE) this.now = Math.max(this.#least, this.now >> 1);
    this.#calm = this.#late === 0 ? this.#calm + 1 : 0;
    if (this.#calm >= CALM_WINDOWS) {
      this.now = Math.min(this.#most, 2 * this.now);
      this.#calm = 0;
    }
    this.#frames = this.#late = 0;
    return this.now !== before;
  }
}
