/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Participant } from './member.js'
 *
 * @typedef {object} ChatMessage
 * @property {number} number  rises by one from message to message of a room
 * @property {string} from    the person's id
 * @property {string} name    the person's label, as it was then
 * @property {string} text    clean: see cleanText
 * @property {string} at      ISO 8601
 * @property {true} [cut]     there when the text was longer
 */

import { errors } from '../../public/shared/errors.js';
import { cleanText, cutCharacters, MAX_CHAT_CHARACTERS } from '../../public/shared/text.js';
import { TokenBucket } from '../token-bucket.js';

/** What those who come late are told: so many messages at most, and so many bytes of JSON. */
const HISTORY_MESSAGES = 200;
const HISTORY_BYTES = 64 * 1024;

/** One person may say so many things at once, and then so many a second. */
const AT_ONCE = 5;
const PER_SECOND = 1;

/** What the people of a room write to each other. */
export class Chat {
  #clock;
  #wallNow;
  #tell;
  #next = 1;
  /** @type {ChatMessage[]} */
  #history = [];
  /** The bytes of each message of the history, and all of them. @type {number[]} */
  #sizes = [];
  #bytes = 0;

  /**
   * @param {object} options
   * @param {Clock} options.clock
   * @param {() => number} options.wallNow  milliseconds since 1970
   * @param {(message: object) => void} options.tell tells everybody in the room
   */
  constructor({ clock, wallNow, tell }) {
    this.#clock = clock;
    this.#wallNow = wallNow;
    this.#tell = tell;
  }

  /** The last messages, the oldest first. Not to be changed. */
  get history() {
    return this.#history;
  }

  /**
   * @param {Participant} participant who is told when it was too much
   * @param {string} text as it came
   */
  say(participant, text) {
    const clean = cleanText(text);
    if (clean === '') return;
    const nowMs = this.#clock.now();
    participant.chatBucket ??= new TokenBucket({ atOnce: AT_ONCE, perSecond: PER_SECOND, nowMs });
    const retryMs = participant.chatBucket.take(nowMs);
    if (retryMs > 0) {
      const { message } = errors['chat-flood'];
      participant.session.sendControl({ type: 'refused', of: 'chat', code: 'chat-flood', message, retryMs });
      return;
    }
    const cut = cutCharacters(clean, MAX_CHAT_CHARACTERS);
    /** @type {ChatMessage} */
    const message = {
      number: this.#next++,
      from: participant.id,
      name: participant.label,
      text: cut,
      at: new Date(this.#wallNow()).toISOString(),
    };
    if (cut.length < clean.length) message.cut = true;
    this.#keep(message);
    this.#tell({ type: 'chat', message });
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
