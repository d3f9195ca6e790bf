/**
 * @import { SourceOptions } from './source.js'
 * @import { Certificate } from './certificate.js'
 * @import { RenewalWindow } from './acme-authority.js'
 */

import { createHash, X509Certificate } from 'node:crypto';
import { mkdirSync, readFileSync } from 'node:fs';
import { join } from 'node:path';
import { ConfigError } from '../config/config-error.js';
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
 * What an authority does for a certificate source: AcmeAuthority.
 * @typedef {Pick<AcmeAuthority, 'order' | 'renewalWindow' | 'close'>} Authority
 */

const MINUTE_MS = 60 * 1000;
const HOUR_MS = 60 * MINUTE_MS;

/** The interval between two checks whether it is time. */
const CHECK_EVERY_MS = MINUTE_MS;

/**
 * The share of its life after which a certificate is renewed where the authority doesn't say when.
 */
const RENEW_AFTER = 2 / 3;

/** The share of its life after which a certificate is renewed whatever the authority says. */
const RENEW_AT_LAST = 0.9;

/**
 * The wait after a failure: it doubles with each, up to the longest. Let's Encrypt allows five
 * failed checks of a name in an hour; at these waits there are four
 * (https://letsencrypt.org/docs/rate-limits/).
 */
const RETRY_MS = Object.freeze({ first: 5 * MINUTE_MS, longest: 4 * HOUR_MS });

/**
 * The wait after a certificate was issued before the authority is asked for anything, in
 * milliseconds.
 */
const PAUSE_MS = HOUR_MS;

/**
 * The share of its life for which a new certificate is kept in any case: a machine whose clock is
 * months ahead would ask for one after the other.
 */
const KEEP_AT_LEAST = 1 / 4;

/** The bounds of the interval at which the authority is asked when to renew. */
const ASK_MS = Object.freeze({ least: HOUR_MS, most: 24 * HOUR_MS });

const ACCOUNT_FILE = 'account.pem';

/**
 * What the operator can do about a problem, by the type that the authority gives it (RFC 8555,
 * section 6.7).
 */
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
      'this authority wants an account that is made elsewhere; --acme-directory names another',
    unreachable: 'this machine needs a way to it, by DNS and HTTPS',
    untrusted: 'NODE_EXTRA_CA_CERTS names the PEM file of a private root',
  }),
);

/**
 * Opens the certificate that an authority issues for --domain. Nothing is asked of the authority
 * before begin().
 * @param {SourceOptions & { directory: string, domains: ReadonlyArray<string>, email: string,
 *   directoryUrl: string }} options
 * @returns {Promise<AcmeCertificate>}
 * @throws {ConfigError} where the account's key can't be kept, which would make a new account at
 *   each start
 */
export async function openAcmeCertificate({ directory, directoryUrl, email, ...options }) {
  const own = join(directory, 'acme', folderOf(directoryUrl));
  const accountKey = await keepAccountKey(own, directory);
  const authority = new AcmeAuthority({ directoryUrl, email, accountKey, clock: options.clock });
  return AcmeCertificate.open({ ...options, directory: own, authority });
}

/**
 * Each authority has a folder of its own: accounts and certificates of one are nothing to another.
 * @param {string} url
 */
function folderOf(url) {
  return `${new URL(url).hostname.replace(/[^a-z0-9.-]/gi, '_')}-${createHash('sha256').update(url).digest('hex').slice(0, 8)}`;
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
 * A certificate that an ACME authority issues, and renews while the server runs. Where there is
 * none yet, one that the server makes stands in for it, so that all ports are open from the start;
 * browsers warn of it.
 */
export class AcmeCertificate extends CertificateSource {
  /**
   * What port 80 has to answer the authority, by the last part of the path.
   * @type {Map<string, string>}
   */
  challenges = new Map();
  #directory;
  #domains;
  #authority;
  #random;
  /** Whether the current one was issued, and doesn't just stand in. */
  #isIssued;
  /** The date from which it is to be replaced. */
  #dueMs;
  /** The date before which nothing is asked: an order has failed, or has just succeeded. */
  #retryMs = 0;
  #failures = 0;
  /** The date from which the authority is asked again when to renew. */
  #askMs = 0;
  /** The window that #dueMs was chosen in. */
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

  /** The hashes by which a page accepts the server: none, since browsers trust the authority. */
  get hashes() {
    return this.#isIssued ? [] : [this.current.hash];
  }

  /**
   * Whether the current certificate was issued; else one that browsers warn of stands in for it.
   */
  get isIssued() {
    return this.#isIssued;
  }

  /** Has the certificate issued where there is none: port 80 answers from now on. */
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
    if (this.closed || now < this.#retryMs) return;
    if (this.#isIssued) await this.#askWhen(now);
    if (!this.closed && now >= this.#dueMs) await this.#order(now);
  }

  /** @param {number} now */
  async #askWhen(now) {
    if (now < this.#askMs) return;
    this.#askMs = now + ASK_MS.most;
    /** @type {RenewalWindow | null} */
    let window = null;
    try {
      window = await this.#authority.renewalWindow(this.current.certPem);
    } catch (error) {
      this.log.debug(`the authority did not say when to renew the certificate: ${reasonOf(error)}`);
      this.#askMs = now + ASK_MS.least;
    }
    if (!window) return;
    this.#askMs = now + Math.min(Math.max(window.askAgainMs, ASK_MS.least), ASK_MS.most);
    const { startMs, endMs } = window;
    if (this.#window === `${startMs} ${endMs}`) return;
    this.#window = `${startMs} ${endMs}`;
    // At random, so that not all certificates of an hour are renewed in the same (RFC 9773, section
    // 4.2).
    const chosen = startMs + this.#random() * (endMs - startMs);
    this.#dueMs = Math.min(chosen, partOf(this.current, RENEW_AT_LAST));
  }

  /** @param {number} now */
  async #order(now) {
    try {
      // After a failure without it: the authority may not know the old one any more.
      const replaces =
        this.#isIssued && this.#window && this.#failures === 0 ? this.current.certPem : null;
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
    this.#retryMs = now + PAUSE_MS;
    this.#askMs = 0;
    this.#window = '';
    this.#dueMs = Math.max(
      partOf(certificate, RENEW_AFTER),
      now + KEEP_AT_LEAST * (notAfter.getTime() - notBefore.getTime()),
    );
    try {
      writeCertificate(this.#directory, certificate);
    } catch (error) {
      this.log.error(
        `the certificate can't be kept in ${this.#directory} (${reasonOf(error)}), so each ` +
          'start asks for a new one',
      );
    }
    const until = certificate.notAfter.toISOString();
    this.log.info(
      `a certificate for ${this.#domains.join(', ')} was issued, and is served; it is valid ` +
        `until ${until}`,
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
    this.#retryMs = now + inMs;
    const advice = ADVICE[type] ? `; ${ADVICE[type]}` : '';
    const again = `it is tried again in ${Math.round(inMs / MINUTE_MS)} min`;
    const tell = this.#isIssued ? this.log.warn : this.log.error;
    const trouble = this.#isIssued
      ? `the certificate, valid until ${this.current.notAfter.toISOString()}, was not renewed`
      : `no certificate was issued for ${this.#domains.join(', ')}, and browsers warn of the ` +
        'one that stands in for it';
    tell(`${trouble}: ${reasonOf(error)}${advice}; ${again}`);
  }
}

/**
 * The date at which a share of a certificate's life is over.
 * @param {Certificate} certificate
 * @param {number} share
 */
function partOf({ notBefore, notAfter }, share) {
  return notBefore.getTime() + share * (notAfter.getTime() - notBefore.getTime());
}

/** @param {unknown} error */
function reasonOf(error) {
  return error instanceof Error ? error.message : String(error);
}

/**
 * Reads a certificate of the authority's. This machine's clock may be behind: one that begins later
 * will do.
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
 * @returns {Certificate | null} null where it is missing, damaged, for other names or expired
 */
function readKept(directory, domains, wallMs) {
  try {
    const certPem = readFileSync(join(directory, CERTIFICATE_FILE), 'utf8');
    const kept = readIssued(certPem, readFileSync(join(directory, KEY_FILE), 'utf8'), wallMs);
    const names = new X509Certificate(certPem).subjectAltName?.split(', ') ?? [];
    return domains.every((domain) => names.includes(`DNS:${domain}`)) ? kept : null;
  } catch {
    // Whatever is wrong with it, a new one is the answer.
    return null;
  }
}
