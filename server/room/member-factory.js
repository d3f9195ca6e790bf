/**
 * @import { RoomCodec } from '../codec/room-codec.js'
 * @import { Entrant } from '../access/grants.js'
 * @import { Session } from '../transport/session.js'
 * @import { Room } from './room.js'
 * @import { JoinWishes, RoomConfig, RoomServices } from './room-config.js'
 * @import { Roster } from './roster.js'
 */

import { Stream } from '../../public/shared/packet.js';
import { Redundancy } from '../../public/shared/redundancy.js';
import { LevelBalance } from '../mix/level-balance.js';
import { Listener } from '../mix/listener.js';
import { MixStream } from '../mix/mix-stream.js';
import { Lateness } from '../source/lateness.js';
import { Source } from '../source/source.js';
import { Member } from './member.js';

/** Makes a room's members, each with a source, a listener and their codecs. */
export class MemberFactory {
  #room;
  #config;
  #services;
  #codec;
  #roster;

  /**
   * @param {object} options
   * @param {Room} options.room
   * @param {RoomConfig} options.config
   * @param {RoomServices} options.services
   * @param {RoomCodec} options.codec
   * @param {Roster} options.roster
   */
  constructor({ room, config, services, codec, roster }) {
    this.#room = room;
    this.#config = config;
    this.#services = services;
    this.#codec = codec;
    this.#roster = roster;
  }

  /**
   * @param {Session} session
   * @param {string} name
   * @param {JoinWishes} wishes
   * @param {Entrant} entrant
   * @param {Member | null} before  whose place it is
   * @throws {Error} of code codec-instances, when there can't be more codecs
   */
  create(session, name, wishes, entrant, before) {
    const room = this.#room;
    const { sampleClock } = room;
    const config = this.#config;
    const { format, maxDelayMs, maxServerDelayMs: maxMs, receivedTarget: targetPercent } = config;
    const id = before?.id ?? this.#roster.nextId();
    const delivery = session.transport.replyOnly ? 'reply' : (wishes.delivery ?? config.delivery);
    const leavesOutSilence = delivery === 'tick' && config.silenceSuppression;
    const grant = before?.grant ?? room.moderation.grantFor(entrant);
    const listener = grant.without.has('listen') ? null : this.#newListener(id, session, delivery, before);
    if (wishes.serverDelayMs !== undefined) listener?.readAt(wishes.serverDelayMs);
    let decoder;
    try {
      decoder = this.#codec.newDecoder(`person ${id}`);
    } catch (error) {
      listener?.close();
      throw error;
    }
    const lateness = new Lateness({ frameMs: format.frameMs, maxMs, targetPercent });
    const balance = config.levelBalance ? new LevelBalance(format) : null;
    const source = new Source({ id, format, sampleClock, maxDelayMs, decoder, lateness, balance, leavesOutSilence });
    const label = before?.label ?? this.#roster.labelFor(name);
    // One who comes back may come from elsewhere.
    const known = before ? { ...before.entrant, place: entrant.place } : entrant;
    const who = { id, name: before?.name ?? name, label, grant, entrant: known };
    return new Member({ ...who, session, source, listener, room, before });
  }

  /**
   * @param {string} id
   * @param {Session} session
   * @param {'tick' | 'reply'} delivery
   * @param {Member | null} before  whose volumes stay
   */
  #newListener(id, session, delivery, before) {
    const { format, redundancy: setting, silenceSuppression } = this.#config;
    const stream = this.newStream(Stream.mixMinus, `person ${id}`, delivery === 'tick' && silenceSuppression);
    const redundancy = new Redundancy(/** @type {'auto' | 0 | 1 | 2} */ (setting), this.#services.clock);
    return new Listener({ id, session, delivery, format, stream, redundancy, volumes: before?.listener?.volumes });
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
}
