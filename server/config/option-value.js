import { isIP } from 'node:net';

/** @typedef {import('./options.js').OptionRow} OptionRow */
/** @typedef {import('./options.js').OptionValue} OptionValue */

/** Digits only: no exponent, no hexadecimal, no space. */
const DECIMAL = /^-?\d{1,15}(\.\d{1,15})?$/;
const MAX_PATH = 4096;

/** A host name in ASCII, perhaps with a wildcard in front (RFC 6125, section 6.4). */
const HOST_NAME = /^(\*\.)?[a-z0-9_-]{1,63}(\.[a-z0-9_-]{1,63})*$/i;

/** A bearer token (RFC 6750, section 2.1) of a length that can't be guessed. */
const SECRET = /^[A-Za-z0-9._~+/-]{16,256}={0,2}$/;

/**
 * A key for tokens: its id, and a secret of at least the hash's 256 bits (RFC 7518, section 3.2) where each character
 * holds 8 or fewer.
 */
const KEY = /^[A-Za-z0-9._-]{1,64}:[A-Za-z0-9._~+/=-]{32,256}$/;

/**
 * Whether a certificate can be made for a host: an IP address without a zone, or a name.
 * @param {unknown} host
 * @returns {host is string}
 */
export function isCertificateHost(host) {
  if (typeof host !== 'string' || host.length > 253) return false;
  return isIP(host) ? !host.includes('%') : HOST_NAME.test(host);
}

/**
 * Says what a row allows, with its unit.
 * @param {Readonly<OptionRow>} option
 */
export function allowedOf(option) {
  return option.unit ? `${rangeOf(option)} (${option.unit})` : rangeOf(option);
}

/**
 * Says what a row allows, without its unit.
 * @param {Readonly<OptionRow>} option
 */
export function rangeOf(option) {
  switch (option.type) {
    case 'integer':
      return `${option.word ? `${option.word} or ` : ''}a whole number from ${option.min} to ${option.max}`;
    case 'number':
      return `${option.word ? `${option.word} or ` : ''}a number from ${option.min} to ${option.max}`;
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
      return 'id:secret, several by commas; secrets of 32 to 256 letters, digits and -._~+/=';
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
    case 'keys':
      return checkValue(option, given.split(',').map((part) => part.trim()));
    case 'host':
    case 'path':
    case 'secret':
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
      return typeof value === 'string' && SECRET.test(value) ? value : undefined;
    case 'keys':
      return isKeys(value) ? Object.freeze([...value]) : undefined;
  }
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
  return typeof value === 'string' && value.length <= 253 && /^[a-z0-9_.:-]+(%[a-z0-9_.-]+)?$/i.test(value);
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
  return typeof value === 'string' && value.length > 0 && value.length <= MAX_PATH && !value.includes('\0');
}

/**
 * @param {unknown} value
 * @returns {value is string[]}
 */
function isKeys(value) {
  if (!Array.isArray(value) || value.length === 0) return false;
  if (!value.every((key) => typeof key === 'string' && KEY.test(key))) return false;
  return new Set(value.map((key) => key.slice(0, key.indexOf(':')))).size === value.length;
}
