import { elementOf, make, setText } from '../kit/element.js';
import { texts, whyNot } from '../../texts.js';

/** How this person is connected, and how well: one line. */
export class ConnectionLine {
  #name = elementOf('connection-name', HTMLElement);
  #stats = elementOf('stats', HTMLElement);
  #failures = elementOf('connection-failures', HTMLUListElement);
  #over = '';

  /**
   * @param {string} transport the one that was taken
   * @param {{ transport: string, code: string }[]} failed those that were tried before it
   */
  connected(transport, failed) {
    this.#over = texts.connectedOver(transport);
    setText(this.#name, this.#over);
    this.#failures.hidden = failed.length === 0;
    this.#failures.replaceChildren(
      ...failed.map((one) => make('li', '', texts.notTaken(one.transport, whyNot(one.code)))),
    );
  }

  /** @param {boolean} offline whether the connection is lost just now */
  offline(offline) {
    setText(this.#name, offline ? texts.offline : this.#over);
    if (offline) this.stats({});
  }

  /**
   * @param {{ roundTripMs?: number | null, receivedPercent?: number | null, delayMs?: number | null }} stats
   *   those that are not known are left out
   */
  stats({ roundTripMs, receivedPercent, delayMs }) {
    const parts = [];
    if (Number.isFinite(roundTripMs)) parts.push(texts.roundTrip(Number(roundTripMs)));
    if (Number.isFinite(receivedPercent)) parts.push(texts.received(Number(receivedPercent)));
    if (Number.isFinite(delayMs)) parts.push(texts.delay(Number(delayMs)));
    this.#stats.replaceChildren(...parts.map((part) => make('span', '', part)));
  }
}
