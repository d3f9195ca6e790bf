import { isIP } from 'node:net';
import {
  ACME_ALLOWED,
  CLUSTER_URL_ALLOWED,
  DECIMAL,
  FRAMES_ALLOWED,
  isHost,
  isHttpsUrl,
  KEYS_ALLOWED,
  LISTEN_ADDRESS_ALLOWED,
  LISTENER_BITRATE_ALLOWED,
  LOG_ALLOWED,
  PROXIES_ALLOWED,
  readAcme,
  readClusterUrl,
  readFrames,
  readKeys,
  readListenAddress,
  readListenerBitrate,
  readLog,
  readProxies,
  readRecordingLimit,
  readServerDelay,
  readWebhook,
  RECORDING_LIMIT_ALLOWED,
  SERVER_DELAY_ALLOWED,
  WEBHOOKS_ALLOWED,
  withoutCredentials,
} from './readers.js';
import { ConfigError, either, show } from '../errors/config-error.js';
import { GONE } from './old-options.js';
import { envOf } from './options.js';

/** @typedef {import('./options.js').OptionRow} OptionRow */
/** @typedef {import('./options.js').OptionValue} OptionValue */

const MAX_PATH = 4096;

/** A host name in ASCII, perhaps with a wildcard in front (RFC 6125, section 6.4). */
const HOST_NAME = /^(\*\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;

/**
 * A name that an authority can check over HTTP: without a wildcard (RFC 8555, section 8.3), and
 * with a dot.
 */
const DOMAIN = /^[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?(\.[a-z0-9]([a-z0-9-]{0,61}[a-z0-9])?)+$/i;

/** Most origins that may embed a page: all are in a header of it. */
const MAX_ORIGINS = 50;

/** Most webhooks: each keeps a queue. */
const MAX_WEBHOOKS = 10;

/** Most names in one certificate (https://letsencrypt.org/docs/rate-limits/). */
const MAX_DOMAINS = 100;

/** A bearer token (RFC 6750, section 2.1), too long to guess. */
const SECRET = /^[A-Za-z0-9._~+/-]{16,256}={0,2}$/;

/** A secret as long as the hash of its signatures (RFC 7518, section 3.2). */
const CLUSTER_KEY = /^[A-Za-z0-9._~+/=-]{32,256}$/;

/**
 * True when a certificate can be made for a host: an IP address without a zone, or a name.
 * @param {unknown} host
 * @returns {host is string}
 */
export function isCertificateHost(host) {
  if (typeof host !== 'string' || host.length > 253) return false;
  return isIP(host) ? !host.includes('%') : HOST_NAME.test(host);
}

/** Describes the allowed values of a row, with their unit. @param {Readonly<OptionRow>} option */
export function allowedOf(option) {
  const range =
    option.type === 'choice' || option.type === 'boolean'
      ? either(rangeOf(option))
      : rangeOf(option);
  return option.unit ? `${range} (${option.unit})` : range;
}

/**
 * A type of option.
 * @typedef {object} Type
 * @property {(option: Readonly<OptionRow>) => string} range  allowed values, without their unit
 * @property {(given: string, option: Readonly<OptionRow>) => unknown} [parse] value of a text; by
 *   default the text
 * @property {(value: unknown, option: Readonly<OptionRow>) => OptionValue | undefined} check the
 *   value, frozen; undefined when it isn't allowed
 */

/**
 * A type of texts that are used unchanged.
 * @param {string} range
 * @param {(text: string) => unknown} isAllowed
 * @returns {Type}
 */
const textType = (range, isAllowed) => ({
  range: () => range,
  check: (value) => (typeof value === 'string' && isAllowed(value) ? value : undefined),
});

/**
 * A type of secrets, trimmed: a secret from a file or a shell often ends with an unseen newline.
 * @param {string} range
 * @param {RegExp} allowed
 * @returns {Type}
 */
const secretType = (range, allowed) => ({
  range: () => range,
  check(value) {
    const secret = typeof value === 'string' ? value.trim() : '';
    return allowed.test(secret) ? secret : undefined;
  },
});

/**
 * A type of values that a reader parses later.
 * @param {string} range
 * @param {(value: unknown) => unknown} read  falsy for a value that isn't allowed
 * @returns {Type}
 */
const readType = (range, read) => ({
  range: () => range,
  check: (value) =>
    (typeof value === 'string' || typeof value === 'number') && read(value)
      ? String(value)
      : undefined,
});

/**
 * A type of numbers that may have further parts, and are read later.
 * @param {string} range
 * @param {(value: unknown) => unknown} read  falsy for a value that isn't allowed
 * @returns {Type}
 */
const numberWithPartsType = (range, read) => ({
  range: () => range,
  parse: (given) => (DECIMAL.test(given) ? Number(given) : given),
  check: (value) =>
    (typeof value === 'string' || typeof value === 'number') && read(value) ? value : undefined,
});

/**
 * A type of lists, separated by commas in a text.
 * @param {string} range
 * @param {(value: unknown) => value is string[]} isAllowed
 * @param {(item: string) => string} [normal]
 * @returns {Type}
 */
const listType = (range, isAllowed, normal = (item) => item) => ({
  range: () => range,
  parse: (given) => given.split(',').map((part) => part.trim()),
  check: (value) => (isAllowed(value) ? Object.freeze(value.map(normal)) : undefined),
});

/** @param {string} kind  of numbers @returns {Type} */
const numberType = (kind) => ({
  range: ({ word, min, max }) => `${word ? `${word} or ` : ''}a ${kind} from ${min} to ${max}`,
  parse(given, { word }) {
    if (given === word) return given;
    return DECIMAL.test(given) ? Number(given) : undefined;
  },
  check(value, option) {
    if (typeof value === 'string' && value === option.word) return value;
    return isNumberOf(option, value) ? value : undefined;
  },
});

/** A token of a NATS subject. */
const NAME = /^[A-Za-z0-9_-]{1,32}$/;

/** @type {Record<OptionRow['type'], Type>} */
const TYPES = {
  integer: numberType('whole number'),
  number: numberType('number'),
  choice: {
    range: ({ choices = [] }) => choices.join(', '),
    parse: (given, { choices = [] }) => choices.find((choice) => String(choice) === given),
    check: (value, { choices = [] }) => choices.find((choice) => choice === value),
  },
  boolean: {
    range: () => 'true, false',
    parse: (given) => (given === 'true' ? true : given === 'false' ? false : undefined),
    check: (value) => (typeof value === 'boolean' ? value : undefined),
  },
  list: listType('host names or addresses, at least one', isHosts),
  host: textType('an address or a host name', isHost),
  path: textType('a path', isPath),
  secret: secretType('16 to 256 letters, digits and -._~+/', SECRET),
  keys: readType(KEYS_ALLOWED, readKeys),
  origins: listType('* or http and https URLs without a path, at least one', isOrigins, (origin) =>
    origin === '*' ? origin : new URL(origin).origin,
  ),
  webhooks: listType(WEBHOOKS_ALLOWED, isWebhooks),
  domains: listType('DNS names without a wildcard, at least one', isDomains, (name) =>
    name.toLowerCase(),
  ),
  acme: textType(ACME_ALLOWED, readAcme),
  url: textType('an https URL', isHttpsUrl),
  nats: readType(CLUSTER_URL_ALLOWED, readClusterUrl),
  'cluster-key': secretType('32 to 256 letters, digits and -._~+/=', CLUSTER_KEY),
  name: textType('1 to 32 letters, digits, - and _', (text) => NAME.test(text)),
  'page-url': textType('an http or https URL without a path', isPageUrl),
  proxies: readType(PROXIES_ALLOWED, readProxies),
  'server-delay': numberWithPartsType(SERVER_DELAY_ALLOWED, readServerDelay),
  'listener-bitrate': numberWithPartsType(LISTENER_BITRATE_ALLOWED, readListenerBitrate),
  frames: numberWithPartsType(FRAMES_ALLOWED, readFrames),
  'recording-limit': readType(RECORDING_LIMIT_ALLOWED, readRecordingLimit),
  log: readType(LOG_ALLOWED, readLog),
  'listen-address': readType(LISTEN_ADDRESS_ALLOWED, readListenAddress),
};

/**
 * Describes the allowed values of a row, without their unit.
 * @param {Readonly<OptionRow>} option
 */
export const rangeOf = (option) => TYPES[option.type].range(option);

/**
 * Reads a value from the command line or the environment.
 * @param {Readonly<OptionRow>} option
 * @param {string} given
 * @returns {OptionValue | undefined} undefined when the option doesn't allow it
 */
export function parseText(option, given) {
  const { parse = () => given } = TYPES[option.type];
  return checkValue(option, parse(given, option));
}

/**
 * Checks a value from JSON.
 * @param {Readonly<OptionRow>} option
 * @param {unknown} value
 * @returns {OptionValue | undefined} the value, frozen; undefined when the option doesn't allow it
 */
export const checkValue = (option, value) => TYPES[option.type].check(value, option);

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
 * @returns {value is string[]}
 */
function isHosts(value) {
  return Array.isArray(value) && value.length > 0 && value.every(isCertificateHost);
}

/** @param {string} text */
function isPath(text) {
  return text.length > 0 && text.length <= MAX_PATH && !text.includes('\0');
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
 * @returns {value is string[]}
 */
function isWebhooks(value) {
  if (!Array.isArray(value) || value.length === 0 || value.length > MAX_WEBHOOKS) return false;
  return value.every((url) => readWebhook(url) !== null);
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

/**
 * @param {string} option as a person typed it
 * @param {string | null} source
 * @param {string} [similar] the option that may have been meant
 */
export function unknownOption(option, source, similar) {
  const allowed = similar ?? 'what --help lists';
  const from = source ? ` (from ${source})` : '';
  const gone = Object.keys(GONE).find((name) =>
    [`--${name}`, envOf(name), show(name)].includes(option),
  );
  const sentence = gone
    ? `There is no option ${option} any more${from}; leave it out: ${GONE[gone]}.`
    : `There is no option ${option}${from}; ` +
      `${similar ? `did you mean ${similar}?` : '--help lists them all.'}`;
  return new ConfigError({ option, value: undefined, source, allowed, sentence });
}

/**
 * @param {Readonly<OptionRow>} option
 * @param {unknown} value
 * @param {string | null} source
 */
export function notAllowed(option, value, source) {
  // A mistyped secret is still nearly the secret.
  const isSecret = ['secret', 'keys', 'cluster-key', 'webhooks'].includes(option.type);
  const shown = isSecret ? undefined : option.type === 'nats' ? shownServers(String(value)) : value;
  return new ConfigError({
    option: `--${option.name}`,
    value: shown,
    source,
    allowed: allowedOf(option),
  });
}

/**
 * Servers of NATS that aren't allowed, without their credentials.
 * @param {string} value
 * @returns {string | undefined} undefined where it isn't certain which part is a password
 */
function shownServers(value) {
  const shown = withoutCredentials(value);
  const isCertain = shown.split(',').every((part) => /^\s*(nats|tls):\/\/[^@]*$/.test(part));
  return isCertain || !value.includes('@') ? shown : undefined;
}
