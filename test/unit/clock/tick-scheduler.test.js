import { describe, expect, it } from 'vitest';
import { Metronome } from '../../../server/clock/tick-scheduler.js';
import { FakeClock } from '../../fakes/fake-clock.js';
import { random } from '../../fakes/random.js';

/** A metronome on a clock of the test's, and the event loop's turns in its hands. */
function create() {
  const clock = new FakeClock();
  /** @type {(() => void)[]} */
  const waiting = [];
  const metronome = new Metronome(clock, (run) => void waiting.push(run));
  const turn = () => {
    for (const run of waiting.splice(0)) run();
  };
  return { clock, metronome, turn, waiting };
}

describe('a metronome', () => {
  it('calls what has fallen due after a turn of the event loop, the earliest first, and once', () => {
    const { clock, metronome, turn } = create();
    /** @type {string[]} */
    const called = [];
    metronome.setTimeout(() => called.push('third'), 3.4);
    metronome.setTimeout(() => called.push('first'), 0.7);
    metronome.setTimeout(() => called.push('second'), 0.9);
    clock.stall(0.8);
    turn();
    expect(called).toEqual(['first']);
    clock.stall(3);
    turn();
    turn();
    expect(called).toEqual(['first', 'second', 'third']);
  });

  it('has one timer, for when nothing else happens', () => {
    const { clock, metronome } = create();
    /** @type {number[]} */
    const times = [];
    for (const ms of [12, 5.5, 30, 7]) metronome.setTimeout(() => times.push(clock.now()), ms);
    expect(clock.waiting).toBe(1);
    clock.advance(40);
    expect(times).toEqual([5.5, 7, 12, 30]);
    expect(clock.waiting).toBe(0);
  });

  it('rests when nothing waits: it has neither a timer nor an eye on the event loop', () => {
    const { clock, metronome, turn, waiting } = create();
    const beat = metronome.setTimeout(() => expect.unreachable(), 10);
    turn();
    expect(waiting).toHaveLength(1);
    metronome.clearTimeout(beat);
    metronome.clearTimeout(beat);
    metronome.clearTimeout(null);
    turn();
    expect(waiting).toHaveLength(0);
    expect(clock.waiting).toBe(0);
    clock.advance(20);
  });

  it('leaves time for others: what falls due meanwhile waits for the next turn', () => {
    const { clock, metronome, turn } = create();
    let calls = 0;
    const slow = () => {
      calls += 1;
      metronome.setTimeout(slow, 20);
      clock.stall(25);
    };
    metronome.setTimeout(slow, 20);
    clock.stall(100);
    for (let turns = 1; turns <= 5; turns++) {
      turn();
      expect(calls).toBe(turns);
    }
  });

  it('calls nothing again and again within a turn, however soon it wants to be called', () => {
    const { clock, metronome, turn } = create();
    let calls = 0;
    const hasty = () => {
      calls += 1;
      metronome.setTimeout(hasty, 0);
    };
    metronome.setTimeout(hasty, 1);
    clock.stall(1);
    turn();
    expect(calls).toBe(1);
  });

  it('goes on after one of them fails', () => {
    const { clock, metronome, turn } = create();
    let called = false;
    metronome.setTimeout(() => {
      throw new Error('of its own');
    }, 1);
    metronome.setTimeout(() => (called = true), 2);
    clock.stall(5);
    expect(turn).toThrow('of its own');
    turn();
    expect(called).toBe(true);
  });

  it('calls everything once and in order, whatever is set and cleared', () => {
    const any = random(7);
    const { clock, metronome, turn } = create();
    /** @type {Map<number, { atMs: number, beat: any }>} */
    const waiting = new Map();
    const earliest = () => Math.min(...[...waiting.values()].map(({ atMs }) => atMs));
    for (let id = 0; id < 2000; id++) {
      const atMs = clock.now() + 50 * any();
      const beat = metronome.setTimeout(() => {
        const now = clock.now();
        expect(now).toBeGreaterThanOrEqual(atMs);
        expect(earliest()).toBeGreaterThanOrEqual(atMs);
        expect(waiting.delete(id)).toBe(true);
      }, atMs - clock.now());
      waiting.set(id, { atMs, beat });
      if (any() < 0.2) {
        const [cleared, { beat: its }] = [...waiting][Math.floor(any() * waiting.size)];
        metronome.clearTimeout(its);
        waiting.delete(cleared);
      }
      if (any() < 0.5) clock.stall(5 * any());
      turn();
      expect(earliest()).toBeGreaterThan(clock.now());
    }
    clock.advance(60);
    expect(waiting.size).toBe(0);
  });
});
