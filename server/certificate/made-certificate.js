import { X509Certificate } from 'node:crypto';
import { readFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { CERTIFICATE_FILE, generateCertificate, KEY_FILE, MAX_DAYS, writeCertificate } from '../../certs/generate.js';
import { CertificateSource, readCertificate } from './certificate-source.js';

/** @typedef {import('./certificate-source.js').Certificate} Certificate */
/** @typedef {import('./certificate-source.js').SourceOptions} SourceOptions */

const HOUR_MS = 60 * 60 * 1000;
const DAY_MS = 24 * HOUR_MS;

/** How long before its end a certificate is replaced. */
const RENEW_BEFORE_MS = 3 * DAY_MS;

/** How long before it is served a certificate's hash is announced, for pages that are open by then. */
const ANNOUNCE_MS = DAY_MS;

/** From one look at the dates to the next. */
const CHECK_EVERY_MS = HOUR_MS;

/**
 * A certificate that the server makes by itself, keeps in a directory, and replaces while running.
 * Its hash is announced a day before it is served, so that a page which was opened before the
 * change can still connect after it.
 */
export class MadeCertificate extends CertificateSource {
  #directory;
  #hosts;
  /** @type {Certificate | null} the one to serve next */
  #next = null;
  /** Whether the directory can't be written, which is said once. */
  #inMemory = false;

  /**
   * Takes the certificate that is in the directory, where it will do, and makes one otherwise.
   * @param {SourceOptions & { directory: string, hosts: ReadonlyArray<string> }} options
   */
  static async open(options) {
    const { directory, hosts, wallNow } = options;
    const kept = readKept(directory, hosts, wallNow());
    const certificate = kept ?? (await generateCertificate({ hosts, now: new Date(wallNow()) }));
    const source = new MadeCertificate(certificate, options);
    if (!kept) source.#keep(certificate);
    return source;
  }

  /**
   * @param {Certificate} certificate
   * @param {SourceOptions & { directory: string, hosts: ReadonlyArray<string> }} options
   */
  constructor(certificate, { directory, hosts, ...options }) {
    super(certificate, { ...options, everyMs: CHECK_EVERY_MS });
    this.#directory = directory;
    this.#hosts = hosts;
  }

  /** Whether the page may be served with it: only people's own certificates are trusted for that. */
  get own() {
    return false;
  }

  /** The hashes by which a page accepts the server, now and after the next change. */
  get hashes() {
    return this.#next ? [this.current.hash, this.#next.hash] : [this.current.hash];
  }

  /** @override */
  async check() {
    const left = this.current.notAfter.getTime() - this.wallNow();
    if (left > RENEW_BEFORE_MS + ANNOUNCE_MS) return;
    this.#next ??= await generateCertificate({ hosts: this.#hosts, now: new Date(this.wallNow()) });
    if (left > RENEW_BEFORE_MS || this.closed) return;
    const certificate = this.#next;
    this.#next = null;
    this.#keep(certificate);
    this.log.info(`a new certificate is served, valid until ${certificate.notAfter.toISOString()}`);
    this.replace(certificate);
  }

  /** @param {Certificate} certificate */
  #keep(certificate) {
    try {
      writeCertificate(this.#directory, certificate);
    } catch (error) {
      if (this.#inMemory) return;
      this.#inMemory = true;
      const code = error instanceof Error && 'code' in error ? error.code : error;
      this.log.warn(
        `the certificate can't be kept in ${this.#directory} (${code}), so each start makes a new one; ` +
          '--cert-dir names another directory',
      );
    }
  }
}

/**
 * @param {string} directory
 * @param {ReadonlyArray<string>} hosts
 * @param {number} wallMs
 * @returns {Certificate | null} null where there is none that will do
 */
function readKept(directory, hosts, wallMs) {
  try {
    const certPem = readFileSync(join(directory, CERTIFICATE_FILE), 'utf8');
    const kept = readCertificate(certPem, readFileSync(join(directory, KEY_FILE), 'utf8'), wallMs);
    return willDo(kept, hosts, wallMs) ? kept : null;
  } catch {
    // Missing, damaged, expired: whatever it is, a new one is the answer.
    return null;
  }
}

/**
 * @param {Certificate} certificate
 * @param {ReadonlyArray<string>} hosts
 * @param {number} wallMs
 */
function willDo({ certPem, notBefore, notAfter }, hosts, wallMs) {
  if (notAfter.getTime() - wallMs <= RENEW_BEFORE_MS + ANNOUNCE_MS) return false;
  if (notAfter.getTime() - notBefore.getTime() > MAX_DAYS * DAY_MS) return false;
  const certificate = new X509Certificate(certPem);
  if (certificate.publicKey.asymmetricKeyDetails?.namedCurve !== 'prime256v1') return false;
  const names = certificate.subjectAltName?.split(', ') ?? [];
  return hosts.every((host) => (isIP(host) ? certificate.checkIP(host) : names.includes(`DNS:${host}`)));
}
