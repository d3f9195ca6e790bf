import { errors } from '../../shared/errors.js';
import { readControl, writeControl } from '../../shared/wire/control.js';
import { MAX_PACKET_BYTES, PacketType, packetType } from '../../shared/wire/packet.js';
import {
  LIST_LENGTH_BYTES,
  MAX_LIST_BYTES,
  readList,
  writeListEntry,
} from '../../shared/wire/packet-list.js';
import { Connection, messageOf } from './connection.js';

/** Most requests in parallel. Browsers open 6 connections to a host; one is left for the page. */
const MAX_IN_FLIGHT = 5;

/** Most packets that wait while all requests are in flight; beyond that the oldest is dropped. */
const MAX_UNSENT = 24;

/** Most control messages that wait. */
const MAX_CONTROLS = 32;

/** Time without an answer after which a request has failed, in milliseconds. */
const REQUEST_MS = 10_000;

/** Time without any answer after which the connection is lost, in milliseconds. */
const LOST_MS = 5000;

/** Errors of a single request; all others end the session. */
const ONE_REQUEST_ONLY = new Set([
  'bad-request',
  'content-type',
  'body-too-large',
  'not-found',
  'too-many-requests',
  'internal',
]);

/**
 * @import { Clock } from '../../shared/clock.js'
 * @import { ErrorCode } from '../../shared/errors.js'
 *
 * @typedef {object} Http1Options
 * @property {string} url  of the sessions
 * @property {Clock} clock
 * @property {typeof globalThis.fetch} [fetch]
 */

/**
 * Carries packets in the bodies of POST requests, several in parallel; the server's packets come
 * with the answers. Packets that find no free request share the next one.
 */
export class Http1Connection extends Connection {
  #url;
  #fetch;
  #clock;
  #token = '';
  #inFlight = 0;
  /** @type {Set<AbortController>} */
  #requests = new Set();
  #list = new Uint8Array((MAX_UNSENT + 1) * (MAX_PACKET_BYTES + LIST_LENGTH_BYTES));
  #listEnd = 0;
  #unsent = 0;
  /**
   * Control messages that the server isn't known to have read, oldest first.
   * @type {Uint8Array[]}
   */
  #controls = [];
  /** Number of the oldest. */
  #firstControl = 1;
  /** Number of the oldest that were sent, perhaps in vain: their numbers stay. */
  #sentControls = 0;
  /** True while some are in flight: later ones wait, since requests overtake each other. */
  #isControlInFlight = false;
  /** Number of the server's last control message that was read. */
  #read = 0;
  /** True when an answer got lost, perhaps with control messages: the server sends those again. */
  #isAnswerLost = false;
  #answeredMs;

  /** @param {Http1Options} options @returns {Promise<Http1Connection>} */
  static async open(options) {
    return new Http1Connection(options);
  }

  /** @param {Http1Options} options */
  constructor({ url, clock, fetch = globalThis.fetch }) {
    super('http1');
    this.#url = url;
    this.#clock = clock;
    this.#answeredMs = clock.now();
    // A browser's fetch must be called on the global object.
    this.#fetch = (/** @type {string} */ to, /** @type {RequestInit} */ init) => fetch(to, init);
  }

  /** @override @param {object} message */
  join(message) {
    this.#join(JSON.stringify(message)).catch((error) =>
      this.ended('connection-failed', `The server gave no answer over HTTP/1: ${messageOf(error)}`),
    );
  }

  /** @param {string} body */
  async #join(body) {
    const { response, bytes } = await this.#request(this.#url, 'application/json', body, false);
    const answer = JSON.parse(new TextDecoder().decode(bytes));
    if (!response.ok) {
      const { code = 'internal', message = errors.internal.message } = answer ?? {};
      this.control({ type: 'refused', code, message });
      return;
    }
    if (this.closed) {
      this.#leave(answer.token);
      return;
    }
    this.#token = String(answer.token);
    this.leaveUrl = `${this.#sessionUrl(this.#token)}/leave`;
    this.#answeredMs = this.#clock.now();
    for (const message of answer.messages ?? []) this.control(message);
    this.#flush();
  }

  /** @param {string} token */
  #sessionUrl(token) {
    return `${this.#url}/${encodeURIComponent(token)}`;
  }

  /**
   * Posts, and reads the whole answer.
   * @param {string} url
   * @param {string} type of the body
   * @param {BodyInit} body
   * @param {boolean} [endsWithThis] false for a join, which must be left again if it succeeds late
   */
  async #request(url, type, body, endsWithThis = true) {
    const controller = new AbortController();
    if (endsWithThis) this.#requests.add(controller);
    const timer = this.#clock.setTimeout(() => controller.abort(), REQUEST_MS);
    try {
      const init = {
        method: 'POST',
        headers: { 'content-type': type },
        body,
        cache: /** @type {const} */ ('no-store'),
        signal: controller.signal,
      };
      const response = await this.#fetch(url, init);
      return { response, bytes: new Uint8Array(await response.arrayBuffer()) };
    } finally {
      this.#clock.clearTimeout(timer);
      this.#requests.delete(controller);
    }
  }

  /** @override @param {Uint8Array} bytes */
  send(bytes) {
    if (this.closed || !this.#token || bytes.length > MAX_PACKET_BYTES) return this.count(false);
    this.#listEnd = writeListEntry(this.#list, this.#listEnd, bytes);
    this.#unsent += 1;
    this.count(true);
    if (this.#unsent > MAX_UNSENT) this.#dropOldest();
    this.#flush();
    return true;
  }

  #dropOldest() {
    const entry = LIST_LENGTH_BYTES + ((this.#list[0] << 8) | this.#list[1]);
    this.#list.copyWithin(0, entry, this.#listEnd);
    this.#listEnd -= entry;
    this.#unsent -= 1;
    this.counters.sent -= 1;
    this.counters.droppedOut += 1;
  }

  /** @override @param {object} message */
  sendControl(message) {
    if (this.closed) return;
    this.#controls.push(writeControl(message));
    if (this.#controls.length > MAX_CONTROLS) this.#controls.splice(this.#sentControls, 1);
    this.#flush();
  }

  #flush() {
    if (!this.#token) return;
    while (!this.closed && this.#inFlight < MAX_IN_FLIGHT) {
      const controls = this.#isControlInFlight ? [] : this.#nextControls();
      if (this.#unsent + controls.length === 0) return;
      void this.#post(this.#takeBody(controls), controls.length);
    }
  }

  /**
   * Number of the oldest control messages that fit into a list beside the waiting packets: one at
   * least.
   */
  #nextControls() {
    let bytes = this.#listEnd;
    const end = this.#controls.findIndex(
      (control) => (bytes += LIST_LENGTH_BYTES + control.length) > MAX_LIST_BYTES,
    );
    return this.#controls.slice(0, end < 0 ? this.#controls.length : Math.max(1, end));
  }

  /** @param {Uint8Array[]} controls */
  #takeBody(controls) {
    let bytes = this.#listEnd;
    for (const control of controls) bytes += LIST_LENGTH_BYTES + control.length;
    const body = new Uint8Array(bytes);
    let at = 0;
    for (const control of controls) at = writeListEntry(body, at, control);
    body.set(this.#list.subarray(0, this.#listEnd), at);
    this.#listEnd = 0;
    this.#unsent = 0;
    return body;
  }

  /**
   * @param {Uint8Array<ArrayBuffer>} body @param {number} controls number of control messages in it
   */
  async #post(body, controls) {
    this.#inFlight += 1;
    this.#isControlInFlight ||= controls > 0;
    this.#sentControls = Math.max(this.#sentControls, controls);
    let url = `${this.#sessionUrl(this.#token)}/packets?read=${this.#read}`;
    if (controls > 0) url += `&control=${this.#firstControl}`;
    if (this.#isAnswerLost) url += '&lost';
    this.#isAnswerLost = false;
    let isRead = false;
    try {
      const { response, bytes } = await this.#request(url, 'application/octet-stream', body);
      isRead = this.#answered(response, bytes);
    } catch {
      this.#failed();
    }
    this.#inFlight -= 1;
    if (controls > 0) this.#isControlInFlight = false;
    if (isRead) this.#forgetControls(controls);
    // Lost control messages go with the next packet: sent at once they would get lost again.
    else this.#isAnswerLost = true;
    if (isRead) this.#flush();
  }

  /** @param {number} count of the oldest */
  #forgetControls(count) {
    this.#controls.splice(0, count);
    this.#firstControl += count;
    this.#sentControls -= count;
  }

  /**
   * @param {Response} response
   * @param {Uint8Array} answer
   * @returns {boolean} true when the request need not be resent
   */
  #answered({ status, headers }, answer) {
    if (status !== 200) {
      this.#refused(status, answer);
      return status < 500 && status !== 429;
    }
    this.#answeredMs = this.#clock.now();
    const [, first] = /;\s*control=(\d{1,15})/.exec(headers.get('content-type') ?? '') ?? [];
    let number = first === undefined ? null : Number(first);
    readList(answer, (bytes) => {
      if (packetType(bytes) !== PacketType.control) this.received(bytes, this.#clock.now());
      else if (number === null || number++ > this.#read) this.#readControl(bytes, number);
    });
    return true;
  }

  /** @param {number} status @param {Uint8Array} answer */
  #refused(status, answer) {
    const code = status === 404 ? 'session-unknown' : codeOf(answer);
    if (code === null || ONE_REQUEST_ONLY.has(code)) this.#failed();
    else this.ended(code, errors[code].message);
  }

  #failed() {
    if (this.closed || this.#clock.now() - this.#answeredMs < LOST_MS) return;
    this.ended('connection-lost', 'The server has stopped answering.');
  }

  /**
   * @param {Uint8Array} bytes
   * @param {number | null} next number of the following message, if they are numbered
   */
  #readControl(bytes, next) {
    if (next !== null) this.#read = next - 1;
    const message = readControl(bytes);
    if (message !== undefined) this.control(message);
  }

  /** @override @param {boolean} leaves */
  release(leaves) {
    for (const controller of this.#requests) controller.abort();
    if (leaves && this.#token) this.#leave(this.#token);
  }

  /** @param {string} token */
  #leave(token) {
    // This request outlives the page, and nothing waits for it.
    this.#fetch(this.#sessionUrl(token), { method: 'DELETE', keepalive: true }).catch(() => {});
  }
}

/** @param {Uint8Array} answer @returns {ErrorCode | null} null when it is no error code */
function codeOf(answer) {
  try {
    const { code } = JSON.parse(new TextDecoder().decode(answer));
    return Object.hasOwn(errors, code) ? code : null;
  } catch {
    return null;
  }
}
