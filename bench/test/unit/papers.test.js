import { mkdir, mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { disturbanceWarning } from '../../report/marks.js';
import {
  EXPERIMENTS,
  markdownOf,
  optionsOf,
  resultsIn,
  runPapers,
  unfinishedOf,
} from '../../scenarios/comparisons/papers.js';
import { ratingsTable, ROWS } from '../../scenarios/comparisons/ratings-table.js';
import { compareRankings, comparedTable } from '../../scenarios/comparisons/papers-compared.js';
import { scenarios } from '../../scenarios/index.js';
import { secondsOfCommands } from '../../scenarios/runs.js';

/**
 * @param {string} name
 * @param {string[]} labels
 * @param {any[][]} rows
 * @param {string} [unit]
 * @returns {any}
 */
const result = (name, labels, rows, unit) => ({
  tables: [
    {
      name,
      columns: labels.map((label, i) => ({ label, unit: i === 0 ? unit : undefined })),
      rows,
    },
  ],
});

/** @param {string} name */
const experiment = (name) =>
  /** @type {import('../../scenarios/comparisons/papers.js').Experiment} */ (
    EXPERIMENTS.find((one) => one.name === name)
  );

it('each experiment runs a scenario that there is, and is named once', () => {
  for (const { argv } of EXPERIMENTS) expect(scenarios.map(({ name }) => name)).toContain(argv[0]);
  expect(new Set(EXPERIMENTS.map(({ name }) => name)).size).toBe(EXPERIMENTS.length);
});

it('an experiment gives results at one value, with intervals, for ways the papers compare', () => {
  const row = (/** @type {number} */ at, /** @type {string} */ way, /** @type {number} */ r) => [
    at,
    way,
    { value: r, interval: [r - 1, r + 1] },
    2.5,
  ];
  const found = result(
    'lossFigures',
    ['Loss', 'Way', 'R', 'Never came'],
    [
      row(1, 'WebTransport datagrams', 119),
      row(5, 'WebTransport datagrams', 106.04),
      row(5, 'HTTP/1', 80),
      row(5, 'WebRTC audio', 105),
    ],
    '%',
  );
  expect(experiment('loss').ours(found)).toBe(
    'At 5 %: WebTransport datagrams: R 106.0 [105.0, 107.0], Never came 2.5; WebRTC audio: ' +
      'R 105.0 [104.0, 106.0], Never came 2.5',
  );
  const inMixed = result(
    'rateFigures',
    ['Rate', 'Way', 'R', 'Messages that came'],
    [[110, 'WebTransport datagrams', { value: 121, interval: [121, 121] }, null]],
    'kbit/s',
  );
  expect(experiment('mixed').ours(inMixed)).toBe(
    'At 110 kbit/s: WebTransport datagrams: R 121.0 [121.0, 121.0]',
  );
  expect(experiment('loss').ours(result('other', ['Loss'], []))).toBe('not measured');
});

it('all experiments together are told to take 85 minutes or less', () => {
  const told = secondsOfCommands(EXPERIMENTS.map(({ argv }) => argv));
  expect(told / 60).toBeGreaterThan(30);
  expect(told / 60).toBeLessThan(85);
});

it('an experiment tells its sentences about some conditions', () => {
  const found = result(
    'sentences',
    ['In words'],
    [['At 20 ms round trip, no.'], ['At 100 ms round trip, yes.']],
  );
  expect(experiment('setup').ours(found)).toBe('At 100 ms round trip, yes.');
});

it('an experiment tells by how much estimates are off', () => {
  const found = result(
    'levels',
    ['Rate', 'Estimate, median'],
    [
      [1, { value: -2, interval: [-3, -1] }],
      [5, { value: 0.5, interval: [0, 1] }],
      [10, { value: 0.25 }],
    ],
    'Mbit/s',
  );
  expect(experiment('throughput').ours(found)).toMatch(
    /^Off by .2\.0 \[.3\.0, .1\.0\] % at 1, 0\.5 \[0\.0, 1\.0\] % at 5, 0\.3 % at 10 Mbit\/s$/,
  );
  expect(experiment('throughput').ours(result('other', ['Rate'], []))).toBe('not measured');
});

it('a table is Markdown of its first columns', () => {
  expect(markdownOf(result('x', ['A', 'B', 'C'], [['a', 'b', 'c']]).tables[0], 2)).toBe(
    '| A | B |\n| --- | --- |\n| a | b |',
  );
});

describe('the experiments, one after another', () => {
  /**
   * The options of `sweep --sweeps loss --at 0,5`, with the defaults of what isn't named, as a
   * run's folder has them.
   */
  const OPTIONS = {
    transports: ['webtransport'],
    link: 'clear',
    duration: 25,
    repetitions: 5,
    warmUp: 1.5,
    format: 'call',
    seed: 1,
    browser: false,
    complexity: '8',
    server: [],
    ways: ['datagrams', 'stream'],
    sweeps: ['loss'],
    marks: false,
    at: [0, 5],
    through: 'relay',
    frames: false,
  };
  const ARGV = ['sweep', '--sweeps', 'loss', '--at', '0,5', '--ways', 'datagrams,stream'];
  const one = { ...experiment('loss'), argv: ARGV, ours: (/** @type {any} */ { title }) => title };

  /** @param {object[]} earlier runs, each beside what a complete one has */
  async function papers(
    earlier,
    run = async () =>
      /** @type {any} */ ({ result: { title: 'new', tables: [] }, warnings: [], report: 'x' }),
  ) {
    const runs = await mkdtemp(join(tmpdir(), 'aloud-papers-'));
    onTestFinished(() => rm(runs, { recursive: true }));
    for (const [i, changes] of earlier.entries()) {
      const path = join(runs, one.name, `2026112${i}`);
      await mkdir(path, { recursive: true });
      await writeFile(
        join(path, 'run.json'),
        JSON.stringify({
          complete: true,
          options: OPTIONS,
          environment: { git: { commit: 'c1' } },
          warnings: [],
          ...changes,
        }),
      );
      await writeFile(join(path, 'result.json'), JSON.stringify({ title: `run ${i}`, tables: [] }));
    }
    /** @type {string[]} */
    const warnings = [];
    const folder = /** @type {any} */ ({
      path: runs,
      warn: (/** @type {string} */ warning) => warnings.push(warning),
      run: { environment: { git: { commit: 'c1' } } },
    });
    /** @type {string[][]} */
    const measured = [];
    const { papers: table } = await runPapers({
      experiments: [one],
      folder,
      runs,
      seed: 1,
      signal: new AbortController().signal,
      progress: () => {},
      run: async (options) => (measured.push([...options.argv]), run()),
    });
    return { found: table.rows[0][3], measured, warnings };
  }

  it('aren’t repeated when a run in their folder has their current options', async () => {
    expect(await papers([{}])).toEqual({ found: 'run 0', measured: [], warnings: [] });
  });

  it.each([
    ['another seed', { seed: 2 }],
    ['other values', { at: [0, 5, 10] }],
    ['other ways', { ways: ['datagrams'] }],
    ['longer blocks', { duration: 20 }],
    ['a default that has changed', { through: 'nothing' }],
  ])('are measured again when a run has %s', async (_what, changes) => {
    expect(await papers([{ options: { ...OPTIONS, ...changes } }])).toEqual({
      found: 'new',
      measured: [[...ARGV, '--seed', '1']],
      warnings: [],
    });
  });

  it('take the newest run that fits and came to its end', async () => {
    const { found, measured } = await papers([
      {},
      {},
      { options: { ...OPTIONS, seed: 2 } },
      { complete: false },
    ]);
    expect([found, measured]).toEqual(['run 1', []]);
  });

  it.each([
    [{ commit: 'c0' }, 'c0'],
    [{ commit: 'c1', isDirty: true }, 'c1 with changes'],
    [null, 'another state'],
  ])('tell of another state of aloud that measured earlier: %j', async (git, words) => {
    expect((await papers([{ environment: { git } }])).warnings).toEqual([
      `loss: measured earlier, by ${words} of aloud`,
    ]);
  });

  it('tell in their row that a run was disturbed', async () => {
    const disturbed = await papers(
      [],
      async () =>
        /** @type {any} */ ({
          result: { title: 'found', tables: [] },
          warnings: [disturbanceWarning('other programs took 0.4 processors')],
          report: 'x',
        }),
    );
    expect(disturbed.found).toBe('disturbed: found');
  });

  it('tell in their row and in a warning why one broke off', async () => {
    const broken = await papers([], async () => {
      throw new Error('no Chromium here');
    });
    expect(broken).toMatchObject({
      found: 'not measured: no Chromium here',
      warnings: ['loss: no Chromium here'],
    });
  });
});

it('experiments that were broken off go on where they were, with those that lack', async () => {
  const runs = await mkdtemp(join(tmpdir(), 'aloud-papers-'));
  onTestFinished(() => rm(runs, { recursive: true }));
  const experiments = ['rate', 'delay', 'loss'].map((name) => ({
    ...experiment(name),
    ours: (/** @type {any} */ { title }) => title,
  }));
  /** @type {string[]} */
  const measured = [];
  /** @type {Record<string, number>} */
  let shares = {};
  const papers = async (/** @type {string} */ brokenOff) => {
    shares = {};
    const interrupted = new AbortController();
    const folder = /** @type {any} */ ({
      path: runs,
      warn: () => {},
      run: { environment: {} },
    });
    const { papers: table } = await runPapers({
      experiments,
      folder,
      runs,
      seed: 1,
      signal: interrupted.signal,
      progress: (name, share) => void (shares[name] = share),
      async run({ argv, out }) {
        const name = basename(out);
        measured.push(name);
        if (name === brokenOff) interrupted.abort(new Error('interrupted by SIGINT'));
        const measuredNow = { title: `${name} measured`, tables: [] };
        const complete = !interrupted.signal.aborted;
        await mkdir(join(out, '2026'), { recursive: true });
        await writeFile(join(out, '2026', 'result.json'), JSON.stringify(measuredNow));
        await writeFile(
          join(out, '2026', 'run.json'),
          JSON.stringify({ complete, options: optionsOf(argv), environment: {}, warnings: [] }),
        );
        if (!complete) throw interrupted.signal.reason;
        return /** @type {any} */ ({ result: measuredNow, warnings: [], report: 'x' });
      },
    });
    return table.rows.map((row) => row[3]);
  };
  const toCome = async () =>
    (await unfinishedOf(experiments, { runs, seed: 1 })).map(({ name }) => name);
  expect(await toCome()).toEqual(['rate', 'delay', 'loss']);
  // The table has the experiments that were measured before Ctrl-C.
  expect(await papers('delay')).toEqual(['rate measured', 'not measured: interrupted by SIGINT']);
  // Their time is still to come, and told; that of the others isn't.
  expect(await toCome()).toEqual(['delay', 'loss']);
  expect(await unfinishedOf(experiments, { runs, seed: 2 })).toEqual(experiments);
  expect(await papers('')).toEqual(['rate measured', 'delay measured', 'loss measured']);
  // Finished experiments take no time, and are no part of the progress.
  const [delay, loss] = ['delay', 'loss'].map((name) => secondsOfCommands([experiment(name).argv]));
  expect(shares).toEqual({ rate: 0, delay: 0, loss: delay / (delay + loss) });
  expect(await toCome()).toEqual([]);
  expect(measured).toEqual(['rate', 'delay', 'delay', 'loss']);
  // A second run of all is compared with them, whatever its seed.
  const results = await resultsIn(runs, experiments);
  expect([...results].map(([name, { title }]) => [name, title])).toEqual([
    ['rate', 'rate measured'],
    ['delay', 'delay measured'],
    ['loss', 'loss measured'],
  ]);
  await expect(resultsIn(join(runs, 'nothing'))).rejects.toThrow(
    'there is no finished experiment of `papers` in it',
  );
});

describe('rankings of two runs', () => {
  /** @param {Record<string, [number, number]>} sets */
  const ranking = (sets) => ({
    by: 'R',
    sets: Object.entries(sets).map(([name, [low, high]]) => ({ name, low, high })),
  });
  const first = ranking({ a: [90, 95], b: [80, 85], c: [79, 84] });

  it.each([
    ['same', ranking({ b: [70, 75], a: [80, 82], c: [74, 76] }), ''],
    [
      'compatible',
      ranking({ a: [84, 95], b: [80, 85], c: [79, 83] }),
      'told apart by one run only: a and b',
    ],
    ['differs', ranking({ a: [70, 75], b: [80, 85], c: [71, 86] }), 'reversed: a and b'],
    ['differs', ranking({ a: [90, 95], b: [80, 85] }), 'in one run only: c'],
  ])('are %s', (verdict, second, why) => {
    expect(compareRankings(first, second)).toEqual({ verdict, why });
  });

  it('have no place for a figure that isn’t known, which JSON has null for', () => {
    const found = result(
      'lossFigures',
      ['Loss', 'Way', 'R', 'Never came'],
      [
        [5, 'WebTransport datagrams', { value: null }, { value: 2 }],
        [5, 'WebRTC audio', { value: -3, interval: [-4, -2] }, { value: null }],
      ],
      '%',
    );
    expect(experiment('loss').rankings(found)).toEqual([
      { by: 'R', sets: [{ name: 'WebRTC audio', low: -4, high: -2 }] },
      {
        by: 'Never came',
        sets: [{ name: 'WebTransport datagrams', low: -Infinity, high: Infinity }],
      },
    ]);
  });

  it('place no figure without an interval: three repetitions show no order', () => {
    const estimates = (/** @type {number[]} */ offs) =>
      result(
        'levels',
        ['Rate', 'Estimate, median'],
        offs.map((value, i) => [i + 1, { value }]),
        'Mbit/s',
      );
    const { rows } = comparedTable(
      [experiment('throughput')],
      new Map([['throughput', estimates([-1.91, -1.92])]]),
      new Map([['throughput', estimates([-1.92, -1.91])]]),
    );
    expect(rows).toEqual([
      ['throughput', 'Off by', 'compatible', 'without intervals: 1 Mbit/s, 2 Mbit/s', '', ''],
    ]);
    const mixed = (/** @type {[number, number]} */ c) =>
      ranking({ a: [90, 95], b: [-Infinity, Infinity], c });
    expect(compareRankings(mixed([80, 85]), mixed([81, 86]))).toEqual({
      verdict: 'compatible',
      why: 'without intervals: b',
    });
    expect(compareRankings(mixed([80, 85]), mixed([96, 99])).verdict).toBe('differs');
  });

  it('of setups are by their medians: what one run alone tells apart contradicts nothing', () => {
    const medians = (/** @type {[number, number]} */ websocket) =>
      result(
        'roundTripHeard',
        ['Round trip', 'Over', 'p50'],
        [0, 100].flatMap((at) => [
          [at, 'WebTransport', { value: at + 35, interval: [at + 30, at + 41] }],
          [at, 'WebSocket', { value: at + 27, interval: websocket.map((end) => at + end) }],
        ]),
        'ms',
      );
    const { rows } = comparedTable(
      [experiment('setup')],
      new Map([['setup', medians([26, 29])]]),
      new Map([['setup', medians([26, 33])]]),
    );
    const one = 'told apart by one run only: WebTransport and WebSocket';
    expect(rows).toEqual(
      [0, 100].map((at) => [
        'setup',
        `p50 at ${at} ms`,
        'compatible',
        one,
        'WebTransport > WebSocket',
        'WebSocket = WebTransport',
      ]),
    );
  });

  it('stand in a table, a row for each quantity', () => {
    const row = (/** @type {string} */ way, /** @type {number} */ r) => [
      5,
      way,
      { value: r, interval: [r - 1, r + 1] },
      { value: 2.5, interval: [2, 3] },
    ];
    const [one, other] = [
      [119, 110],
      [110, 119],
    ].map(([a, b]) =>
      result(
        'lossFigures',
        ['Loss', 'Way', 'R', 'Never came'],
        [row('WebTransport datagrams', a), row('WebRTC audio', b)],
        '%',
      ),
    );
    const { rows } = comparedTable(
      EXPERIMENTS,
      new Map([
        ['loss', one],
        ['delay', one],
      ]),
      new Map([['loss', other]]),
    );
    expect(rows).toEqual([
      ['delay', '', 'not compared', 'finished in one folder only', '', ''],
      [
        'loss',
        'R',
        'differs',
        'reversed: WebTransport datagrams and WebRTC audio',
        'WebTransport datagrams > WebRTC audio',
        'WebRTC audio > WebTransport datagrams',
      ],
      ['loss', 'Never came', 'same', '', 'WebRTC audio = WebTransport datagrams', ''],
    ]);
  });
});

describe('the table of ratings', () => {
  const [WAYS, NAMES] = [
    [
      'WebTransport datagrams',
      'WebTransport datagrams, each with the one before',
      'WebTransport on one stream',
      'WebRTC audio',
    ],
    ['rate', 'delay', 'loss'],
  ];
  const figures = (/** @type {string} */ name, /** @type {number[]} */ values) =>
    result(
      `${name}Figures`,
      [name, 'Way', 'R'],
      values.flatMap((at) =>
        [...WAYS, 'HTTP/1'].map((way, i) => [
          at,
          way,
          {
            value: at - 10 * i,
            interval: i === 0 ? [at - 0.01, at + 0.01] : [at - 10 * i - 1, at - 10 * i + 1],
          },
        ]),
      ),
    );

  it('the table has the conditions and ways of comparisons.md, in order', async () => {
    const results = new Map(NAMES.map((name) => [name, figures(name, [1000, 150, 70, 20, 5])]));
    const lines = markdownOf(/** @type {any} */ (ratingsTable(results))).split('\n');
    const url = new URL('../../docs/comparisons.md', import.meta.url);
    const page = (await readFile(url, 'utf8')).split('\n');
    const start = page.findIndex((line) => line.startsWith('| on each leg |'));
    const end = page.findIndex((line, i) => i > start && line === '');
    const heads = (/** @type {string[]} */ of) =>
      of.map((line, i) => (i === 0 ? line : line.split(' | ')[0]));
    expect(heads(lines)).toEqual(heads(page.slice(start, end)));
    expect(lines[3]).toBe(
      '| 70 kbit/s | 70.0 | 60.0 [59.0, 61.0] | 50.0 [49.0, 51.0] | 40.0 [39.0, 41.0] |',
    );
  });

  it('is of what the papers’ runs measure', () => {
    for (const { sweep, at } of ROWS) {
      const { argv } = experiment(sweep);
      expect(argv[argv.indexOf('--at') + 1].split(',').map(Number)).toContain(at);
    }
  });

  it('has what was measured, and isn’t there where nothing was', () => {
    const table = ratingsTable(new Map([['loss', figures('loss', [5])]]));
    expect(table?.rows.map(([label]) => label)).toEqual(['5 % of loss, 10 ms']);
    expect(ratingsTable(new Map([['cpu', figures('cpu', [5])]]))).toBeNull();
  });
});
