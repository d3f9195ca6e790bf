import { systemClock } from '../../shared/clock.js';
import { cleanText, cutCharacters, MAX_CHAT_CHARACTERS } from '../../shared/text.js';

/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ChatMessage } from './chat-message.js'
 */

/** Most waiting messages. */
const MAX_WAITING = 50;

/**
 * Messages on their way to the server, sent one at a time; each stays here until the room has
 * echoed it. A message that was lost with its connection, or refused, is sent again, so that all of
 * them arrive once and in order.
 */
export class Outbox {
  /** Messages without an echo, the oldest first. @type {string[]} */
  #waiting = [];
  #isOut = false;
  /** @type {unknown} */
  #timer = null;
  /** Code of the reason why messages wait, or null. @type {'chat-offline' | 'chat-flood' | null} */
  why = null;
  #send;
  #clock;

  /**
   * @param {(text: string) => boolean} send  returns false when there is no connection
   * @param {Clock} [clock]
   */
  constructor(send, clock = systemClock) {
    this.#send = send;
    this.#clock = clock;
  }

  /**
   * @param {string} text
   * @returns {boolean} false when too many messages wait
   */
  say(text) {
    const shown = cutCharacters(cleanText(text), MAX_CHAT_CHARACTERS);
    if (shown === '') return true;
    if (this.#waiting.length >= MAX_WAITING) return false;
    this.#waiting.push(shown);
    if (!this.#isOut) this.#next();
    return true;
  }

  #next() {
    this.#clock.clearTimeout(this.#timer);
    const waits = this.#waiting.length > 0;
    this.#isOut = waits && this.#send(this.#waiting[0]);
    if (!waits || (this.#isOut && this.why === 'chat-offline')) this.why = null;
    else if (!this.#isOut) this.why = 'chat-offline';
  }

  /** Removes the oldest message after its echo. */
  came() {
    this.#waiting.shift();
    this.#next();
  }

  /**
   * Handles a refusal of the oldest message.
   * @param {number} retryMs time until it is sent again
   */
  putOff(retryMs) {
    this.why = 'chat-flood';
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => this.#next(), retryMs);
  }

  /**
   * Removes the oldest message, which the server refuses for good.
   * @returns {string} the message
   */
  reject() {
    const text = this.#waiting.shift() ?? '';
    this.#isOut = false;
    this.#next();
    return text;
  }

  /** Called when the connection is lost. */
  offline() {
    this.#clock.clearTimeout(this.#timer);
    this.#isOut = false;
    this.why = this.#waiting.length > 0 ? 'chat-offline' : null;
  }

  /**
   * Removes the messages that the room had received before the connection was lost.
   * @param {ChatMessage[]} own  one's own messages that are new to the page, the oldest first
   */
  got(own) {
    for (const { text } of own) if (text === this.#waiting[0]) this.#waiting.shift();
  }

  /** Called when there is a connection. */
  online() {
    if (!this.#isOut) this.#next();
  }

  /** Sends the oldest message again: the session that it was sent in has been replaced. */
  again() {
    this.offline();
    this.online();
  }

  /** Forgets the messages, before another call. @returns {string[]} unsent */
  clear() {
    const unsent = this.#waiting.splice(0);
    this.offline();
    return unsent;
  }
}
