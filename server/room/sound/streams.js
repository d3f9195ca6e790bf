/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { RateCounts } from '../../broadcast/layers.js'
 * @import { RoomCodec } from '../../codec/room-codec.js'
 * @import { Permission } from '../../state/grant.js'
 * @import { Session, Transport } from '../../session/session.js'
 * @import { Supply } from '../../mix/light-listener.js'
 * @import { Member } from '../people/member.js'
 * @import { JoinRequest, RoomBase, RoomConfig } from '../room-config.js'
 * @import { RoomSettings } from './mode.js'
 */

import {
  AUDIO_HEADER_BYTES,
  MAX_LISTED_SPEAKERS,
  MAX_SENT_BYTES,
  speakersBytes,
  Stream,
} from '../../../public/shared/wire/packet.js';
import { PayloadEncoder } from '../../../public/shared/stream/payload.js';
import { fitsPcm, PcmEncoder } from '../../../public/shared/stream/pcm.js';
import { Redundancy } from '../../../public/shared/stream/redundancy.js';
import { Ladder } from '../../broadcast/ladder.js';
import { Layers } from '../../broadcast/layers.js';
import { rateRuleOf } from '../../broadcast/rate-rule.js';
import { LevelBalance } from '../../mix/level-balance.js';
import { LightListener, strideOf } from '../../mix/light-listener.js';
import { Listener } from '../../mix/listener.js';
import { MixStream } from '../../mix/mix-stream.js';
import { Lateness } from '../../source/lateness.js';
import { Source } from '../../source/source.js';

/** Bytes of a packet for payloads, beside a full list of speakers. */
const PAYLOADS_BYTES = MAX_SENT_BYTES - AUDIO_HEADER_BYTES - speakersBytes(MAX_LISTED_SPEAKERS);

/**
 * Highest default rate of a broadcast's listeners, in bits a second for each channel:
 * fullband music (RFC 7587, section 3.1.1).
 */
export const MOST_OF_A_CHANNEL = 64_000;

/**
 * Margin for payloads of a broadcast that are larger than their mean: three of 128 kb/s within it
 * fit in one packet.
 */
const BROADCAST_MARGIN = 1.1;

/** Makes the sources and listeners of the members of one room, and the room's common streams. */
export class Streams {
  #config;
  #services;
  #sampleClock;
  #codec;
  #settings;
  #ladder;

  /**
   * @param {Pick<RoomBase, 'config' | 'services' | 'sampleClock'> & { codec: RoomCodec, settings:
   *   Readonly<RoomSettings> }} options
   */
  constructor({ config, services, sampleClock, codec, settings }) {
    this.#settings = settings;
    this.#ladder = ladderOf(config);
    this.#config = config;
    this.#services = services;
    this.#sampleClock = sampleClock;
    this.#codec = codec;
  }

  /** Arithmetic of the room's mixes. */
  get math() {
    return this.#codec.math;
  }

  /**
   * @param {number} stream  one of Stream
   * @param {string} name  for the log
   * @param {boolean} suppresses  true: packets are left out in silence
   * @param {PayloadEncoder} [encoder]  closed with the stream; of the room's codec by default
   */
  newStream(stream, name, suppresses, encoder = this.#codec.newEncoder(name)) {
    const { effort } = this.#services;
    return new MixStream(stream, encoder, this.#config.format, {
      suppresses,
      effort,
      math: this.math,
    });
  }

  /**
   * Makes the mixes of a broadcast, one for each bit rate.
   * @param {Clock} clock  the room's
   * @param {RateCounts} counts
   */
  newLayers(clock, counts) {
    const { format, silenceSuppression } = this.#config;
    const { effort } = this.#services;
    /** @param {number} index @param {number} bitrate */
    const open = (index, bitrate) => {
      // On a path that becomes narrow each byte delays a packet, so rates are constant. The lowest
      // rate varies: at a constant one, a decoder that begins amid the stream is too soft at first.
      const encoder = this.#codec.newEncoder(`the mix at ${bitrate} b/s`, {
        bitrate,
        isConstant: index > 0,
      });
      return new MixStream(Stream.layers + index, encoder, format, {
        suppresses: silenceSuppression,
        effort,
        math: this.math,
      });
    };
    return new Layers({ ladder: this.#ladder, format, open, clock, counts });
  }

  /**
   * True for a light member, who only listens, on a transport that can push, in a room that may be
   * mixed. A moderator isn't one: others see them, and they hear of knocks and hands.
   * @param {'tick' | 'reply'} delivery
   * @param {ReadonlySet<Permission>} permissions
   */
  isLight(delivery, permissions) {
    return (
      this.#settings.mode !== 'forward' &&
      delivery === 'tick' &&
      permissions.has('listen') &&
      !permissions.has('speak') &&
      !permissions.has('moderate')
    );
  }

  /** @param {Pick<Transport, 'replyOnly'>} transport @param {JoinRequest} request */
  deliveryOf({ replyOnly }, request) {
    return replyOnly ? 'reply' : (request.delivery ?? this.#config.delivery);
  }

  /**
   * Opens the source and the listener that a member needs.
   * @param {string} id  the member's
   * @param {Session} session
   * @param {JoinRequest} request
   * @param {Member | null} before  the holder of the place until now
   * @param {ReadonlySet<Permission>} permissions
   * @returns {{ listener: Listener | LightListener, source: Source | null } | 'server-full'}
   */
  open(id, session, request, before, permissions) {
    const delivery = this.deliveryOf(session.transport, request);
    if (this.isLight(delivery, permissions)) {
      const listener = this.#openLight(id, session, request, before);
      return { listener, source: null };
    }
    try {
      return this.#openWhole(id, session, delivery, request, before);
    } catch (error) {
      if (/** @type {{ code?: string }} */ (error).code === 'codec-instances') return 'server-full';
      throw error;
    }
  }

  /**
   * @param {string} id
   * @param {Session} session
   * @param {JoinRequest} request
   * @param {Member | null} before
   */
  #openLight(id, session, request, before) {
    const nearness =
      request.nearness ?? (before?.listener?.isLight ? before.listener.nearness : undefined);
    return new LightListener({
      id,
      session,
      ...this.supplyOf(session),
      nearness,
      redundancy: /** @type {'auto' | 0 | 1 | 2} */ (this.#config.redundancy),
      clock: this.#services.clock,
    });
  }

  /**
   * Rates from which a relay chooses one for a listener of a broadcast; null without a broadcast or
   * a relay.
   * @param {Session} session
   * @param {Listener | LightListener | null} listener
   */
  ratesAtRelay({ transport }, listener) {
    if (!transport.isRelay || !listener?.isLight || !this.#settings.isBroadcast) return null;
    const { rates, stride, byRate } = this.#ladder;
    return { count: rates.length, stride, byRate, rule: this.#config.listenerRule };
  }

  /**
   * Stream of a light listener: a rate of its own in a broadcast, and the room's one otherwise.
   * @param {Pick<Session, 'transport'>} session
   * @returns {Supply}
   */
  supplyOf({ transport }) {
    const { listenerStride, listenerRule, format, bitrate } = this.#config;
    const ladder = this.#ladder;
    // A relay chooses the rates of its listeners: see ratesAtRelay.
    if (this.#settings.isBroadcast && !transport.isRelay) {
      return {
        rate: rateRuleOf(listenerRule, ladder),
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
   * @param {JoinRequest} request
   * @param {Member | null} before
   */
  #openWhole(id, session, delivery, request, before) {
    const {
      format,
      maxDelayMs,
      maxServerDelayMs: maxMs,
      receivedTarget: targetPercent,
      ...config
    } = this.#config;
    const leavesOutSilence = delivery === 'tick' && config.silenceSuppression;
    const pcm = this.#pcmFor(delivery, request);
    const encoder = pcm && new PayloadEncoder(new PcmEncoder(pcm), format);
    const stream = this.newStream(Stream.mixMinus, `person ${id}`, leavesOutSilence, encoder);
    const redundancy = new Redundancy(
      /** @type {'auto' | 0 | 1 | 2} */ (config.redundancy),
      this.#services.clock,
    );
    const heard = before?.listener;
    const volumes = heard && !heard.isLight ? heard.volumes : undefined;
    const listener = new Listener({
      ...{ id, session, delivery, format, stream, redundancy, volumes, pcm },
      wantsVoices: request.voices,
    });
    if (request.serverDelayMs !== undefined) listener.readAt(request.serverDelayMs);
    let decoder;
    try {
      decoder = this.#codec.newDecoder(`person ${id}`);
    } catch (error) {
      listener.close();
      throw error;
    }
    const sampleClock = this.#sampleClock;
    const lateness = new Lateness({ frameMs: format.frameMs, maxMs, targetPercent });
    const balance = config.levelBalance && !pcm ? new LevelBalance(format) : null;
    const source = new Source({
      id,
      format,
      sampleClock,
      maxDelayMs,
      decoder,
      lateness,
      balance,
      leavesOutSilence,
      math: this.math,
    });
    return { listener, source };
  }

  /**
   * @param {'tick' | 'reply'} delivery
   * @param {JoinRequest} request
   * @returns {16 | 24 | undefined} bits of PCM for this participant; undefined for Opus
   */
  #pcmFor(delivery, { pcm }) {
    const { e2e, format } = this.#config;
    return pcm && delivery === 'tick' && !e2e && fitsPcm(format, pcm) ? pcm : undefined;
  }
}

/**
 * @param {RoomConfig} config
 * @returns {Ladder} rates of the listeners if the room is a broadcast
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
 * @returns {number} frames that fit in a packet at the highest rate
 */
const broadcastStride = (asked, format, { rates }) =>
  strideOf(asked, format, rates[rates.length - 1], PAYLOADS_BYTES, BROADCAST_MARGIN);
