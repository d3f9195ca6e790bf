/**
 * Profiles the processor time of a warm server, or of one that people are just joining, by part and
 * by function, JavaScript's by name. Each table adds up to what the operating system says that the
 * process took. With Linux's perf all threads are sampled, kernel and addon too; without it,
 * JavaScript's thread alone, by V8's profiler.
 */

import { existsSync } from 'node:fs';
import { rm } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { setTimeout as wait } from 'node:timers/promises';
import { pathToFileURL } from 'node:url';
import { Command, InvalidArgumentError } from 'commander';
import { number, wholeNumber } from './options.js';
import {
  findPerf,
  largest,
  nameOf,
  partOf,
  PERF_OPTIONS,
  samplesOfPerf,
  sharesOf,
} from './participants/perf-profile.js';
import { CROWD, SERVER } from './participants/whole-server.js';
import { MAIN } from './participants/server-profile.js';
import { threadTimes } from './participants/processor-time.js';
import { textTable } from './report/text-table.js';
import { disturbanceWords, WINDOW_MS } from './report/marks.js';
import { parseCase } from './stats/crowd-figures.js';
import { Child } from '../testkit/participants/child.js';
import { watchMachine } from '../testkit/machine.js';

/** @param {string} text */
function caseOf(text) {
  try {
    return { name: text, ...parseCase(text) };
  } catch (error) {
    throw new InvalidArgumentError(/** @type {Error} */ (error).message);
  }
}

const PARTS = 'Parts of the server';
const SCRIPT = 'bench/participants/server-process.js';

/** @param {string} folder @returns {URL} its server's script */
function scriptIn(folder) {
  if (!existsSync(join(folder, SCRIPT))) throw new InvalidArgumentError(`it has no ${SCRIPT}`);
  return pathToFileURL(join(resolve(folder), SCRIPT));
}

const options = new Command('profile')
  .description("Where a warm server's processor time goes; some minute and a half.")
  .option(
    '--case <case>',
    'rooms, as `npm run bench -- crowd --cases` has them',
    caseOf,
    caseOf('50/50k50'),
  )
  .option('--against <folder>', 'another checkout, with its packages and addon', scriptIn)
  .option('--joining', 'from the moment when people begin to join, for a second by default', false)
  .option('--forward', 'the rooms are forwarded as bundles, not mixed', false)
  .option(
    '--warm-up <seconds>',
    'before it is measured: V8 compiles in the first',
    number(0, 600),
    60,
  )
  .option('--seconds <n>', 'that are measured; 20 by default', number(1, 120))
  .option('--top <n>', 'functions that are shown', wholeNumber(1, 500), 30)
  .option('--inspector', "V8's profiler, also where perf is there", false)
  .option('--json', 'prints JSON', false)
  .parse()
  .opts();

const measuredSeconds = options.seconds ?? (options.joining ? 1 : 20);
const hasPerf = findPerf() !== undefined && !options.inspector;

/** @typedef {{ title: string, rows: [string, number][] }} Part  rows in percent of a core */

/**
 * @param {Child} server
 * @returns {Promise<{ percent: number, parts: Part[] }>} percent of a core, and tables of it
 */
async function profile(server) {
  await server.call('begin', { profile: !hasPerf });
  const before = threadTimes(server.pid);
  const startMs = performance.now();
  let [after, seconds] = [before, 0];
  const end = () => {
    [after, seconds] = [threadTimes(server.pid), (performance.now() - startMs) / 1000];
  };
  const samples = hasPerf
    ? await samplesOfPerf(server.pid, measuredSeconds, end)
    : await wait(1000 * measuredSeconds).then(end);
  const { profile: seen } = await server.call('collect');
  /** @type {Map<string, number>} */
  const byName = new Map();
  for (const [id, { name, ms }] of after)
    byName.set(name, (byName.get(name) ?? 0) + (ms - (before.get(id)?.ms ?? 0)) / (10 * seconds));
  const threads = [...byName].sort(([, a], [, b]) => b - a);
  const percent = threads.reduce((sum, [, share]) => sum + share, 0);
  const all = { title: 'Threads, by their names', rows: largest(threads, options.top) };
  if (samples)
    return {
      percent,
      parts: [
        all,
        { title: PARTS, rows: sharesOf(samples, partOf, percent) },
        {
          title: 'Functions, by the code that ran',
          rows: largest(
            sharesOf(samples, (one) => `${partOf(one)}: ${nameOf(one)}`, percent),
            options.top,
          ),
        },
      ],
    };
  // The threads are the system's, by the nanosecond; of JavaScript's, V8 knows the shares.
  const main = byName.get(MAIN) ?? 0;
  const scaled = (/** @type {Record<string, number>} */ shares) => {
    const whole = Object.values(shares).reduce((sum, share) => sum + share, 0);
    return Object.entries(shares)
      .map(([name, share]) => /** @type {[string, number]} */ ([name, (main * share) / whole]))
      .sort(([, a], [, b]) => b - a);
  };
  return {
    percent,
    parts: [
      all,
      { title: "JavaScript's thread, by part", rows: scaled(seen.parts) },
      {
        title: "JavaScript's thread, by function",
        rows: largest(scaled(seen.functions), options.top),
      },
    ],
  };
}

const { name, rooms, people, talking, mixed, together } = options.case;
const all = rooms * people;

/**
 * @typedef {Awaited<ReturnType<typeof profile>> & { disturbance: string }} Profiled
 *
 * @param {URL} script of the server
 * @returns {Promise<Profiled>}
 */
async function profileServer(script) {
  const server = new Child(script, [], hasPerf ? PERF_OPTIONS : []);
  const crowd = new Child(CROWD, []);
  try {
    const { port } = await server.call('start', {
      argv: [
        ...['--max-participants', String(people), '--max-sessions', String(all + 50)],
        ...['--max-rooms', String(rooms), '--complexity', options.case.complexity ?? '8'],
        ...(mixed === null ? [] : ['--max-speakers', String(mixed)]),
        ...(options.forward ? ['--mode', 'forward'] : []),
      ],
      observe: 'nothing',
    });
    await crowd.call('open', { origin: `http://127.0.0.1:${port}` });
    const joinAll = () =>
      crowd.call('joinAll', {
        people: Array.from({ length: all }, (_, i) => ({
          id: `P${i}`,
          room: `room-${i % rooms}`,
          talks: Math.floor(i / rooms) < talking,
          together,
        })),
      });
    if (!options.joining) {
      await joinAll();
      process.stderr.write(`${name}: all are in; ${options.warmUp} s to warm up\n`);
      await wait(1000 * options.warmUp);
    }
    const watch = await watchMachine({ windowMs: WINDOW_MS });
    const joined = options.joining ? joinAll() : null;
    const profiled = await profile(server);
    await joined;
    return { ...profiled, disturbance: disturbanceWords(watch()) };
  } finally {
    await crowd.close();
    await server.close();
    if (hasPerf) await rm(`/tmp/perf-${server.pid}.map`, { force: true });
  }
}

/** @param {Profiled} profiled @param {string} whose */
function print({ percent, parts, disturbance }, whose) {
  const when = options.joining ? 'from the first who joins' : `after ${options.warmUp} s`;
  console.log(
    `${name}${options.forward ? ', forwarded' : ''}${whose}: ${percent.toFixed(1)} % of a core, ` +
      `${measuredSeconds} s ${when}, by ` +
      `${hasPerf ? 'perf' : "V8's profiler, which takes some itself"}` +
      `${disturbance && `. Disturbed: ${disturbance}`}`,
  );
  for (const { title, rows } of parts) {
    const sum = rows.reduce((whole, [, share]) => whole + share, 0);
    console.log(
      `\n${textTable({
        name: 'part',
        title,
        columns: [{ label: '' }, { label: '% of a core', digits: 2 }],
        rows: [...rows, ['all', sum]],
      })}`,
    );
  }
}

/** The parts of both beside each other. @param {Profiled} here @param {Profiled} there */
function printBoth(here, there) {
  const [now, before] = [here, there].map(
    ({ parts }) => new Map(parts.find(({ title }) => title === PARTS)?.rows),
  );
  const rows = [...new Set([...now.keys(), ...before.keys()])].map((part) => [
    part,
    now.get(part) ?? 0,
    before.get(part) ?? 0,
  ]);
  const figure = { digits: 2 };
  console.log(
    `\n${textTable({
      name: 'both',
      title: `${PARTS}, % of a core`,
      columns: [{ label: '' }, { label: 'here', ...figure }, { label: 'there', ...figure }],
      rows: [...rows, ['all', here.percent, there.percent]],
    })}`,
  );
}

const here = await profileServer(SERVER);
const there = options.against ? await profileServer(options.against) : null;
if (options.json) {
  const described = { case: name, ...here };
  console.log(JSON.stringify(there ? [described, { case: name, ...there }] : described, null, 2));
} else {
  print(here, '');
  if (there) {
    console.log('');
    print(there, ', there');
    printBoth(here, there);
  }
}
