import { afterEach, beforeEach, describe, expect, it } from 'vitest';
import { AdaptiveComplexity } from '../../../server/codec/adaptive-complexity.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

describe('effort', () => {
  /** @type {FakeClock} */
  let clock;
  /** @type {object[]} */
  let lines;
  let share = 0;
  /** @type {AdaptiveComplexity[]} */
  let opened;

  /** @param {number | 'auto'} setting */
  function open(setting) {
    const log = { info: (/** @type {object} */ fields) => void lines.push(fields) };
    let [beforeMs, spentMs] = [clock.now(), 0];
    const cpuMs = () => {
      spentMs += share * (clock.now() - beforeMs);
      beforeMs = clock.now();
      return spentMs;
    };
    const effort = new AdaptiveComplexity({ setting, clock, log, cpuMs });
    opened.push(effort);
    return effort;
  }

  beforeEach(() => {
    clock = new FakeClock();
    lines = [];
    opened = [];
    share = 0;
  });
  afterEach(() => opened.forEach((effort) => effort.close()));

  it('is saved at once when there is much to do, and is full again after five easy seconds', () => {
    const effort = open('auto');
    expect(effort.complexity).toBe(8);
    share = 0.7;
    clock.advance(1000);
    expect(effort.complexity).toBe(0);
    share = 0.1;
    clock.advance(4000);
    expect(effort.complexity).toBe(0);
    clock.advance(1000);
    expect(effort.complexity).toBe(8);
    expect(lines).toHaveLength(2);
    expect(lines[0]).toMatchObject({ processorPercent: 70, complexity: 0 });
  });

  it("doesn't go to and fro where full effort would be three times the load", () => {
    const effort = open('auto');
    let changes = 0;
    let before = effort.complexity;
    for (let second = 0; second < 600; second++) {
      share = effort.complexity === 0 ? 0.2 : 0.6;
      clock.advance(1000);
      if (effort.complexity !== before) changes += 1;
      before = effort.complexity;
    }
    expect(changes).toBe(1);
  });

  it('is what was asked for, whatever there is to do', () => {
    const effort = open(10);
    share = 1;
    clock.advance(60_000);
    expect(effort.complexity).toBe(10);
    expect(effort.share).toBe(1);
  });

  it('leaves no timer behind', () => {
    open('auto').close();
    expect(clock.waiting).toBe(0);
  });

  it('stays full when time passes without processor time, as when the host withholds it', () => {
    const effort = open('auto');
    share = 0;
    clock.stall(30_000);
    clock.advance(1000);
    expect(effort.complexity).toBe(8);
    expect(lines).toEqual([]);
  });

  it('goes by the processor time of the process where nothing else is given', () => {
    const effort = new AdaptiveComplexity({ setting: 'auto', clock, log: { info: () => {} } });
    opened.push(effort);
    for (let i = 0; i < 3; i++) clock.advance(1000);
    expect([0, 8]).toContain(effort.complexity);
  });
});
