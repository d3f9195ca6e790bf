/**
 * Host names by which this server may be addressed. The owner of any other name can point it here
 * at any time (DNS rebinding). A page of that name then has the same origin, and may do all that
 * the server's own page may. So requests under other names are refused. An address can't be pointed
 * elsewhere, and is always allowed.
 *
 * @import { Log } from './log.js'
 */

import { hostname as machineName } from 'node:os';
import { X509Certificate } from 'node:crypto';
import { isIP } from 'node:net';

/** Most answers that are cached. */
const MAX_KEPT = 100;

/** Most refused names that are logged. */
const MAX_TOLD = 10;

/** A host with or without a port, as in a Host header (RFC 9110, section 7.2) and :authority. */
const HOST = /^(\[[^\]]*\]|[^:]*)(:\d*)?$/;

/**
 * @typedef {(host: string | undefined) => boolean} IsAllowedHost  host: as sent, perhaps with a
 *   port. A missing one is allowed, because every browser sends one
 */

/**
 * @param {object} options
 * @param {ReadonlyArray<string>} options.allowed     names; '*.name' allows one label before it
 * @param {() => string | null} options.certificate PEM of the current certificate, whose names are
 *   allowed
 * @param {() => string} [options.ownName]
 * @param {Pick<Log, 'warn'>} [options.log]  for the first refused names
 * @returns {IsAllowedHost}
 */
export function allowHosts({ allowed, certificate, ownName = machineName, log }) {
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
      log?.warn(
        { event: 'host-refused', host: host.slice(0, 100) },
        'request for an unknown host refused: --hostname allows further names',
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
 * @returns {string | null} without the port or an IPv6 address's brackets; null if it is no host
 */
function nameIn(host) {
  const found = HOST.exec(host);
  if (!found) return null;
  const [, name] = found;
  return name.startsWith('[') ? name.slice(1, -1) : normalise(name);
}

/**
 * Names of this machine on a local network: its own, with and without its domain, and that of
 * multicast DNS (RFC 6762).
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
