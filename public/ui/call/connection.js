import { build, elementOf, setText } from '../kit/element.js';
import { labelOf } from '../people/person.js';
import { texts, failureReason, noticeText } from '../../texts/texts.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { CurrentCall } from './current-call.js'
 */

/**
 * Time after which others see a lost participant as gone, in milliseconds: the server's default.
 */
const LONG_MS = 30_000;

/** Interval of the countdown's updates, in milliseconds. */
const TELL_MS = 250;

/**
 * One line about the connection: its transport, the transports that failed before it, and its
 * quality.
 */
export class ConnectionLine {
  #name = elementOf('connection-name', HTMLElement);
  #stats = elementOf('stats', HTMLElement);
  #failures = elementOf('connection-failures', HTMLUListElement);
  #waited = elementOf('waited-for', HTMLElement);

  /** @param {CurrentCall} current */
  constructor({ store }) {
    store.subscribe(['transport', 'state'], (now) => this.#showTransport(now));
    store.subscribe(['stats', 'state'], ({ stats, state }) =>
      this.#showStats(state === 'away' ? null : stats),
    );
    store.subscribe(['people'], ({ people }) =>
      this.#showWaited(people.filter(({ waitMs }) => waitMs > 0).map(labelOf)),
    );
  }

  /** @param {CallView} call */
  #showTransport({ transport, state }) {
    const { took = '', tried = [] } = transport ?? {};
    const over = took === '' ? '' : texts.connectedOver(took);
    setText(this.#name, state === 'away' ? texts.offline : over);
    this.#failures.hidden = tried.length === 0;
    this.#failures.replaceChildren(
      ...tried.map((one) =>
        build('li', {}, texts.notTaken(one.transport, failureReason(one.code))),
      ),
    );
  }

  /** @param {string[]} names of people whose late sound the room waits for */
  #showWaited(names) {
    this.#waited.hidden = names.length === 0;
    setText(this.#waited, names.length === 0 ? '' : texts.waitedFor(names));
  }

  /** @param {CallView['stats']} stats unknown values are left out */
  #showStats(stats) {
    const { roundTripMs, receivedPercent, delayMs } = stats ?? {};
    const parts = [];
    if (Number.isFinite(roundTripMs)) parts.push(texts.roundTrip(Number(roundTripMs)));
    if (Number.isFinite(receivedPercent)) parts.push(texts.received(Number(receivedPercent)));
    if (Number.isFinite(delayMs)) parts.push(texts.delay(Number(delayMs)));
    this.#stats.replaceChildren(...parts.map((part) => build('span', {}, part)));
  }
}

/**
 * A notice that the connection is lost, with a countdown to the next try and a button to try at
 * once.
 */
export class ReconnectingNotice {
  #notices;
  #action;
  /** A timer, whose changes assistive technology doesn't announce. */
  #countdown = build('p', { class: 'countdown', role: 'timer' });
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
  }

  /**
   * @param {number} since    when the connection was lost, in milliseconds since 1970
   * @param {number} nextTry  when the next try begins, likewise; in the past during a try
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
    this.#code = code;
    // One notice with another sentence: its button keeps the keyboard's place.
    this.#notices.show('reconnecting', {
      sentence: noticeText(code),
      action: this.#action,
      more: this.#countdown,
    });
  }

  /** Removes the notice: the connection is back, or the call is over. Idempotent. */
  end() {
    clearInterval(this.#timer);
    this.#notices.settle('reconnecting');
    this.#code = '';
  }
}
