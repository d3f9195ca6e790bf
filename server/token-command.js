import { randomUUID } from 'node:crypto';
import { Command, CommanderError, Option } from 'commander';
import { readName, roomNameError } from '../public/shared/text.js';
import { ROLES } from '../public/shared/limits.js';
import { makeToken } from './access/token.js';
import { ConfigError, InformationRequest, sentenceOf } from './errors/config-error.js';
import { loadConfig, pageUrl } from './config/config.js';
import { readKeys } from './config/readers.js';

/** Seconds of each unit of time. */
const UNITS = Object.freeze({ s: 1, m: 60, h: 3600, d: 86_400 });

/** Longest validity of a token, in seconds. */
const MAX_TTL = 366 * UNITS.d;

/**
 * `aloud token`: makes a token that lets a person into a room, signed with the first of --keys.
 * @param {string[]} argv  after `token`
 * @param {{ env: Record<string, string | undefined>, now?: number }} options now: milliseconds
 *   since 1970
 * @returns {Promise<{ token: string, link: string, note: string | null }>} note: what to change in
 *   the link
 * @throws {ConfigError} for a bad option
 * @throws {InformationRequest} for --help
 */
export async function tokenCommand(argv, { env, now = Date.now() }) {
  const { room, name, role, ttl, identity = randomUUID(), rest } = readOptions(argv);
  if (roomNameError(room) !== null)
    throw wrong('--room', room, '1 to 64 letters, digits, "-" or "_"');
  const named = readName(name);
  if (named.error !== null || named.isCut)
    throw wrong('--name', name, '1 to 40 characters, none of them a control character');
  const config = loadConfig({ argv: rest, env });
  const keys = readKeys(config.keys);
  if (keys === null) throw wrong('--keys', undefined, 'ID:SECRET, as the server has it');
  const [[keyId, secret]] = keys;
  const token = await makeToken({
    keyId,
    secret,
    room,
    name: named.name,
    identity,
    role,
    ttlSeconds: secondsOf(ttl),
    now,
  });
  const page = pageUrl(config, config.port);
  const note =
    new URL(page).hostname === 'localhost'
      ? "The link is for this machine. For others, put the server's address in place of " +
        `${page}.`
      : null;
  return { token, link: `${page}/r/${room}#token=${token}`, note };
}

/**
 * @param {string[]} argv
 * @returns {{ room: string, name: string, role: import('./state/grant.js').Role, ttl: string,
 *   identity?: string, rest: string[] }} rest: arguments left for the server's own options
 */
function readOptions(argv) {
  let printed = '';
  const command = new Command('aloud token')
    .description(
      "Makes a token that lets somebody into a room. The server's own options, such as " +
        '--keys and --domain, go here too.',
    )
    .exitOverride()
    .allowUnknownOption()
    .allowExcessArguments()
    .helpOption('--help', 'prints this')
    .option('--room <name>', 'room that it is for; needed')
    .option('--name <name>', 'name that the person is shown with; needed')
    .addOption(
      new Option('--role <role>', 'what they may do (docs/access.md)')
        .choices(ROLES)
        .default('speaker'),
    )
    .option('--ttl <time>', 'how long it is valid: a number with s, m, h or d', '6h')
    .option('--identity <id>', 'who they are, for bans; default: a new one')
    .configureOutput({ writeOut: (text) => (printed += text), writeErr: () => {} });
  try {
    command.parse(argv, { from: 'user' });
  } catch (error) {
    if (!(error instanceof CommanderError)) throw error;
    if (error.code === 'commander.helpDisplayed') throw new InformationRequest(printed);
    const option = /(--[a-z-]+)/.exec(error.message)?.[1] ?? 'token';
    throw new ConfigError({
      option,
      value: undefined,
      allowed: 'what aloud token --help says',
      sentence: sentenceOf(error.message),
    });
  }
  const missing = ['room', 'name']
    .filter((name) => command.opts()[name] === undefined)
    .map((name) => `--${name}`);
  if (missing.length > 0) {
    const sentence =
      `aloud token needs ${missing.join(' and ')}, as in: aloud token --room ` + 'tea --name Ann';
    throw new ConfigError({ option: missing[0], value: undefined, allowed: 'given', sentence });
  }
  return { ...command.opts(), rest: command.args };
}

/** @param {string} ttl */
function secondsOf(ttl) {
  const [, number, unit] = /^(\d{1,9})([smhd])$/.exec(ttl) ?? [];
  const seconds = Number(number) * (UNITS[/** @type {keyof typeof UNITS} */ (unit)] ?? NaN);
  if (!(seconds >= 1 && seconds <= MAX_TTL))
    throw wrong('--ttl', ttl, 'a number with s, m, h or d, at most 366d');
  return seconds;
}

/** @param {string} option @param {unknown} value @param {string} allowed */
const wrong = (option, value, allowed) => new ConfigError({ option, value, allowed });
