import { describe, expect, it } from 'vitest';
import { RoomPace } from '../../../server/room/room-pace.js';
import { Conference } from '../../fakes/conference.js';

/** @param {{ overloaded: boolean, weight: number }} state  whether ticks are late, and milliseconds of a second that the room takes */
function paceOf({ overloaded, weight }) {
  const services = /** @type {any} */ ({ ticks: { overloaded } });
  const pace = new RoomPace({ maxSpeakers: 8 }, services, /** @type {any} */ ({ ticks: { add: () => {} } }));
  pace.load.weight = weight;
  return pace;
}

describe('replies of a room', () => {
  it.each([
    { overloaded: true, weight: 201, answered: 0 },
    { overloaded: true, weight: 200, answered: 50 },
    { overloaded: false, weight: 900, answered: 50 },
  ])('are left out where ticks are late and the room took more than 200 ms of a second: %j', ({ answered, ...state }) => {
    const pace = paceOf(state);
    let count = 0;
    for (let i = 0; i < 50; i++) count += Number(pace.mayReply());
    expect(count).toBe(answered);
    expect(pace.describe().shedReplies).toBe(50 - answered);
  });

  it('are left out by the packet, while a listener by ticks hears on', async () => {
    const conference = new Conference();
    const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob', { delivery: 'reply' })];
    Object.defineProperty(conference.services.ticks, 'overloaded', { value: true });
    // A new room is heavier than any other until it has been settled.
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      await bob.speak(frame, 0.1);
    }
    expect(bob.session.packets.length).toBe(0);
    expect(conference.rooms.stats().load.shedReplies).toBe(20);
    expect(ann.session.packets.length).toBeGreaterThan(10);
  });
});
