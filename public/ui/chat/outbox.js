import { systemClock } from '../../shared/clock.js';
import { cleanText, cutCharacters, MAX_CHAT_CHARACTERS } from '../../shared/text.js';

/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ChatMessage } from './chat-message.js'
 */

/** So many messages may wait. */
const MAX_WAITING = 50;

/**
 * Messages on their way to the server: one at a time, and each until it has come back as the room has it. What a
 * connection took with it when it broke off, or the server put off, is sent again, so that all come, once and in order.
 */
export class Outbox {
  /** The oldest first. @type {string[]} */
  #waiting = [];
  #isOut = false;
  /** @type {unknown} */
  #timer = null;
  /** Why they wait, as a code of a sentence; null where they don't. @type {'chat-offline' | 'chat-flood' | null} */
  why = null;
  #send;
  #clock;

  /**
   * @param {(text: string) => boolean} send  false where there is no connection
   * @param {Clock} [clock]
   */
  constructor(send, clock = systemClock) {
    this.#send = send;
    this.#clock = clock;
  }

  /**
   * @param {string} text
   * @returns {boolean} false where too many wait already
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

  /** The one that was sent has come back. */
  came() {
    this.#waiting.shift();
    this.#next();
  }

  /** @param {number} retryMs when the server takes it, from now */
  putOff(retryMs) {
    this.why = 'chat-flood';
    this.#clock.clearTimeout(this.#timer);
    this.#timer = this.#clock.setTimeout(() => this.#next(), retryMs);
  }

  /** There is no connection any more. */
  offline() {
    this.#clock.clearTimeout(this.#timer);
    this.#isOut = false;
    this.why = this.#waiting.length > 0 ? 'chat-offline' : null;
  }

  /**
   * What the room has got before the connection was lost is not sent again.
   * @param {ChatMessage[]} own  this one's messages that the page had not seen, the oldest first
   */
  got(own) {
    for (const { text } of own) if (text === this.#waiting[0]) this.#waiting.shift();
  }

  /** There is a connection, or one again. */
  online() {
    this.#next();
  }

  /** Forgets them, before another call. @returns {string[]} what was not sent */
  clear() {
    const unsent = this.#waiting.splice(0);
    this.offline();
    return unsent;
  }
}
