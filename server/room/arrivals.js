/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Session } from '../transport/session.js'
 * @import { RoomMessage } from './commands.js'
 * @import { Participant } from './member.js'
 * @import { Room } from './room.js'
 * @import { Rooms } from './rooms.js'
 */

import { errors } from '../../public/shared/errors.js';
import { composed, tidyName } from '../../public/shared/text.js';
import { readJoin, readRoomMessage } from './commands.js';

/** A session that hasn't asked to join by then is closed. */
const JOIN_TIMEOUT_MS = 10_000;

/** Of one participant, control messages beyond this many a second do nothing: each is told to everybody. */
const MAX_CONTROL_MESSAGES = 20;

/** Where sessions arrive: waits for each one's `join`, and then carries its packets to its room. */
export class Lobby {
  #rooms;
  #clock;
  #log;

  /**
   * @param {object} options
   * @param {Rooms} options.rooms
   * @param {Clock} options.clock
   * @param {{ error: (message: string) => void }} options.log
   */
  constructor({ rooms, clock, log }) {
    this.#rooms = rooms;
    this.#clock = clock;
    this.#log = log;
    /** @type {(session: Session) => void} */
    this.accept = (session) => this.#accept(session);
  }

  /** @param {Session} session */
  #accept(session) {
    const timer = this.#clock.setTimeout(() => refuse(session, 'join-timeout'), JOIN_TIMEOUT_MS);
    session.handler = {
      // Audio that overtakes its own join is of no use to anybody.
      packet: () => {},
      control: (message) => {
        this.#clock.clearTimeout(timer);
        this.#join(session, message).catch((error) => {
          this.#log.error(`a participant could not join: ${error instanceof Error ? error.stack : error}`);
          refuse(session, 'internal');
        });
      },
      closed: () => this.#clock.clearTimeout(timer),
    };
  }

  /**
   * @param {Session} session
   * @param {unknown} message
   */
  async #join(session, message) {
    const wish = readJoin(message);
    if (typeof wish === 'string') {
      refuse(session, wish);
      return;
    }
    const { room: roomName, name, ...wishes } = wish;
    const tidy = tidyName(name);
    const nameCut = tidy.length < composed(name).trim().length;

    let gone = false;
    session.handler = { packet: () => {}, control: () => {}, closed: () => (gone = true) };
    const onJoined = (/** @type {Room} */ room, /** @type {Participant} */ participant) => {
      session.handler = handlerFor(room, participant, this.#clock);
    };
    const joined = await this.#rooms.join(roomName, tidy, session, onJoined, { ...wishes, nameCut });
    if (typeof joined === 'string') {
      if (!gone) refuse(session, joined);
    } else if (gone) {
      // Who was never told of a place can't come back to it.
      if (wishes.resume === undefined) joined.room.leave(joined.participant);
      else joined.room.lose(joined.participant);
    }
  }
}

/**
 * @param {Room} room
 * @param {Participant} participant
 * @param {Clock} clock
 * @returns {import('../transport/session.js').SessionHandler}
 */
function handlerFor(room, participant, clock) {
  let since = clock.now();
  let messages = 0;
  const isFlood = () => {
    if (clock.now() - since >= 1000) {
      since = clock.now();
      messages = 0;
    }
    messages += 1;
    return messages > MAX_CONTROL_MESSAGES;
  };
  return {
    packet: (bytes, arrivalMs) => room.receive(participant, bytes, arrivalMs),
    control: (message) => {
      // Of a flood nothing is looked at but whether it ends: looking takes longer than sending.
      const read = isFlood() && !isLeave(message) ? null : readRoomMessage(message);
      if (read === null || !obey(room, participant, read)) participant.reception.dropped.control += 1;
    },
    closed: (code) => (code === 0 ? room.leave(participant) : room.lose(participant)),
  };
}

/** @param {unknown} message */
const isLeave = (message) => /** @type {{ type?: unknown } | null | undefined} */ (message)?.type === 'leave';

/**
 * @param {Room} room
 * @param {Participant} participant
 * @param {RoomMessage} message
 * @returns {boolean} false when it can't be done for this participant
 */
function obey(room, participant, message) {
  switch (message.type) {
    case 'mute':
      room.controls.mute(participant, message.muted);
      return true;
    case 'delay':
      return room.controls.delay(participant, message.serverDelayMs);
    case 'hand':
      room.controls.raiseHand(participant, message.raised);
      return true;
    case 'chat':
      room.chat.say(participant, message.text);
      return true;
    case 'report':
      room.controls.report(participant, message.lostPercent);
      participant.report(message);
      return true;
    case 'volume':
      return room.controls.setVolume(participant, message.person, message.gain);
    case 'record':
      room.recording.record(participant, message.on);
      return true;
    case 'recordConsent':
      room.recording.consent(participant, message.agreed);
      return true;
    default:
      participant.session.close(0, 'left');
      return true;
  }
}

/**
 * @param {Session} session
 * @param {ErrorCode} code
 */
function refuse(session, code) {
  const { close, message } = errors[code];
  session.sendControl({ type: 'refused', code, message });
  session.close(close, message);
}
