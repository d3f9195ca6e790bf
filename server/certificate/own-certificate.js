import { X509Certificate } from 'node:crypto';
import { readFileSync, statSync } from 'node:fs';
import { MAX_DAYS } from '../../certs/generate.js';
import { ALLOWED_KEYS, CertificateError, CertificateSource, readCertificate } from './certificate-source.js';
import { ConfigError } from '../config/config-error.js';

/** @typedef {import('./certificate-source.js').Certificate} Certificate */
/** @typedef {import('./certificate-source.js').SourceOptions} SourceOptions */

/** @typedef {{ cert: string, key: string }} Files  paths */

const DAY_MS = 24 * 60 * 60 * 1000;

/** From one look at the files to the next. */
const WATCH_EVERY_MS = 60 * 1000;

/** How long before its end a certificate that nobody has replaced is warned of. */
const WARN_BEFORE_MS = 3 * DAY_MS;

const ALLOWED = Object.freeze({
  cert: 'a readable PEM file of a certificate that is valid now',
  key: `a readable PEM file of its private key, unencrypted: ${ALLOWED_KEYS}`,
});

/** A certificate and key from files that somebody else renews: new ones are taken up while running. */
export class OwnCertificate extends CertificateSource {
  #files;
  /** What the files were like when they were last read, whether they would do or not. */
  #seen;
  #warned = false;

  /**
   * @param {SourceOptions & { files: Files }} options
   * @returns {OwnCertificate}
   * @throws {ConfigError} naming --cert or --key, when a file can't be read or the two won't do
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

  /** Whether the page may be served with it: browsers that trust its issuer will take it. */
  get own() {
    return true;
  }

  /**
   * The hashes by which a page accepts the server: none where the browser checks the issuer, and
   * one for a self-signed certificate of the kind that a browser takes by its hash.
   */
  get hashes() {
    return isAcceptedByHash(this.current) ? [this.current.hash] : [];
  }

  /** @override */
  check() {
    const seen = stamp(this.#files);
    if (seen !== this.#seen) {
      this.#seen = seen;
      this.#reload();
    }
    const left = this.current.notAfter.getTime() - this.wallNow();
    if (left > WARN_BEFORE_MS || this.#warned) return;
    this.#warned = true;
    this.log.warn(`the certificate ${this.#files.cert} ends on ${this.current.notAfter.toISOString()}: replace it`);
  }

  #reload() {
    try {
      const certificate = readFiles(this.#files, this.wallNow());
      if (certificate.hash === this.current.hash) return;
      this.#warned = false;
      const until = certificate.notAfter.toISOString();
      this.log.info(`the new certificate ${this.#files.cert} is served, valid until ${until}`);
      this.replace(certificate);
    } catch (error) {
      if (!(error instanceof CertificateError)) throw error;
      // The two files are rarely replaced in the same instant; the next look will see both.
      this.log.warn(`${this.#files[error.part]} was changed, but ${error.message}; the old certificate stays`);
    }
  }
}

/**
 * @param {Files} files
 * @param {number} wallMs
 * @throws {CertificateError}
 */
function readFiles(files, wallMs) {
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
    const code = error instanceof Error && 'code' in error ? error.code : error;
    throw new CertificateError(part, `it can't be read (${code})`);
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
    // Reading it says what is wrong.
    return 'unreadable';
  }
}

/**
 * @param {CertificateError} error
 * @param {Files} files
 */
function configError({ part, message }, files) {
  const allowed = ALLOWED[part];
  const problem = `${message}; allowed is ${allowed}`;
  return new ConfigError({ option: `--${part}`, value: files[part], allowed, problem });
}

/** @param {Certificate} certificate */
function isAcceptedByHash({ certPem, notBefore, notAfter }) {
  const certificate = new X509Certificate(certPem);
  const selfSigned = certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);
  const short = notAfter.getTime() - notBefore.getTime() <= MAX_DAYS * DAY_MS;
  return selfSigned && short && certificate.publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}
