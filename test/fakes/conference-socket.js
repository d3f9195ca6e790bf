/** @import { Conference } from './conference.js' */

import { FakeSession } from './fake-session.js';

/**
 * Makes WebSockets into a conference without a network, with the delay, jitter and loss of a test,
 * on the conference's clock.
 *
 * @param {Conference} conference
 * @param {{ delayMs?: () => number, loses?: () => boolean, silent?: boolean }} [link] delayMs of
 *   each packet on each way; silent: control messages pass, packets never do
 */
export function conferenceSockets(
  conference,
  { delayMs = () => 0, loses = () => false, silent = false } = {},
) {
  const { clock, arrivals, transport } = conference;
  const later = (/** @type {() => void} */ run, /** @type {number} */ ms) =>
    void clock.setTimeout(run, ms);

  return class ConferenceSocket {
    readyState = 0;
    bufferedAmount = 0;
    binaryType = 'blob';
    session = new FakeSession(transport);
    /** @type {(() => void) | null} */
    onopen = null;
    /** @type {((event: { data: any }) => void) | null} */
    onmessage = null;
    /** @type {((event: { code: number, reason: string }) => void) | null} */
    onclose = null;

    constructor() {
      this.session.send = (bytes) => this.#toClient(bytes.slice().buffer, false);
      this.session.sendControl = (message) => void this.#toClient(JSON.stringify(message), true);
      this.session.close = (code, reason) => this.#end(code, reason);
      queueMicrotask(() => {
        arrivals.accept(this.session);
        this.readyState = 1;
        this.onopen?.();
      });
    }

    /** @param {string | ArrayBuffer} data @param {boolean} reliable */
    #toClient(data, reliable) {
      if (!reliable && (silent || loses())) return true;
      later(() => this.readyState === 1 && this.onmessage?.({ data }), delayMs());
      return true;
    }

    /** @param {string | Uint8Array} data */
    send(data) {
      if (typeof data === 'string') this.session.handler?.control(JSON.parse(data));
      else if (!silent && !loses()) {
        later(
          () => this.readyState === 1 && this.session.handler?.packet(data, clock.now()),
          delayMs(),
        );
      }
    }

    /** @param {number} [code] as a WebSocket has it */
    close(code = 1000) {
      this.#end(code === 1000 ? 0 : code - 4000, '');
    }

    /** @param {number} code @param {string} reason */
    #end(code, reason) {
      if (this.readyState === 3) return;
      this.readyState = 3;
      this.session.handler?.closed(code, reason);
      this.onclose?.({ code: code === 0 ? 1000 : 4000 + code, reason });
    }
  };
}
