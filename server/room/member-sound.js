/**
 * @import { RoomCodec } from '../codec/room-codec.js'
 * @import { SampleClock } from '../clock/sample-clock.js'
 * @import { Permission } from '../access/grant.js'
 * @import { Session, Transport } from '../transport/session.js'
 * @import { Member } from './member.js'
 * @import { JoinWishes, RoomConfig, RoomServices } from './room-config.js'
 */

import { AUDIO_HEADER_BYTES, MAX_LISTED_SPEAKERS, MAX_PACKET_BYTES, speakersBytes, Stream } from '../../public/shared/packet.js';
import { Redundancy } from '../../public/shared/redundancy.js';
import { LevelBalance } from '../mix/level-balance.js';
import { LightListener, strideOf } from '../mix/light-listener.js';
import { Listener } from '../mix/listener.js';
import { MixStream } from '../mix/mix-stream.js';
import { Lateness } from '../source/lateness.js';
import { Source } from '../source/source.js';

/** The bytes of a packet that are left for payloads, beside a full list of speakers. */
const PAYLOADS_BYTES = MAX_PACKET_BYTES - AUDIO_HEADER_BYTES - speakersBytes(MAX_LISTED_SPEAKERS);

/** Makes what the members of one room are heard with and hear with. */
export class MemberSound {
  #config;
  #services;
  #sampleClock;
  #codec;
  #mixes;

  /**
   * @param {object} options
   * @param {RoomConfig} options.config
   * @param {RoomServices} options.services
   * @param {SampleClock} options.sampleClock  the room's
   * @param {RoomCodec} options.codec  the room's
   * @param {() => boolean} options.mixes  whether the room is mixed, or is where it has an audience
   */
  constructor({ config, services, sampleClock, codec, mixes }) {
    this.#mixes = mixes;
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
    return new MixStream(stream, this.#codec.newEncoder(name), this.#config.format, { suppresses, effort });
  }

  /**
   * Whether somebody is light: listens, and does nothing else, on a transport that can push, in a room that may be mixed.
   * @param {'tick' | 'reply'} delivery
   * @param {ReadonlySet<Permission>} permissions
   */
  isLight(delivery, permissions) {
    return this.#mixes() && delivery === 'tick' && permissions.has('listen') && !permissions.has('speak');
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
    if (!this.isLight(delivery, permissions)) return this.#openWhole(id, session, delivery, wishes, before);
    const { listenerStride, format, bitrate } = this.#config;
    const stride = strideOf(listenerStride, format, bitrate, PAYLOADS_BYTES);
    const listener = new LightListener({ id, session, stride, redundancy: /** @type {'auto' | 0 | 1 | 2} */ (redundancy), clock: this.#services.clock });
    return { listener, source: null };
  }

  /**
   * @param {string} id
   * @param {Session} session
   * @param {'tick' | 'reply'} delivery
   * @param {JoinWishes} wishes
   * @param {Member | null} before
   */
  #openWhole(id, session, delivery, wishes, before) {
    const { format, maxDelayMs, maxServerDelayMs: maxMs, receivedTarget: targetPercent, ...config } = this.#config;
    const leavesOutSilence = delivery === 'tick' && config.silenceSuppression;
    const stream = this.newStream(Stream.mixMinus, `person ${id}`, leavesOutSilence);
    const redundancy = new Redundancy(/** @type {'auto' | 0 | 1 | 2} */ (config.redundancy), this.#services.clock);
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
    const source = new Source({ id, format, sampleClock, maxDelayMs, decoder, lateness, balance, leavesOutSilence });
    return { listener, source };
  }
}
