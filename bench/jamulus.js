/**
 * Measures the delay of Jamulus, from one client's input to another's output over loopback, with
 * JACK's dummy sound card: for setting aloud beside it. Debian has all of it: jamulus, jackd2.
 */

import { setTimeout } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from './options.js';
import { findPrograms, lackOfJamulus, Programs, RATE, START_MS } from './peers/jamulus.js';
import { quantile, sorted } from '../testkit/statistics.js';

/** @typedef {import('./peers/jamulus.js').Paths} Paths */

/** The time that the delay has to find its place, in milliseconds. */
const SETTLE_MS = 10_000;

/** @param {string} text */
function periods(text) {
  const list = text.split(',').map(Number);
  if (list.every((frames) => [64, 128, 256, 512].includes(frames))) return list;
  throw new InvalidArgumentError('must be of 64, 128, 256 and 512, separated by commas');
}

const options = new Command('jamulus')
  .description("What Jamulus delays from one client's input to another's output, on loopback.")
  .option(
    '--period <frames>',
    'lengths of a period of the sound card, in samples, separated by commas',
    periods,
    [64, 128],
  )
  .option('--seconds <n>', 'that are measured', wholeNumber(5, 600), 20)
  .option('--json', 'prints JSON')
  .parse()
  .opts();

/** Programs that were started: they end with this program, whatever happens to it. */
const programs = await Programs.open();

/**
 * Reads what jack_iodelay prints for a while.
 * @param {Paths} paths
 * @param {[from: string, to: string][]} wires
 * @param {{ settleMs: number, ms: number }} times
 * @returns {Promise<Float64Array>} delays in milliseconds, ascending
 */
async function measure(paths, wires, { settleMs, ms }) {
  const meter = programs.start('stdbuf', ['-oL', paths.measure]);
  let text = '';
  meter.stdout?.on('data', (data) => void (text += data));
  await setTimeout(START_MS);
  for (const [from, to] of wires) await programs.connect(paths.connect, from, to);
  await setTimeout(settleMs);
  text = '';
  await setTimeout(ms);
  meter.kill('SIGTERM');
  return sorted(
    [...text.matchAll(/([\d.]+) ms total roundtrip latency/g)].map(([, value]) => Number(value)),
  );
}

/**
 * @param {Paths} paths
 * @param {number} period  of the sound card, in samples
 * @param {boolean} small  true if frames have 64 samples rather than 128
 */
async function run(paths, period, small) {
  try {
    await programs.startJack(paths.jackd, period);
    const loop = await measure(paths, [['jack_delay:out', 'jack_delay:in']], {
      settleMs: START_MS,
      ms: START_MS,
    });
    const { port } = await programs.startServer(paths, { small });
    for (const name of ['A', 'B']) await programs.startClient(paths, { name, port, small });
    await setTimeout(2 * START_MS);
    const wires = /** @type {[string, string][]} */ ([
      ['jack_delay:out', 'Jamulus A:input left'],
      ['jack_delay:out', 'Jamulus A:input right'],
      ['Jamulus B:output left', 'jack_delay:in'],
    ]);
    const found = await measure(paths, wires, {
      settleMs: SETTLE_MS,
      ms: options.seconds * 1000,
    });
    const loopMs = quantile(loop, 0.5);
    return {
      period,
      frame: small ? 64 : 128,
      readings: found.length,
      loopMs,
      p50: quantile(found, 0.5),
      least: found[0],
      most: found.at(-1),
      beyondMs: quantile(found, 0.5) - loopMs,
    };
  } finally {
    await programs.stop();
  }
}

async function main() {
  const lack = lackOfJamulus();
  if (lack) {
    console.error(lack);
    return 1;
  }
  const { paths } = findPrograms();
  const rows = [];
  for (const period of options.period) {
    for (const small of [true, false]) {
      process.stderr.write(`\rperiods of ${period} samples, frames of ${small ? 64 : 128} \x1b[K`);
      rows.push(await run(paths, period, small));
    }
  }
  process.stderr.write('\r\x1b[K');
  if (options.json) console.log(JSON.stringify({ ...options, rows }, null, 2));
  else {
    console.log(
      `Jamulus on loopback, JACK's dummy sound card at ${RATE} Hz, jack_iodelay from one ` +
        `client's input to another's output; the least and most of ${options.seconds} s.`,
    );
    const ms = (/** @type {number | undefined} */ value) => Number(value?.toFixed(1));
    console.table(
      rows.map(({ period, frame, readings, loopMs, p50, least, most, beyondMs }) => ({
        'period, samples': period,
        'frame, samples': frame,
        readings,
        'JACK alone, ms': ms(loopMs),
        'p50, ms': ms(p50),
        'least, ms': ms(least),
        'most, ms': ms(most),
        'beyond JACK, ms': ms(beyondMs),
      })),
    );
  }
  return 0;
}

for (const signal of /** @type {const} */ (['SIGINT', 'SIGTERM']))
  process.once(signal, () => void programs.close().then(() => process.exit(130)));
try {
  process.exitCode = await main();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
} finally {
  await programs.close();
}
