import { describe, expect, it, vi } from 'vitest';
import { TickScheduler } from '../../../server/clock/tick-scheduler.js';
import { TickLoad } from '../../../server/clock/load-shares.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { random } from '../../fakes/random.js';

/** A scheduler on a clock of the test's, and the event loop's turns in its hands. */
function create() {
  const clock = new FakeClock();
  /** @type {(() => void)[]} */
  const waiting = [];
  const scheduler = new TickScheduler(clock, (run) => void waiting.push(run));
  /** @param {() => void} run @param {number} ms from now */
  const after = (run, ms) => {
    const tick = { atMs: 0, run };
    scheduler.schedule(tick, clock.now() + ms);
    return tick;
  };
  const turn = () => {
    for (const run of waiting.splice(0)) run();
  };
  return { clock, scheduler, after, turn, waiting };
}

describe('the tick scheduler', () => {
  it('calls what is due once, earliest first, after a turn of the event loop', () => {
    const { clock, after, turn } = create();
    /** @type {string[]} */
    const called = [];
    after(() => called.push('third'), 3.4);
    after(() => called.push('first'), 0.7);
    after(() => called.push('second'), 0.9);
    clock.stall(0.8);
    turn();
    expect(called).toEqual(['first']);
    clock.stall(3);
    turn();
    turn();
    expect(called).toEqual(['first', 'second', 'third']);
  });

  it('has one timer, for when nothing else happens', () => {
    const { clock, after } = create();
    /** @type {number[]} */
    const times = [];
    for (const ms of [12, 5.5, 30, 7]) after(() => times.push(clock.now()), ms);
    expect(clock.waiting).toBe(1);
    clock.advance(40);
    expect(times).toEqual([5.5, 7, 12, 30]);
    expect(clock.waiting).toBe(0);
  });

  it('rests when nothing waits: it has neither a timer nor an eye on the event loop', () => {
    const { clock, scheduler, after, turn, waiting } = create();
    const tick = after(() => expect.unreachable(), 10);
    turn();
    expect(waiting).toHaveLength(1);
    scheduler.cancel(tick);
    scheduler.cancel(tick);
    turn();
    expect(waiting).toHaveLength(0);
    expect(clock.waiting).toBe(0);
    clock.advance(20);
  });

  it('leaves time for others: what falls due meanwhile waits for the next turn', () => {
    const { clock, after, turn } = create();
    let calls = 0;
    const slow = () => {
      calls += 1;
      after(slow, 20);
      clock.stall(25);
    };
    after(slow, 20);
    clock.stall(100);
    for (let turns = 1; turns <= 5; turns++) {
      turn();
      expect(calls).toBe(turns);
    }
  });

  it('calls nothing again and again within a turn, however soon it wants to be called', () => {
    const { clock, after, turn } = create();
    let calls = 0;
    const hasty = () => {
      calls += 1;
      after(hasty, 0);
    };
    after(hasty, 1);
    clock.stall(1);
    turn();
    expect(calls).toBe(1);
  });

  it('goes on after one of them fails', () => {
    const { clock, after, turn } = create();
    let called = false;
    after(() => {
      throw new Error('of its own');
    }, 1);
    after(() => (called = true), 2);
    clock.stall(5);
    expect(turn).toThrow('of its own');
    turn();
    expect(called).toBe(true);
  });

  it('calls everything once and in order, whatever is set and cleared', () => {
    const any = random(7);
    const { clock, scheduler, after, turn } = create();
    /** @type {Map<number, { atMs: number, tick: any }>} */
    const waiting = new Map();
    const earliest = () => Math.min(...[...waiting.values()].map(({ atMs }) => atMs));
    for (let id = 0; id < 2000; id++) {
      const atMs = clock.now() + 50 * any();
      const tick = after(() => {
        const now = clock.now();
        expect(now).toBeGreaterThanOrEqual(atMs);
        expect(earliest()).toBeGreaterThanOrEqual(atMs);
        expect(waiting.delete(id)).toBe(true);
      }, atMs - clock.now());
      waiting.set(id, { atMs, tick });
      if (any() < 0.2) {
        const [cleared, { tick: its }] = [...waiting][Math.floor(any() * waiting.size)];
        scheduler.cancel(its);
        waiting.delete(cleared);
      }
      if (any() < 0.5) clock.stall(5 * any());
      turn();
      expect(earliest()).toBeGreaterThan(clock.now());
    }
    clock.advance(60);
    expect(waiting.size).toBe(0);
  });

  it('has packets read before each tick that is due, and no more often', () => {
    const { clock, scheduler, after, turn } = create();
    /** @type {string[]} */
    const order = [];
    scheduler.pollWith(() => void order.push('poll'));
    after(() => void order.push('tick'), 2);
    after(() => void order.push('tick'), 3);
    clock.stall(1);
    turn();
    expect(order).toEqual([]);
    clock.stall(3);
    turn();
    expect(order).toEqual(['poll', 'tick', 'poll', 'tick']);
  });

  it('has the packets of each tick sent together, also of one that throws', () => {
    const { scheduler, clock, after, turn } = create();
    /** @type {string[]} */
    const order = [];
    scheduler.sendWith({
      cork: () => void order.push('cork'),
      uncork: () => void order.push('uncork'),
    });
    after(() => void order.push('tick'), 2);
    after(() => {
      throw new Error('broken');
    }, 3);
    clock.stall(4);
    expect(turn).toThrow('broken');
    expect(order).toEqual(['cork', 'tick', 'uncork', 'cork', 'uncork']);
  });

  it('has an idle thread woken for the next tick, unless that is very soon', () => {
    const { clock, scheduler, after } = create();
    /** @type {number[]} */
    const woken = [];
    scheduler.wakeWith({ wakeAt: (atMs) => void woken.push(atMs) });
    for (const ms of [30, 12.5, 20, 1]) after(() => {}, ms);
    expect(woken).toEqual([30, 12.5]);
    clock.advance(1);
    expect(woken).toEqual([30, 12.5, 12.5]);
    clock.advance(40);
    expect(woken).toEqual([30, 12.5, 12.5, 20, 30]);
  });

  it('leaves no timer for a tick that ran since the thread was woken', () => {
    const { clock, scheduler, turn } = create();
    scheduler.wakeWith({ wakeAt: () => {} });
    const timers = vi.spyOn(clock, 'setTimeout');
    const tick = {
      atMs: 0,
      run() {
        scheduler.schedule(tick, tick.atMs + 20);
      },
    };
    scheduler.schedule(tick, 20);
    for (let i = 0; i < 3; i++) {
      clock.stall(20);
      turn();
    }
    expect(timers.mock.calls.map(([, ms]) => ms)).toEqual([20, 20, 20, 20]);
    expect(clock.waiting).toBe(1);
  });

  it('tells how long the packets that came during a stall may have waited', () => {
    const { clock, scheduler, after, turn } = create();
    after(() => {}, 10);
    clock.stall(10 + 80);
    expect(scheduler.stallBefore(clock.now())).toBe(0);
    turn();
    expect(scheduler.stallBefore(50)).toBe(80);
    expect(scheduler.stallBefore(clock.now() + 4)).toBe(80);
    expect(scheduler.stallBefore(clock.now() + 6)).toBe(0);
  });

  /**
   * Ticks that fall due every 20 ms and take a time each.
   * @param {number[]} costs
   * @param {number} [ms]  to run for
   * @param {(i: number) => boolean} [isNew]  which of them nothing is known of
   */
  function run(costs, ms = 2000, isNew = () => false) {
    const { clock, scheduler, turn } = create();
    const rooms = costs.map((costMs, i) => {
      const room = { runs: 0, latestMs: 0, load: new TickLoad() };
      // As what is known of each before anything is late.
      room.load.weight = isNew(i) ? Infinity : costs[i];
      let dueMs = 20 + i;
      const tick = {
        atMs: 0,
        load: room.load,
        run() {
          room.runs += 1;
          if (clock.now() > ms / 2) room.latestMs = Math.max(room.latestMs, clock.now() - dueMs);
          clock.stall(costMs);
          // As MixClock: what is too old is left out.
          dueMs = Math.max(dueMs + 20, clock.now() - 200);
          scheduler.schedule(tick, dueMs);
        },
      };
      scheduler.schedule(tick, dueMs);
      return room;
    });
    let turns = 0;
    for (; clock.now() < ms; turns++) {
      const before = clock.now();
      turn();
      if (clock.now() === before) clock.stall(0.5);
    }
    return { rooms, scheduler, turns };
  }

  it('runs the lightest rooms first when late, so that heavy ones delay only each other', () => {
    const {
      rooms: [light, ...heavy],
      scheduler,
    } = run([0.2, 8, 8, 8, 8]);
    expect(light.runs).toBeGreaterThan(95);
    expect(light.latestMs).toBeLessThan(30);
    for (const { runs, latestMs } of heavy) {
      expect(runs).toBeGreaterThan(50);
      expect(runs).toBeLessThan(75);
      expect(latestMs).toBeGreaterThan(100);
    }
    expect(scheduler.overloaded).toBe(true);
    expect(scheduler.lateMs).toBeGreaterThan(50);
  });

  it('runs rooms of unknown weight last, so that many new ones don’t delay an old one', () => {
    const {
      rooms: [old, ...others],
    } = run([1, ...new Array(80).fill(0.5)], 2000, (i) => i > 0);
    expect(old.runs).toBeGreaterThan(95);
    expect(old.latestMs).toBeLessThan(30);
    expect(Math.min(...others.map(({ runs }) => runs))).toBeGreaterThan(20);
  });

  it('is not overloaded where all are in time, and each is as often run', () => {
    const { rooms, scheduler } = run([0.2, 3, 3, 3]);
    for (const { runs, latestMs } of rooms) {
      expect(runs).toBeGreaterThan(95);
      expect(latestMs).toBeLessThan(15);
    }
    expect(scheduler.overloaded).toBe(false);
    expect(scheduler.lateMs).toBeLessThan(10);
  });

  it('leaves the event loop its turn after ten milliseconds, however many are due', () => {
    const { turns } = run(new Array(30).fill(5), 3000);
    expect(turns).toBeGreaterThan(3000 / 16);
  });

  it('does not take a tick that had to wait for others for a server that stood still', () => {
    const { clock, scheduler, turn } = create();
    for (let i = 0; i < 10; i++) scheduler.schedule({ atMs: 0, run: () => clock.stall(6) }, 1);
    clock.stall(1);
    for (let i = 0; i < 4; i++) turn();
    expect(scheduler.stallBefore(clock.now() - 6)).toBeLessThan(13);
  });
});
