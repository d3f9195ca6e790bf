import { describe, expect, it } from 'vitest';
import { RoomWatch } from '../../../server/host/room-watch.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** A watch, and a room whose state is a number. */
function open(takesMs = 0) {
  const clock = new FakeClock();
  const told = /** @type {any[]} */ ([]);
  const errors = /** @type {string[]} */ ([]);
  const watch = new RoomWatch({
    clock,
    log: { error: (fields) => void errors.push(String(fields.error)) },
    tell: (state) => void told.push(state),
  });
  const room = {
    name: 'tea',
    number: 0,
    state: () => (clock.advance(takesMs), /** @type {any} */ (room.number)),
  };
  return { clock, told, errors, watch, room };
}

describe('RoomWatch', () => {
  it('reports a change soon, and later ones not too often', () => {
    const { clock, told, watch, room } = open();
    watch.changed(room);
    clock.advance(20);
    expect(told).toEqual([0]);
    for (room.number = 1; room.number <= 50; room.number++) {
      watch.changed(room);
      clock.advance(10);
    }
    clock.advance(250);
    expect(told.length).toBeLessThan(5);
    expect(told.at(-1)).toBeGreaterThanOrEqual(50);
    clock.advance(10_000);
    expect(clock.waiting).toBe(0);
  });

  it('tells one that takes long seldom', () => {
    const { clock, told, watch, room } = open(50);
    for (let i = 0; i < 300; i++) {
      watch.changed(room);
      clock.advance(10);
    }
    expect(told.length).toBeLessThan(5);
  });

  it('tells nothing of a room that has ended', () => {
    const { clock, told, watch, room } = open();
    watch.changed(room);
    watch.ended(room);
    clock.advance(1000);
    expect([told, clock.waiting]).toEqual([[], 0]);
  });

  it('logs a state that can’t be had, and goes on', () => {
    const { clock, told, errors, watch, room } = open();
    const { state } = room;
    room.state = () => {
      throw new Error('no state');
    };
    watch.changed(room);
    clock.advance(20);
    room.state = state;
    watch.changed(room);
    clock.advance(250);
    expect(told).toEqual([0]);
    expect(errors[0]).toMatch(/^Error: no state/);
    watch.changed(room);
    watch.close();
    expect(clock.waiting).toBe(0);
  });
});
