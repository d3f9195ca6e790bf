const MAX_SHOWN = 80;

/** A setting that the server can't start with. The message is a whole sentence for a person. */
export class ConfigError extends Error {
  /**
   * @param {object} options
   * @param {string} options.option     as a person would type it, such as '--port'
   * @param {unknown} options.value     the given value; undefined if there is none to show
   * @param {string} options.allowed    allowed values, in words that follow "must be"
   * @param {string | null} [options.source]  the environment variable or file that it came from
   * @param {string} [options.problem]  fault of the value, as a clause
   * @param {string} [options.sentence]  replaces the whole message
   */
  constructor({ option, value, allowed, source = null, problem, sentence }) {
    super(sentence ?? mustBe(option, allowed, { value, source, problem }));
    this.name = 'ConfigError';
    this.option = option;
    this.value = value;
    this.allowed = allowed;
    this.source = source;
  }
}

/**
 * Says what an option must be and what it is, in the same words for all commands.
 * @param {string} option  such as '--port'
 * @param {string} allowed  in words
 * @param {{ value?: unknown, source?: string | null, problem?: string }} [given]
 */
function mustBe(option, allowed, { value, source = null, problem } = {}) {
  const from = source ? ` (from ${source})` : '';
  const is =
    value === undefined
      ? ''
      : problem
        ? `; ${show(value)}${from}: ${problem}`
        : `; it is ${show(value)}${from}`;
  return `${option} must be ${allowed}${is || from}.`;
}

/**
 * Puts commander's message about a wrong option into the words of mustBe().
 * @param {string} message
 */
export function sentenceOf(message) {
  const said = message.trim().replace(/^error: /, '');
  const [, option, value, reason] =
    /^option '(?:-\w, )?(--[\w-]+)[^']*' argument '([^]*)' is invalid\. ([^]*)$/.exec(said) ?? [];
  if (option === undefined) return said;
  const [, allowed] = /^(?:must be|Allowed choices are) ([^]*?)\.?$/.exec(reason) ?? [];
  if (allowed === undefined) return `${option}: ${reason}`;
  return mustBe(option, reason.startsWith('must') ? allowed : either(allowed), { value });
}

/** Not an error: a request for --help or --version. */
export class InformationRequest extends Error {
  /** @param {string} text  to print */
  constructor(text) {
    super('information was asked for');
    this.text = text;
  }
}

/** Puts "or" before the last of some choices. @param {string} list */
export const either = (list) => list.replace(/, (?=[^,]*$)/, ' or ');

/** Formats a value for an error. @param {unknown} value */
export function show(value) {
  const json = JSON.stringify(value) ?? String(value);
  return json.length > MAX_SHOWN ? `${json.slice(0, MAX_SHOWN)}…` : json;
}

/**
 * Codes for an address of another machine, for a missing protocol or network interface, and for an
 * unknown name.
 */
const NO_SUCH_ADDRESS = new Set([
  'EADDRNOTAVAIL',
  'EAFNOSUPPORT',
  'EINVAL',
  'ENOTFOUND',
  'EAI_AGAIN',
  'EAI_FAIL',
]);

/**
 * Explains a listen error to the person who chose the address.
 * @param {unknown} error as Node.js or an HTTP/3 engine gives it
 * @param {'port' | 'h3-port' | 'http-port' | 'metrics'} option
 * @param {string} host
 * @param {number} port
 * @returns {unknown} a ConfigError, or the same error if it is of another kind
 */
export function listenError(error, option, host, port) {
  const { code = '', message = '' } = /** @type {NodeJS.ErrnoException} */ (error);
  const is = (/** @type {string} */ name, /** @type {RegExp} */ words) =>
    code === name || words.test(message);
  const told = (
    /** @type {string} */ allowed,
    /** @type {string} */ sentence,
    named = `--${option}`,
    /** @type {string | number} */ value = port,
  ) => new ConfigError({ option: named, value, allowed, sentence });
  if (is('EADDRINUSE', /address.*in use/i))
    return told(
      'a free port',
      `--${option} ${port} is already in use; choose a free port, or 0 for any.`,
    );
  if (is('EACCES', /permission denied/i)) {
    const rights = 'give it the right CAP_NET_BIND_SERVICE (docs/deploying.md)';
    return told(
      'a port from 1024 on',
      `--${option} ${port} is not open to this user; choose a port from 1024 on, or 0 for ` +
        `any, or ${rights}.`,
    );
  }
  if (
    NO_SUCH_ADDRESS.has(code) ||
    /cannot assign requested address|family not supported/i.test(message)
  ) {
    const where = option === 'metrics' ? '--metrics' : '--host';
    return told(
      'an address of this machine',
      `${where} ${host} is no address of this machine; choose one that it has, or ::.`,
      where,
      host,
    );
  }
  return error;
}
