/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { RateCounts } from '../../broadcast/rate-counts.js'
 * @import { RoomCodec } from '../../codec/room-codec.js'
 * @import { SampleClock } from '../../clock/sample-clock.js'
 * @import { Permission } from '../../access/grant.js'
 * @import { Session, Transport } from '../../transport/session.js'
 * @import { Supply } from '../../mix/light-listener.js'
 * @import { Member } from './member.js'
 * @import { RoomMode } from '../room-mode.js'
 * @import { JoinWishes, RoomConfig, RoomServices } from '../room-config.js'
 */

import {
  AUDIO_HEADER_BYTES,
  MAX_LISTED_SPEAKERS,
  MAX_SENT_BYTES,
  speakersBytes,
  Stream,
} from '../../../public/shared/wire/packet.js';
import { Redundancy } from '../../../public/shared/stream/redundancy.js';
import { Ladder } from '../../broadcast/ladder.js';
import { Layers } from '../../broadcast/layers.js';
import { RATE_RULES } from '../../broadcast/rate-rule.js';
import { LevelBalance } from '../../mix/level-balance.js';
import { LightListener, strideOf } from '../../mix/light-listener.js';
import { Listener } from '../../mix/listener.js';
import { MixStream } from '../../mix/mix-stream.js';
import { Lateness } from '../../source/lateness.js';
import { Source } from '../../source/source.js';

/** The bytes of a packet that are left for payloads, beside a full list of speakers. */
const PAYLOADS_BYTES = MAX_SENT_BYTES - AUDIO_HEADER_BYTES - speakersBytes(MAX_LISTED_SPEAKERS);

/**
 * The most that listeners of a broadcast get by default, in bits a second for each channel:
 * fullband music (RFC 7587, section 3.1.1).
 */
export const MOST_OF_A_CHANNEL = 64_000;

/**
 * How much larger than their mean payloads of a broadcast may be: three of 128 kb/s that aren't go
 * in one packet.
 */
const BROADCAST_MARGIN = 1.1;

/** Makes what the members of one room are heard with and hear with. */
export class MemberSound {
  #config;
  #services;
  #sampleClock;
  #codec;
  #mode;
  #ladder;

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {RoomServices} options.services
   * @param {SampleClock} options.sampleClock  the room's
   * @param {RoomCodec} options.codec  the room's
   * @param {() => RoomMode} options.mode  the room's
   */
  constructor({ config, services, sampleClock, codec, mode }) {
    this.#mode = mode;
    this.#ladder = ladderOf(config);
    this.#config = config;
    this.#services = services;
    this.#sampleClock = sampleClock;
    this.#codec = codec;
  }

  /**
   * @param {number} stream  one of Stream
   * @param {string} name  for the log
   * @param {boolean} suppresses  whether packets are left out in silence
   */
  newStream(stream, name, suppresses) {
    const { effort } = this.#services;
    return new MixStream(stream, this.#codec.newEncoder(name), this.#config.format, {
      suppresses,
      effort,
    });
  }

  /**
   * Makes the mix at other bit rates.
   * @param {Clock} clock  the room's
   * @param {RateCounts} counts
   */
  newLayers(clock, counts) {
    const { format, silenceSuppression } = this.#config;
    const { effort } = this.#services;
    /** @param {number} index @param {number} bitrate */
    const open = (index, bitrate) => {
      // A way that becomes narrow delays each packet by its bytes. The lowest rate needs bits where
      // they are wanted: a decoder that begins amid its stream would be too soft for some time.
      const encoder = this.#codec.newEncoder(`the mix at ${bitrate} b/s`, {
        bitrate,
        isConstant: index > 0,
      });
      return new MixStream(Stream.layers + index, encoder, format, {
        suppresses: silenceSuppression,
        effort,
      });
    };
    return new Layers({ ladder: this.#ladder, format, open, clock, counts });
  }

  /**
   * Whether somebody is light: listens, and does nothing else, on a transport that can push, in a
   * room that may be mixed.
   * @param {'tick' | 'reply'} delivery
   * @param {ReadonlySet<Permission>} permissions
   */
  isLight(delivery, permissions) {
    return (
      this.#mode().setting !== 'forward' &&
      delivery === 'tick' &&
      permissions.has('listen') &&
      !permissions.has('speak')
    );
  }

  /** @param {Pick<Transport, 'replyOnly'>} transport @param {JoinWishes} wishes */
  deliveryOf({ replyOnly }, wishes) {
    return replyOnly ? 'reply' : (wishes.delivery ?? this.#config.delivery);
  }

  /**
   * @param {string} id  the member's
   * @param {Session} session
   * @param {JoinWishes} wishes
   * @param {Member | null} before  whose place it is
   * @param {ReadonlySet<Permission>} permissions
   * @returns {{ listener: Listener | LightListener, source: Source | null }}
   */
  open(id, session, wishes, before, permissions) {
    const { redundancy } = this.#config;
    const delivery = this.deliveryOf(session.transport, wishes);
    if (!this.isLight(delivery, permissions))
      return this.#openWhole(id, session, delivery, wishes, before);
    const nearness =
      wishes.nearness ?? (before?.listener?.isLight ? before.listener.nearness : undefined);
    const listener = new LightListener({
      id,
      session,
      ...this.supplyOf(session),
      nearness,
      redundancy: /** @type {'auto' | 0 | 1 | 2} */ (redundancy),
      clock: this.#services.clock,
    });
    return { listener, source: null };
  }

  /**
   * What a relay chooses one listener's rate by; null where the room isn't a broadcast, or where
   * they are no relay's.
   * @param {Session} session
   * @param {Listener | LightListener | null} listener
   */
  ratesAtRelay({ transport }, listener) {
    if (!transport.isRelay || !listener?.isLight || !this.#mode().broadcasts) return null;
    const { rates, stride, byRate } = this.#ladder;
    return { count: rates.length, stride, byRate, rule: this.#config.listenerRule };
  }

  /**
   * What a light listener is sent now: a rate of its own in a broadcast, and else the room's one.
   * @param {Pick<Session, 'transport'>} session
   * @returns {Supply}
   */
  supplyOf({ transport }) {
    const { listenerStride, listenerRule, format, bitrate } = this.#config;
    const ladder = this.#ladder;
    // Their relay chooses the rates of those who listen there: see ratesAtRelay.
    if (this.#mode().broadcasts && !transport.isRelay) {
      return {
        rate: new RATE_RULES[listenerRule](ladder),
        stride: ladder.stride,
        longStride: broadcastStride(Infinity, format, ladder),
      };
    }
    return {
      rate: null,
      stride: strideOf(mostStride(listenerStride), format, bitrate, PAYLOADS_BYTES),
      longStride: strideOf(Infinity, format, bitrate, PAYLOADS_BYTES),
    };
  }

  /**
   * @param {string} id
   * @param {Session} session
   * @param {'tick' | 'reply'} delivery
   * @param {JoinWishes} wishes
   * @param {Member | null} before
   */
  #openWhole(id, session, delivery, wishes, before) {
    const {
      format,
      maxDelayMs,
      maxServerDelayMs: maxMs,
      receivedTarget: targetPercent,
      ...config
    } = this.#config;
    const leavesOutSilence = delivery === 'tick' && config.silenceSuppression;
    const stream = this.newStream(Stream.mixMinus, `person ${id}`, leavesOutSilence);
    const redundancy = new Redundancy(
      /** @type {'auto' | 0 | 1 | 2} */ (config.redundancy),
      this.#services.clock,
    );
    const heard = before?.listener;
    const volumes = heard && !heard.isLight ? heard.volumes : undefined;
    const listener = new Listener({ id, session, delivery, format, stream, redundancy, volumes });
    if (wishes.serverDelayMs !== undefined) listener.readAt(wishes.serverDelayMs);
    let decoder;
    try {
      decoder = this.#codec.newDecoder(`person ${id}`);
    } catch (error) {
      listener.close();
      throw error;
    }
    const sampleClock = this.#sampleClock;
    const lateness = new Lateness({ frameMs: format.frameMs, maxMs, targetPercent });
    const balance = config.levelBalance ? new LevelBalance(format) : null;
    const source = new Source({
      id,
      format,
      sampleClock,
      maxDelayMs,
      decoder,
      lateness,
      balance,
      leavesOutSilence,
    });
    return { listener, source };
  }
}

/**
 * @param {RoomConfig} config
 * @returns {Ladder} the rates of the room's listeners, where it is a broadcast
 */
function ladderOf({ format, listenerBitrate, listenerStride }) {
  const most = listenerBitrate === 'auto' ? MOST_OF_A_CHANNEL * format.channels : listenerBitrate;
  return new Ladder(
    format,
    most,
    broadcastStride(mostStride(listenerStride), format, new Ladder(format, most, 1)),
    listenerStride === 'auto',
  );
}

/** @param {RoomConfig['listenerStride']} asked */
const mostStride = (asked) => (asked === 'auto' ? Infinity : asked);

/**
 * @param {number} asked
 * @param {RoomConfig['format']} format
 * @param {Ladder} ladder
 * @returns {number} how many frames fit a packet at its highest rate
 */
const broadcastStride = (asked, format, { rates }) =>
  strideOf(asked, format, rates[rates.length - 1], PAYLOADS_BYTES, BROADCAST_MARGIN);
