/**
 * The names by which this server may be addressed. A name of somebody else's can be made to point
 * here at any time (DNS rebinding): a page of that name is of the same origin then, and may do what
 * the server's own page may. So what comes under another name is refused. An address can't be made
 * to point elsewhere, and is always allowed.
 */

import { hostname as machineName } from 'node:os';
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** The answers that are kept. */
const MAX_KEPT = 100;

/** The refused names of which the log tells. */
const MAX_TOLD = 10;

/** A host with or without a port, as in a Host header (RFC 9110, section 7.2) and :authority. */
const HOST = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/;

/**
 * @typedef {(host: string | undefined) => boolean} IsAllowedHost host: as it was sent, perhaps with
 *   a port. None at all is allowed: every browser sends one
 */

/**
 * @param {object} options
 * @param {ReadonlyArray<string>} options.allowed     names, '*.name' for those one label below
 * @param {() => string | null} options.certificate PEM of the certificate that names the server, as
 *   it is now
 * @param {() => string} [options.ownName]
 * @param {(message: string) => void} [options.warn]  is told of the first names that are refused
 * @returns {IsAllowedHost}
 */
export function allowHosts({ allowed, certificate, ownName = machineName, warn = () => {} }) {
  const fixed = [
    'localhost',
    '*.localhost',
    ...namesOfMachine(ownName()),
    ...allowed.map(normalise),
  ];
  let pem = /** @type {string | null | undefined} */ (undefined);
  /** @type {Map<string, boolean>} */
  const kept = new Map();
  let names = new Set(fixed);
  let told = 0;
  const decide = (/** @type {string} */ host) => {
    const name = nameIn(host);
    if (name !== null && (isIP(name) || names.has(name) || names.has(name.replace(/^[^.]+/, '*'))))
      return true;
    if (told++ < MAX_TOLD)
      warn(
        `refused a request for the host ${host.slice(0, 100)}: --allowed-hosts allows ` +
          'further names',
      );
    return false;
  };
  return (host) => {
    if (host === undefined || host === '') return true;
    const current = certificate();
    if (current !== pem) {
      pem = current;
      names = new Set([...fixed, ...(current === null ? [] : namesOfCertificate(current))]);
      kept.clear();
    }
    let answer = kept.get(host);
    if (answer === undefined) {
      if (kept.size >= MAX_KEPT) kept.clear();
      kept.set(host, (answer = decide(host)));
    }
    return answer;
  };
}

/** @param {string} name */
const normalise = (name) => name.toLowerCase().replace(/\.$/, '');

/**
 * @param {string} host
 * @returns {string | null} without the port, and an IPv6 address without its brackets; null for
 *   what is no host
 */
function nameIn(host) {
  const found = HOST.exec(host);
  if (!found) return null;
  const [, name] = found;
  return name.startsWith('[') ? name.slice(1, -1) : normalise(name);
}

/**
 * The names by which other machines of a local network know this one: its own, with and without its
 * domain, and that of multicast DNS (RFC 6762).
 * @param {string} own
 */
function namesOfMachine(own) {
  const name = normalise(own);
  const [first] = name.split('.', 1);
  return first === '' ? [] : [name, first, `${first}.local`];
}

/**
 * @param {string} pem
 * @returns {string[]} the DNS names among a certificate's subject alternative names
 */
function namesOfCertificate(pem) {
  const { subjectAltName = '' } = new X509Certificate(pem);
  return [...subjectAltName.matchAll(/DNS:([^\s,"]+)/g)].map(([, name]) => normalise(name));
}
