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
});
