/**
 * @import { SourceOptions } from './source.js'
 * @import { Certificate } from './certificate.js'
 * @import { RenewalWindow } from './acme-authority.js'
 */

import { createHash, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../errors/config-error.js';
import { reasonOf } from '../log.js';
import { AcmeAuthority, AcmeError } from './acme-authority.js';
import { readCertificate } from './certificate.js';
import {
  CERTIFICATE_FILE,
  generateCertificate,
  KEY_FILE,
  replaceFile,
  writeCertificate,
} from './generate.js';
import { CertificateSource } from './source.js';

/**
 * The part of AcmeAuthority that a certificate source uses.
 * @typedef {Pick<AcmeAuthority, 'order' | 'renewalWindow' | 'close'>} Authority
 */

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;
const DAY_MS = 24 * HOUR_MS;

/** Remaining validity at which a certificate that stands in is replaced by another. */
const STAND_IN_MS = DAY_MS;

/** Interval between checks whether renewal is due. */
const CHECK_EVERY_MS = MINUTE_MS;

/** Share of its life after which a certificate is renewed if the authority doesn't say when. */
const RENEW_AFTER = 2 / 3;

/** Share of its life after which a certificate is renewed, whatever the authority says. */
const RENEW_AT_LAST = 0.9;

/**
 * Wait after a failure; it doubles with each, up to the longest. Let's Encrypt allows five failed
 * checks of a name in an hour; these waits make four (https://letsencrypt.org/docs/rate-limits/).
 */
const RETRY_MS = Object.freeze({ first: 5 * MINUTE_MS, longest: 4 * HOUR_MS });

/** Wait between issuing a certificate and the next request to the authority, in milliseconds. */
const PAUSE_MS = HOUR_MS;

/**
 * Share of its life for which a new certificate is always kept. Without it, a machine whose clock
 * is months ahead would order one after the other.
 */
const KEEP_AT_LEAST = 1 / 4;

/** Bounds of the interval between requests for the renewal window. */
const ASK_MS = Object.freeze({ least: HOUR_MS, most: 24 * HOUR_MS });

const ACCOUNT_FILE = 'account.pem';

/**
 * A span of time by the date. It ends early if the date is set back to before its beginning.
 * @typedef {{ fromMs: number, ms: number }} Span
 */

/** @type {Readonly<Span>} */
const NO_TIME = Object.freeze({ fromMs: 0, ms: 0 });

/** @param {number} now @param {Span} span */
const isIn = (now, { fromMs, ms }) => now >= fromMs && now < fromMs + ms;

/** Advice for the operator, by the type of the authority's problem (RFC 8555, section 6.7). */
const ADVICE = Object.freeze(
  /** @type {Record<string, string>} */ ({
    dns: 'its DNS records (A, AAAA) have to name this machine',
    connection: 'TCP port 80 of this machine has to be open to the Internet',
    unauthorized:
      'something else answers on port 80 there, or its DNS records name another machine',
    caa: 'its CAA record in the DNS does not allow this authority',
    rateLimited: 'the authority was asked too often',
    rejectedIdentifier: 'the authority issues nothing for this name',
    invalidContact: '--acme-email has to be an address that takes mail',
    unsupportedContact: '--acme-email has to be an address that takes mail',
    externalAccountRequired:
      'this authority wants an account that is made elsewhere; --acme-email can name another',
    unreachable: 'this machine needs a way to it, by DNS and HTTPS',
    untrusted: 'NODE_EXTRA_CA_CERTS names the PEM file of a private root',
  }),
);

/**
 * Opens the certificate that an authority issues for --domain. Sends the authority nothing before
 * begin().
 * @param {SourceOptions & { directory: string, domains: ReadonlyArray<string>, email: string,
 *   directoryUrl: string }} options
 * @returns {Promise<AcmeCertificate>}
 * @throws {ConfigError} if the account's key can't be kept, which would make a new account at each
 *   start
 */
export async function openAcmeCertificate({ directory, directoryUrl, email, ...options }) {
  const own = join(directory, 'acme', folderOf(directoryUrl));
  const accountKey = await keepAccountKey(own, directory);
  const authority = new AcmeAuthority({ directoryUrl, email, accountKey, clock: options.clock });
  return AcmeCertificate.open({ ...options, directory: own, authority });
}

/**
 * Gives each authority a folder: accounts and certificates of one mean nothing to another.
 * @param {string} url
 */
function folderOf(url) {
  const host = new URL(url).hostname.replace(/[^a-z0-9.-]/gi, '_');
  return `${host}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}`;
}

/**
 * @param {string} directory
 * @param {string} named  as the operator knows it
 * @returns {Promise<string>} PEM
 */
async function keepAccountKey(directory, named) {
  const path = join(directory, ACCOUNT_FILE);
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    if (/** @type {NodeJS.ErrnoException} */ (error).code !== 'ENOENT') throw notKept(error, named);
  }
  const key = await AcmeAuthority.newKey();
  try {
    mkdirSync(directory, { recursive: true, mode: 0o700 });
    replaceFile(path, key);
  } catch (error) {
    throw notKept(error, named);
  }
  return key;
}

/**
 * @param {unknown} error
 * @param {string} directory
 */
function notKept(error, directory) {
  const allowed = 'a directory that this user may write, which is there after a restart too';
  const problem =
    'nothing can be kept there ' + `(${/** @type {NodeJS.ErrnoException} */ (error).code})`;
  return new ConfigError({ option: '--cert-dir', value: directory, allowed, problem });
}

/**
 * A certificate that an ACME authority issues, and renews while the server runs. Until the first is
 * issued, one made by the server stands in, so that all ports are open from the start. Browsers
 * warn about that one.
 */
export class AcmeCertificate extends CertificateSource {
  /**
   * Answers of port 80 to the authority, by the last part of the path.
   * @type {Map<string, string>}
   */
  challenges = new Map();
  #directory;
  #domains;
  #authority;
  #random;
  /** True when the current one was issued; false when it stands in. */
  #isIssued;
  /** Date from which to replace it. */
  #dueMs;
  /** Time in which a new one is kept although it is due. @type {Span} */
  #keep = NO_TIME;
  /** Time in which nothing is requested: after an order, failed or not. @type {Span} */
  #pause = NO_TIME;
  #failures = 0;
  /** Time for which the answer holds when to renew. @type {Span} */
  #asked = NO_TIME;
  /** Window in which #dueMs was chosen. */
  #window = '';

  /**
   * @param {SourceOptions & { directory: string, domains: ReadonlyArray<string>, authority:
   *   Authority, random?: () => number }} options
   */
  static async open(options) {
    const { directory, domains, wallNow } = options;
    const kept = readKept(directory, domains, wallNow());
    const certificate =
      kept ?? (await generateCertificate({ hosts: domains, now: new Date(wallNow()) }));
    return new AcmeCertificate(certificate, kept !== null, options);
  }

  /**
   * @param {Certificate} certificate
   * @param {boolean} isIssued
   * @param {Parameters<typeof AcmeCertificate.open>[0]} options
   */
  constructor(
    certificate,
    isIssued,
    { directory, domains, authority, random = Math.random, ...options },
  ) {
    super(certificate, { ...options, everyMs: CHECK_EVERY_MS });
    this.#directory = directory;
    this.#domains = domains;
    this.#authority = authority;
    this.#random = random;
    this.#isIssued = isIssued;
    this.#dueMs = isIssued ? partOf(certificate, RENEW_AFTER) : 0;
  }

  /** Hashes for pages to accept the server by: none, since browsers trust the authority. */
  get hashes() {
    return this.#isIssued ? [] : [this.current.hash];
  }

  /** True when the current certificate was issued; otherwise browsers warn about it. */
  get isIssued() {
    return this.#isIssued;
  }

  /** Orders the certificate if there is none; port 80 answers from now on. */
  begin() {
    void this.checkNow();
  }

  /** @override */
  close() {
    super.close();
    this.#authority.close();
  }

  /** @override */
  async check() {
    const now = this.wallNow();
    if (!this.#isIssued) await this.#keepStandIn(now);
    if (this.closed || isIn(now, this.#pause)) return;
    if (this.#isIssued) await this.#askRenewalTime(now);
    if (!this.closed && now >= this.#dueMs && !isIn(now, this.#keep)) await this.#order(now);
  }

  /**
   * Has another certificate stand in before the present one ends: the authority may issue none for
   * weeks.
   * @param {number} now
   */
  async #keepStandIn(now) {
    const { notBefore, notAfter } = this.current;
    if (now >= notBefore.getTime() && notAfter.getTime() - now > STAND_IN_MS) return;
    const next = await generateCertificate({ hosts: this.#domains, now: new Date(now) });
    if (!this.closed) this.replace(next);
  }

  /** @param {number} now */
  async #askRenewalTime(now) {
    if (isIn(now, this.#asked)) return;
    this.#asked = { fromMs: now, ms: ASK_MS.most };
    /** @type {RenewalWindow | null} */
    let window = null;
    try {
      window = await this.#authority.renewalWindow(this.current.certPem);
    } catch (error) {
      this.log.debug(
        { event: 'renewal-time-unknown', reason: reasonOf(error) },
        'authority did not say when to renew the certificate',
      );
      this.#asked = { fromMs: now, ms: ASK_MS.least };
    }
    if (!window) return;
    const ms = Math.min(Math.max(window.askAgainMs, ASK_MS.least), ASK_MS.most);
    this.#asked = { fromMs: now, ms };
    const { startMs, endMs } = window;
    if (this.#window === `${startMs} ${endMs}`) return;
    this.#window = `${startMs} ${endMs}`;
    // Chosen at random, so that certificates issued together aren't renewed together (RFC 9773,
    // section 4.2).
    const chosen = startMs + this.#random() * (endMs - startMs);
    this.#dueMs = Math.min(chosen, partOf(this.current, RENEW_AT_LAST));
    this.#keep = NO_TIME;
  }

  /** @param {number} now */
  async #order(now) {
    try {
      const replaces = this.#isIssued && this.#window ? this.current.certPem : null;
      const { challenges } = this;
      const { certPem, keyPem } = await this.#authority.order({
        domains: this.#domains,
        challenges,
        replaces,
      });
      if (this.closed) return;
      this.#take(readIssued(certPem, keyPem, now), now);
    } catch (error) {
      if (!this.closed) this.#fail(now, error);
    }
  }

  /**
   * @param {Certificate} certificate
   * @param {number} now
   */
  #take(certificate, now) {
    const { notBefore, notAfter } = certificate;
    this.#isIssued = true;
    this.#failures = 0;
    this.#pause = { fromMs: now, ms: PAUSE_MS };
    this.#asked = NO_TIME;
    this.#window = '';
    this.#dueMs = partOf(certificate, RENEW_AFTER);
    this.#keep = {
      fromMs: now,
      ms: KEEP_AT_LEAST * (notAfter.getTime() - notBefore.getTime()),
    };
    try {
      writeCertificate(this.#directory, certificate);
    } catch (error) {
      this.log.error(
        { event: 'certificate-not-kept', directory: this.#directory, reason: reasonOf(error) },
        'certificate could not be stored; each start asks for a new one',
      );
    }
    this.log.info(
      { event: 'certificate-issued', domains: this.#domains, validUntil: notAfter.toISOString() },
      'certificate issued and in use',
    );
    this.replace(certificate);
  }

  /**
   * @param {number} now
   * @param {unknown} error
   */
  #fail(now, error) {
    const waitMs = Math.min(RETRY_MS.first * 2 ** this.#failures, RETRY_MS.longest);
    this.#failures++;
    const { type = '', retryAfterMs = 0 } = error instanceof AcmeError ? error : {};
    const inMs = Math.max(waitMs, Math.min(retryAfterMs, ASK_MS.most));
    this.#pause = { fromMs: now, ms: inMs };
    const fields = {
      domains: this.#domains,
      reason: reasonOf(error),
      ...(ADVICE[type] && { advice: ADVICE[type] }),
      retryInMinutes: Math.round(inMs / MINUTE_MS),
    };
    const validUntil = this.current.notAfter.toISOString();
    if (this.#isIssued)
      this.log.warn(
        { event: 'certificate-not-renewed', validUntil, ...fields },
        'certificate could not be renewed yet',
      );
    else
      this.log.error(
        { event: 'certificate-not-issued', ...fields },
        'no certificate was issued; browsers warn of the one in use',
      );
  }
}

/**
 * Date at which a share of a certificate's life is over.
 * @param {Certificate} certificate
 * @param {number} share
 */
function partOf({ notBefore, notAfter }, share) {
  return notBefore.getTime() + share * (notAfter.getTime() - notBefore.getTime());
}

/**
 * Reads a certificate of the authority's. Accepts one that isn't valid yet, since this machine's
 * clock may be behind.
 * @param {string} certPem
 * @param {string} keyPem
 * @param {number} wallMs
 */
function readIssued(certPem, keyPem, wallMs) {
  return readCertificate(
    certPem,
    keyPem,
    Math.max(wallMs, Date.parse(new X509Certificate(certPem).validFrom)),
  );
}

/**
 * Reads the certificate that was issued before.
 * @param {string} directory
 * @param {ReadonlyArray<string>} domains
 * @param {number} wallMs
 * @returns {Certificate | null} null if it is missing, damaged, for other names or expired
 */
function readKept(directory, domains, wallMs) {
  try {
    const certPem = readFileSync(join(directory, CERTIFICATE_FILE), 'utf8');
    const kept = readIssued(certPem, readFileSync(join(directory, KEY_FILE), 'utf8'), wallMs);
    const names = new X509Certificate(certPem).subjectAltName?.split(', ') ?? [];
    return domains.every((domain) => names.includes(`DNS:${domain}`)) ? kept : null;
  } catch {
    // Any fault of it is solved by a new one.
    return null;
  }
}
