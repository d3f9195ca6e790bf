import { mkdtemp, readFile, readdir, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { basename, join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { afterEach, beforeEach, describe, expect, it, test } from 'vitest';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { normal, seededRandom } from '../../../testkit/random.js';
import { compareRuns } from '../../report/comparison.js';
import {
  busyCores,
  describeEnvironment,
  withoutPaths,
  withoutPlaces,
} from '../../report/environment.js';
import { formatColumns, formatDuration, formatNumber, whereOf } from '../../report/numbers.js';
import { html, tableSection } from '../../report/page.js';
import { looksOf } from '../../report/palette.js';
import { Progress } from '../../report/progress.js';
import {
  cumulativePlot,
  differenceTable,
  distributionPlot,
  summaryTable,
  thin,
  timePlot,
} from '../../report/quantity-views.js';
import { NO_RESULT, checkResult, valuesByRepetition, trustedResult } from '../../report/result.js';
import { readRun, RunFolder, UNFINISHED } from '../../report/run-folder.js';
import { disturbanceWarning, disturbedResult, quickResult } from '../../report/marks.js';
import { writeReport } from '../../report/run-report.js';
import { plotFile, plotMarkup } from '../../report/svg.js';
import { textSummary, textTable } from '../../report/text-table.js';
import { csvHeader, csvLine, parseCsv } from '../../stats/csv.js';

const HOME = fileURLToPath(new URL('../../../', import.meta.url));

/** @type {import('../../report/result.js').Quantity} */
const ROUND_TRIP = { name: 'roundTrip', label: 'Round-trip latency', unit: 'ms' };

/** @type {import('../../report/environment.js').Environment} */
const ENVIRONMENT = {
  machine: {
    cpu: 'Abacus 9',
    cores: 2,
    memoryGiB: 4,
    kernel: 'Linux 6.1',
    arch: 'x64',
    loadAverage: 0.5,
  },
  versions: { aloud: '0.1.0', node: '20.20.2', npm: '11.0.0', chromium: null },
  git: { commit: '0123456789ab', isDirty: true },
  hasNativeAddon: true,
};

const CONCLUSION = {
  name: 'sentences',
  isConclusion: true,
  title: 'In words',
  columns: [{ label: 'In words' }],
  rows: [['From 3 % on, no.']],
};

/** @type {string} */
let root;
/** @type {FakeClock} */
let clock;

beforeEach(async () => {
  root = await mkdtemp(join(tmpdir(), 'aloud-report-'));
  clock = new FakeClock();
});
afterEach(() => rm(root, { recursive: true }));

/** @param {Partial<import('../../report/run-folder.js').RunFolderSettings>} [settings] */
const openFolder = (settings) =>
  RunFolder.open({
    root,
    scenario: 'rtt',
    title: 'Round-trip latency',
    options: {
      duration: 120,
      transports: ['webtransport', 'http1'],
      speech: '/home/joe/voice.wav',
    },
    environment: ENVIRONMENT,
    quantities: [ROUND_TRIP],
    startedAt: new Date('2025-11-21T03:07:15.123Z'),
    id: 'k3x9',
    clock,
    ...settings,
  });

/**
 * @param {number} seed
 * @param {string[]} [protocols]
 * @param {number} [perRepetition]
 * @returns {import('../../report/result.js').Sample[]}
 */
function samples(seed, protocols = ['webtransport', 'http1'], perRepetition = 40) {
  const random = seededRandom(seed);
  return [0, 1, 2, 3, 4].flatMap((repetition) =>
    protocols.flatMap((protocol, shift) =>
      Array.from({ length: perRepetition }, (_, i) => {
        const atMs = repetition * 4000 + i * 80;
        return { protocol, repetition, client: 'A', atMs, value: 30 + 5 * shift + normal(random) };
      }),
    ),
  );
}

/** @param {number} seed @returns {import('../../report/result.js').Result} */
function resultOf(seed) {
  const values = samples(seed);
  const tables = [
    summaryTable(ROUND_TRIP, values, seededRandom(1)),
    differenceTable(ROUND_TRIP, values, seededRandom(1)),
  ];
  return {
    ...NO_RESULT,
    title: 'Round-trip latency',
    summary: 'From sending to the answer.',
    headlines: [
      {
        label: 'mean',
        unit: 'ms',
        protocol: 'http1',
        value: 35.12,
        interval: [34.9, 35.3],
        thesis: 61.77,
        digits: 1,
      },
      { label: 'least D for 99 %', unit: 'ms', protocol: 'webtransport', value: NaN },
    ],
    tables: tables.flatMap((table) => table ?? []),
    plots: [
      timePlot(ROUND_TRIP, values),
      distributionPlot(ROUND_TRIP, values),
      cumulativePlot(ROUND_TRIP, values),
    ],
    notes: ['Open loop.'],
  };
}

/** @param {number} seed @param {string} id */
async function finishedRun(seed, id) {
  const folder = await openFolder({ id, options: { duration: seed } });
  for (const sample of samples(seed)) folder.record('roundTrip', sample);
  folder.setLink({
    profile: 'thesis',
    parameters: { delayMs: 12.8 },
    ping: { minMs: 23.9, avgMs: 26.4, maxMs: 41, sdMs: 2.31, lossPercent: 0, count: 50 },
    bandwidth: { upMbits: 7.71, downMbits: 7.64 },
    emulator: { up: { delivered: { packets: 13455 } } },
  });
  await folder.finish(resultOf(seed));
  return folder;
}

/** @param {string} path @param {string} file */
const readFrom = (path, file) => readFile(join(path, file), 'utf8');

/** Markup that would make a page load something, or run a script. */
const OUTSIDE = /<script|<link|<iframe|@import|url\((?!#)|(?:src|href)="(?:[a-z]+:|\/)/i;

describe('a run that ends well', () => {
  test('leaves its data, its plots and a report in a folder with a telling name', async () => {
    const { path } = await finishedRun(1, 'k3x9');
    expect(basename(path)).toBe('20251121T030715Z-rtt-k3x9');
    expect((await readdir(path)).sort()).toEqual([
      'report.html',
      'result.json',
      'roundTripCumulative.svg',
      'roundTripDistribution.svg',
      'roundTripTime.svg',
      'run.json',
      'samples-roundTrip.csv',
      'samples.json',
    ]);
    const run = JSON.parse(await readFrom(path, 'run.json'));
    expect(run).toMatchObject({
      scenario: 'rtt',
      complete: true,
      startedAt: '2025-11-21T03:07:15.123Z',
      environment: ENVIRONMENT,
    });
    expect(run).not.toHaveProperty('error');
    const { quantities } = JSON.parse(await readFrom(path, 'samples.json'));
    expect(quantities[0].columns).toEqual(['protocol', 'repetition', 'client', 'atMs', 'value']);
    expect(quantities[0].rows).toHaveLength(400);
    expect((await readFrom(path, 'samples-roundTrip.csv')).split('\n')).toHaveLength(402);
  });

  test('has a self-contained report with its figures, link, environment and data', async () => {
    const { path } = await finishedRun(1, 'k3x9');
    const report = await readFrom(path, 'report.html');
    expect(report).not.toMatch(OUTSIDE);
    expect(report).not.toMatch(/NaN|undefined|\[object/);
    for (const text of [
      '35.1',
      '[34.9, 35.3]',
      '61.77',
      'Round trips by ping',
      '26.400',
      '7.71',
      '13455',
      'Abacus 9',
    ]) {
      expect(report).toContain(text);
    }
    expect(report).toContain('commit 0123456789ab with changes');
    expect(report).toContain('href="samples-roundTrip.csv"');
    expect(report).not.toContain('not complete');
    expect(report.match(/role="img"/g)).toHaveLength(6);
  });

  test('ends its report with what it comes to, in words', async () => {
    const folder = await openFolder();
    await folder.finish({ ...resultOf(1), tables: [CONCLUSION, ...resultOf(1).tables] });
    const report = await readFrom(folder.path, 'report.html');
    expect(report.indexOf('From 3 % on, no.')).toBeGreaterThan(report.indexOf('Abacus 9'));
    expect(report.split('From 3 % on, no.')).toHaveLength(2);
  });

  test("gives no two elements of the page the same id, though plots' clips have some", async () => {
    const { path } = await finishedRun(1, 'k3x9');
    const ids = Array.from(
      (await readFrom(path, 'report.html')).matchAll(/\sid="([^"]+)"/g),
      ([, id]) => id,
    );
    expect(ids.length).toBeGreaterThan(3);
    expect(new Set(ids).size).toBe(ids.length);
  });

  test('is read again as it was written', async () => {
    const { path } = await finishedRun(1, 'k3x9');
    const { run, result, samples: read } = await readRun(path);
    expect(run.link?.profile).toBe('thesis');
    expect(result.headlines[1].value).toBeNaN();
    expect(result.tables).toEqual(JSON.parse(JSON.stringify(resultOf(1).tables)));
    const values = read.get('roundTrip') ?? [];
    expect(values).toHaveLength(400);
    expect(values[7].value).toBeCloseTo(samples(1)[7].value, 6);
  });

  test('leaves no timer, and nothing after its end changes it', async () => {
    const folder = await finishedRun(1, 'k3x9');
    expect(clock.waiting).toBe(0);
    await folder.fail(new Error('too late'));
    await folder.close();
    expect((await readRun(folder.path)).run.complete).toBe(true);
  });

  test("says when its load's maker was the bottleneck, and what it warned of, once", async () => {
    const folder = await openFolder();
    folder.warn('No root here: loopback.');
    folder.warn('No root here: loopback.');
    folder.setGenerator({
      cpuPercent: 99,
      latenessMs: { p50: 1, p95: 8, p99: 20, max: 90 },
      bottleneck: true,
    });
    await folder.finish(resultOf(2));
    const report = await readFrom(folder.path, 'report.html');
    expect(report.match(/No root here/g)).toHaveLength(1);
    expect(report).toContain('was itself short of processor time');
    const text = textSummary(folder.run, resultOf(2), 'report.html');
    expect(text).toContain('Warning: No root here');
    expect(text).toContain('was itself short of processor time');
  });

  test('has no headline and no sentence of a run whose load’s maker was short of time', () => {
    const latenessMs = { p50: 1, p95: 8, p99: 20, max: 90 };
    const told = (/** @type {boolean} */ bottleneck, result = resultOf(1)) =>
      trustedResult({ generator: { cpuPercent: 1, latenessMs, bottleneck } }, result);
    expect(told(true)).toEqual({ ...resultOf(1), headlines: [] });
    expect(told(false).headlines.length).toBeGreaterThan(0);
    expect(trustedResult({}, resultOf(1))).toEqual(resultOf(1));
    const result = { ...resultOf(1), tables: [CONCLUSION, ...resultOf(1).tables] };
    const [words, ...figures] = checkResult(told(true, result)).tables;
    expect(words).toMatchObject({
      name: 'sentences',
      isConclusion: true,
      title: 'In words',
      rows: [
        [
          'Withheld: the load generator was itself short of processor time. It sent 20.0 ms ' +
            'late (p99) and took 1 % of a core.',
        ],
      ],
    });
    expect(figures).toEqual(resultOf(1).tables);
    expect(told(false, result)).toBe(result);
    // Browsers tell no lateness.
    const busy = {
      cpuPercent: 95,
      latenessMs: { p50: NaN, p95: NaN, p99: NaN, max: NaN },
      bottleneck: true,
    };
    expect(trustedResult({ generator: busy }, result).tables[0].rows).toEqual([
      ['Withheld: the load generator was itself short of processor time. It took 95 % of a core.'],
    ]);
  });
});

describe('a run that ends badly', () => {
  test('that failed keeps its values, tables and plots, and the reason without paths', async () => {
    const folder = await openFolder();
    for (const sample of samples(3)) folder.record('roundTrip', sample);
    await folder.fail(new Error(`no such file: ${HOME}bench/x.wav, nor /home/joe/y.wav`));
    const { run, samples: read } = await readRun(folder.path);
    expect(run).toMatchObject({ complete: false, error: 'no such file: bench/x.wav, nor ~/y.wav' });
    expect(read.get('roundTrip')).toHaveLength(400);
    const report = await readFrom(folder.path, 'report.html');
    expect(report).toContain('This run is not complete');
    expect(report).toContain('no such file: bench/x.wav');
    expect(report).toContain('Distribution of round-trip latency');
  });

  test('that was interrupted before any value says so', async () => {
    const folder = await openFolder();
    await folder.close();
    expect(await readFrom(folder.path, 'report.html')).toContain('It was interrupted.');
    expect(clock.waiting).toBe(0);
  });

  test('that was killed keeps all but its last second, and can be reported again', async () => {
    const folder = await openFolder();
    for (const sample of samples(4)) folder.record('roundTrip', sample);
    clock.advance(1000);
    await expect
      .poll(() => readFrom(folder.path, 'samples-roundTrip.csv'))
      .toHaveLength(csvLength(samples(4)));
    await writeFile(join(folder.path, 'samples-roundTrip.csv'), 'http1,0,A,99.0', { flag: 'a' });
    expect(await readFrom(folder.path, 'report.html')).toContain(UNFINISHED);
    const earlier = await readRun(folder.path);
    expect(earlier.run).toMatchObject({ complete: false, error: UNFINISHED });
    expect(earlier.samples.get('roundTrip')).toHaveLength(400);
    await writeReport(earlier);
    const report = await readFrom(folder.path, 'report.html');
    expect(report).toContain('Cumulative distribution of round-trip latency');
    expect(report).toContain(UNFINISHED);
    await folder.close();
  });

  test('is not read with names that would be markup, or with tables that have holes', async () => {
    const { path } = await finishedRun(1, 'k3x9');
    const { plots, tables } = resultOf(1);
    for (const [changes, words] of /** @type {const} */ ([
      [{ plots: [{ ...plots[0], name: 'x"><script>alert(1)</script>' }] }, 'camelCase'],
      [{ tables: [{ ...tables[0], rows: [[]] }] }, 'row 0 has not'],
      [{ tables: null }, "can't be read as a run"],
    ])) {
      await writeFile(join(path, 'result.json'), JSON.stringify({ ...resultOf(1), ...changes }));
      await expect(readRun(path)).rejects.toThrow(words);
    }
  });

  test('tells a run from any other folder, and refuses what was never declared', async () => {
    await expect(readRun(root)).rejects.toThrow('has no run.json');
    const folder = await openFolder();
    expect(() => folder.record('jitter', samples(1)[0])).toThrow(TypeError);
    // Another column of the samples' file has that name, so that it couldn't be read again.
    const factors = [{ name: 'value', label: 'Condition', unit: '' }];
    await expect(openFolder({ quantities: [{ ...ROUND_TRIP, factors }] })).rejects.toThrow(
      "'roundTrip': no factor can have the name 'value'",
    );
    await expect(
      folder.finish({ ...NO_RESULT, plots: [{ ...resultOf(1).plots[0], name: '../evil' }] }),
    ).rejects.toThrow(TypeError);
    await folder.close();
  });
});

/** @param {import('../../report/result.js').Sample[]} values */
const csvLength = (values) =>
  csvHeader(ROUND_TRIP).length + values.map((value) => csvLine(ROUND_TRIP, value)).join('').length;

describe('runs side by side', () => {
  test('show what differs, their figures with differences, and their plots overlaid', async () => {
    const [first, second] = [await finishedRun(1, 'a'), await finishedRun(2, 'b')];
    const out = join(root, 'comparison', 'report.html');
    const text = await compareRuns([first.path, second.path], out);
    expect(text).toMatch(/duration +1 +2/);
    expect(text).toMatch(/HTTP\/1 +B − A +−?0\.\d+ \[−?0\.\d+, −?0\.\d+\]/);
    const report = await readFile(out, 'utf8');
    expect(report).not.toMatch(OUTSIDE);
    expect(report).not.toMatch(/NaN|undefined|\[object/);
    expect(report).toContain('A: WebTransport');
    expect(report).toContain('B: HTTP/1');
    expect(report).toContain('B: Round-trip latency over time');
    expect(report.match(/<figure/g)).toHaveLength(4);
  });

  test('say which was quick or disturbed, and set its figures beside the same ones', async () => {
    const whole = await finishedRun(1, 'a');
    const marked = await openFolder({ id: 'b', options: { duration: 1, quick: true } });
    for (const sample of samples(2)) marked.record('roundTrip', sample);
    const disturbance = 'other programs took 0.9 processors for 5 s';
    marked.warn(disturbanceWarning(disturbance));
    await marked.finish(disturbedResult(quickResult(resultOf(2)), disturbance));
    const text = await compareRuns([whole.path, marked.path], join(root, 'report.html'));
    expect(text).toMatch(/^B \(quick, disturbed\) +\d{8}T/m);
    expect(text).toMatch(/Figure +A +B \(quick, disturbed\) +B \(quick, disturbed\) − A/);
    // One row for the figure of both, with their difference.
    expect(text).toMatch(/HTTP\/1 +mean \(ms\) +35\.1\d* \[.*?\] +35\.1\d* \[.*?\] +0\.0/);
    expect(text).toMatch(/WebTransport +B \(quick, disturbed\) − A/);
  });

  test('take one that broke off, and name it', async () => {
    const whole = await finishedRun(1, 'a');
    const broken = await openFolder({ id: 'b' });
    for (const sample of samples(2)) broken.record('roundTrip', sample);
    await broken.fail(new Error('the link is gone'));
    const out = join(root, 'report.html');
    await compareRuns([whole.path, broken.path], out);
    expect(await readFile(out, 'utf8')).toContain('B: It is not complete: the link is gone');
    await expect(compareRuns([whole.path], out)).rejects.toThrow('not 1');
  });
});

describe('samples in files', () => {
  test('come back from lines, with commas, quotes, ends of line, and what never came', () => {
    const quantity = {
      ...ROUND_TRIP,
      factors: [
        { name: 'limit', label: 'Limit', unit: '' },
        { name: 'people', label: 'People', unit: '' },
      ],
    };
    /** @type {import('../../report/result.js').Sample[]} */
    const all = [
      {
        protocol: 'http1',
        repetition: 0,
        client: 'A, "the first"',
        atMs: 1.5,
        value: 2.25,
        factors: { limit: 'a\nb', people: 4 },
      },
      {
        protocol: 'http1',
        repetition: 12,
        client: '',
        atMs: 0,
        value: Infinity,
        factors: { limit: '', people: 0 },
      },
    ];
    const text = csvHeader(quantity) + all.map((sample) => csvLine(quantity, sample)).join('');
    expect(parseCsv(text, quantity)).toEqual(all);
    expect(parseCsv(`${text}http1,3`, quantity)).toEqual(all);
  });

  test('are put in order of repetition, client and time, without what never came', () => {
    const values = [
      { protocol: 'x', repetition: 2, client: 'B', atMs: 1, value: 5 },
      { protocol: 'x', repetition: 2, client: 'A', atMs: 9, value: 4 },
      { protocol: 'x', repetition: 2, client: 'A', atMs: 3, value: 3 },
      { protocol: 'x', repetition: 0, client: 'A', atMs: 3, value: 1 },
      { protocol: 'x', repetition: 0, client: 'A', atMs: 4, value: Infinity },
    ];
    expect(valuesByRepetition(values, () => true)).toEqual([[1], [], [3, 4, 5]]);
    expect(valuesByRepetition(values, () => true, { withLost: true })[0]).toEqual([1, Infinity]);
  });
});

describe('what a result must be', () => {
  test('names are words, told apart, and rows fit their columns', () => {
    const [plot] = resultOf(1).plots;
    const table = { name: 't', title: '', columns: [{ label: 'a' }], rows: [[1], [2]] };
    expect(() => checkResult({ ...NO_RESULT, plots: [plot, plot] })).toThrow(
      "named 'roundTripTime'",
    );
    expect(() =>
      checkResult({ ...NO_RESULT, tables: [{ ...table, rows: [[1], [1, 2]] }] }),
    ).toThrow('row 1');
    expect(checkResult({ ...NO_RESULT, tables: [table] }).tables).toHaveLength(1);
  });
});

describe('views of a quantity', () => {
  test('the summary has the share of what never came beside the values, with its interval', () => {
    const values = [
      ...samples(1, ['http1']),
      { protocol: 'http1', repetition: 0, client: 'A', atMs: 1, value: Infinity },
    ];
    const { columns, rows } = summaryTable(ROUND_TRIP, values, seededRandom(1));
    expect(columns.map(({ label }) => label)).toContain('Never came');
    const [name, count, lost] = /** @type {any[]} */ (rows[0]);
    expect([name, count]).toEqual(['HTTP/1', 200]);
    expect(lost.value).toBeCloseTo(100 / 201, 9);
    expect(lost.interval[0]).toBe(0);
    expect(lost.interval[1]).toBeGreaterThan(lost.value);
    expect(differenceTable(ROUND_TRIP, values, seededRandom(1))).toBeUndefined();
  });

  test('the difference of protocols holds the one that was built in', () => {
    const table = differenceTable(ROUND_TRIP, samples(1), seededRandom(1));
    const cell = /** @type {import('../../report/result.js').Estimate} */ (table?.rows[0][1]);
    expect(table?.rows[0][0]).toBe('HTTP/1 − WebTransport');
    expect(cell.interval?.[0]).toBeLessThan(5);
    expect(cell.interval?.[1]).toBeGreaterThan(5);
  });

  test('shares of a histogram sum to 100 with what its caption leaves out', () => {
    const values = [
      ...samples(1, ['http1']),
      { protocol: 'http1', repetition: 0, client: 'A', atMs: 1, value: 500 },
    ];
    const { series, caption } = distributionPlot(ROUND_TRIP, values);
    const shown = series[0].points.reduce((sum, [, , share]) => sum + share, 0);
    const [, above] = /** @type {RegExpMatchArray} */ (caption.match(/(\d+) above/));
    expect(shown + (100 * Number(above)) / 201).toBeCloseTo(100, 9);
  });

  test('thinning keeps the extremes and the order', () => {
    const points = Array.from({ length: 10_000 }, (_, i) => [i, i === 6543 ? 900 : Math.sin(i)]);
    const few = thin(points, 500);
    expect(few.length).toBeLessThanOrEqual(500);
    expect(few).toContainEqual([6543, 900]);
    expect(few).toEqual([...few].sort((a, b) => a[0] - b[0]));
    expect(thin(points, 20_000)).toBe(points);
  });
});

describe('plots', () => {
  /** @type {import('../../report/result.js').Plot} */
  const plot = {
    name: 'delay',
    title: 'Received <audio>',
    caption: '',
    kind: 'line',
    x: { label: 'D', unit: 'ms', from: 0, to: 400 },
    y: { label: 'Received audio', unit: '%', from: 0, to: 100 },
    series: ['webtransport', 'http1'].map((protocol) => ({
      name: protocol,
      protocol,
      points: Array.from({ length: 51 }, (_, i) => [i * 8, i, i - 1, i + 1]),
    })),
    references: [
      { label: '90 %', axis: 'y', value: 90 },
      {
        label: 'thesis',
        points: [
          [0, 66],
          [312, 94],
        ],
      },
    ],
  };

  test.each(/** @type {const} */ (['line', 'cdf', 'scatter', 'histogram', 'bars']))(
    '%s: units on its axes, and no number missing',
    (kind) => {
      const x =
        kind === 'bars'
          ? { label: 'D', unit: 'ms', categories: Array.from({ length: 51 }, (_, i) => String(i)) }
          : plot.x;
      const points =
        kind === 'bars'
          ? [
              [0, 3, 2, 4],
              [1, 5, 4, 6],
            ]
          : plot.series[0].points;
      const svg = plotFile({
        ...plot,
        kind,
        x,
        series: plot.series.map((series) => ({ ...series, points })),
      });
      expect(svg).toContain('>D (ms)<');
      expect(svg).toContain('>Received audio (%)<');
      expect(svg).toContain('>90 %<');
      expect(svg).toContain('Received &#60;audio&#62;');
      expect(svg).not.toMatch(/NaN|undefined|<style/);
      expect(svg).toContain('#0072b2');
    },
  );

  test('bands and whiskers are drawn where there are intervals', () => {
    const band = /fill="#0072b2"[^>]*fill-opacity="0.18"|fill-opacity="0.18"[^>]*fill="#0072b2"/;
    const few = {
      ...plot,
      series: plot.series.map((series) => ({ ...series, points: series.points.slice(0, 10) })),
    };
    const bare = {
      ...plot,
      series: plot.series.map((series) => ({
        ...series,
        points: series.points.map(([x, y]) => [x, y]),
      })),
    };
    expect(plotFile(plot)).toMatch(band);
    expect(plotFile(bare)).not.toMatch(band);
    expect(plotFile(few).match(/<path[^>]*stroke="#0072b2"/g)?.length).toBeGreaterThan(30);
  });

  test("on a page take the page's colours, and carry words for who can't see them", () => {
    const { wide, narrow } = plotMarkup(plot, 'p', 'In words: "quoted"');
    for (const svg of [wide, narrow]) {
      expect(svg).toContain('stroke="var(--series-0)"');
      expect(svg).not.toMatch(/"#(0072b2|1c2126|fefefe)"/);
      expect(svg).toContain('aria-label="In words: &#34;quoted&#34;"');
    }
  });

  test('nothing to draw is drawn as empty axes', () => {
    for (const kind of /** @type {const} */ (['line', 'histogram', 'scatter', 'bars', 'cdf'])) {
      const x = { label: 'D', unit: 'ms' };
      expect(
        plotFile({
          ...plot,
          kind,
          x,
          series: [{ name: 'none', protocol: 'http1', points: [] }],
          references: [],
        }),
      ).toContain('</svg>');
    }
  });

  test('tell any two of twelve series apart, in colour and without', () => {
    const looks = looksOf(
      ['webtransport', 'http1'].flatMap((protocol) =>
        [0, 1, 2].map((variant) => ({ protocol, variant })),
      ),
    );
    const withColour = looks.map(({ colour, dash }) => `${colour} ${dash}`);
    expect(new Set(withColour).size).toBe(6);
    expect(new Set(looks.map(({ dash, marker }) => `${dash} ${marker}`)).size).toBe(6);
    const [webtransport, unknown] = looksOf([
      { protocol: 'webtransport' },
      { protocol: 'carrier-pigeon' },
    ]);
    expect(unknown.colour).not.toBe(webtransport.colour);
  });
});

describe('text', () => {
  test('figures have the digits that mean something', () => {
    expect(
      [0, 3, 3.14159, 31.4159, 1234.5678, 0.00012345, -2.5].map((value) => formatNumber(value)),
    ).toEqual(['0', '3', '3.142', '31.42', '1235', '0.000123', '−2.500']);
    expect([NaN, Infinity].map((value) => formatNumber(value))).toEqual(['–', '∞']);
    expect([formatNumber(-0.001, 1), formatNumber(1234567, 0)]).toEqual([
      '0.0',
      '1\u202f234\u202f567',
    ]);
    expect([59_000, 127_000].map(formatDuration)).toEqual(['59 s', '2 min 07 s']);
  });

  test('a column has the same digits throughout', () => {
    const [column] = formatColumns({
      name: 't',
      title: '',
      columns: [{ label: 'Mean', unit: 'ms' }],
      rows: [[9.87654], [123.456], [null]],
    });
    expect(column).toMatchObject({ header: 'Mean (ms)', isNumeric: true });
    expect(column.cells.map(({ text }) => text)).toEqual(['9.9', '123.5', '']);
  });

  test('a table is aligned, figures to the right', () => {
    const columns = [{ label: 'Protocol' }, { label: 'Mean', unit: 'ms', digits: 1 }];
    const rows = [
      ['HTTP/1', { value: 35.12, interval: /** @type {const} */ ([34.5, 36]) }],
      ['WebTransport', 5],
    ];
    expect(textTable({ name: 't', title: 'T', columns, rows }).split('\n')).toEqual([
      'T',
      'Protocol              Mean (ms)',
      '────────────  ─────────────────',
      'HTTP/1        35.1 [34.5, 36.0]',
      'WebTransport                5.0',
    ]);
  });

  test('markup from outside stays text', async () => {
    const parts = [html`<i>${1}</i>`, undefined, false, null, '<'];
    expect(String(html`<p>${'<b>&"'}</p>${parts}`)).toBe('<p>&lt;b&gt;&amp;&quot;</p><i>1</i>&lt;');
    const folder = await openFolder({ options: { '<img src=x>': '<script>alert(1)</script>' } });
    const evil = '<script>alert(1)</script>';
    const [plot] = resultOf(1).plots;
    const series = plot.series.map((one) => ({ ...one, name: evil, protocol: evil }));
    const table = {
      name: 't',
      title: evil,
      caption: evil,
      columns: [{ label: evil }],
      rows: [[evil]],
    };
    folder.warn(evil);
    await folder.finish({
      ...NO_RESULT,
      title: evil,
      notes: [evil],
      tables: [table],
      plots: [{ ...plot, title: evil, caption: evil, series }],
    });
    const report = await readFrom(folder.path, 'report.html');
    expect(report).toContain('&lt;script&gt;alert(1)');
    expect(report).not.toMatch(/<script|<img/);
    expect(await readFrom(folder.path, `${plot.name}.svg`)).not.toContain('<script');
  });
});

describe('a table of a page', () => {
  test('has the interval of each figure, also in its first column', () => {
    const row = [
      { value: 1, interval: /** @type {const} */ ([0, 2]) },
      { value: 4, interval: /** @type {const} */ ([3, 5]) },
    ];
    const table = {
      name: 't',
      title: 'T',
      columns: [{ label: 'Mean' }, { label: 'p50' }],
      rows: [row],
    };
    expect(String(tableSection(table))).toMatch(
      /<th scope="row">1[^/]*\[0, 2\].*<td class="number">4[^/]*\[3, 5\]/s,
    );
  });
});

describe('progress', () => {
  /** @param {boolean} isTTY */
  function progressOn(isTTY) {
    let text = '';
    let now = 0;
    const output = { isTTY, columns: 60, write: (/** @type {string} */ more) => (text += more) };
    const progress = new Progress(output, { now: () => now });
    return { progress, text: () => text, pass: (/** @type {number} */ ms) => (now += ms) };
  }

  test('on a terminal is one line, redrawn now and then, and gone at the end', () => {
    const { progress, text, pass } = progressOn(true);
    progress.begin('rtt');
    for (let i = 0; i < 1000; i++) {
      pass(10);
      progress.update(i / 1000, 'WebTransport, repetition 1 of 5, and a note that is far too long');
    }
    const lines = text().split('\r\u001b[K');
    expect(lines.length).toBeGreaterThan(50);
    expect(lines.length).toBeLessThan(110);
    expect(Math.max(...lines.map(({ length }) => length))).toBeLessThan(60);
    expect(lines.at(-1)).toContain('99 %');
    progress.print('a warning');
    expect(text().endsWith('\r\u001b[Ka warning\n')).toBe(true);
    expect(text().match(/\n/g)).toHaveLength(1);
  });

  test('elsewhere is a line for each stage and one each half minute', () => {
    const { progress, text, pass } = progressOn(false);
    progress.begin('rtt');
    for (let i = 0; i < 700; i++) {
      pass(100);
      progress.update((i + 1) / 1000);
    }
    progress.close();
    expect(text()).toBe('rtt\nrtt: 30 %, 1 min 10 s left\nrtt: 60 %, 40 s left\n');
  });
});

describe('the environment', () => {
  test('is what programs say, and nothing where they are missing', async () => {
    /** @type {Record<string, string>} */
    const answers = {
      npm: '11.2.3',
      browser: 'Chromium 156.0.8078.79 built on Debian',
      'git rev-parse': 'abc',
      'git status': '',
    };
    const execute = async (/** @type {string} */ file, /** @type {string[]} */ [first]) => {
      const answer = answers[file] ?? answers[`${file} ${first}`];
      if (answer === undefined) throw new Error('not found');
      return answer;
    };
    const found = await describeEnvironment({ chromium: 'browser', execute });
    expect(found.versions).toMatchObject({
      node: process.versions.node,
      npm: '11.2.3',
      chromium: '156.0.8078.79',
    });
    expect(found.git).toEqual({ commit: 'abc', isDirty: false });
    expect(found.machine.cores).toBeGreaterThan(0);
    const bare = await describeEnvironment({
      execute: () => Promise.reject(new Error('not found')),
    });
    expect(bare).toMatchObject({ git: null, versions: { npm: null, chromium: null } });
  });

  test("tells no one's name, machine or folders", () => {
    const places = {
      root: '/srv/lab/',
      home: '/home/joe',
      temporary: '/var/tmp',
      host: 'joes-laptop',
    };
    expect(
      withoutPlaces(
        'joes-laptop: /srv/lab/bench/a.js, /home/joe/b, /var/tmp/c, /Users/ann/d',
        places,
      ),
    ).toBe('<host>: bench/a.js, ~/b, <tmp>/c, ~/d');
    expect(withoutPaths({ speech: '/home/joe/voice.wav', duration: 5, link: 'thesis' })).toEqual({
      speech: 'voice.wav',
      duration: 5,
      link: 'thesis',
    });
  });
});

const ALL = [0, 1, 3, 5, 10];

it.each([
  ['from one on', [3, 5, 10], 'from 3 % on'],
  ['from one down', [0, 1], 'from 1 % down'],
  ['at all', ALL, 'from 0 % on'],
  ['at the last alone', [10], 'at 10 %'],
  ['with a gap', [1, 5, 10], 'at 1, 5, 10 %'],
  ['in the middle', [1, 3], 'at 1, 3 %'],
])('says where something is so: %s', (_what, those, words) => {
  expect(whereOf(those, ALL, { unit: '%' })).toBe(words);
});

it('has no unit where there is none, and other words for single values', () => {
  expect(whereOf([1], [1, 2], { unit: '' })).toBe('at 1');
  expect(whereOf([2], [2, 3], { unit: 'people', at: 'with' })).toBe('with 2 people');
});

describe('how many cores are at work', () => {
  /**
   * @param {{ user: number, sys: number, idle: number }[][]} readings of each core, one after the
   *   other
   */
  const machine = (readings) => {
    let at = 0;
    return {
      times: () => readings[Math.min(at, readings.length - 1)].map((times) => ({ times })),
      wait: async () => void (at += 1),
    };
  };

  it('is what all cores did beside idling, between the two looks', async () => {
    const before = [
      { user: 1000, sys: 50, idle: 9000 },
      { user: 5, sys: 5, idle: 10 },
    ];
    const after = [
      { user: 1700, sys: 150, idle: 9200 },
      { user: 5, sys: 5, idle: 1010 },
    ];
    expect(await busyCores(1000, machine([before, after]))).toBeCloseTo(0.8, 9);
  });

  it('is none where no time has passed', async () => {
    expect(await busyCores(0, machine([[{ user: 1, sys: 1, idle: 1 }]]))).toBe(0);
  });
});
