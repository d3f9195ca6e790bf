/**
 * @import { Clock } from '../../public/shared/clock.js'
 * @import { Log } from '../log.js'
 * @import { Certificate } from './certificate.js'
 */

import { reasonOf } from '../log.js';

/**
 * Options of every kind of certificate source.
 * @typedef {object} SourceOptions
 * @property {Clock} clock             for the checks while running
 * @property {() => number} wallNow    the date, in milliseconds since 1970
 * @property {Log} log
 */

/**
 * A certificate that may be replaced while the server runs. It is checked at an interval, never by
 * one long timer. After a computer slept, or its date was set, it is right again within one
 * interval.
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
   * @param {SourceOptions & { everyMs: number }} options  everyMs: interval between checks
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
   * Checks now, and then at the interval.
   * @returns {Promise<void>} settled after the first check
   */
  checkNow() {
    this.#clock.clearTimeout(this.#timer);
    return this.#run();
  }

  /** Replaces the certificate if it is due. @returns {void | Promise<void>} */
  check() {}

  /** @param {Certificate} certificate */
  replace(certificate) {
    this.current = certificate;
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(certificate);
      } catch (error) {
        this.log.error(
          { event: 'certificate-not-applied', reason: reasonOf(error) },
          'new certificate could not be applied',
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
        { event: 'certificate-check-failed', reason: reasonOf(error) },
        'certificate could not be renewed',
      );
    }
    this.#schedule();
  }
}
