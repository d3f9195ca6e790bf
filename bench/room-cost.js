/**
 * Measures resident memory and processor time of a whole server whose people all talk and are all
 * mixed. The server is `node server/main.js` of this checkout, or of another by turns. It is read
 * from outside (/proc), so nothing of the measurement runs in it.
 */

import { spawn } from 'node:child_process';
import { existsSync, readdirSync, readFileSync } from 'node:fs';
import { join, resolve } from 'node:path';
import { createInterface } from 'node:readline';
import { setTimeout as wait } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { wholeNumber } from './options.js';
import { CROWD } from './participants/scripts.js';
import { bootstrap } from './stats/bootstrap.js';
import { Child } from '../testkit/participants/child.js';
import { seededRandom } from '../testkit/random.js';
import { mean } from '../testkit/statistics.js';

const HERE = fileURLToPath(new URL('..', import.meta.url));

/** Longest time for a server to start or to end, in milliseconds. */
const START_MS = 20_000;
const CLOSE_MS = 5000;

/** Bytes of a kibibyte and of a megabyte: /proc counts in the former. */
const KIBIBYTE = 1024;
const MEGABYTE = 1e6;

/**
 * @typedef {object} Load
 * @property {number} people present at first
 * @property {number} more   people who join then
 * @property {number} seconds of each of the two measurements
 * @property {number} warmUp seconds before each
 * @property {string[]} server further options of the server
 * @property {string[]} node   options of Node.js
 */

/** A server in a process of its own. */
class ServerProcess {
  #process;
  #exited;
  /** Sum of V8's pauses so far, in milliseconds, where Node.js runs with --trace-gc. */
  pausesMs = 0;

  /** @param {string} folder of the checkout @param {Load} load */
  constructor(folder, { people, more, server, node }) {
    const argv = [
      ...['--port', '0', '--h3-port', '0', '--workers', '0', '--complexity', '8'],
      ...['--max-participants', String(people + more), '--max-speakers', String(people + more)],
      // The level as the release before spells it, whose server may be measured too.
      ...['--max-network-joins', '100000', '--mode', 'mix', '--log-level', 'error', ...server],
    ];
    this.#process = spawn(process.execPath, [...node, join(folder, 'server/main.js'), ...argv], {
      stdio: ['ignore', 'pipe', 'inherit'],
    });
    this.#exited = new Promise((end) => void this.#process.once('exit', end));
  }

  get pid() {
    return Number(this.#process.pid);
  }

  /** @returns {Promise<string>} origin of the started server @throws {Error} if it doesn't start */
  origin() {
    const lines = createInterface({ input: /** @type {any} */ (this.#process.stdout) });
    const found = new Promise((take) => {
      lines.on('line', (line) => {
        const [, origin] = /^aloud is at (\S+)/.exec(line) ?? [];
        if (origin) take(origin);
        const [, ms] = / ms: (?:Scavenge|Mark-Compact) .* MB, ([\d.]+) \/ /.exec(line) ?? [];
        if (ms) this.pausesMs += Number(ms);
      });
    });
    const failed = Promise.race([this.#exited, wait(START_MS, undefined, { ref: false })]).then(
      () => {
        throw new Error('a server did not start');
      },
    );
    return Promise.race([found, failed]);
  }

  /** Ends it. Idempotent. */
  async close() {
    this.#process.kill('SIGINT');
    const timer = setTimeout(() => this.#process.kill('SIGKILL'), CLOSE_MS);
    await this.#exited;
    clearTimeout(timer);
  }
}

/**
 * Resident memory of a process by what backs it, in MB.
 * @param {number} pid
 */
function memoryOf(pid) {
  const status = readFileSync(`/proc/${pid}/status`, 'utf8');
  const field = (/** @type {string} */ name) =>
    (Number(new RegExp(`^${name}:\\s+(\\d+) kB`, 'm').exec(status)?.[1]) * KIBIBYTE) / MEGABYTE;
  return { resident: field('VmRSS'), anonymous: field('RssAnon'), files: field('RssFile') };
}

/**
 * Processor time of a process so far, in milliseconds: of JavaScript's thread, of the addon's
 * threads, and of V8's and Node's others.
 * @param {number} pid
 */
function timesOf(pid) {
  const times = { javascript: 0, addon: 0, others: 0 };
  for (const thread of readdirSync(`/proc/${pid}/task`)) {
    const folder = `/proc/${pid}/task/${thread}`;
    const ms = Number(readFileSync(`${folder}/schedstat`, 'utf8').split(' ', 1)[0]) / 1e6;
    const isAddon = readFileSync(`${folder}/comm`, 'utf8').startsWith('aloud-');
    times[Number(thread) === pid ? 'javascript' : isAddon ? 'addon' : 'others'] += ms;
  }
  return times;
}

/**
 * @typedef {{ [figure: string]: number }} Figures
 *
 * Measures one server once.
 * @param {string} folder
 * @param {Load} load
 * @returns {Promise<Figures>} memory in MB, time in percent of a core
 */
async function measure(folder, load) {
  const server = new ServerProcess(folder, load);
  const crowd = new Child(CROWD, []);
  const joinFrom = (/** @type {number} */ from, /** @type {number} */ count) =>
    crowd.call('joinAll', {
      people: Array.from({ length: count }, (_, i) => ({
        id: `P${from + i}`,
        room: 'room',
        talks: true,
      })),
    });
  try {
    const origin = await server.origin();
    const { resident: empty } = memoryOf(server.pid);
    await crowd.call('open', { origin });
    await joinFrom(0, load.people);
    await wait(1000 * load.warmUp);
    const [before, startMs, pausesMs] = [timesOf(server.pid), performance.now(), server.pausesMs];
    await crowd.call('note');
    await wait(1000 * load.seconds);
    const [after, passedMs] = [timesOf(server.pid), performance.now() - startMs];
    const garbage = (100 * (server.pausesMs - pausesMs)) / passedMs;
    const memory = memoryOf(server.pid);
    const { people } = await crowd.call('take');
    const packets = mean(people.map(receivedOf)) / (passedMs / 1000);
    const share = (/** @type {keyof typeof after} */ part) =>
      (100 * (after[part] - before[part])) / passedMs;
    const [javascript, addon, others] = [share('javascript'), share('addon'), share('others')];
    await joinFrom(load.people, load.more);
    await wait(1000 * (load.warmUp + load.seconds));
    const grown = memoryOf(server.pid).resident - memory.resident;
    return {
      'MB empty': empty,
      'MB resident': memory.resident,
      'MB anonymous': memory.anonymous,
      'MB of files': memory.files,
      [`MB for ${load.more} more`]: grown,
      '% processor': javascript + addon + others,
      '% JavaScript': javascript,
      '% addon': addon,
      '% others': others,
      '% pauses': garbage,
      'own mixes/s': packets,
    };
  } finally {
    await crowd.close();
    await server.close();
  }
}

/** Received packets of a talker's own mix. @param {{ streams: { received: number }[] }} person */
const receivedOf = ({ streams: [, own] }) => own.received;

/** @param {number[][]} blocks @returns {string} their mean, and of five its interval of 95 % */
function words(blocks) {
  const [{ estimate, low, high }] = bootstrap(blocks, (all) => [mean(all)], {
    random: seededRandom(1),
  });
  const interval = Number.isNaN(low) ? '' : ` [${low.toFixed(2)}, ${high.toFixed(2)}]`;
  return `${estimate.toFixed(2)}${interval}`;
}

/** @param {string} folder */
function checkout(folder) {
  if (!existsSync(join(folder, 'server/main.js')))
    throw new InvalidArgumentError('it has no server/main.js');
  return resolve(folder);
}

/** @param {string} text */
const wordsOf = (text) => text.split(' ').filter(Boolean);

async function main() {
  /** @type {Load & { against?: string, blocks: number, json: boolean }} */
  const { against, blocks, json, ...load } = new Command('room-cost')
    .description(
      'Resident memory and processor time of a server with one mixed room, by turns with those ' +
        'of another checkout.',
    )
    .option('--people <n>', 'how many talk and are mixed', wholeNumber(2, 500), 50)
    .option('--more <n>', 'how many join later', wholeNumber(1, 500), 10)
    .option('--seconds <n>', 'of each measurement', wholeNumber(1, 600), 12)
    .option('--warm-up <n>', 'seconds before each', wholeNumber(0, 600), 4)
    .option('--blocks <n>', 'servers of each checkout', wholeNumber(1, 100), 5)
    .option('--against <folder>', 'another checkout, with its packages and addon', checkout)
    .option('--server <options>', 'further options of the servers', wordsOf, [])
    .option('--node <options>', 'options of Node.js, such as --trace-gc', wordsOf, [])
    .option('--json', 'print all blocks as JSON', false)
    .parse()
    .opts();
  const folders = against ? [HERE, against] : [HERE];
  const seconds = blocks * folders.length * (2 * (load.seconds + load.warmUp) + 4);
  console.error(`This takes some ${Math.ceil(seconds / 60)} minutes.`);
  const results = folders.map(() => /** @type {Figures[]} */ ([]));
  for (let block = 0; block < blocks; block++) {
    for (const turn of folders.keys()) {
      const which = (turn + block) % folders.length;
      results[which].push(await measure(folders[which], load));
    }
  }
  if (json) return console.log(JSON.stringify(results));
  const figures = Object.keys(results[0][0]);
  const column = (/** @type {number} */ which, /** @type {string} */ name) =>
    words(results[which].map((figure) => [figure[name]]));
  console.table(
    Object.fromEntries(
      figures.map((name) => [
        name,
        {
          here: column(0, name),
          ...(against && {
            there: column(1, name),
            ratio: words(results[0].map((figure, i) => [figure[name] / results[1][i][name]])),
          }),
        },
      ]),
    ),
  );
}

await main();
