/** Checks of the certificate and of the names under which people come. */

import { lookup } from 'node:dns/promises';
import { networkInterfaces } from 'node:os';
import { connect } from 'node:tls';
import { isLocalUrl } from '../../public/shared/local-host.js';
import { isHttps } from '../config/config.js';
import { CertificateError } from '../certificate/certificate.js';
import { readFiles } from '../certificate/certificate-source.js';
import { fail, note, ok, reasonOf, warn } from './finding.js';
import { ownHost, versionAt } from './running.js';

/**
 * @import { Config } from '../config/config.js'
 * @import { Check, Finding } from './finding.js'
 */

const DAY_MS = 24 * 60 * 60 * 1000;

/** Remaining validity below which somebody should look after an own certificate, in days. */
const FEW_DAYS = 14;

/** Longest wait for a handshake, in milliseconds. */
const WAIT_MS = 3000;

/** @type {Check} */
export async function checkCertificate({ config, running }) {
  const { cert, key, domains } = config;
  if (cert !== null && key !== null) return [ofFiles(cert, key)];
  if (!isHttps(config))
    return [
      note(
        'the page has no HTTPS, so browsers give a microphone on this machine only',
        '--lan, --domain, or --cert and --key turn it on',
      ),
    ];
  if (running) return [await served(config)];
  return [note(domains ? 'the certificate is asked for at the start' : 'the server makes one')];
}

/**
 * @param {string} cert path
 * @param {string} key path
 * @returns {Finding}
 */
function ofFiles(cert, key) {
  try {
    const { notAfter } = readFiles({ cert, key }, Date.now());
    return validity(`--cert ${cert}`, notAfter);
  } catch (error) {
    if (!(error instanceof CertificateError)) throw error;
    const { part, message } = error;
    return fail(
      `--${part} ${part === 'cert' ? cert : key} can't be used (${message})`,
      'give a valid PEM certificate with its chain, and its unencrypted key',
    );
  }
}

/** @param {string} what @param {Date} notAfter @returns {Finding} */
function validity(what, notAfter) {
  const days = Math.floor((notAfter.getTime() - Date.now()) / DAY_MS);
  const text = `${what} is valid for ${days} days`;
  return days >= FEW_DAYS ? ok(text) : warn(text, 'renew it; the server reads changed files');
}

/**
 * Looks at the certificate that the running server shows.
 * @param {Config} config
 * @returns {Promise<Finding>}
 */
function served(config) {
  const [name] = config.domains ?? [];
  return new Promise((resolve) => {
    const socket = connect({
      host: ownHost(config),
      port: config.port,
      servername: name,
      rejectUnauthorized: false,
      timeout: WAIT_MS,
    });
    const end = (/** @type {Finding} */ finding) => {
      socket.destroy();
      resolve(finding);
    };
    socket.once('secureConnect', () => {
      const { valid_to: until } = socket.getPeerCertificate();
      if (socket.authorized || !name) end(validity('the shown certificate', new Date(until)));
      else
        end(
          fail(
            `browsers refuse the shown certificate (${socket.authorizationError})`,
            'the log says why none was issued; TCP port 80 must be reachable from outside',
          ),
        );
    });
    const failed = (/** @type {unknown} */ error) =>
      end(fail(`no TLS at port ${config.port} (${reasonOf(error)})`, 'the log says more'));
    socket.once('error', failed);
    socket.once('timeout', () => failed(new Error('no answer')));
  });
}

/** @type {Check} */
export async function checkNames({ config: { domains, advertiseUrl }, running }) {
  const findings = await Promise.all((domains ?? []).map(checkName));
  if (advertiseUrl === null) return findings;
  const { hostname } = new URL(advertiseUrl);
  const addresses = await addressesOf(hostname.replace(/^\[|\]$/g, ''));
  const isLocal =
    isLocalUrl(advertiseUrl) ||
    addresses.some((address) =>
      isLocalUrl(`http://${address.includes(':') ? `[${address}]` : address}`),
    );
  if (isLocal)
    findings.push(
      warn(
        `--advertise-url ${advertiseUrl} is on a local network`,
        'Chrome asks people on a page from elsewhere (docs/scaling.md); name a public address',
      ),
    );
  else if (addresses.length === 0)
    findings.push(fail(`--advertise-url ${advertiseUrl} has no address`, 'correct it, or its DNS'));
  else findings.push(ok(`--advertise-url ${advertiseUrl} is ${addresses.join(', ')}`));
  if (running && addresses.length > 0) findings.push(await checkAdvertised(advertiseUrl));
  return findings;
}

/**
 * Asks at the address to which other nodes send people.
 * @param {string} url
 * @returns {Promise<Finding>}
 */
async function checkAdvertised(url) {
  try {
    return ok(`--advertise-url ${url} leads to aloud ${await versionAt(url)}`);
  } catch (error) {
    return warn(
      `--advertise-url ${url} leads to no aloud server (${reasonOf(error)})`,
      "people who come for this node's rooms are sent there: correct the address, or the DNS, " +
        'port or certificate there; from outside it may be right behind a router',
    );
  }
}

/** @param {string} name @returns {Promise<Finding>} */
async function checkName(name) {
  const addresses = await addressesOf(name);
  if (addresses.length === 0)
    return fail(`${name} has no address`, 'give it DNS records A and AAAA of this machine');
  const own = new Set(
    Object.values(networkInterfaces())
      .flatMap((list) => list ?? [])
      .map(({ address }) => address),
  );
  const text = `${name} is ${addresses.join(', ')}`;
  return addresses.some((address) => own.has(address))
    ? ok(text)
    : note(
        `${text}, no address of this machine itself`,
        'right behind NAT; otherwise correct the DNS',
      );
}

/** @param {string} host @returns {Promise<string[]>} none without any */
async function addressesOf(host) {
  try {
    return (await lookup(host, { all: true })).map(({ address }) => address);
  } catch {
    return [];
  }
}
