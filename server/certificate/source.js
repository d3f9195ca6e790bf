/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Certificate } from './certificate.js'
 */

/**
 * Options of every kind of certificate source.
 * @typedef {object} SourceOptions
 * @property {Clock} clock             for the checks while running
 * @property {() => number} wallNow    the date, in milliseconds since 1970
 * @property {Log} log
 */

/**
 * A certificate that may be replaced while the server runs. It is checked at an interval, never by
 * one long timer: a computer that slept, or whose date was set, is then right within one interval.
 */
export class CertificateSource {
  #clock;
  #everyMs;
  /** @type {unknown} */
  #timer = null;
  #closed = false;
  /** @type {Set<(certificate: Certificate) => void>} */
  #subscribers = new Set();

  /**
   * @param {Certificate} current
   * @param {SourceOptions & { everyMs: number }} options  everyMs: from one check to the next
   */
  constructor(current, { clock, wallNow, log, everyMs }) {
    /** The certificate to serve now. */
    this.current = current;
    this.wallNow = wallNow;
    this.log = log;
    this.#clock = clock;
    this.#everyMs = everyMs;
    this.#schedule();
  }

  get closed() {
    return this.#closed;
  }

  /**
   * @param {(certificate: Certificate) => void} subscriber called with each new certificate
   * @returns {() => void} ends the subscription
   */
  onRenew(subscriber) {
    this.#subscribers.add(subscriber);
    return () => void this.#subscribers.delete(subscriber);
  }

  /** Ends the checks. Idempotent. */
  close() {
    this.#closed = true;
    this.#clock.clearTimeout(this.#timer);
    this.#subscribers.clear();
  }

  /**
   * Checks now, and at the interval from then on.
   * @returns {Promise<void>} once it has been checked
   */
  checkNow() {
    this.#clock.clearTimeout(this.#timer);
    return this.#run();
  }

  /** Replaces the certificate where it is time. @returns {void | Promise<void>} */
  check() {}

  /** @param {Certificate} certificate */
  replace(certificate) {
    this.current = certificate;
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(certificate);
      } catch (error) {
        this.log.error(
          `the new certificate was not taken up: ${error instanceof Error ? error.message : error}`,
        );
      }
    }
  }

  #schedule() {
    if (this.#closed) return;
    this.#timer = this.#clock.setTimeout(() => void this.#run(), this.#everyMs);
  }

  async #run() {
    try {
      await this.check();
    } catch (error) {
      this.log.error(
        `the certificate was not renewed: ${error instanceof Error ? error.message : error}`,
      );
    }
    this.#schedule();
  }
}
