/**
 * Fuzzes all that takes bytes from outside: `node test/fuzz/main.js --help`. What it finds becomes
 * a file in test/fuzz/regressions/, which a unit test tries from then on.
 *
 * @import { Target } from './target.js'
 */

import { createHash } from 'node:crypto';
import { mkdirSync, writeFileSync } from 'node:fs';
import { join, relative } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { Inputs } from './inputs.js';
import { TARGETS } from './targets/index.js';

const REGRESSIONS = fileURLToPath(new URL('./regressions/', import.meta.url));

/** The cost up to which a target is one of the parsers, which share the inputs. */
const PARSER_COST = 10;

/**
 * The most that is written of what one target gets wrong, and the time between two lines about the
 * progress.
 */
const MAX_FOUND = 10;
const PROGRESS_MS = 5000;

/** @param {string} text */
function whole(text) {
  const number = Number(text);
  if (!Number.isInteger(number) || number < 1)
    throw new InvalidArgumentError('must be a whole number, 1 or more');
  return number;
}

const program = new Command('node test/fuzz/main.js')
  .description('Tries many inputs on all that takes bytes from outside.')
  .option(
    '--inputs <count>',
    'for the parsers together; what does more gets fewer, by its cost',
    whole,
    1_000_000,
  )
  .option('--seed <number>', 'by which the inputs are made', whole, 1)
  .option('--target <name>', 'this one alone, with all the inputs that a parser would get')
  .parse();
const options = program.opts();

const chosen = TARGETS.filter(({ name }) => !options.target || name === options.target);
if (chosen.length === 0)
  program.error(
    `--target ${options.target}: there are ${TARGETS.map(({ name }) => name).join(', ')}`,
  );
const parsers = TARGETS.filter(({ cost }) => cost <= PARSER_COST).length;

/** @param {Target} target */
const shareOf = ({ cost }) =>
  Math.ceil(options.inputs / parsers / (cost <= PARSER_COST ? 1 : cost));

/**
 * @param {Target} target
 * @param {Uint8Array} input
 * @param {unknown} error
 */
function report(target, input, error) {
  const folder = join(REGRESSIONS, target.name);
  mkdirSync(folder, { recursive: true });
  const file = join(folder, `${createHash('sha256').update(input).digest('hex').slice(0, 16)}.bin`);
  writeFileSync(file, input);
  console.error(
    `${target.name}: ${error instanceof Error ? error.stack : error}\n ` +
      ` ${relative(process.cwd(), file)}`,
  );
}

/**
 * @param {Target} target
 * @returns {Promise<number>} number of inputs with a finding
 */
async function fuzz(target) {
  const inputs = new Inputs(target.valid, target.make);
  const count = shareOf(target);
  const startMs = performance.now();
  let found = 0;
  let nextMs = startMs + PROGRESS_MS;
  let index = 0;
  for (; index < count && found < MAX_FOUND; index++) {
    const input = inputs.at(options.seed, index);
    try {
      const running = target.run(input);
      if (running) await running;
    } catch (error) {
      found += 1;
      report(target, input, error);
    }
    if (index % 128 === 0 && performance.now() > nextMs) {
      console.log(`${target.name}: ${index} of ${count}`);
      nextMs += PROGRESS_MS;
    }
  }
  await target.close?.();
  const seconds = (performance.now() - startMs) / 1000;
  console.log(`${target.name}: ${index} inputs in ${seconds.toFixed(1)} s, ${found} found`);
  return found;
}

let found = 0;
let parsed = 0;
const startMs = performance.now();
for (const target of chosen) {
  found += await fuzz(target);
  if (target.cost <= PARSER_COST) parsed += shareOf(target);
}
const seconds = ((performance.now() - startMs) / 1000).toFixed(1);
console.log(
  `seed ${options.seed}: ${parsed} inputs in the parsers; ${seconds} s in all; ${found} found`,
);
process.exitCode = found > 0 ? 1 : 0;
