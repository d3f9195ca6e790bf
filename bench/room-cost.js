/**
 * Measures resident memory and processor time of a whole server whose people all talk and are all
 * mixed. The server is `node server/main.js` of this checkout, or of another by turns. It is read
 * from outside (/proc), so nothing of the measurement runs in it.
 */

import { readFileSync } from 'node:fs';
import { setTimeout as wait } from 'node:timers/promises';
import { Command } from 'commander';
import { wholeNumber } from './options.js';
import { CROWD, WholeServer } from './participants/whole-server.js';
import { againstOption, byTurns, printTurns } from './turns.js';
import { Child } from '../testkit/participants/child.js';
import { mean } from '../testkit/statistics.js';

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
 * Measures one server once.
 * @param {string | undefined} folder of its checkout
 * @param {Load} load
 * @returns {Promise<import('./turns.js').Figures>} memory in MB, time in percent of a core
 */
async function measure(folder, load) {
  const all = String(load.people + load.more);
  const argv = [
    ...['--workers', '0', '--complexity', '8', '--mode', 'mix', '--max-network-joins', '100000'],
    ...['--max-participants', all, '--max-speakers', all, ...load.server],
  ];
  const server = new WholeServer({ folder, argv, node: load.node });
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
    const [before, startMs, pausesMs] = [server.times(), performance.now(), server.pausesMs];
    await crowd.call('note');
    await wait(1000 * load.seconds);
    const [after, passedMs] = [server.times(), performance.now() - startMs];
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
    .addOption(againstOption())
    .option('--server <options>', 'further options of the servers', wordsOf, [])
    .option('--node <options>', 'options of Node.js, such as --trace-gc', wordsOf, [])
    .option('--json', 'print all blocks as JSON', false)
    .parse()
    .opts();
  const servers = blocks * (against ? 2 : 1);
  const seconds = servers * (2 * (load.seconds + load.warmUp) + 4);
  console.error(`This takes some ${Math.ceil(seconds / 60)} min.`);
  const measured = (/** @type {string | undefined} */ folder) => measure(folder, load);
  const results = await byTurns({ against, blocks, measure: measured });
  if (json) console.log(JSON.stringify(results));
  else printTurns(results);
}

await main();
