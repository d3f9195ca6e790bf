import { describe, expect, it } from 'vitest';
import { egressOf, nodesFor, nodesForMeeting, place, workersOn } from '../../plan/placement.js';
import { costOf, fitCosts, workOf } from '../../plan/unit-costs.js';

const COSTS = {
  busy: { voices: 0.003, mixes: 0.008, packetsOut: 0.0012, ticks: 0.002 },
  loop: { voices: 0.001, mixes: 0.002, packetsOut: 0.0003, ticks: 0.002 },
  node: { busy: 5, loop: 2 },
};

/** @param {import('../../plan/unit-costs.js').RoomLoad} load @param {number} rooms */
function measured(load, rooms) {
  const { busy, loop } = costOf(COSTS, load);
  return {
    load,
    rooms,
    cpuPercent: COSTS.node.busy + rooms * busy,
    loopPercent: COSTS.node.loop + rooms * loop,
  };
}

const CASES = [
  measured({ people: 10, talking: 2 }, 50),
  measured({ people: 5, talking: 1 }, 20),
  measured({ people: 300, talking: 3 }, 1),
  measured({ people: 50, talking: 50 }, 1),
  measured({ people: 30, talking: 0 }, 10),
  measured({ people: 200, talking: 10 }, 1),
  measured({ people: 3, talking: 1 }, 1),
  measured({ people: 5, talking: 1 }, 2),
];

describe('the work of a room', () => {
  it('counts voices, mixes and packets', () => {
    expect(workOf({ people: 10, talking: 2 })).toEqual({
      voices: 100,
      mixes: 150,
      packetsOut: 500,
      ticks: 50,
    });
  });

  it('has no own mix for one who talks alone, and none at all in silence', () => {
    expect(workOf({ people: 5, talking: 1 }).mixes).toBe(50);
    expect(workOf({ people: 5, talking: 0 }).mixes).toBe(0);
    expect(workOf({ people: 2, talking: 2 }).mixes).toBe(100);
  });

  it('sends a listener a packet each third frame', () => {
    expect(workOf({ people: 3, talking: 3, listeners: 300, stride: 3 }).packetsOut).toBe(
      150 + 5000,
    );
  });
});

describe('the fit of costs', () => {
  it('finds the costs that the cases were made of', () => {
    const { busy, loop, node } = fitCosts(CASES);
    for (const part of /** @type {const} */ (['voices', 'mixes', 'packetsOut', 'ticks'])) {
      expect(busy[part]).toBeCloseTo(COSTS.busy[part], 4);
      expect(loop[part]).toBeCloseTo(COSTS.loop[part], 4);
    }
    expect([node.busy, node.loop]).toEqual([expect.closeTo(5, 1), expect.closeTo(2, 1)]);
  });

  it('has no negative costs, whatever was measured', () => {
    const odd = CASES.map((one, i) => ({
      ...one,
      cpuPercent: one.cpuPercent * (i % 2 === 0 ? 0.4 : 1.7),
    }));
    expect(
      Math.min(...Object.values(fitCosts(odd).busy), fitCosts(odd).node.busy),
    ).toBeGreaterThanOrEqual(0);
  });

  it('asks for as many cases as there are costs', () => {
    expect(() => fitCosts(CASES.slice(0, 4))).toThrow(RangeError);
  });
});

describe('placement', () => {
  const shape = { cores: 16, busyShare: 0.6 };
  const rooms = Array.from({ length: 2000 }, (_, i) => ({ people: 5, talking: i % 3 }));

  it('loads no node and no thread above the limit, with as few nodes as that takes', () => {
    const need = /** @type {import('../../plan/placement.js').Need} */ (
      nodesFor(COSTS, rooms, shape, 100)
    );
    expect(need.worstNode).toBeLessThanOrEqual(60);
    expect(need.worstThread).toBeLessThanOrEqual(60);
    const fewer = place(COSTS, rooms, need.nodes - 1, shape);
    expect(Math.max(fewer.worstNode, fewer.worstThread)).toBeGreaterThan(60);
    expect(need.cores).toBeCloseTo(
      rooms.reduce((sum, room) => sum + costOf(COSTS, room).busy, need.nodes * COSTS.node.busy) /
        100,
      6,
    );
  });

  it('says where so many nodes are not enough', () => {
    expect(nodesFor(COSTS, rooms, shape, 1)).toBeNull();
    expect(
      nodesForMeeting(COSTS, { people: 3000, talking: 3000, listeners: 10 }, shape),
    ).toBeNull();
  });

  it('spreads the listeners of a meeting', () => {
    const meeting = { people: 3, talking: 3, listeners: 30_000, stride: 3 };
    const need = /** @type {import('../../plan/placement.js').Need} */ (
      nodesForMeeting(COSTS, meeting, { cores: 4, busyShare: 0.6 })
    );
    expect(need.nodes).toBeGreaterThan(1);
    expect(need.egressMbits).toBeCloseTo(egressOf(meeting), 6);
    expect(need.worstEgressMbits).toBeGreaterThanOrEqual(need.egressMbits / need.nodes);
  });

  it('has as many threads that mix as the server', () => {
    expect([1, 3, 4, 16].map(workersOn)).toEqual([1, 1, 2, 8]);
  });
});
