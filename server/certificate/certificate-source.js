import { createPrivateKey, X509Certificate } from 'node:crypto';

/** @typedef {import('../../certs/generate.js').Certificate} Certificate */
/** @typedef {import('../log.js').Log} Log */
/** @typedef {import('../../public/shared/clock.js').Clock} Clock */

/**
 * What both kinds of certificate source are given.
 * @typedef {object} SourceOptions
 * @property {Clock} clock             for the checks while running
 * @property {() => number} wallNow    the date, in milliseconds since 1970
 * @property {Log} log
 */

/** What is wrong with a certificate or a key; which of the two says `part`. */
export class CertificateError extends Error {
  /**
   * @param {'cert' | 'key'} part
   * @param {string} message
   */
  constructor(part, message) {
    super(message);
    this.name = 'CertificateError';
    this.part = part;
  }
}

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
    /** What to serve now. */
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

  /** Looks whether the certificate is to be replaced. @returns {void | Promise<void>} */
  check() {}

  /** @param {Certificate} certificate */
  replace(certificate) {
    this.current = certificate;
    for (const subscriber of this.#subscribers) {
      try {
        subscriber(certificate);
      } catch (error) {
        this.log.error(`the new certificate was not taken up: ${error instanceof Error ? error.message : error}`);
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
      this.log.error(`the certificate was not renewed: ${error instanceof Error ? error.message : error}`);
    }
    this.#schedule();
  }
}

/** RSA keys of these lengths, in bits, and elliptic curves: what browsers and both HTTP/3 engines take. */
const RSA_BITS = Object.freeze({ least: 2048, most: 4096 });
const CURVES = Object.freeze(['prime256v1', 'secp384r1']);

const PEM_CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The kinds of key in words. */
export const ALLOWED_KEYS = `RSA of ${RSA_BITS.least} to ${RSA_BITS.most} bits, or ECDSA on P-256 or P-384`;

/**
 * Reads a certificate and its key.
 *
 * @param {string} certPem  may be a chain, the server's own certificate first
 * @param {string} keyPem
 * @param {number} wallMs   the date, in milliseconds since 1970
 * @returns {Certificate}
 * @throws {CertificateError} when one isn't PEM, the two don't belong together, the key is of a kind that
 *   isn't taken, or the certificate isn't valid now
 */
export function readCertificate(certPem, keyPem, wallMs) {
  const [certificate] = parse(
    'cert',
    () => (certPem.match(PEM_CERTIFICATES) ?? ['']).map((pem) => new X509Certificate(pem)),
    'it is no PEM certificate',
  );
  const key = parse('key', () => createPrivateKey(keyPem), 'it is no unencrypted PEM private key');
  if (!certificate.checkPrivateKey(key)) throw new CertificateError('key', 'it is not the key of the certificate');
  if (!isAllowedKey(key)) throw new CertificateError('key', 'it is of a kind that HTTP/3 or browsers do not take');
  const notBefore = new Date(certificate.validFrom);
  const notAfter = new Date(certificate.validTo);
  if (wallMs > notAfter.getTime()) throw new CertificateError('cert', `it expired on ${notAfter.toISOString()}`);
  if (wallMs < notBefore.getTime()) throw new CertificateError('cert', `it begins on ${notBefore.toISOString()}`);
  const hash = Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString('base64');
  return { certPem, keyPem, hash, notBefore, notAfter };
}

/** @param {import('node:crypto').KeyObject} key */
function isAllowedKey({ asymmetricKeyType, asymmetricKeyDetails: { modulusLength = 0, namedCurve = '' } = {} }) {
  if (asymmetricKeyType === 'rsa') return modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most;
  return asymmetricKeyType === 'ec' && CURVES.includes(namedCurve);
}

/**
 * @template T
 * @param {'cert' | 'key'} part
 * @param {() => T} read
 * @param {string} problem
 * @returns {T}
 */
function parse(part, read, problem) {
  try {
    return read();
  } catch {
    // The library's own words name a decoder's internals.
    throw new CertificateError(part, problem);
  }
}
