import { isIP } from 'node:net';
import { CLUSTER_URL_ALLOWED, readClusterUrl } from './cluster-url.js';
import { KEYS_ALLOWED, readKeys } from './keys.js';
import { readProxies } from './proxies.js';

/** @typedef {import('./options.js').OptionRow} OptionRow */
/** @typedef {import('./options.js').OptionValue} OptionValue */

/** Digits only: no exponent, no hexadecimal, no space. */
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;
const MAX_PATH = 4096;

/** A host name in ASCII, perhaps with a wildcard in front (RFC 6125, section 6.4). */
const HOST_NAME = /^(\*\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;

/** A name that an authority can check over HTTP: no wildcard (RFC 8555, section 8.3), and a dot. */
const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/i;

/** The most names in one certificate (https://letsencrypt.org/docs/rate-limits/). */
const MAX_DOMAINS = 100;

/** A mail address that a mailto URL carries as it is (RFC 8555, section 7.3). */
const EMAIL = /^[a-z0-9._%+-]{1,64}@[a-z0-9-]{1,63}(\.[a-z0-9-]{1,63})+$/i;

/** A bearer token (RFC 6750, section 2.1) of a length that can't be guessed. */
const SECRET = /^[A-Za-z0-9._~+/-]{16,256}={0,2}$/;

/** A secret as long as the hash that it signs with (RFC 7518, section 3.2). */
const CLUSTER_KEY = /^[A-Za-z0-9._~+/=-]{32,256}$/;

/** A word of a subject of NATS. */
const NAME = /^[A-Za-z0-9_-]{1,32}$/;

/**
 * Whether a certificate can be made for a host: an IP address without a zone, or a name.
 * @param {unknown} host
 * @returns {host is string}
 */
export function isCertificateHost(host) {
  if (typeof host !== 'string' || host.length > 253) return false;
  return isIP(host) ? !host.includes('%') : HOST_NAME.test(host);
}

/** Puts "or" before the last of some choices. @param {string} list */
export const either = (list) => list.replace(/, (?=[^,]*$)/, ' or ');

/**
 * Says what a row allows, with its unit.
 * @param {Readonly<OptionRow>} option
 */
export function allowedOf(option) {
  const range =
    option.type === 'choice' || option.type === 'boolean'
      ? either(rangeOf(option))
      : rangeOf(option);
  return option.unit ? `${range} (${option.unit})` : range;
}

/**
 * Says what a row allows, without its unit.
 * @param {Readonly<OptionRow>} option
 */
export function rangeOf(option) {
  switch (option.type) {
    case 'integer':
      return (
        `${option.word ? `${option.word} or ` : ''}a whole number from ${option.min} to ` +
        `${option.max}`
      );
    case 'number':
      return (
        `${option.word ? `${option.word} or ` : ''}a number from ${option.min} to ` +
        `${option.max}`
      );
    case 'choice':
      return (option.choices ?? []).join(', ');
    case 'boolean':
      return 'true, false';
    case 'list':
      return 'host names or addresses, at least one';
    case 'host':
      return 'an address or a host name';
    case 'path':
      return 'a path';
    case 'secret':
      return '16 to 256 letters, digits and -._~+/';
    case 'keys':
      return KEYS_ALLOWED;
    case 'origins':
      return '* or http and https URLs without a path, at least one';
    case 'domains':
      return 'DNS names without a wildcard, at least one';
    case 'email':
      return 'a mail address';
    case 'url':
      return 'an https URL';
    case 'nats':
      return CLUSTER_URL_ALLOWED;
    case 'name':
      return '1 to 32 letters, digits, - and _';
    case 'cluster-key':
      return '32 to 256 letters, digits and -._~+/=';
    case 'page-url':
      return 'an http or https URL without a path';
    case 'proxies':
      return (
        'a number of proxies from 1 to 16, or addresses and networks (10.0.0.0/8), ' +
        'separated by commas'
      );
  }
}

/**
 * Reads a value as the command line or the environment gives it.
 * @param {Readonly<OptionRow>} option
 * @param {string} given
 * @returns {OptionValue | undefined} undefined when the option doesn't allow it
 */
export function parseText(option, given) {
  switch (option.type) {
    case 'integer':
    case 'number':
      if (given === option.word) return given;
      return DECIMAL.test(given) ? checkValue(option, Number(given)) : undefined;
    case 'choice':
      return option.choices?.find((value) => String(value) === given);
    case 'boolean':
      return given === 'true' ? true : given === 'false' ? false : undefined;
    case 'list':
    case 'origins':
    case 'domains':
      return checkValue(
        option,
        given.split(',').map((part) => part.trim()),
      );
    case 'email':
    case 'url':
    case 'proxies':
    case 'host':
    case 'path':
    case 'secret':
    case 'keys':
    case 'nats':
    case 'name':
    case 'cluster-key':
    case 'page-url':
      return checkValue(option, given);
  }
}

/**
 * Checks a value as JSON gives it.
 * @param {Readonly<OptionRow>} option
 * @param {unknown} value
 * @returns {OptionValue | undefined} the value, frozen; undefined when the option doesn't allow it
 */
export function checkValue(option, value) {
  switch (option.type) {
    case 'integer':
    case 'number':
      if (typeof value === 'string' && value === option.word) return value;
      return isNumberOf(option, value) ? value : undefined;
    case 'choice':
      return option.choices?.find((allowed) => allowed === value);
    case 'boolean':
      return typeof value === 'boolean' ? value : undefined;
    case 'list':
      return isHosts(value) ? Object.freeze([...value]) : undefined;
    case 'host':
      return isHost(value) ? value : undefined;
    case 'path':
      return isPath(value) ? value : undefined;
    case 'secret':
      return readSecret(value, SECRET);
    case 'origins':
      return isOrigins(value)
        ? Object.freeze(value.map((origin) => (origin === '*' ? origin : new URL(origin).origin)))
        : undefined;
    case 'keys':
      return readKeys(value) ? String(value) : undefined;
    case 'domains':
      return isDomains(value) ? Object.freeze(value.map((name) => name.toLowerCase())) : undefined;
    case 'email':
      return typeof value === 'string' && EMAIL.test(value) ? value : undefined;
    case 'url':
      return isHttpsUrl(value) ? value : undefined;
    case 'proxies':
      return readProxies(value) ? String(value) : undefined;
    case 'nats':
      return readClusterUrl(value) ? String(value) : undefined;
    case 'name':
      return typeof value === 'string' && NAME.test(value) ? value : undefined;
    case 'cluster-key':
      return readSecret(value, CLUSTER_KEY);
    case 'page-url':
      return isPageUrl(value) ? value : undefined;
  }
}

/**
 * Reads a secret without the space around it: one from a file or a shell often ends with a newline,
 * which nobody sees.
 * @param {unknown} value
 * @param {RegExp} allowed
 */
function readSecret(value, allowed) {
  const secret = typeof value === 'string' ? value.trim() : '';
  return allowed.test(secret) ? secret : undefined;
}

/** The most origins that may embed a page: all are in a header of it. */
const MAX_ORIGINS = 50;

/**
 * @param {unknown} value
 * @returns {value is string[]}
 */
function isOrigins(value) {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_ORIGINS) return false;
  return value.includes('*')
    ? value.length === 1
    : value.every(
        (origin) =>
          isPageUrl(origin) && isCertificateHost(new URL(origin).hostname.replace(/^\[|\]$/g, '')),
      );
}

/**
 * @param {Readonly<OptionRow>} option
 * @param {unknown} value
 * @returns {value is number}
 */
function isNumberOf(option, value) {
  if (typeof value !== 'number' || !Number.isFinite(value)) return false;
  if (option.type === 'integer' && !Number.isInteger(value)) return false;
  return value >= (option.min ?? -Infinity) && value <= (option.max ?? Infinity);
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isHost(value) {
  // An address may carry a zone, as in fe80::1%eth0.
  return (
    typeof value === 'string' &&
    value.length <= 253 &&
    /^[a-z0-9_.:-]+(%[a-z0-9_.-]+)?$/i.test(value)
  );
}

/**
 * @param {unknown} value
 * @returns {value is string[]}
 */
function isHosts(value) {
  return Array.isArray(value) && value.length > 0 && value.every(isCertificateHost);
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isPath(value) {
  return (
    typeof value === 'string' &&
    value.length > 0 &&
    value.length <= MAX_PATH &&
    !value.includes('\0')
  );
}

/**
 * @param {unknown} value
 * @returns {value is string[]}
 */
function isDomains(value) {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_DOMAINS) return false;
  return value.every(
    (name) => typeof name === 'string' && name.length <= 253 && DOMAIN.test(name) && !isIP(name),
  );
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isHttpsUrl(value) {
  return typeof value === 'string' && URL.canParse(value) && new URL(value).protocol === 'https:';
}

/**
 * @param {unknown} value
 * @returns {value is string}
 */
function isPageUrl(value) {
  if (typeof value !== 'string' || value.length > 300 || !URL.canParse(value)) return false;
  const { protocol, pathname, search, hash, username, password } = new URL(value);
  return (
    /^https?:$/.test(protocol) && pathname === '/' && search + hash + username + password === ''
  );
}
