/** The command `node bench/link/command.js`. */

import { spawn } from 'node:child_process';
import { readFileSync } from 'node:fs';
import { Command, InvalidArgumentError } from 'commander';
import { checkLink, checkStar } from './check.js';
import { buildEmulator } from './emulator.js';
import { LINK_PROFILES } from './profiles.js';
import { openLink } from './link.js';

/** @typedef {import('./link.js').Link} Link */
/** @typedef {import('./emulator.js').LinkStats} LinkStats */

const say = (/** @type {string} */ line) => void process.stderr.write(`${line}\n`);

/** @param {string} text */
function count(text) {
  const value = Number(text);
  if (Number.isSafeInteger(value) && value >= 0) return value;
  throw new InvalidArgumentError('must be a whole number from 0 on');
}

/** @param {string} text */
function json(text) {
  try {
    return JSON.parse(text);
  } catch {
    throw new InvalidArgumentError('must be JSON');
  }
}

const profileLines = () =>
  Object.entries(LINK_PROFILES).map(
    ([name, { description }]) => `  ${name.padEnd(11)}${description}`,
  );

function program() {
  return new Command('node bench/link/command.js')
    .description(
      'Opens a link between two network namespaces, and measures it or runs a command on ' +
        "its client's side.",
    )
    .argument(
      '[command...]',
      'after --: what to run, with ALOUD_CLIENT and ALOUD_SERVER as the two addresses',
    )
    .option('--profile <name>', 'one of those below')
    .option(
      '--parameters <json>',
      'settings on top of it, such as \'{"delayMs":20,"up":{"lossPercent":1}}\'',
      json,
    )
    .option(
      '--steps <file>',
      'changes over time: a JSON list of {"atMs":5000,"changes":{"rateBits":1e6}}',
    )
    .option('--seed <n>', "of the emulator's decisions", count)
    .option('--ping <n>', 'print the figures of so many pings', count)
    .option('--interval <ms>', 'between two pings', count, 200)
    .option('--bandwidth [seconds]', 'print what a TCP connection carries each way', count)
    .option('--check', 'measure whether the emulator holds its delay; exit with 1 if it does not')
    .option('--participants <n>', 'check each leg of a star of so many instead', count)
    .option('--seconds <n>', 'of traffic in the check, which takes up to twice that', count, 20)
    .option('--build', 'build the emulator, and no more')
    .addHelpText(
      'after',
      `\nProfiles:\n${profileLines().join('\n')}\n\nSettings: bench/docs/link.md`,
    );
}

const ms = (/** @type {number} */ value) => value.toFixed(3);

/** @param {Link} link @param {number} number @param {number} intervalMs */
async function printPing(link, number, intervalMs) {
  const { tool, ...found } = await link.ping({ count: number, intervalMs });
  console.log(
    `${found.count} pings (${tool}), ms: min ${ms(found.minMs)}, mean ${ms(found.meanMs)}, ` +
      `max ${ms(found.maxMs)}, deviation ${ms(found.deviationMs)}; lost ` +
      `${found.lossPercent.toFixed(1)} %`,
  );
}

/** @param {Link} link @param {number | true} seconds */
async function printBandwidth(link, seconds) {
  const { up, down } = await link.bandwidth(seconds === true ? {} : { seconds });
  const megabits = (/** @type {number} */ bits) => (bits / 1e6).toFixed(2);
  console.log(
    `TCP, Mbit/s: up ${megabits(up.bitsPerSecond)}, down ${megabits(down.bitsPerSecond)}`,
  );
}

/** @param {Link} link @param {string[]} command @returns {Promise<number>} its exit code */
function runCommand(link, command) {
  const [file, ...args] = [...link.client.exec, ...command];
  const addresses = { ALOUD_CLIENT: link.client.address, ALOUD_SERVER: link.server.address };
  const child = spawn(file, args, { stdio: 'inherit', env: { ...process.env, ...addresses } });
  // Ctrl-C goes to the command too; the link is closed when that has ended.
  const wait = () => {};
  process.on('SIGINT', wait);
  return new Promise((resolve) => {
    child.on('error', (error) => {
      say(error.message);
      resolve(127);
    });
    child.on('close', (code) => resolve(code ?? 1));
  }).finally(() => process.off('SIGINT', wait));
}

/** @param {string} file */
function readSteps(file) {
  try {
    return JSON.parse(readFileSync(file, 'utf8'));
  } catch (error) {
    throw new Error(`${file}: ${/** @type {Error} */ (error).message}`, { cause: error });
  }
}

/** @param {Record<string, any>} options @param {string[]} command */
async function useLink(options, command) {
  const { profile, parameters, seed } = options;
  const steps = options.steps && readSteps(options.steps);
  const link = await openLink({ profile, parameters, seed, steps, say });
  try {
    say(
      link.isEmulated
        ? `${link.profile}, seed ${link.seed}`
        : `loopback${link.reason ? `: ${link.reason}` : ''}`,
    );
    if (options.ping) await printPing(link, options.ping, options.interval);
    if (options.bandwidth) await printBandwidth(link, options.bandwidth);
    const code = command.length > 0 ? await runCommand(link, command) : 0;
    const stats = await link.stats();
    if (stats) console.log(JSON.stringify(stats, null, 2));
    return link.available ? code : code || 2;
  } finally {
    await link.close();
  }
}

/**
 * @param {Record<string, any>} options
 * @param {string[]} command
 * @returns {Promise<number>} the exit code
 */
async function act(options, command) {
  if (options.build) {
    say(`the link emulator is ${await buildEmulator({ say })}`);
    return 0;
  }
  const { participants, seconds } = options;
  if (options.check && participants) return (await checkStar({ participants, seconds })) ? 0 : 1;
  if (options.check) return (await checkLink({ seconds })) ? 0 : 1;
  return useLink(options, command);
}

// The exit code is the command's own, 1 where something is wrong, 2 where there was only loopback.
const given = program().parse();
try {
  process.exitCode = await act(given.opts(), given.args);
} catch (error) {
  say(/** @type {Error} */ (error).message);
  process.exitCode = 1;
}
