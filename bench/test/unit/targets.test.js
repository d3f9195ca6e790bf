import { describe, expect, it } from 'vitest';
import { disturbanceWarning } from '../../report/marks.js';
import { checkResult, NO_RESULT } from '../../report/result.js';
import { BENCHMARKS, runTargets, secondsOfBenchmarks } from '../../scenarios/bars.js';
import {
  framePathTargets,
  isMet,
  joined,
  lacksFigures,
  stallTargets,
  targetsTable,
} from '../../scenarios/targets.js';

describe('a target', () => {
  it('is met on its own side of the limit only', () => {
    const target = { what: 'D', limit: 8, unit: 'ms' };
    expect(isMet({ ...target, reached: 8 })).toBe(true);
    expect(isMet({ ...target, reached: 8.1 })).toBe(false);
    expect(isMet({ ...target, is: '≥', reached: 8.1 })).toBe(true);
    expect(isMet({ ...target, is: '≥', reached: 7.9 })).toBe(false);
    expect(isMet({ ...target, reached: NaN })).toBe(false);
  });

  it("is a row of a table that says what was reached, and by what it wasn't", () => {
    const table = targetsTable([
      { what: 'D', limit: 8, reached: 7.54, unit: 'ms', digits: 1 },
      {
        what: 'received',
        is: '≥',
        limit: 99.5,
        reached: 99.1,
        unit: '%',
        digits: 1,
        why: 'stalls',
      },
      { what: 'memory', limit: 1, reached: NaN, unit: 'MiB' },
    ]);
    expect(table.rows.map((row) => row.slice(1))).toEqual([
      ['≤ 8.0 ms', '7.5 ms', 'met', ''],
      ['≥ 99.5 %', '99.1 %', 'not met', 'stalls'],
      ['≤ 1 MiB', '–', 'not measured', ''],
    ]);
    expect(() => checkResult({ ...NO_RESULT, tables: [table] })).not.toThrow();
  });
});

it('a remark has a dash for a figure that isn’t known', () => {
  const why = `D ${NaN.toFixed(0)} ms, at most ${Infinity.toFixed(1)} ms, by NaNo`;
  const { rows } = targetsTable([{ what: 'D', limit: 8, reached: NaN, unit: 'ms', why }]);
  expect(rows[0].at(-1)).toBe('D – ms, at most ∞ ms, by NaNo');
});

describe('the targets of all benchmarks', () => {
  it('are the rows of each, in order, in one table', () => {
    const one = targetsTable([{ what: 'a', limit: 1, reached: 1, unit: 'ms' }]);
    const two = targetsTable([
      { what: 'b', limit: 1, reached: 2, unit: 'ms' },
      { what: 'c', limit: 1, reached: NaN, unit: 'ms' },
    ]);
    expect(joined([one, two]).rows.map(([what, , , met]) => [what, met])).toEqual([
      ['a', 'met'],
      ['b', 'not met'],
      ['c', 'not measured'],
    ]);
    expect(() => checkResult({ ...NO_RESULT, tables: [joined([])] })).not.toThrow();
  });

  it('are told their time, those too that are no scenarios', () => {
    const told = (/** @type {string[]} */ ...names) =>
      secondsOfBenchmarks(BENCHMARKS.filter(({ name }) => names.includes(name)));
    expect(told('frame-path')).toBeGreaterThan(5);
    expect(told('stalls')).toBeGreaterThan(60);
    expect(told('stalls', 'loss', 'memory')).toBe(told('stalls') + told('loss') + told('memory'));
  });

  it('hold what a frame costs without a codec, as it is pushed', () => {
    const cases = [
      {
        codec: 'none',
        delivery: 'tick',
        people: 10,
        talking: 10,
        'µs/frame': 12.3,
        'bytes/frame': 4,
      },
      {
        codec: 'none',
        delivery: 'tick',
        people: 50,
        talking: 50,
        'µs/frame': 5,
        'bytes/frame': 40,
      },
      {
        codec: 'none',
        delivery: 'reply',
        people: 50,
        talking: 50,
        'µs/frame': 99,
        'bytes/frame': 4000,
      },
      {
        codec: 'libopus-wasm',
        delivery: 'tick',
        people: 10,
        talking: 10,
        'µs/frame': 300,
        'bytes/frame': 400,
      },
    ];
    const { rows } = framePathTargets({ cases });
    expect(rows[0][4]).toContain('up to 99 µs: 50 people, 50 talk');
    expect(rows.map(([, , reached, met]) => [reached, met])).toEqual([
      ['12.3 µs', 'met'],
      ['40 bytes', 'met'],
    ]);
  });

  it('hold what a stall costs, by the latest, the steepest and the median call', () => {
    const figure = (/** @type {number} */ estimate, /** @type {number} */ worst) => ({
      estimate,
      low: estimate / 2,
      high: worst,
      worst,
    });
    const row = (/** @type {string} */ name, /** @type {number} */ more) => ({
      name,
      calls: 12,
      back: figure(1.6, 2.5 + more),
      worseWhole: figure(0.08 + more, 0.2),
      steeper: figure(0.9, 1 + more),
      moved: figure(0, more),
    });
    const { rows } = stallTargets({
      stall: 300,
      seconds: 30,
      rows: [row('uplink', 0), row('downlink', 1)],
    });
    expect(rows.map(([, limit, reached, met]) => [limit, reached, met])).toEqual([
      ['≤ 3.0 s', '2.5 s', 'met'],
      ['≤ 0.10 MOS', '0.08 MOS', 'met'],
      ['≤ 1.10 ×', '1.00 ×', 'met'],
      ['≤ 0.00 ms', '0.00 ms', 'met'],
      ['≤ 3.0 s', '3.5 s', 'not met'],
      ['≤ 0.10 MOS', '1.08 MOS', 'not met'],
      ['≤ 1.10 ×', '2.00 ×', 'not met'],
      ['≤ 0.00 ms', '1.00 ms', 'not met'],
    ]);
    expect(rows[0][4]).toBe('the latest of 12 calls; median 1.6 [0.8, 2.5]');
    expect(BENCHMARKS.some(({ name }) => name === 'stalls')).toBe(true);
  });
});

/**
 * Runs the benchmark `frame-path`, which is no scenario.
 * @param {{ cases: object[], seen?: object }} options  seen: by the watch of the machine
 */
async function framePath({ cases, seen = {} }) {
  const still = { othersShare: 0, stolenShare: 0, longestMs: 0 };
  /** @type {string[]} */
  const warnings = [];
  const { rows } = await runTargets({
    benchmarks: [{ name: 'frame-path', argv: [] }],
    folder: /** @type {any} */ ({ warn: (/** @type {string} */ said) => warnings.push(said) }),
    signal: new AbortController().signal,
    progress: () => {},
    runOther: async () => ({ output: `told\n${JSON.stringify({ cases })}`, code: 0 }),
    watch: async () => () => /** @type {any} */ ({ ...still, worst: still, ...seen }),
  });
  return { rows, warnings };
}

const PUSHED = Object.freeze({
  ...{ codec: 'none', delivery: 'tick', people: 10, talking: 10 },
  ...{ 'µs/frame': 12, 'bytes/frame': 4 },
});

it('a benchmark that is no scenario says so too', async () => {
  expect((await framePath({ cases: [PUSHED] })).rows.map(([what]) => what)).toEqual([
    'The path of a received frame without codec',
    'Allocated for a frame',
  ]);
  const worst = { othersShare: 0, stolenShare: 0.4 };
  const { rows, warnings } = await framePath({ cases: [PUSHED], seen: { worst } });
  expect(rows.map(([what]) => what)).toEqual([
    'The path of a received frame without codec, disturbed',
    'Allocated for a frame, disturbed',
  ]);
  expect(warnings).toEqual([
    "frame-path: Disturbed: during the run the machine's host took 0.40 processors for 5 s.",
  ]);
});

it('a benchmark without a figure has a row that says so, and all lack figures', async () => {
  const measured = await framePath({ cases: [PUSHED] });
  expect(lacksFigures(measured)).toBe(false);
  const { rows } = await framePath({ cases: [] });
  expect(rows).toEqual([
    ['frame-path', expect.any(String), '–', 'not measured', 'it has no figures for its targets'],
  ]);
  expect(lacksFigures({ rows: [...measured.rows, ...rows] })).toBe(true);
});

it('a disturbed benchmark says so in each of its lines', async () => {
  const runOf = (/** @type {string[]} */ warnings) => async () =>
    /** @type {any} */ ({
      report: '/runs/x/report.html',
      warnings,
      result: { tables: [targetsTable([{ what: 'D', limit: 5, reached: 4, unit: 'ms' }])] },
    });
  const rowsWith = async (/** @type {string[]} */ warnings) => {
    const { rows } = await runTargets({
      benchmarks: [{ name: 'call-loopback', argv: ['call'] }],
      folder: /** @type {any} */ ({ path: '/runs', warn: () => {} }),
      signal: new AbortController().signal,
      progress: () => {},
      run: runOf(warnings),
    });
    return rows.map(([what]) => what);
  };
  expect(await rowsWith([])).toEqual(['D']);
  expect(await rowsWith([disturbanceWarning('other programs took 0.4 processors')])).toEqual([
    'D, disturbed',
  ]);
});
