/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Session } from '../transport/session.js'
 * @import { Participant } from './participant.js'
 * @import { Room } from './room.js'
 * @import { Rooms } from './rooms.js'
 */

import { z } from 'zod';
import { errors } from '../../public/shared/errors.js';
import { nameError, roomNameError } from '../../public/shared/names.js';
import { MAX_SERVER_DELAY_MS } from '../options.js';

/** A session that hasn't asked to join by then is closed. */
const JOIN_TIMEOUT_MS = 10_000;

/** Of one participant, control messages beyond this many a second do nothing: each is told to everybody. */
const MAX_CONTROL_MESSAGES = 20;

/** The control protocol's version: a page and a server of different ones can't talk. */
const CONTROL_VERSION = 1;

const serverDelayMs = z.number().min(0).max(MAX_SERVER_DELAY_MS);

const joinMessage = z
  .object({
    type: z.literal('join'),
    version: z.literal(CONTROL_VERSION),
    room: z.string(),
    name: z.string(),
    delivery: z.enum(['tick', 'reply']).optional(),
    serverDelayMs: serverDelayMs.optional(),
  })
  .refine((message) => message.serverDelayMs === undefined || message.delivery === 'reply');

const roomMessage = z.discriminatedUnion('type', [
  z.object({ type: z.literal('mute'), muted: z.boolean() }),
  z.object({ type: z.literal('leave') }),
  z.object({ type: z.literal('delay'), serverDelayMs }),
]);

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
    const refusal = joinError(message);
    if (refusal) {
      refuse(session, refusal);
      return;
    }
    const { room: roomName, name, ...wishes } = joinMessage.parse(message);

    let gone = false;
    session.handler = { packet: () => {}, control: () => {}, closed: () => (gone = true) };
    const onJoined = (/** @type {Room} */ room, /** @type {Participant} */ participant) => {
      session.handler = handlerFor(room, participant, this.#clock);
    };
    const joined = await this.#rooms.join(roomName, name.trim(), session, onJoined, wishes);
    if (typeof joined === 'string') {
      if (!gone) refuse(session, joined);
    } else if (gone) {
      joined.room.leave(joined.participant);
    }
  }
}

/**
 * @param {unknown} message
 * @returns {ErrorCode | null} why it isn't a good join
 */
function joinError(message) {
  const parsed = joinMessage.safeParse(message);
  if (!parsed.success) {
    const version = /** @type {{ version?: unknown } | null} */ (message)?.version;
    return typeof version === 'number' && version !== CONTROL_VERSION ? 'protocol-version' : 'bad-request';
  }
  return roomNameError(parsed.data.room) ?? nameError(parsed.data.name);
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
      const parsed = roomMessage.safeParse(message);
      const isLeave = parsed.success && parsed.data.type === 'leave';
      const isDone = parsed.success && (isLeave || !isFlood()) && obey(room, participant, parsed.data);
      if (!isDone) participant.reception.dropped.control += 1;
    },
    closed: () => room.leave(participant),
  };
}

/**
 * @param {Room} room
 * @param {Participant} participant
 * @param {z.infer<typeof roomMessage>} message
 * @returns {boolean} false when it can't be done for this participant
 */
function obey(room, participant, message) {
  switch (message.type) {
    case 'mute':
      room.mute(participant, message.muted);
      return true;
    case 'delay':
      return room.delay(participant, message.serverDelayMs);
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
