/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { DelayControl } from '../clock/delay-control.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { RateCounts } from '../broadcast/rate-counts.js'
 * @import { MemberSound } from './people/member-sound.js'
 * @import { JoinWishes, Observer, RoomConfig } from './room-config.js'
 * @import { Roster } from './people/roster.js'
 * @import { Session } from '../transport/session.js'
 *
 * @typedef {typeof MODES[number]} ModeSetting
 */

import { Stream } from '../../public/shared/wire/packet.js';
import { Forwarding } from '../forward/forwarding.js';
import { ModeSwitch } from '../forward/mode-switch.js';
import { Relaying } from '../forward/relaying.js';
import { Mixing } from '../mix/mixing.js';
import { MODES } from '../state/portable-state.js';

export { MODES };

/**
 * The most people in a room that `auto` forwards: see docs/forwarding.md, "When does auto
 * forward?".
 */
export const AUTO_PEOPLE = 8;

/**
 * The loss on the way to a listener above which `auto` mixes, in percent: the way may be too narrow
 * for several voices.
 */
export const AUTO_LOST_PERCENT = 5;

/**
 * For how long everything must speak for forwarding before `auto` forwards again, in milliseconds.
 */
export const AUTO_HOLD_MS = 10_000;

/**
 * Decides whether a room's sound is mixed or forwarded: as it is set, or, where that is `auto`, by
 * who is in the room.
 */
export class RoomMode {
  #config;
  #roster;
  #delivery;
  /** @type {ModeSetting} */
  #setting;
  #broadcasts = false;
  /**
   * Since when everything speaks for forwarding, on the monotonic clock; -Infinity at a room's
   * beginning.
   */
  #fitSinceMs = -Infinity;

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {Roster} options.roster
   * @param {ModeSwitch} options.delivery  the room's
   */
  constructor({ config, roster, delivery }) {
    this.#config = config;
    this.#roster = roster;
    this.#delivery = delivery;
    this.#setting = config.mode;
  }

  /** Whether the room is a broadcast. */
  get broadcasts() {
    return this.#broadcasts;
  }

  /** What it is set to. */
  get setting() {
    return this.#setting;
  }

  /**
   * @param {Session} session  of somebody who wants to come in
   * @param {JoinWishes} wishes
   * @returns {ErrorCode | null}
   */
  refusal({ transport }, wishes) {
    if (wishes.mirror) return null;
    if (this.#config.e2e !== (wishes.e2e ?? false))
      return this.#config.e2e ? 'e2e-only' : 'e2e-not-here';
    const replies = transport.replyOnly || (wishes.delivery ?? this.#config.delivery) === 'reply';
    return this.#setting === 'forward' && replies ? 'forward-only' : null;
  }

  /**
   * Says why a setting and a broadcast can't be had together; changes nothing.
   * @param {{ setting?: ModeSetting, broadcasts?: boolean }} change  as it is where it isn't given
   * @returns {ErrorCode | null}
   */
  refusalOf({ setting = this.#setting, broadcasts = this.#broadcasts }) {
    if (setting === 'forward' && broadcasts) return 'broadcast-mix';
    if (setting === this.#setting) return null;
    if (this.#config.e2e && setting !== 'forward') return 'e2e-room';
    return setting === 'forward' && (this.#hasReplies || this.#roster.audience.size > 0)
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
    this.#setting = setting;
    // Who asks for it now needn't wait until it has fitted for a while.
    this.#fitSinceMs = -Infinity;
    this.review(0);
    return null;
  }

  /**
   * @param {boolean} on  whether the room is a broadcast, which is mixed
   * @returns {ErrorCode | null} why it can't be one
   */
  setBroadcast(on) {
    const refusal = this.refusalOf({ broadcasts: on });
    if (refusal !== null) return refusal;
    this.#broadcasts = on;
    if (on) this.review(0);
    return null;
  }

  get #hasReplies() {
    for (const { delivery } of this.#roster.present.values()) if (delivery === 'reply') return true;
    return false;
  }

  /** Looks who is in the room. @param {number} nowMs  on the monotonic clock */
  review(nowMs) {
    const { forwardWay } = this.#config;
    if (this.#setting !== 'auto')
      return this.#delivery.change(this.#setting === 'mix' ? 'mix' : forwardWay);
    if (!this.#fits) this.#fitSinceMs = Infinity;
    else if (this.#fitSinceMs === Infinity) this.#fitSinceMs = nowMs;
    const forwards = this.#fitSinceMs === -Infinity || nowMs - this.#fitSinceMs >= AUTO_HOLD_MS;
    this.#delivery.change(forwards ? forwardWay : 'mix');
  }

  /**
   * Whether the room is small, no broadcast and without an audience, and nobody in it weak, on a
   * narrow way, or without a way to be pushed to.
   */
  get #fits() {
    const { present, audience } = this.#roster;
    if (this.#broadcasts || present.size > AUTO_PEOPLE || audience.size > 0) return false;
    for (const {
      delivery,
      report: { isWeak, figures },
    } of present.values()) {
      if (delivery === 'reply' || isWeak || (figures.downLostPercent ?? 0) > AUTO_LOST_PERCENT)
        return false;
    }
    return true;
  }
}

/**
 * Makes a room's delivery, whose mode may change.
 * @param {{ config: RoomConfig, clock: Clock, sampleClock: SampleClock, delay: DelayControl, rates:
 *   RateCounts, observer?: Observer }} room
 * @param {MemberSound} sound
 */
export function openDelivery({ config, clock, sampleClock, delay, rates, observer }, sound) {
  const { mode, forwardWay, silenceSuppression } = config;
  return new ModeSwitch(
    (wanted, onDrained) => {
      if (wanted === 'bundle') return new Forwarding({ config, clock, delay, onDrained });
      if (wanted === 'now') return new Relaying({ config, clock, delay, onDrained });
      const shared = sound.newStream(Stream.fullMix, 'the shared stream', silenceSuppression);
      return new Mixing({
        config,
        clock,
        sampleClock,
        delay,
        shared,
        layers: sound.newLayers(clock, rates),
        observer,
        onDrained,
      });
    },
    mode === 'mix' ? 'mix' : forwardWay,
  );
}
