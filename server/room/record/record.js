/**
 * @import { Clock } from '../../../public/shared/clock.js'
 * @import { ServerMessage } from '../../../public/shared/messages/server-messages.js'
 * @import { TickLoad } from '../../clock/load-shares.js'
 * @import { ChatState } from '../../state/portable-state.js'
 * @import { Member } from '../people/member.js'
 * @import { People } from '../people/people.js'
 * @import { RoomBase } from '../room-config.js'
 *
 * @typedef {object} ChatMessage
 * @property {number} number  rises by one from message to message of a room
 * @property {string} from  the member's id
 * @property {string} name  the member's label, as it was then
 * @property {string} text  clean: see cleanText
 * @property {string} at  ISO 8601
 * @property {true} [cut]  there when the text was longer
 * @property {number} [group]  to which alone it was written; such a message isn't kept
 */

import { cleanText, cutCharacters, MAX_CHAT_CHARACTERS } from '../../../public/shared/text.js';
import { BackingTrack } from '../../clock/backing-track.js';
import { Metronome } from '../../clock/metronome.js';
import { RoomRecording } from '../../recording/room-recording.js';
import { KeyedBuckets } from '../../token-bucket.js';
import { Captions } from './captions.js';

/** Keepings of a room besides its sound: chat, captions, recording, metronome, backing track. */
export class RoomRecord {
  /**
   * @param {RoomBase & { load: TickLoad }} options  load: the room's, which recording shares
   */
  constructor({ load, ...base }) {
    const { room, config, services, owner, clock, sampleClock, people } = base;
    const { cluster, wallNow = Date.now } = services;
    const tell = (/** @type {ServerMessage} */ message) => people.tell(message);
    this.chat = new Chat({ clock, wallNow, people, before: cluster?.chatOf?.(room) });
    this.metronome = new Metronome({ sampleClock, tell });
    const { metronome } = this;
    this.track = new BackingTrack({ sampleClock, clock, tracks: owner.tracks, tell, metronome });
    this.recording = new RoomRecording({ ...base, load });
    this.captions = new Captions({
      clock,
      people,
      isSealed: config.e2e,
      keep: (spoken) => this.recording.caption(spoken),
    });
  }

  /** Idempotent. */
  close() {
    this.track.close();
    this.recording.close();
  }
}

/** Limits of the history for newcomers: messages, and bytes of JSON. */
const HISTORY_MESSAGES = 200;
const HISTORY_BYTES = 64 * 1024;

/** Limit of one member's messages: at once, and then a second. */
const RATE = Object.freeze({ atOnce: 5, perSecond: 1 });

/** The messages that the members of a room write to each other. */
class Chat {
  #clock;
  #wallNow;
  #people;
  #next = 1;
  /** @type {ChatMessage[]} */
  #history = [];
  /** The bytes of each message of the history. @type {number[]} */
  #sizes = [];
  #bytes = 0;
  /** By member's id, so that a return doesn't raise the limit. */
  #buckets = new KeyedBuckets(RATE);

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {Pick<People, 'tell' | 'tellGroup'>} options.people
   * @param {ChatState | null} [options.before]  messages from another node
   */
  constructor({ clock, wallNow, people, before = null }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#people = people;
    if (before) this.restore(before);
  }

  /** The last messages, the oldest first. @returns {ReadonlyArray<ChatMessage>} */
  get history() {
    return this.#history;
  }

  /**
   * @param {Member} member  gets a refusal when it was too much
   * @param {string} text  as received
   */
  say(member, text) {
    if (text.trim() === '') return;
    // Comes first: cleaning a long text takes longer than sending it.
    const retryMs = this.#buckets.take(member.id, this.#clock.now());
    if (retryMs > 0) return member.refuse('chat', 'chat-flood', { retryMs });
    const clean = cleanText(text);
    if (clean === '') return;
    const cut = cutCharacters(clean, MAX_CHAT_CHARACTERS);
    /** @type {ChatMessage} */
    const message = {
      number: this.#next++,
      from: member.id,
      name: member.label,
      text: cut,
      at: new Date(this.#wallNow()).toISOString(),
    };
    if (cut.length < clean.length) message.cut = true;
    const { group } = member;
    if (group > 0)
      return this.#people.tellGroup({ type: 'chat', message: { ...message, group } }, group);
    this.#keep(message);
    this.#people.tell({ type: 'chat', message });
  }

  /** @returns {ChatState} */
  state() {
    return { messages: [...this.#history], next: this.#next };
  }

  /** @param {ChatState} state */
  restore({ messages, next }) {
    for (const message of messages) this.#keep(message);
    this.#next = next;
  }

  /** @param {ChatMessage} message */
  #keep(message) {
    const size = Buffer.byteLength(JSON.stringify(message)) + 1;
    this.#history.push(message);
    this.#sizes.push(size);
    this.#bytes += size;
    while (this.#history.length > HISTORY_MESSAGES || this.#bytes > HISTORY_BYTES) {
      this.#history.shift();
      this.#bytes -= this.#sizes.shift() ?? 0;
    }
  }
}
