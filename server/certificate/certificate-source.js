import { readFileSync, statSync } from 'node:fs';
import { userInfo } from 'node:os';
import { join } from 'node:path';
import { systemClock } from '../../public/shared/clock.js';
import { ConfigError } from '../errors/config-error.js';
import { partsOf, readAcme } from '../config/readers.js';
import { createLog } from '../log.js';
import {
  ALLOWED_KEYS,
  CertificateError,
  isAcceptedByHash,
  isSelfSigned,
  readCertificate,
} from './certificate.js';
import {
  CERTIFICATE_DIRECTORY,
  generateCertificate,
  readKeptCertificate,
  writeCertificate,
} from './generate.js';
import { CertificateSource } from './source.js';

/** @typedef {import('../../public/shared/clock.js').Clock} Clock */
/** @typedef {import('../log.js').Log} Log */
/** @typedef {import('./certificate.js').Certificate} Certificate */
/** @typedef {import('./source.js').SourceOptions} SourceOptions */
/**
 * @typedef {import('./acme-certificate.js').AcmeCertificate | MadeCertificate | OwnCertificate}
 *   ServerCertificate
 */

/** @typedef {{ cert: string, key: string }} Files  paths */

/**
 * @typedef {SourceOptions & { directory: string, hosts: ReadonlyArray<string>, days?: number }}
 *   MadeOptions  days: validity; by default as pages accept by its hash
 */

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** Remaining validity at which a made certificate is replaced. */
const RENEW_BEFORE_MS = 3 * DAY_MS;

/**
 * Time between announcing a new certificate's hash and serving it, for pages that are already open.
 */
const ANNOUNCE_MS = DAY_MS;

/**
 * Validity of a certificate that people accept, in days: below the 825 that Apple's systems allow
 * (https://support.apple.com/103769).
 */
const ACCEPTED_DAYS = 397;

/** Folder of that certificate, in the directory of the certificates. */
const ACCEPTED_FOLDER = 'lan';

/** Interval between checks of a made certificate. */
const CHECK_EVERY_MS = HOUR_MS;

/** Interval between checks of the files of --cert and --key. */
const WATCH_EVERY_MS = 60 * 1000;

/**
 * Remaining validity at which the operator is warned that nobody has replaced an own certificate.
 */
const WARN_BEFORE_MS = 3 * DAY_MS;

const ALLOWED = Object.freeze({
  cert: 'a readable PEM file of a certificate that is valid now',
  key: `a readable PEM file of its private key, unencrypted: ${ALLOWED_KEYS}`,
});

const LOOPBACK = Object.freeze(['localhost', '127.0.0.1', '::1']);

/**
 * Opens the server's certificate: from --cert and --key, from an authority for --domain, or
 * otherwise one that the server makes.
 *
 * @param {Pick<import('../config/config.js').Config, 'cert' | 'key' | 'certDir' | 'hostnames'> &
 *   Partial<Pick<import('../config/config.js').Config, 'domains' | 'acmeEmail'>>}
 *   config
 * @param {object} [options]
 * @param {Clock} [options.clock]
 * @param {() => number} [options.wallNow]  the date, in milliseconds since 1970
 * @param {Log} [options.log]
 * @returns {Promise<ServerCertificate>} to be closed
 * @throws {ConfigError} when your own one can't be used
 */
export async function openCertificate(
  config,
  { clock = systemClock, wallNow = Date.now, log = createLog() } = {},
) {
  const { cert, key } = config;
  if (cert !== null && key !== null)
    return OwnCertificate.open({ files: { cert, key }, clock, wallNow, log });
  const directory = config.certDir ?? CERTIFICATE_DIRECTORY;
  const { domains, acmeEmail } = config;
  if (domains && acmeEmail) {
    // Imported here: the authority's client takes 7 MB.
    const { openAcmeCertificate } = await import('./acme-certificate.js');
    return openAcmeCertificate({
      directory,
      domains,
      ...partsOf(readAcme, acmeEmail),
      clock,
      wallNow,
      log,
    });
  }
  return MadeCertificate.open({ directory, hosts: hostsOf(config), clock, wallNow, log });
}

/**
 * Hosts in each certificate that the server makes.
 * @param {{ hostnames: readonly string[] | null }} config
 */
const hostsOf = ({ hostnames }) => [...new Set([...LOOPBACK, ...(hostnames ?? [])])];

/**
 * Opens the page's certificate with --lan, which people accept in their browsers. It lasts longer
 * than one that pages accept by its hash, so that they do that once.
 * @param {Pick<import('../config/config.js').Config, 'certDir' | 'hostnames'>} config
 * @param {string} address  of the page, besides the hostnames
 * @param {SourceOptions} options
 * @returns {Promise<ServerCertificate>} to be closed
 */
export function openAcceptedCertificate({ certDir, hostnames }, address, options) {
  return MadeCertificate.open({
    directory: join(certDir ?? CERTIFICATE_DIRECTORY, ACCEPTED_FOLDER),
    hosts: [...hostsOf({ hostnames }), address],
    days: ACCEPTED_DAYS,
    ...options,
  });
}

/**
 * A certificate that the server makes, keeps in a directory, and replaces while running. Its hash
 * is announced a day before it is served, so that a page opened before the change can still connect
 * after it.
 */
class MadeCertificate extends CertificateSource {
  #directory;
  #request;
  /** The certificate to serve next. @type {Certificate | null} */
  #next = null;
  /** True when the directory can't be written, which is logged once. */
  #inMemory = false;

  /**
   * Uses the certificate in the directory if it is good, and makes one otherwise.
   * @param {MadeOptions} options
   */
  static async open(options) {
    const { directory, hosts, days, wallNow } = options;
    const kept = readKeptCertificate(
      directory,
      hosts,
      wallNow(),
      RENEW_BEFORE_MS + ANNOUNCE_MS,
      days === undefined ? isAcceptedByHash : () => true,
    );
    const now = new Date(wallNow());
    const certificate = kept ?? (await generateCertificate({ hosts, now, days, mostDays: days }));
    const source = new MadeCertificate(certificate, options);
    if (!kept) source.#keep(certificate);
    return source;
  }

  /**
   * @param {Certificate} certificate
   * @param {MadeOptions} options
   */
  constructor(certificate, { directory, hosts, days, ...options }) {
    super(certificate, { ...options, everyMs: CHECK_EVERY_MS });
    this.#directory = directory;
    this.#request = { hosts, days, mostDays: days };
  }

  /** Hashes for pages to accept the server by, now and after the next change. */
  get hashes() {
    return this.#next ? [this.current.hash, this.#next.hash] : [this.current.hash];
  }

  /** @override */
  async check() {
    const now = this.wallNow();
    // Drops one that became too old in a sleep of the computer.
    if (this.#next && leftOf(this.#next, now) <= RENEW_BEFORE_MS + ANNOUNCE_MS) this.#next = null;
    const left = leftOf(this.current, now);
    if (left > RENEW_BEFORE_MS + ANNOUNCE_MS) return;
    this.#next ??= await generateCertificate({ ...this.#request, now: new Date(now) });
    if (left > RENEW_BEFORE_MS || this.closed) return;
    const certificate = this.#next;
    this.#next = null;
    this.#keep(certificate);
    this.log.info(
      { event: 'certificate-renewed', validUntil: certificate.notAfter.toISOString() },
      'new certificate in use',
    );
    this.replace(certificate);
  }

  /** @param {Certificate} certificate */
  #keep(certificate) {
    try {
      writeCertificate(this.#directory, certificate);
    } catch (error) {
      if (this.#inMemory) return;
      this.#inMemory = true;
      const reason = error instanceof Error && 'code' in error ? error.code : error;
      this.log.warn(
        { event: 'certificate-not-kept', directory: this.#directory, reason },
        'certificate could not be stored; each start makes a new one. ' +
          '--cert-dir names another directory',
      );
    }
  }
}

/**
 * Remaining validity of a certificate, in milliseconds. It is 0 for one that isn't valid yet: the
 * date was set back since it was made.
 * @param {Certificate} certificate
 * @param {number} nowMs
 */
const leftOf = ({ notBefore, notAfter }, nowMs) =>
  nowMs < notBefore.getTime() ? 0 : notAfter.getTime() - nowMs;

/**
 * A certificate and key from files that somebody else renews; new files are loaded while running.
 */
class OwnCertificate extends CertificateSource {
  #files;
  /** State of the files that are in use. */
  #seen;
  /** State of the last refused files and the reason, so that each refusal is logged once. */
  #refused = '';
  #warned = false;

  /**
   * @param {SourceOptions & { files: Files }} options
   * @returns {OwnCertificate}
   * @throws {ConfigError} naming --cert or --key, if a file can't be read or used
   */
  static open(options) {
    const { files, wallNow } = options;
    const seen = stamp(files);
    try {
      return new OwnCertificate(readFiles(files, wallNow()), seen, options);
    } catch (error) {
      throw error instanceof CertificateError ? configError(error, files) : error;
    }
  }

  /**
   * @param {Certificate} certificate
   * @param {string} seen
   * @param {SourceOptions & { files: Files }} options
   */
  constructor(certificate, seen, { files, ...options }) {
    super(certificate, { ...options, everyMs: WATCH_EVERY_MS });
    this.#files = files;
    this.#seen = seen;
  }

  /**
   * Hashes for pages to accept the server by. One for a self-signed certificate that browsers
   * accept by its hash, otherwise none, since the browser checks the issuer.
   */
  get hashes() {
    return isSelfSigned(this.current) && isAcceptedByHash(this.current) ? [this.current.hash] : [];
  }

  /** @override */
  check() {
    const seen = stamp(this.#files);
    if (seen !== this.#seen && this.#reload(seen)) this.#seen = seen;
    const left = this.current.notAfter.getTime() - this.wallNow();
    if (left > WARN_BEFORE_MS || this.#warned) return;
    this.#warned = true;
    const validUntil = this.current.notAfter.toISOString();
    this.log.warn(
      { event: 'certificate-expires', file: this.#files.cert, validUntil },
      'certificate expires soon: replace it',
    );
  }

  /**
   * @param {string} seen  state of the files
   * @returns {boolean} false for unusable files. They are tried again: a certificate may begin
   *   later, and a key may become readable without another state
   */
  #reload(seen) {
    try {
      const certificate = readFiles(this.#files, this.wallNow());
      const { certPem, keyPem } = this.current;
      // The chain may be another one behind the same certificate.
      if (certificate.certPem === certPem && certificate.keyPem === keyPem) return true;
      this.#warned = false;
      const validUntil = certificate.notAfter.toISOString();
      this.log.info(
        { event: 'certificate-renewed', file: this.#files.cert, validUntil },
        'new certificate in use',
      );
      this.replace(certificate);
      return true;
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      const refused = `${seen} ${error.message}`;
      // The two files are rarely replaced in the same instant; the next check sees both.
      if (refused !== this.#refused)
        this.log.warn(
          { event: 'certificate-refused', file: this.#files[error.part], reason: error.message },
          'changed certificate or key is unusable; the old certificate stays in use',
        );
      this.#refused = refused;
      return false;
    }
  }
}

/**
 * @param {Files} files
 * @param {number} wallMs
 * @throws {CertificateError}
 */
export function readFiles(files, wallMs) {
  return readCertificate(readPart('cert', files.cert), readPart('key', files.key), wallMs);
}

/**
 * @param {'cert' | 'key'} part
 * @param {string} path
 */
function readPart(part, path) {
  try {
    return readFileSync(path, 'utf8');
  } catch (error) {
    throw new CertificateError(part, `it can't be read (${whyUnread(error)})`);
  }
}

/** Tells why a file can't be read. @param {unknown} error */
export function whyUnread(error) {
  const code = error instanceof Error && 'code' in error ? error.code : error;
  if (code !== 'EACCES') return String(code);
  return `EACCES: the user ${userName()} may not read it, or not enter a folder above it`;
}

/** Name of the server's user, or their number: in a container they may have no name. */
function userName() {
  try {
    return userInfo().username;
  } catch {
    return String(process.getuid?.());
  }
}

/** @param {Files} files */
function stamp({ cert, key }) {
  return [cert, key].map(stampOf).join();
}

/** @param {string} path */
function stampOf(path) {
  try {
    const { ino, size, mtimeMs } = statSync(path);
    return `${ino} ${size} ${mtimeMs}`;
  } catch {
    // Reading it reports the problem.
    return 'unreadable';
  }
}

/**
 * @param {CertificateError} error
 * @param {Files} files
 */
function configError({ part, message }, files) {
  return new ConfigError({
    option: `--${part}`,
    value: files[part],
    allowed: ALLOWED[part],
    problem: message,
  });
}
