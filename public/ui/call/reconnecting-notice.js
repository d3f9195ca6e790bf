import { make, setText } from '../kit/element.js';
import { texts } from '../../texts.js';

/**
 * @import { Notices } from '../kit/notices.js'
 */

/** After so long the others see one as gone, in milliseconds: the server's own default. */
const LONG_MS = 30_000;

/** How often the time is told, in milliseconds. */
const TELL_MS = 250;

/** Says that the connection broke off and when it is tried next, and lets one try at once. */
export class ReconnectingNotice {
  #notices;
  #action;
  /** Its changes are shown, and not told to those who listen to the page. */
  #countdown = make('p', 'countdown');
  #timer = 0;
  #code = '';
  #since = 0;
  #nextTry = 0;

  /**
   * @param {Notices} notices
   * @param {() => void} tryNow
   */
  constructor(notices, tryNow) {
    this.#notices = notices;
    this.#action = { label: texts.tryNow, run: tryNow };
    this.#countdown.setAttribute('role', 'timer');
  }

  /**
   * @param {number} since    when the connection was lost, in milliseconds since 1970
   * @param {number} nextTry  when it is tried next; in the past while it is being tried
   */
  show(since, nextTry) {
    this.#since = since;
    this.#nextTry = nextTry;
    clearInterval(this.#timer);
    this.#timer = window.setInterval(() => this.#tell(), TELL_MS);
    this.#tell();
  }

  #tell() {
    const now = Date.now();
    const seconds = Math.ceil((this.#nextTry - now) / 1000);
    setText(this.#countdown, seconds > 0 ? texts.tryingIn(seconds) : texts.trying);
    const code = now - this.#since > LONG_MS ? 'reconnecting-long' : 'reconnecting';
    if (code === this.#code) return;
    this.#notices.settle(this.#code);
    this.#code = code;
    this.#notices.show(code, { action: this.#action, more: this.#countdown });
  }

  /** The connection is there again, or the call is over. Idempotent. */
  end() {
    clearInterval(this.#timer);
    this.#notices.settle(this.#code);
    this.#code = '';
  }
}
