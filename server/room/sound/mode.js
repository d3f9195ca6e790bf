/**
 * @import { ErrorCode } from '../../../public/shared/errors.js'
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ModeSetting } from '../../../public/shared/limits.js'
 * @import { RateCounts } from '../../broadcast/layers.js'
 * @import { DelayControl } from '../../clock/delay-control.js'
 * @import { SampleClock } from '../../clock/sample-clock.js'
 * @import { Settings } from '../../state/portable-state.js'
 * @import { Session } from '../../session/session.js'
 * @import { JoinRequest, Observer, RoomBase, RoomConfig } from '../room-config.js'
 * @import { Floor } from '../../mix/mixing.js'
 * @import { Streams } from './streams.js'
 */

import { Stream } from '../../../public/shared/wire/packet.js';
import { Forwarding } from '../../forward/forwarding.js';
import { ModeSwitch } from '../../forward/mode-switch.js';
import { PacketForwarding } from '../../forward/packet-forwarding.js';
import { GroupedDelivery } from '../../mix/grouped-delivery.js';
import { Mixing, FloorBed } from '../../mix/mixing.js';

/**
 * Most people in a room that `auto` forwards: see docs/forwarding.md, "When does auto forward?".
 */
export const AUTO_PEOPLE = 8;

/**
 * Loss on the path to a listener above which `auto` mixes, in percent: the path may be too narrow
 * for several voices.
 */
const AUTO_LOST_PERCENT = 5;

/** Time for which a room must fit forwarding before `auto` forwards again, in milliseconds. */
export const AUTO_HOLD_MS = 10_000;

/**
 * Settings of a room's sound: some from its first participant, some that change later. Resume
 * tokens contain them, so they exist before the room has people or sound.
 */
export class RoomSettings {
  #config;
  #delay;

  /**
   * @param {Readonly<RoomConfig>} config
   * @param {Pick<DelayControl, 'setting'>} delay  the room's
   */
  constructor(config, delay) {
    this.#config = config;
    this.#delay = delay;
    /** @type {ModeSetting} */
    this.mode = config.mode;
    this.isBroadcast = false;
  }

  /** @returns {Settings} */
  state() {
    const { format, e2e } = this.#config;
    const { frameMs, channels } = format;
    return { frameMs, channels, mode: this.mode, e2e, serverDelayMs: this.#delay.setting };
  }
}

/**
 * Decides whether a room's sound is mixed or forwarded: by its setting, or for `auto` by its
 * people.
 */
export class RoomMode {
  #config;
  #settings;
  #people;
  #delivery;
  /** Time since which the room fits forwarding, on the monotonic clock; -Infinity: no wait. */
  #fitSinceMs = -Infinity;

  /**
   * @param {Pick<RoomBase, 'config' | 'people'> & { settings: RoomSettings, delivery:
   *   GroupedDelivery }} options
   */
  constructor({ config, settings, people, delivery }) {
    this.#config = config;
    this.#settings = settings;
    this.#people = people;
    this.#delivery = delivery;
  }

  /**
   * @param {Session} session  of a person who wants to join
   * @param {JoinRequest} request
   * @returns {ErrorCode | null}
   */
  refusal({ transport }, request) {
    if (request.mirror) return null;
    if (this.#config.e2e !== (request.e2e ?? false))
      return this.#config.e2e ? 'e2e-only' : 'e2e-not-here';
    const replies = transport.replyOnly || (request.delivery ?? this.#config.delivery) === 'reply';
    return this.#settings.mode === 'forward' && replies ? 'forward-only' : null;
  }

  /**
   * Says why a setting and a broadcast don't go together; changes nothing.
   * @param {{ setting?: ModeSetting, broadcasts?: boolean }} change  the present one by default
   * @returns {ErrorCode | null}
   */
  refusalOf({ setting = this.#settings.mode, broadcasts = this.#settings.isBroadcast }) {
    if (setting === 'forward' && broadcasts) return 'broadcast-mix';
    if (setting === this.#settings.mode) return null;
    if (this.#config.e2e && setting !== 'forward') return 'e2e-room';
    return setting === 'forward' && (this.#hasReplies || this.#people.audience.size > 0)
      ? 'forward-reply'
      : null;
  }

  /**
   * @param {ModeSetting} setting
   * @returns {ErrorCode | null} why it can't be that
   */
  set(setting) {
    const refusal = this.refusalOf({ setting });
    if (refusal !== null) return refusal;
    this.#settings.mode = setting;
    // A request takes effect at once: the room needn't fit for a while first.
    this.#fitSinceMs = -Infinity;
    this.review(0);
    return null;
  }

  /**
   * @param {boolean} on  true: the room is a broadcast, which is mixed
   * @returns {ErrorCode | null} why it can't be one
   */
  setBroadcast(on) {
    const refusal = this.refusalOf({ broadcasts: on });
    if (refusal !== null) return refusal;
    this.#settings.isBroadcast = on;
    if (on) this.review(0);
    return null;
  }

  get #hasReplies() {
    for (const { delivery } of this.#people.present.values()) if (delivery === 'reply') return true;
    return false;
  }

  /** Follows the room's people. @param {number} nowMs  on the monotonic clock */
  review(nowMs) {
    const { forwardWay } = this.#config;
    const { mode } = this.#settings;
    if (mode !== 'auto') return this.#delivery.change(mode === 'mix' ? 'mix' : forwardWay);
    if (!this.#fits) this.#fitSinceMs = Infinity;
    else if (this.#fitSinceMs === Infinity) this.#fitSinceMs = nowMs;
    const forwards = this.#fitSinceMs === -Infinity || nowMs - this.#fitSinceMs >= AUTO_HOLD_MS;
    this.#delivery.change(forwards ? forwardWay : 'mix');
  }

  /** True for a small room without a broadcast, audience, replies, or a weak or lossy member. */
  get #fits() {
    const { present, audience } = this.#people;
    if (this.#settings.isBroadcast || present.size > AUTO_PEOPLE || audience.size > 0) return false;
    for (const { delivery, figures } of present.values()) {
      const lostPercent = figures.downLostPercent ?? 0;
      if (delivery === 'reply' || figures.isWeak || lostPercent > AUTO_LOST_PERCENT) return false;
    }
    return true;
  }
}

/**
 * Makes a room's delivery, whose mode may change. Its groups have deliveries of the same kind.
 * @param {{ config: RoomConfig, clock: Clock, sampleClock: SampleClock, delay: DelayControl, rates:
 *   RateCounts, observer?: Observer }} room
 * @param {Streams} sound
 */
export const openDelivery = (room, sound) =>
  new GroupedDelivery((floor) => openPart(room, sound, floor));

/**
 * @param {Parameters<typeof openDelivery>[0]} room
 * @param {Streams} sound
 * @param {Floor} [floor]  beneath interpreters
 */
function openPart({ config, clock, sampleClock, delay, rates, observer }, sound, floor) {
  const { mode, forwardWay, silenceSuppression } = config;
  return new ModeSwitch(
    (wanted, onSourceEnded) => {
      if (wanted === 'bundle') return new Forwarding({ config, clock, delay, onSourceEnded });
      if (wanted === 'packets')
        return new PacketForwarding({ config, clock, delay, onSourceEnded });
      const shared = sound.newStream(Stream.fullMix, 'the shared stream', silenceSuppression);
      return new Mixing({
        config,
        clock,
        sampleClock,
        delay,
        shared,
        layers: sound.newLayers(clock, rates),
        observer,
        onSourceEnded,
        math: sound.math,
        bed: floor && new FloorBed(floor, config.format),
      });
    },
    // A broadcast is mixed, whatever the room was at first.
    mode === 'mix' || floor ? 'mix' : forwardWay,
  );
}
