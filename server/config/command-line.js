import { Command, CommanderError, Option } from 'commander';
import { ConfigError, InformationRequest } from '../errors/config-error.js';
import {
  allowedOf,
  checkValue,
  notAllowed,
  parseText,
  rangeOf,
  unknownOption,
} from './option-value.js';
import { envOf } from './options.js';

/** @typedef {import('./options.js').OptionRow} OptionRow */
/** @typedef {import('./options.js').OptionValue} OptionValue */

/**
 * Reads the command line.
 * @param {string[]} argv  arguments, without node and the script
 * @param {string} version
 * @param {readonly Readonly<OptionRow>[]} options
 * @returns {{ values: Map<string, OptionValue>, file: string | null }} file: value of --config
 * @throws {ConfigError} for an unknown option or a value that isn't allowed
 * @throws {InformationRequest} for --help and --version
 */
export function readArguments(argv, version, options) {
  let printed = '';
  const command = createCommand(version, options);
  command.configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError
      ? argumentError(error, { printed, argv, options, stray: command.args[0] })
      : error;
  }
  const found = command.opts();
  /** @type {Map<string, OptionValue>} */
  const values = new Map();
  for (const option of options) {
    if (found[option.name] === undefined) continue;
    const value = readFlag(option, found[option.name]);
    if (value === undefined) throw notAllowed(option, found[option.name], null);
    values.set(option.name, value);
  }
  return { values, file: found.config ?? null };
}

/**
 * @param {Readonly<OptionRow>} option
 * @param {string | string[] | boolean} found  commander's value
 */
const readFlag = (option, found) =>
  typeof found === 'string' ? parseText(option, found) : checkValue(option, found);

/** @param {string} version @param {readonly Readonly<OptionRow>[]} options */
function createCommand(version, options) {
  const command = new Command('aloud')
    .description(
      'Audio conferencing over HTTP/3. Options also come from the environment and a config ' +
        'file. `aloud token --help` says how to invite people, `aloud play --help` and ' +
        '`aloud listen --help` how to bring sound in and out. `aloud check` tries ports, UDP, ' +
        'the certificate and whatever else a server needs; `aloud build` builds the native ' +
        'addon. Pages named docs/… are in the source repository, not in the package.',
    )
    .exitOverride()
    .allowExcessArguments(false)
    .version(version, '--version', 'prints the version')
    .helpOption('--help', 'prints this')
    .addOption(
      new Option('--config <file>', `JSON file of options, by these names (${envOf('config')})`),
    );
  for (const option of options)
    for (const each of commandOptions(option))
      command.addOption(each.hideHelp(option.isOld === true));
  return command;
}

/**
 * @param {Readonly<OptionRow>} option
 * @returns {Option[]}
 */
function commandOptions(option) {
  const about =
    `${option.description} (${rangeOf(option)}; default ${fallbackText(option)}; ` +
    `${option.env})`;
  const keyed = (/** @type {string} */ flags, /** @type {string} */ text) => {
    const made = new Option(flags, text);
    // Commander would make a name in camel case.
    made.attributeName = () => option.name;
    return made;
  };
  if (option.type === 'boolean') {
    const opposite = keyed(`--no-${option.name}`, `the opposite of --${option.name}`);
    return [keyed(`--${option.name} [true|false]`, about), opposite];
  }
  const made = keyed(`--${option.name} <${placeholder(option)}>`, about);
  if (LISTS.has(option.type))
    made.argParser((value, /** @type {string[]} */ before = []) => [...before, value]);
  return [made];
}

/** Types of options that may be repeated. */
const LISTS = new Set(['list', 'domains', 'origins', 'webhooks']);

const PLACEHOLDERS = Object.freeze({
  integer: 'number',
  number: 'number',
  choice: 'choice',
  'server-delay': 'ms',
  frames: 'ms',
  'recording-limit': 'size,age',
  log: 'level,format',
  'listen-address': 'host:port',
  host: 'address',
  path: 'path',
  secret: 'secret',
  keys: 'id:secret',
  nats: 'url',
  name: 'name',
  'cluster-key': 'secret',
  'page-url': 'url',
  list: 'name',
  domains: 'name',
  origins: 'origin',
  webhooks: 'url',
  acme: 'address',
  'listener-bitrate': 'b/s',
  url: 'url',
  proxies: 'proxies',
  boolean: '',
});

/** @param {Readonly<OptionRow>} option */
function placeholder(option) {
  if (option.unit) return option.unit;
  return PLACEHOLDERS[option.type];
}

/** Describes a row's default. @param {Readonly<OptionRow>} option */
export function fallbackText({ fallback, fallbackNote }) {
  if (fallback === null) return fallbackNote ?? 'none';
  const value = Array.isArray(fallback) ? fallback.join(', ') : String(fallback);
  return fallbackNote ? `${value}, ${fallbackNote}` : value;
}

/** Commands besides the one that starts the server. */
const COMMANDS = Object.freeze(['token', 'play', 'listen', 'check', 'build']);

/** Most letters that a mistyped command has wrong. */
const MAX_TYPOS = 2;

/**
 * @param {CommanderError} error
 * @param {{ printed: string, argv: string[], options: readonly Readonly<OptionRow>[],
 *   stray?: string }} run  stray: the first argument that belongs to no option
 */
function argumentError(error, { printed, argv, options, stray }) {
  if (error.code === 'commander.helpDisplayed' || error.code === 'commander.version') {
    return new InformationRequest(printed);
  }
  // Without a value behind it, which may be a secret.
  const option = /'(--?[^' =]*)/.exec(error.message)?.[1];
  if (option === undefined && stray !== undefined)
    return strayArgument(stray, stray === argv[0], options);
  if (error.code === 'commander.optionMissingArgument') {
    const row = options.find(({ name }) => `--${name}` === option);
    return new ConfigError({
      option: option ?? '',
      value: '',
      allowed: row ? allowedOf(row) : 'a path',
    });
  }
  return unknownOption(option ?? '', null, /Did you mean (.*)\?/.exec(error.message)?.[1]);
}

/**
 * @param {string} stray  an argument that belongs to no option
 * @param {boolean} isFirst  true where a command could stand
 * @param {ReadonlyArray<{ name: string }>} options
 */
function strayArgument(stray, isFirst, options) {
  const option = options.some(({ name }) => name === stray) ? `--${stray}` : undefined;
  const command = COMMANDS.find((name) => typosBetween(stray.toLowerCase(), name) <= MAX_TYPOS);
  const near = option ?? command;
  const list = `the commands are ${COMMANDS.join(', ')}, and none at all starts the server.`;
  const meant = `did you mean ${option ?? `aloud ${command}`}?`;
  const sentence = isFirst
    ? `There is no command ${stray}; ${near ? meant : list}`
    : `${stray} belongs to no option; an option begins with --, and --help lists them all.`;
  return new ConfigError({
    option: stray,
    value: undefined,
    allowed: near ?? 'what --help lists',
    sentence,
  });
}

/**
 * Returns the number of letters to insert, delete or replace (Levenshtein distance).
 * @param {string} a
 * @param {string} b
 */
function typosBetween(a, b) {
  let row = Array.from({ length: b.length + 1 }, (_, j) => j);
  for (let i = 1; i <= a.length; i++) {
    const next = [i];
    for (let j = 1; j <= b.length; j++)
      next.push(Math.min(row[j] + 1, next[j - 1] + 1, row[j - 1] + Number(a[i - 1] !== b[j - 1])));
    row = next;
  }
  return row[b.length];
}
