/**
 * Webhooks: requests that notify an operator's own services of rooms, people and recordings. Body
 * and signature are those of LiveKit (https://docs.livekit.io/home/server/webhooks/), so that the
 * receivers of its server SDKs check them.
 *
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 *
 * @typedef {'room_started' | 'room_finished' | 'participant_joined' | 'participant_left'
 *   | 'broadcast_started' | 'broadcast_finished' | 'recording_ready'} Occasion
 *
 * @typedef {object} Happening  plain data, which a worker thread posts
 * @property {Occasion} event
 * @property {string} room  its name
 * @property {{ id: string, name: string, identity: string | null }} [participant] id: within the
 *   room; identity: of the token; null without one
 * @property {{ id: string, startedAt: string, isPublic: boolean }} [recording]
 *
 * @typedef {object} WebhookState  for the operator
 * @property {string} url  without credentials and query, which may be secret
 * @property {number} delivered  accepted events
 * @property {number} retried  attempts after the first
 * @property {number} dropped  events that were refused, too old, or too many
 * @property {number} waiting
 * @property {string | null} problem  reason of the last failed attempt; null after a success
 */

import { createHash, randomUUID } from 'node:crypto';
import { SignJWT } from 'jose';
import { readWebhook } from '../config/readers.js';
import { reasonOf } from '../log.js';
import { settlesWithin } from '../timers.js';

/** Most events that wait for one receiver; the oldest are dropped first. */
const MAX_WAITING = 1000;

/** Longest wait for an answer, in milliseconds. */
const ANSWER_MS = 5000;

/** Wait before the second attempt, in milliseconds; doubles up to the longest. */
const FIRST_RETRY_MS = 1000;
const LONGEST_RETRY_MS = 60_000;

/** Age at which an undelivered event is dropped, in milliseconds. */
const MAX_AGE_MS = 600_000;

/** Time for the last events when the server closes, in milliseconds. */
const CLOSE_MS = 2000;

/** Validity of a signature, in seconds: that of LiveKit's. */
const SIGNATURE_SECONDS = 300;

/**
 * @typedef {object} WebhookServices
 * @property {Clock} clock
 * @property {() => number} wallNow  milliseconds since 1970
 * @property {Pick<Log, 'warn'>} log
 * @property {typeof globalThis.fetch} [fetch]
 */

/** All receivers: each has its own queue, so that a slow one delays no other. */
export class Webhooks {
  #receivers;
  #wallNow;

  /**
   * @param {readonly string[]} urls  as configured, with credentials
   * @param {WebhookServices} services
   */
  constructor(urls, services) {
    this.#wallNow = services.wallNow;
    this.#receivers = urls.map((url) => new Receiver(url, services));
  }

  /** Queues an event for every receiver. @param {Happening} happening */
  take = (happening) => {
    const event = eventOf(happening, this.#wallNow());
    for (const receiver of this.#receivers) receiver.take(event);
  };

  /** @returns {WebhookState[]} */
  get states() {
    return this.#receivers.map((receiver) => receiver.state);
  }

  /** Sends what waits, for a short time. Idempotent. */
  async close() {
    await Promise.all(this.#receivers.map((receiver) => receiver.close()));
  }
}

/** @typedef {{ id: string, createdAt: number } & Record<string, unknown>} WebhookEvent */

/**
 * Body of a request, in the JSON form of LiveKit's WebhookEvent; `recording` is our own field.
 * @param {Happening} happening
 * @param {number} nowMs
 * @returns {WebhookEvent}
 */
function eventOf({ event, room, participant, recording }, nowMs) {
  return {
    event,
    id: `EV_${randomUUID()}`,
    createdAt: Math.floor(nowMs / 1000),
    room: { name: room },
    ...(participant && {
      participant: {
        sid: participant.id,
        identity: participant.identity ?? participant.id,
        name: participant.name,
      },
    }),
    ...(recording && { recording }),
  };
}

/** One address, and the events that wait for it, which are sent one after the other. */
class Receiver {
  #url;
  #shown;
  #sign;
  #clock;
  #log;
  #fetch;
  /** @type {{ event: WebhookEvent, sinceMs: number }[]} */
  #waiting = [];
  /** Events dropped since the last delivered one, which the next one tells. */
  #untold = 0;
  #counts = { delivered: 0, retried: 0, dropped: 0 };
  /** @type {string | null} */
  #problem = null;
  /** @type {Promise<void> | null} */
  #sending = null;
  #closed = false;
  /** Ends the present wait for the next attempt. */
  #wake = () => {};
  /** Ends the present request. */
  #abort = (/** @type {Error} */ _reason) => {};

  /** @param {string} configured @param {WebhookServices} services */
  constructor(configured, { clock, wallNow, log, fetch = globalThis.fetch }) {
    const { url, id, secret } = /** @type {NonNullable<ReturnType<typeof readWebhook>>} */ (
      readWebhook(configured)
    );
    this.#url = url;
    this.#shown = `${url.origin}${url.pathname}`;
    this.#sign = signer(id, secret, wallNow);
    this.#clock = clock;
    this.#log = log;
    this.#fetch = fetch;
  }

  /** @returns {WebhookState} */
  get state() {
    const problem = this.#problem;
    return { url: this.#shown, ...this.#counts, waiting: this.#waiting.length, problem };
  }

  /** @param {WebhookEvent} event */
  take(event) {
    if (this.#closed) return;
    if (this.#waiting.length === MAX_WAITING) this.#drop('too many events wait');
    this.#waiting.push({ event, sinceMs: this.#clock.now() });
    this.#sending ??= this.#send();
  }

  /** Sends until nothing waits. Something does when it is called. */
  async #send() {
    let retryMs = FIRST_RETRY_MS;
    for (let [next] = this.#waiting; next; [next] = this.#waiting) {
      const problem = await this.#attempt(next.event);
      if (problem === null) {
        retryMs = FIRST_RETRY_MS;
        if (this.#waiting[0] === next) this.#waiting.shift();
        continue;
      }
      this.#problem = problem.reason;
      if (this.#waiting[0] !== next) continue;
      if (problem.isFinal || this.#clock.now() - next.sinceMs > MAX_AGE_MS)
        this.#drop(problem.reason);
      else if (this.#closed) return;
      else {
        await this.#pause(retryMs);
        retryMs = Math.min(2 * retryMs, LONGEST_RETRY_MS);
        this.#counts.retried += 1;
      }
    }
    // Right after the last look at the queue, so that the next event is sent.
    this.#sending = null;
  }

  /**
   * @param {WebhookEvent} event
   * @returns {Promise<{ reason: string, isFinal: boolean } | null>} null when it was accepted
   */
  async #attempt(event) {
    const body = JSON.stringify(this.#untold > 0 ? { ...event, numDropped: this.#untold } : event);
    const untold = this.#untold;
    const abort = new AbortController();
    this.#abort = (reason) => abort.abort(reason);
    const timer = this.#clock.setTimeout(
      () => this.#abort(new Error(`no answer within ${ANSWER_MS / 1000} s`)),
      ANSWER_MS,
    );
    try {
      const answer = await this.#fetch(this.#url, {
        method: 'POST',
        redirect: 'manual',
        headers: {
          'content-type': 'application/webhook+json',
          authorization: await this.#sign(body),
        },
        body,
        signal: abort.signal,
      });
      await answer.body?.cancel();
      if (!answer.ok) return { reason: `status ${answer.status}`, isFinal: isFinal(answer.status) };
      this.#counts.delivered += 1;
      this.#untold -= untold;
      this.#problem = null;
      return null;
    } catch (error) {
      const cause = /** @type {{ cause?: unknown }} */ (error).cause;
      return { reason: reasonOf(abort.signal.reason ?? cause ?? error), isFinal: false };
    } finally {
      this.#clock.clearTimeout(timer);
    }
  }

  /** Drops the oldest waiting event. @param {string} reason */
  #drop(reason) {
    const dropped = this.#waiting.shift();
    this.#counts.dropped += 1;
    this.#untold += 1;
    this.#log.warn(
      {
        event: 'webhook-dropped',
        url: this.#shown,
        occasion: dropped?.event.event,
        id: dropped?.event.id,
        reason,
      },
      'event could not be delivered to a webhook',
    );
  }

  /** @param {number} ms @returns {Promise<void>} settles at once when the server closes */
  #pause(ms) {
    if (this.#closed) return Promise.resolve();
    return new Promise((resolve) => {
      const timer = this.#clock.setTimeout(() => this.#wake(), ms);
      this.#wake = () => {
        this.#clock.clearTimeout(timer);
        resolve();
      };
    });
  }

  async close() {
    this.#closed = true;
    this.#wake();
    const sending = this.#sending;
    if (!sending) return;
    const error = new Error('the server has closed');
    if (!(await settlesWithin(this.#clock, CLOSE_MS, sending))) this.#abort(error);
    while (this.#waiting.length > 0) this.#drop(error.message);
  }
}

/**
 * True when the same request would be refused again.
 * @param {number} status
 */
const isFinal = (status) => status < 500 && status !== 408 && status !== 425 && status !== 429;

/**
 * Makes signatures of bodies: a JWT with the body's SHA-256 in base64, as `Authorization`.
 * @param {string} id  of the key
 * @param {string} secret
 * @param {() => number} wallNow
 */
function signer(id, secret, wallNow) {
  const key = new TextEncoder().encode(secret);
  return (/** @type {string} */ body) => {
    const seconds = Math.floor(wallNow() / 1000);
    return new SignJWT({ sha256: createHash('sha256').update(body).digest('base64') })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(id)
      .setNotBefore(seconds)
      .setExpirationTime(seconds + SIGNATURE_SECONDS)
      .sign(key);
  };
}
