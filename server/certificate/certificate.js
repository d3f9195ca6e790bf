import { createPrivateKey, X509Certificate } from 'node:crypto';

/**
 * A certificate for QUIC and TLS servers.
 * @typedef {object} Certificate
 * @property {string} certPem   the chain, the server's own certificate first
 * @property {string} keyPem    its private key, PKCS #8
 * @property {string} hash      SHA-256 of the certificate's DER, in base64: serverCertificateHashes
 * @property {Date} notBefore
 * @property {Date} notAfter
 */

/**
 * Longest validity with which a browser accepts a certificate by its hash, in days (W3C
 * WebTransport, custom certificate requirements).
 */
export const MAX_DAYS = 14;

const DAY_MS = 24 * 60 * 60 * 1000;

/** Error about a certificate or key that can't be used; `part` names the one. */
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

/** RSA key lengths, in bits, and elliptic curves that browsers and both HTTP/3 engines support. */
const RSA_BITS = Object.freeze({ least: 2048, most: 4096 });
const CURVES = Object.freeze(['prime256v1', 'secp384r1']);

const PEM_CERTIFICATES = /-----BEGIN CERTIFICATE-----[^-]*-----END CERTIFICATE-----/g;

/** The accepted kinds of key, in words. */
export const ALLOWED_KEYS =
  `RSA of ${RSA_BITS.least} to ${RSA_BITS.most} bits, or ECDSA on ` + 'P-256 or P-384';

/**
 * Reads a certificate and its key.
 *
 * @param {string} certPem  may be a chain, the server's own certificate first
 * @param {string} keyPem
 * @param {number} wallMs   the date, in milliseconds since 1970
 * @returns {Certificate}
 * @throws {CertificateError} when one isn't PEM, the two don't belong together, the kind of key
 *   isn't accepted, or the certificate isn't valid now
 */
export function readCertificate(certPem, keyPem, wallMs) {
  const [certificate] = parse(
    'cert',
    () => (certPem.match(PEM_CERTIFICATES) ?? ['']).map((pem) => new X509Certificate(pem)),
    'it is no PEM certificate',
  );
  const key = parse('key', () => createPrivateKey(keyPem), 'it is no unencrypted PEM private key');
  if (!certificate.checkPrivateKey(key))
    throw new CertificateError('key', 'it is not the key of the certificate');
  if (!isAllowedKey(key))
    throw new CertificateError('key', 'it is of a kind that HTTP/3 or browsers do not take');
  const notBefore = new Date(certificate.validFrom);
  const notAfter = new Date(certificate.validTo);
  if (wallMs > notAfter.getTime())
    throw new CertificateError('cert', `it expired on ${notAfter.toISOString()}`);
  if (wallMs < notBefore.getTime())
    throw new CertificateError('cert', `it begins on ${notBefore.toISOString()}`);
  const hash = Buffer.from(certificate.fingerprint256.replaceAll(':', ''), 'hex').toString(
    'base64',
  );
  return { certPem, keyPem, hash, notBefore, notAfter };
}

/** @param {import('node:crypto').KeyObject} key */
function isAllowedKey({
  asymmetricKeyType,
  asymmetricKeyDetails: { modulusLength = 0, namedCurve = '' } = {},
}) {
  if (asymmetricKeyType === 'rsa')
    return modulusLength >= RSA_BITS.least && modulusLength <= RSA_BITS.most;
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
    // The library's own message describes a decoder's internals.
    throw new CertificateError(part, problem);
  }
}

/** @param {Certificate} certificate */
export function isSelfSigned({ certPem }) {
  const certificate = new X509Certificate(certPem);
  return certificate.issuer === certificate.subject && certificate.verify(certificate.publicKey);
}

/**
 * True when a browser accepts a certificate by its hash (W3C WebTransport, custom certificate
 * requirements).
 * @param {Certificate} certificate
 */
export function isAcceptedByHash({ certPem, notBefore, notAfter }) {
  const { publicKey } = new X509Certificate(certPem);
  const isShort = notAfter.getTime() - notBefore.getTime() <= MAX_DAYS * DAY_MS;
  return isShort && publicKey.asymmetricKeyDetails?.namedCurve === 'prime256v1';
}
