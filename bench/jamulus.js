/**
 * Measures the delay of Jamulus, from one client's input to another's output over loopback, with
 * JACK's dummy sound card: for setting aloud beside it. Debian has all of it: jamulus, jackd2.
 */

import { spawn } from 'node:child_process';
import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { delimiter, join } from 'node:path';
import { setTimeout } from 'node:timers/promises';
import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from './options.js';
import { isExecutable } from '../testkit/browsers/chromium.js';
import { freePort } from './peers/free-port.js';
import { quantile, sorted } from '../testkit/statistics.js';

/** Programs, by the names that they may have. */
const PROGRAMS = Object.freeze({
  jackd: ['jackd'],
  connect: ['jack_connect'],
  measure: ['jack_iodelay'],
  jamulus: ['jamulus', 'Jamulus'],
});

const RATE = 48_000;

/** The time that a program has to start, and the delay to find its place, in milliseconds. */
const START_MS = 2000;
const SETTLE_MS = 10_000;

/** The name of a JACK server of its own, so that nobody's sound is disturbed. */
const JACK_SERVER = 'aloud-bench';

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

/**
 * @param {readonly string[]} names
 * @returns {string | undefined} the path of the first that there is
 */
function find(names) {
  const folders = (process.env.PATH ?? '').split(delimiter);
  return folders.flatMap((folder) => names.map((name) => join(folder, name))).find(isExecutable);
}

/**
 * Processes that were started: they end with this program, whatever happens to it.
 * @type {import('node:child_process').ChildProcess[]}
 */
const running = [];
const home = await mkdtemp(join(tmpdir(), 'aloud-jamulus-'));
const env = {
  ...process.env,
  HOME: home,
  JACK_DEFAULT_SERVER: JACK_SERVER,
  JACK_NO_AUDIO_RESERVATION: '1',
  QT_QPA_PLATFORM: 'offscreen',
};

/** @param {string} program @param {string[]} argv */
function start(program, argv) {
  const child = spawn(program, argv, { env, stdio: ['ignore', 'pipe', 'ignore'] });
  running.push(child);
  return child;
}

/** Ends the started programs, the last first. */
async function stop() {
  for (const child of running.splice(0).reverse()) {
    if (child.exitCode !== null || child.signalCode !== null) continue;
    const ended = new Promise((resolve) => void child.once('exit', resolve));
    child.kill('SIGTERM');
    await Promise.race([ended, setTimeout(START_MS)]);
    child.kill('SIGKILL');
  }
}

/** @param {string} program @param {string} from @param {string} to */
async function connect(program, from, to) {
  const child = spawn(program, [from, to], { env, stdio: 'ignore' });
  const code = await new Promise((resolve) => void child.once('exit', resolve));
  if (code !== 0)
    throw new Error(`JACK can't connect ${from} with ${to}: one of the programs didn't start.`);
}

/**
 * Reads what jack_iodelay prints for a while.
 * @param {Record<keyof typeof PROGRAMS, string>} programs
 * @param {[from: string, to: string][]} wires
 * @param {{ settleMs: number, ms: number }} times
 * @returns {Promise<Float64Array>} delays in milliseconds, ascending
 */
async function measure(programs, wires, { settleMs, ms }) {
  const meter = start('stdbuf', ['-oL', programs.measure]);
  let text = '';
  meter.stdout?.on('data', (data) => void (text += data));
  await setTimeout(START_MS);
  for (const [from, to] of wires) await connect(programs.connect, from, to);
  await setTimeout(settleMs);
  text = '';
  await setTimeout(ms);
  meter.kill('SIGTERM');
  return sorted(
    [...text.matchAll(/([\d.]+) ms total roundtrip latency/g)].map(([, value]) => Number(value)),
  );
}

/**
 * @param {Record<keyof typeof PROGRAMS, string>} programs
 * @param {number} period  of the sound card, in samples
 * @param {boolean} small  true if frames have 64 samples rather than 128
 */
async function run(programs, period, small) {
  try {
    start(programs.jackd, [
      '--no-realtime',
      '-n',
      JACK_SERVER,
      '-d',
      'dummy',
      '-r',
      String(RATE),
      '-p',
      String(period),
    ]);
    await setTimeout(START_MS);
    const loop = await measure(programs, [['jack_delay:out', 'jack_delay:in']], {
      settleMs: START_MS,
      ms: START_MS,
    });
    const port = await freePort('127.0.0.1');
    start(programs.jamulus, [
      '--server',
      '--nogui',
      '--port',
      String(port),
      ...(small ? ['--fastupdate'] : []),
    ]);
    await setTimeout(START_MS);
    for (const name of ['A', 'B']) {
      const file = join(home, `${name}.ini`);
      // Best quality, and automatic delays of the jitter buffers.
      await writeFile(
        file,
        `<client><enableopussmall>${small ? 1 : 0}</enableopussmall>` +
          '<autojitbuf>1</autojitbuf><audioquality>2</audioquality></client>',
      );
      start(programs.jamulus, [
        '--nogui',
        '--nojackconnect',
        '--connect',
        `127.0.0.1:${port}`,
        '--clientname',
        name,
        '--inifile',
        file,
        '--port',
        String(await freePort('127.0.0.1')),
      ]);
    }
    await setTimeout(2 * START_MS);
    const wires = /** @type {[string, string][]} */ ([
      ['jack_delay:out', 'Jamulus A:input left'],
      ['jack_delay:out', 'Jamulus A:input right'],
      ['Jamulus B:output left', 'jack_delay:in'],
    ]);
    const found = await measure(programs, wires, {
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
    await stop();
  }
}

async function main() {
  const programs = Object.fromEntries(
    Object.entries(PROGRAMS).map(([name, names]) => [name, find(names)]),
  );
  const missing = Object.entries(programs)
    .filter(([, path]) => !path)
    .map(([name]) => PROGRAMS[/** @type {keyof typeof PROGRAMS} */ (name)][0]);
  if (missing.length > 0) {
    console.error(
      `This needs ${missing.join(', ')}: in Debian the packages jamulus and jackd2 have them.`,
    );
    return 1;
  }
  const rows = [];
  for (const period of options.period) {
    for (const small of [true, false]) {
      process.stderr.write(`\rperiods of ${period} samples, frames of ${small ? 64 : 128} \x1b[K`);
      rows.push(await run(/** @type {any} */ (programs), period, small));
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
  process.once(signal, () => void stop().then(() => process.exit(130)));
try {
  process.exitCode = await main();
} catch (error) {
  console.error(/** @type {Error} */ (error).message);
  process.exitCode = 1;
} finally {
  await stop();
  await rm(home, { recursive: true, force: true });
}
