/** `aloud token`: makes a token for one person and one room. */

/** @import { Role } from './grants.js' */

import { Command, CommanderError, Option } from 'commander';
import { nameError, roomNameError } from '../../public/shared/text.js';
import { ConfigError, InformationRequest, unknownOption } from '../config/config-error.js';
import { loadConfig } from '../config/config.js';
import { ROLES } from './grants.js';
import { Tokens } from './tokens.js';

/** Seconds in each unit of --ttl. @type {Readonly<Record<string, number>>} */
const UNITS = Object.freeze({ s: 1, m: 60, h: 3600, d: 86_400 });

const TTL = /^([1-9]\d{0,7})([smhd])$/;
const TTL_ALLOWED = 'a whole number with s, m, h or d, such as 30m or 6h';

const KEYS_PROBLEM = 'missing; allowed is to give the keys that the server has, here or as ALOUD_KEYS or in the config file';

/**
 * @param {object} options
 * @param {string[]} options.argv  arguments behind `token`
 * @param {Record<string, string | undefined>} options.env
 * @param {() => number} [options.wallNow]  milliseconds since 1970
 * @returns {Promise<string>} what to print: the token, with a line's end
 * @throws {ConfigError} for an option that won't do
 * @throws {InformationRequest} for --help
 */
export async function tokenCommand({ argv, env, wallNow = Date.now }) {
  const { room, name, identity = name, role, ttl, key, config, keys } = readArguments(argv);
  const given = [...(config ? ['--config', config] : []), ...(keys ? ['--keys', keys] : [])];
  const { keys: known } = loadConfig({ argv: given, env });
  if (known === null) throw new ConfigError({ option: '--keys', value: undefined, allowed: 'id:secret', problem: KEYS_PROBLEM });
  const tokens = new Tokens(known, wallNow);
  if (key !== undefined && !tokens.ids.includes(key)) throw wrong('--key', key, tokens.ids.join(', '));
  return `${await tokens.make({ room, name, subject: identity, role, seconds: secondsOf(ttl), key })}\n`;
}

/**
 * @param {string[]} argv
 * @returns {{ room: string, name: string, identity?: string, role: Role, ttl: string, key?: string, config?: string, keys?: string }}
 */
function readArguments(argv) {
  let printed = '';
  const command = new Command('aloud token')
    .description('Makes a token with which one person joins one room of a server that has --keys.')
    .exitOverride()
    .allowExcessArguments(false)
    .helpOption('--help', 'prints this')
    .requiredOption('--room <room>', 'the room that it lets its bearer into')
    .requiredOption('--name <name>', 'the name that the others see')
    .option('--identity <id>', 'who it is, for bans; the name by default')
    .addOption(new Option('--role <role>', 'what they may do').choices(ROLES).default('speaker'))
    .option('--ttl <time>', `how long it can be used: ${TTL_ALLOWED}`, '6h')
    .option('--key <id>', 'the key that signs it; the first by default')
    .option('--keys <id:secret>', 'the keys of the server (ALOUD_KEYS; better there, where other users of the machine see no arguments)')
    .option('--config <file>', 'the JSON file of options that the server has (ALOUD_CONFIG)')
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    throw error instanceof CommanderError ? argumentError(error, printed, command.args[0]) : error;
  }
  const options = command.opts();
  if (roomNameError(options.room)) throw wrong('--room', options.room, '1 to 64 letters, digits, "-" or "_"');
  if (nameError(options.name)) throw wrong('--name', options.name, '1 to 40 characters, none of them a control character');
  if (options.identity === '') throw wrong('--identity', '', 'at least one character');
  return /** @type {any} */ (options);
}

/** @param {string} ttl */
function secondsOf(ttl) {
  const [, count, unit] = TTL.exec(ttl) ?? [];
  if (!unit) throw wrong('--ttl', ttl, TTL_ALLOWED);
  return Number(count) * UNITS[unit];
}

/**
 * @param {string} option
 * @param {unknown} value
 * @param {string} allowed
 */
const wrong = (option, value, allowed) => new ConfigError({ option, value, allowed });

/**
 * @param {CommanderError} error
 * @param {string} printed
 * @param {string} [stray]
 */
function argumentError(error, printed, stray) {
  if (error.code === 'commander.helpDisplayed') return new InformationRequest(printed);
  const option = /'(--?[^' ]*)/.exec(error.message)?.[1] ?? stray ?? '';
  if (error.code === 'commander.invalidArgument') return wrong(option, undefined, ROLES.join(', '));
  const isMissing = error.code === 'commander.missingMandatoryOptionValue' || error.code === 'commander.optionMissingArgument';
  if (isMissing) return new ConfigError({ option, value: undefined, allowed: 'a value', problem: 'missing; --help says what it is' });
  return unknownOption(option, null, /Did you mean (.*)\?/.exec(error.message)?.[1]);
}
