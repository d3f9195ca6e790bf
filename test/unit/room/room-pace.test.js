import { describe, expect, it } from 'vitest';
import { AdaptiveComplexity } from '../../../server/codec/adaptive-complexity.js';
import { RoomPace } from '../../../server/room/sound/sound.js';
import { Conference } from '../../fakes/conference.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/**
 * @param {{ overloaded: boolean, busy: boolean, weight: number }} state true while ticks are late,
 *   true while newcomers are refused, and milliseconds of a second that the room takes
 */
function paceOf({ overloaded, busy, weight }) {
  const services = /** @type {any} */ ({ ticks: { overloaded } });
  const pace = new RoomPace(
    { maxSpeakers: 8 },
    services,
    /** @type {any} */ ({ totals: { ticks: { add: () => {} } }, isBusy: () => busy }),
  );
  pace.load.weight = weight;
  return pace;
}

describe('replies of a room', () => {
  it.each([
    { overloaded: true, busy: true, weight: 201, answered: 0 },
    { overloaded: true, busy: true, weight: 200, answered: 50 },
    { overloaded: true, busy: false, weight: 900, answered: 50 },
    { overloaded: false, busy: true, weight: 900, answered: 50 },
  ])(
    'are left out where ticks are late, newcomers refused, and the room is busy: %j',
    ({ answered, ...state }) => {
      const pace = paceOf(state);
      let count = 0;
      for (let i = 0; i < 50; i++) count += Number(pace.mayReply());
      expect(count).toBe(answered);
      expect(pace.describe().shedReplies).toBe(50 - answered);
    },
  );

  it('are left out by the packet, while a listener by ticks hears on', async () => {
    const conference = new Conference({ effort: { complexity: 0, share: 0.95 } });
    const [ann, bob] = [
      await conference.join('Ann'),
      await conference.join('Bob', { delivery: 'reply' }),
    ];
    Object.defineProperty(conference.services.ticks, 'overloaded', { value: true });
    Object.defineProperty(conference.services.ticks, 'lateMs', { value: 30 });
    // A new room is heavier than any other until it has been settled.
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      await bob.speak(frame, 0.1);
    }
    expect(bob.session.packets.length).toBe(0);
    expect(conference.rooms.stats().load.shedReplies).toBe(20);
    expect(ann.session.packets.length).toBeGreaterThan(10);
  });

  /**
   * A room in which each reply takes 55 ms by the clock, for ten seconds.
   * @param {number} ran  the share of that time for which the server has a processor
   */
  const reply = async (ran) => {
    const clock = new FakeClock();
    const cpuMs = () => ran * clock.now();
    const effort = new AdaptiveComplexity({
      setting: 'auto',
      clock,
      log: { info: () => {} },
      cpuMs,
    });
    const conference = new Conference({ effort, cpuMs }, clock);
    await conference.join('Ann');
    const bob = await conference.join('Bob', { delivery: 'reply' });
    const send = bob.session.send.bind(bob.session);
    bob.session.send = (bytes) => {
      clock.stall(55);
      return send(bytes);
    };
    let wasOverloaded = false;
    while (clock.now() < 10_000) {
      conference.pass(1);
      wasOverloaded ||= conference.services.ticks.overloaded;
      await bob.speak(Math.floor(clock.now() / 20) - 1, 0.1);
    }
    effort.close();
    const { shedReplies, busy } = conference.rooms.stats().load;
    return { shedReplies, busy, wasOverloaded, complexity: effort.complexity };
  };

  it('are left out where the server itself has too much to do', async () => {
    const { shedReplies, wasOverloaded, complexity } = await reply(0.95);
    expect([wasOverloaded, complexity]).toEqual([true, 0]);
    expect(shedReplies).toBeGreaterThan(20);
  });

  it('are all sent if the host takes processor time, and nothing else is given up', async () => {
    expect(await reply(0.15)).toEqual({
      shedReplies: 0,
      busy: false,
      wasOverloaded: true,
      complexity: 8,
    });
  });
});
