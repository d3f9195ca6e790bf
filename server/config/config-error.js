import { withoutCredentials } from './cluster-url.js';
import { allowedOf } from './option-value.js';

/** @typedef {import('./options.js').OptionRow} OptionRow */

const MAX_SHOWN = 80;

/** A setting that the server can't start with. The message is whole, for a person to read. */
export class ConfigError extends Error {
  /**
   * @param {object} options
   * @param {string} options.option     as a person would give it, such as '--port'
   * @param {unknown} options.value     what was given; undefined where there is no value to show
   * @param {string} options.allowed    what is allowed instead, in words
   * @param {string | null} [options.source]  the environment variable or file that it came from
   * @param {string} [options.problem]  what to say instead of 'allowed is ...'
   */
  constructor({ option, value, allowed, source = null, problem }) {
    const shown = value === undefined ? '' : `: ${show(value)}`;
    const from = source ? ` (from ${source})` : '';
    super(`${option}${shown}${from}: ${problem ?? `allowed is ${allowed}`}`);
    this.name = 'ConfigError';
    this.option = option;
    this.value = value;
    this.allowed = allowed;
    this.source = source;
  }
}

/** Not an error: --help or --version was asked for. */
export class InformationRequest extends Error {
  /** @param {string} text what to print */
  constructor(text) {
    super('information was asked for');
    this.text = text;
  }
}

/**
 * Shows a value in an error.
 * @param {unknown} value
 */
export function show(value) {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)}…` : json;
}

/**
 * @param {string} option as a person gave it
 * @param {string | null} source
 * @param {string} [similar] the option that may have been meant
 */
export function unknownOption(option, source, similar) {
  const allowed = similar ?? 'what --help lists';
  const problem = `there is no such option; ${similar ? `did you mean ${similar}?` : '--help lists them all'}`;
  return new ConfigError({ option, value: undefined, source, allowed, problem });
}

/**
 * @param {Readonly<OptionRow>} option
 * @param {unknown} value
 * @param {string | null} source
 */
export function notAllowed(option, value, source) {
  // A secret with a typing error is still nearly the secret.
  const isSecret = option.type === 'secret' || option.type === 'keys' || option.type === 'cluster-key';
  const shown = isSecret ? undefined : option.type === 'nats' ? withoutCredentials(String(value)) : value;
  return new ConfigError({ option: `--${option.name}`, value: shown, source, allowed: allowedOf(option) });
}

/** Codes for an address of another machine, of a protocol or network interface that isn't there, or an unknown name. */
const NO_SUCH_ADDRESS = new Set(['EADDRNOTAVAIL', 'EAFNOSUPPORT', 'EINVAL', 'ENOTFOUND', 'EAI_AGAIN', 'EAI_FAIL']);

/**
 * Tells the person who chose an address that can't be had what to do.
 * @param {unknown} error as Node.js or an HTTP/3 engine gives it
 * @param {'port' | 'h3-port' | 'http-port' | 'metrics-port'} option
 * @param {string} host
 * @param {number} port
 * @returns {unknown} a ConfigError, or the error as it came when it is of another kind
 */
export function listenError(error, option, host, port) {
  const { code = '', message = '' } = /** @type {NodeJS.ErrnoException} */ (error);
  const is = (/** @type {string} */ name, /** @type {RegExp} */ words) => code === name || words.test(message);
  if (is('EADDRINUSE', /address.*in use/i)) {
    const problem = 'it is in use; allowed is a port that is free, or 0 for any';
    return new ConfigError({ option: `--${option}`, value: port, allowed: 'a free port', problem });
  }
  if (is('EACCES', /permission denied/i)) {
    const rights = 'with the right CAP_NET_BIND_SERVICE (docs/deploying.md) any other too';
    const problem = `this user may not listen there; allowed is a port from 1024 on, or 0 for any, and ${rights}`;
    return new ConfigError({ option: `--${option}`, value: port, allowed: 'a port from 1024 on', problem });
  }
  if (NO_SUCH_ADDRESS.has(code) || /cannot assign requested address|family not supported/i.test(message)) {
    const problem = 'this machine has no such address; allowed is one that it has, or ::';
    const where = option === 'metrics-port' ? '--metrics-host' : '--host';
    return new ConfigError({ option: where, value: host, allowed: 'an address of this machine', problem });
  }
  return error;
}
