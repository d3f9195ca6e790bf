/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { Packet } from '../../../public/shared/wire/packet.js'
 * @import { DelayControl } from '../../clock/delay-control.js'
 * @import { SampleClock } from '../../clock/sample-clock.js'
 * @import { Listener } from '../../mix/listener.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 * @import { RoomConfig, RoomOwner, RoomServices } from '../room-config.js'
 * @import { RoomEvents } from '../room.js'
 * @import { RoomSettings } from './mode.js'
 */

import { MixClock } from '../../clock/mix-clock.js';
import { RoomCodec } from '../../codec/room-codec.js';
import { RoomDelay } from './delay.js';
import { openDelivery, RoomMode } from './mode.js';
import { RoomPace } from './pace.js';
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
  #roomDelay;

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {RoomServices} options.services
   * @param {RoomOwner} options.owner
   * @param {Clock} options.clock  the room's
   * @param {SampleClock} options.sampleClock  the room's
   * @param {DelayControl} options.delay  the room's
   * @param {RoomSettings} options.settings
   * @param {People} options.people
   * @param {RoomEvents} options.events
   */
  constructor({ config, services, owner, clock, sampleClock, delay, settings, people, events }) {
    const { codec, ticks, observer, log } = services;
    this.#services = services;
    this.#owner = owner;
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
    return this.delay.toldMs(delivery);
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
    member.session.letAudioWait?.(
      ticks && member.delivery === 'tick' && delivery.mode !== 'packets',
    );
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
