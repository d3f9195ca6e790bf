/**
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Session } from '../transport/session.js'
 * @import { Participant } from './member.js'
 * @import { JoinWishes, RoomSettings } from './room-config.js'
 */

import { createAudioFormat } from '../../public/shared/audio-format.js';
import { streamBitrate } from '../../public/shared/payload.js';
import { Room } from './room.js';

/** What a mirror is called towards the one in it. */
const MIRROR_NAME = 'mirror';

/** Who speaks into a mirror hears it this much later: after the sentence, not into it. */
const MIRROR_DELAY_MS = 2000;

/** Of any number of multiples of it the fractions lie apart: the golden ratio's. */
const SPREAD = (Math.sqrt(5) - 1) / 2;

/** All rooms of a server: a room begins with its first participant and ends with its last. */
export class Rooms {
  /** @type {Map<string, Room>} */
  #rooms = new Map();
  #settings;
  #maxRooms;
  #maxPeople;
  /** Rooms of one, in which somebody hears themselves. @type {Set<Room>} */
  #mirrors = new Set();
  #closed = false;
  /** Rooms that were ever opened. */
  #opened = 0;

  /**
   * @param {object} options
   * @param {RoomSettings} options.settings
   * @param {number} options.maxRooms
   * @param {number} options.maxPeople in all rooms together
   */
  constructor({ settings, maxRooms, maxPeople }) {
    this.#settings = settings;
    this.#maxRooms = maxRooms;
    this.#maxPeople = maxPeople;
  }

  /**
   * @param {string} name
   * @returns {Room | undefined}
   */
  get(name) {
    return this.#rooms.get(name);
  }

  /** How many people there are in all rooms. */
  get people() {
    let people = 0;
    for (const room of this.#rooms.values()) people += room.size;
    for (const room of this.#mirrors) people += room.size;
    return people;
  }

  /** How many rooms there are. */
  get size() {
    return this.#rooms.size;
  }

  /**
   * @param {string} roomName checked already
   * @param {string} name checked already
   * @param {Session} session
   * @param {(room: Room, participant: Participant) => void} onJoined
   *   called before anything is sent to the participant
   * @param {JoinWishes} [wishes]
   * @returns {Promise<{ room: Room, participant: Participant } | ErrorCode>}
   */
  async join(roomName, name, session, onJoined, wishes) {
    const isBack = !wishes?.mirror && this.#rooms.get(roomName)?.keepsPlace(wishes?.resume);
    if (this.people >= this.#maxPeople && !isBack) return 'server-full';
    const room = wishes?.mirror ? this.#openMirror(wishes) : this.#open(roomName, wishes);
    if (typeof room === 'string') return room;
    let participant;
    try {
      participant = await room.join(session, name, (joined) => onJoined(room, joined), wishes);
    } finally {
      this.#endIfEmpty(room);
    }
    return typeof participant === 'string' ? participant : { room, participant };
  }

  /**
   * @param {string} name
   * @param {JoinWishes} [wishes] of who begins a new room
   * @returns {Room | ErrorCode}
   */
  #open(name, wishes) {
    const existing = this.#rooms.get(name);
    if (existing) return existing;
    if (this.#closed) return 'server-closing';
    if (this.#rooms.size >= this.#maxRooms) return 'too-many-rooms';
    const settings = this.#apart(withFormat(this.#settings, wishes));
    const room = new Room(name, settings, (empty) => this.#endIfEmpty(empty));
    this.#rooms.set(name, room);
    return room;
  }

  /**
   * A clock of the room's own, whose frames end at another moment than those of other rooms: they would
   * all have to be mixed at once, and most of them late. So with what is done once a second.
   * @param {RoomSettings} settings
   * @returns {RoomSettings}
   */
  #apart(settings) {
    const phase = (this.#opened++ * SPREAD) % 1;
    return { ...settings, phase, sampleClock: settings.sampleClock.behind(phase * settings.format.frameMs) };
  }

  /**
   * A room that nobody else finds.
   * @param {JoinWishes} wishes
   * @returns {Room | ErrorCode}
   */
  #openMirror(wishes) {
    if (this.#closed) return 'server-closing';
    const own = { echo: true, serverDelayMs: MIRROR_DELAY_MS, maxParticipants: 1, awayTimeoutMs: 0 };
    const settings = this.#apart({ ...withFormat(this.#settings, wishes), ...own, observer: undefined, recordings: undefined });
    const room = new Room(MIRROR_NAME, settings, (empty) => this.#endIfEmpty(empty));
    this.#mirrors.add(room);
    return room;
  }

  /** @param {Room} room */
  #endIfEmpty(room) {
    if (room.size > 0) return;
    if (this.#rooms.get(room.name) === room) this.#rooms.delete(room.name);
    else if (!this.#mirrors.delete(room)) return;
    room.close('server-closing');
  }

  /** Ends every room. Idempotent. */
  close() {
    this.#closed = true;
    for (const room of [...this.#rooms.values(), ...this.#mirrors]) room.close('server-closing');
    this.#rooms.clear();
    this.#mirrors.clear();
  }
}

/**
 * @param {RoomSettings} settings
 * @param {JoinWishes} [wishes] those of who begins a room
 * @returns {RoomSettings} of the room: stereo where it is asked for and the codec has it, with so much bit rate more
 */
function withFormat(settings, { frameMs = settings.format.frameMs, channels = settings.format.channels } = {}) {
  const { sampleRate, opusFrames } = settings.format;
  const isLength = frameMs === settings.format.frameMs;
  const shape = { sampleRate, frameMs, opusFrames: isLength ? opusFrames : 1 };
  const asked = createAudioFormat({ ...shape, channels });
  const hasRoom = asked.opusFrameSamples * channels <= settings.codec.maxFrameValues;
  const format = hasRoom ? asked : createAudioFormat(shape);
  return { ...settings, format, bitrate: streamBitrate(settings.bitrate, format) };
}
