import { describe, expect, it } from 'vitest';
import { checkResult, NO_RESULT } from '../../../bench/report/result.js';
import { framePathTargets, isMet, joined, targetsTable } from '../../../bench/scenarios/targets.js';

describe('a target', () => {
  it('is met on its own side of the limit only', () => {
    const target = { what: 'D', limit: 8, unit: 'ms' };
    expect(isMet({ ...target, reached: 8 })).toBe(true);
    expect(isMet({ ...target, reached: 8.1 })).toBe(false);
    expect(isMet({ ...target, is: '≥', reached: 8.1 })).toBe(true);
    expect(isMet({ ...target, is: '≥', reached: 7.9 })).toBe(false);
    expect(isMet({ ...target, reached: NaN })).toBe(false);
  });

  it('is a row of a table that says what was reached, and by what it wasn\'t', () => {
    const table = targetsTable([
      { what: 'D', limit: 8, reached: 7.54, unit: 'ms', digits: 1 },
      { what: 'received', is: '≥', limit: 99.5, reached: 99.1, unit: '%', digits: 1, why: 'stalls' },
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

describe('the targets of all benchmarks', () => {
  it('are the rows of each, in order, in one table', () => {
    const one = targetsTable([{ what: 'a', limit: 1, reached: 1, unit: 'ms' }]);
    const two = targetsTable([{ what: 'b', limit: 1, reached: 2, unit: 'ms' }, { what: 'c', limit: 1, reached: NaN, unit: 'ms' }]);
    expect(joined([one, two]).rows.map(([what, , , met]) => [what, met])).toEqual([['a', 'met'], ['b', 'not met'], ['c', 'not measured']]);
    expect(() => checkResult({ ...NO_RESULT, tables: [joined([])] })).not.toThrow();
  });

  it('hold what a frame costs without a codec, as it is pushed', () => {
    const cases = [
      { codec: 'none', delivery: 'tick', people: 10, talking: 10, 'µs/frame': 12.3, 'bytes/frame': 4 },
      { codec: 'none', delivery: 'tick', people: 50, talking: 50, 'µs/frame': 5, 'bytes/frame': 40 },
      { codec: 'none', delivery: 'reply', people: 50, talking: 50, 'µs/frame': 99, 'bytes/frame': 4000 },
      { codec: 'libopus-wasm', delivery: 'tick', people: 10, talking: 10, 'µs/frame': 300, 'bytes/frame': 400 },
    ];
    const { rows } = framePathTargets({ cases });
    expect(rows[0][4]).toContain('up to 99 µs: 50 people, 50 talk');
    expect(rows.map(([, , reached, met]) => [reached, met])).toEqual([['12.3 µs', 'met'], ['40 bytes', 'met']]);
  });
});
