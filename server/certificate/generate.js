import { createHash, webcrypto, X509Certificate } from 'node:crypto';
import { chmodSync, mkdirSync, readFileSync, renameSync, rmSync, writeFileSync } from 'node:fs';
import { isIP } from 'node:net';
import { join } from 'node:path';
import { pathToFileURL } from 'node:url';
import { parseArgs } from 'node:util';
import { isCertificateHost } from '../config/option-value.js';
import { stateDirectory } from '../packages.js';
import { isAcceptedByHash, MAX_DAYS, readCertificate } from './certificate.js';

/** @typedef {import('./certificate.js').Certificate} Certificate */

const DAY_MS = 24 * 60 * 60 * 1000;

/** Time before its making from which a certificate is valid, for clocks that are behind. */
const BACKDATED_MS = 60 * 60 * 1000;

/** Node's own, cast because its type differs when the browser's types are loaded. */
const nodeCrypto = /** @type {WebCrypto} */ (/** @type {unknown} */ (webcrypto));

const ALGORITHM = Object.freeze({ name: 'ECDSA', namedCurve: 'P-256', hash: 'SHA-256' });

/** Directory of the certificate, for the command and for a server without --cert-dir. */
export const CERTIFICATE_DIRECTORY = join(stateDirectory(), 'certs');

/** Names of the files in that directory. */
export const CERTIFICATE_FILE = 'certificate.pem';
export const KEY_FILE = 'key.pem';

/**
 * @typedef {typeof import('@peculiar/x509')} X509
 * @typedef {NonNullable<Parameters<X509['X509CertificateGenerator']['createSelfSigned']>[1]>}
 *   WebCrypto
 */

/**
 * Loads the library that writes certificates. A server with a kept certificate doesn't need its
 * 3 MB.
 */
async function loadX509() {
  await import('reflect-metadata');
  return import('@peculiar/x509');
}

/**
 * Makes a self-signed certificate: ECDSA on P-256. It is valid for two weeks at most, as browsers
 * demand of one that they accept by its hash, unless people are to accept it.
 *
 * @param {object} options
 * @param {ReadonlyArray<string>} options.hosts  names and addresses, at least one
 * @param {Date} options.now
 * @param {number} [options.days]                whole validity, more than 0 and at most mostDays
 * @param {number} [options.mostDays]
 * @param {WebCrypto} [options.crypto]           source of the key's randomness
 * @returns {Promise<Certificate>}
 * @throws {RangeError} for an invalid host, no host, or an invalid validity
 */
export async function generateCertificate({
  hosts,
  now,
  days = 13,
  mostDays = MAX_DAYS,
  crypto = nodeCrypto,
}) {
  checkRequest(hosts, days, mostDays);
  const x509 = await loadX509();
  const keys = await crypto.subtle.generateKey(ALGORITHM, true, ['sign', 'verify']);
  // X.509 has whole seconds.
  const notBefore = new Date(Math.floor((now.getTime() - BACKDATED_MS) / 1000) * 1000);
  const notAfter = new Date(notBefore.getTime() + days * DAY_MS);
  const certificate = await x509.X509CertificateGenerator.createSelfSigned(
    {
      name: 'CN=aloud',
      notBefore,
      notAfter,
      keys,
      signingAlgorithm: ALGORITHM,
      extensions: await extensions(x509, hosts, keys.publicKey, crypto),
    },
    crypto,
  );
  const key = await crypto.subtle.exportKey('pkcs8', keys.privateKey);
  return {
    certPem: `${certificate.toString('pem')}\n`,
    keyPem: `${x509.PemConverter.encode(key, 'PRIVATE KEY')}\n`,
    hash: createHash('sha256').update(new Uint8Array(certificate.rawData)).digest('base64'),
    notBefore,
    notAfter,
  };
}

/**
 * @param {ReadonlyArray<string>} hosts
 * @param {number} days
 * @param {number} mostDays
 */
function checkRequest(hosts, days, mostDays) {
  if (!(days > 0 && days <= mostDays)) {
    throw new RangeError(`${days} days: they must be more than 0 and at most ${mostDays}`);
  }
  if (hosts.length === 0) throw new RangeError('a certificate needs at least one host');
  for (const host of hosts) {
    if (!isCertificateHost(host))
      throw new RangeError(`"${host}": it must be a host name or an address`);
  }
}

/**
 * @param {X509} x509
 * @param {ReadonlyArray<string>} hosts
 * @param {import('node:crypto').webcrypto.CryptoKey} publicKey
 * @param {WebCrypto} crypto
 */
async function extensions(x509, hosts, publicKey, crypto) {
  const names = hosts.map((host) => new x509.GeneralName(isIP(host) ? 'ip' : 'dns', host));
  return [
    new x509.BasicConstraintsExtension(false, undefined, true),
    new x509.KeyUsagesExtension(x509.KeyUsageFlags.digitalSignature, true),
    new x509.ExtendedKeyUsageExtension([x509.ExtendedKeyUsage.serverAuth]),
    new x509.SubjectAlternativeNameExtension(names.map((name) => name.toJSON())),
    await x509.SubjectKeyIdentifierExtension.create(
      /** @type {import('@peculiar/x509').PublicKeyType} */ (publicKey),
      false,
      crypto,
    ),
  ];
}

/**
 * Keeps a certificate and its key in a directory, readable by their owner only. Each file is
 * replaced as a whole; the key goes first, so that a certificate is never without its key.
 *
 * @param {string} directory made if it is missing
 * @param {Certificate} certificate
 * @throws {Error} as node:fs does, if it can't be written
 */
export function writeCertificate(directory, { certPem, keyPem }) {
  mkdirSync(directory, { recursive: true });
  replaceFile(join(directory, KEY_FILE), keyPem);
  replaceFile(join(directory, CERTIFICATE_FILE), certPem);
}

/**
 * Replaces a file as a whole with one that only its owner may read.
 * @param {string} path
 * @param {string} content
 * @throws {Error} as node:fs does, if it can't be written
 */
export function replaceFile(path, content) {
  const temporary = `${path}.${process.pid}.tmp`;
  try {
    writeFileSync(temporary, content, { mode: 0o600 });
    chmodSync(temporary, 0o600);
    renameSync(temporary, path);
  } catch (error) {
    rmSync(temporary, { force: true });
    throw error;
  }
}

/**
 * Reads the certificate that writeCertificate kept in a directory.
 *
 * @param {string} directory
 * @param {ReadonlyArray<string>} hosts
 * @param {number} wallMs     the date, in milliseconds since 1970
 * @param {number} minLeftMs  least remaining validity
 * @param {(certificate: Certificate) => boolean} [isGood]  further condition
 * @returns {Certificate | null} null if it is missing, damaged, for other hosts, with further
 *   names, or about to expire
 */
export function readKeptCertificate(
  directory,
  hosts,
  wallMs,
  minLeftMs,
  isGood = isAcceptedByHash,
) {
  try {
    const certPem = readFileSync(join(directory, CERTIFICATE_FILE), 'utf8');
    const kept = readCertificate(certPem, readFileSync(join(directory, KEY_FILE), 'utf8'), wallMs);
    if (kept.notAfter.getTime() - wallMs <= minLeftMs || !isGood(kept)) return null;
    const certificate = new X509Certificate(certPem);
    const names = certificate.subjectAltName?.split(', ') ?? [];
    const isFor = (/** @type {string} */ host) =>
      isIP(host) ? certificate.checkIP(host) : names.includes(`DNS:${host}`);
    // Requests may use each name of the certificate, also one that an earlier start was given.
    const isWanted = (/** @type {string} */ name) =>
      !name.startsWith('DNS:') || hosts.includes(name.slice('DNS:'.length));
    return hosts.every(isFor) && names.every(isWanted) ? kept : null;
  } catch {
    // Any fault of it is solved by a new one.
    return null;
  }
}

/** @param {string[]} args */
async function main(args) {
  const { values } = parseArgs({
    args,
    options: {
      host: { type: 'string', multiple: true, default: ['localhost', '127.0.0.1', '::1'] },
      days: { type: 'string', default: '13' },
      directory: { type: 'string', default: CERTIFICATE_DIRECTORY },
    },
  });
  const certificate = await generateCertificate({
    hosts: values.host,
    days: Number(values.days),
    now: new Date(),
  });
  writeCertificate(values.directory, certificate);
  console.log(
    `${join(values.directory, CERTIFICATE_FILE)}, valid until ` +
      `${certificate.notAfter.toISOString()}`,
  );
  console.log(`SHA-256: ${certificate.hash}`);
}

if (import.meta.url === pathToFileURL(process.argv[1] ?? '').href) {
  await main(process.argv.slice(2)).catch((error) => {
    console.error(`server/certificate/generate.js: ${error.message}`);
    process.exitCode = 2;
  });
}
