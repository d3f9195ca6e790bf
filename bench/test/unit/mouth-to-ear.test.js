import { describe, expect, it } from 'vitest';
import { mouthToEar } from '../../scenarios/mouth-to-ear.js';

/**
 * Report of a run with frames of 5 ms.
 * @param {[number, number][]} calls  added delay of each, and 1 if the machine was disturbed
 */
function judged(calls) {
  const sample = (/** @type {number} */ repetition, /** @type {number} */ value) => ({
    protocol: 'webtransport',
    repetition,
    client: 'ear',
    atMs: 0,
    value,
    factors: { frameMs: 5 },
  });
  const samples = (/** @type {string} */ name) =>
    calls.flatMap(([added, disturbed], repetition) =>
      name === 'disturbed'
        ? [sample(repetition, disturbed)]
        : [sample(repetition, added), sample(repetition, added)],
    );
  const { tables } = mouthToEar.result(
    /** @type {any} */ ({ samples }),
    /** @type {any} */ ({ frame: [5], seed: 1, transports: ['webtransport'], format: 'call' }),
  );
  const [target, added] = /** @type {any[]} */ (tables);
  return { row: target.rows[0].map(String).join(' | '), mean: added.rows[0][1].value };
}

describe('mouth to ear', () => {
  it('has a verdict of all calls where the machine disturbed none', () => {
    const { row, mean } = judged([
      [8, 0],
      [10, 0],
    ]);
    expect(mean).toBe(9);
    expect(row).toMatch(/\| met \|/);
  });

  it('leaves out calls disturbed every time, if three others remain, and says so', () => {
    const { row, mean } = judged([
      [8, 0],
      [100, 1],
      [10, 0],
      [9, 0],
    ]);
    expect(mean).toBe(9);
    expect(row).toMatch(/\| met \|.*of 3 calls, without 1 that the machine disturbed/);
  });

  it('has no verdict where fewer remain', () => {
    const { row, mean } = judged([
      [8, 0],
      [100, 1],
      [10, 0],
    ]);
    expect(mean).toBeCloseTo(118 / 3, 9);
    expect(row).toMatch(/not measured.*no verdict: the machine was disturbed in 1 of the calls/);
  });

  it('sets the sum of the page beside what was measured at the devices, and names the rest', () => {
    const values = new Map([
      ['added', 40],
      ['wholeCall', 120],
      ['wholeLoop', 80],
      ['pageSum', 112],
      ['microphone', 10],
      ['frame', 20],
      ['codec', 5],
      ['serverDelay', 6],
      ['playoutDelay', 9],
      ['output', 15],
      ['speaker', 30],
      ['disturbed', 0],
    ]);
    const samples = (/** @type {string} */ name) =>
      (values.has(name) ? [0, 1, 2, 3, 4] : []).map((repetition) => ({
        protocol: 'webtransport',
        repetition,
        client: 'ear',
        atMs: 0,
        value: values.get(name),
        factors: { frameMs: 20 },
      }));
    const { tables } = mouthToEar.result(
      /** @type {any} */ ({ samples }),
      /** @type {any} */ ({
        frame: [20],
        seed: 1,
        sound: 'pulseaudio',
        transports: [],
        format: '',
      }),
    );
    const [targets, , parts] = /** @type {any[]} */ (tables);
    expect(targets.rows.map((/** @type {any[]} */ row) => row.map(String).join(' | '))).toEqual([
      expect.stringMatching(/frames of 20 ms \| ≤ 60.0 ms \| 40.0 ms \| met/),
      expect.stringMatching(/page's sum.* \| ≤ 10.0 ms \| 8.0 ms \| met .*measured 120.0 ms/),
    ]);
    const rest = parts.rows.find((/** @type {any[]} */ [name]) => name === 'The rest');
    expect(rest[1]).toBeCloseTo(120 - 10 - 20 - 5 - 6 - 9 - 15 - 30);
  });
});
