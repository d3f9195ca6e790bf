import { describe, expect, it } from 'vitest';
import { Conference } from '../../../fakes/conference.js';

describe('the sums over all rooms', () => {
  it('count present people, and keep the counts of people who have left', async () => {
    const conference = new Conference();
    const { rooms } = conference;
    const ann = await conference.join('Ann');
    await conference.join('Bob', { room: 'tea' });
    await conference.join('Mirrored', { mirror: true });
    for (let frame = 0; frame < 100; frame++) {
      conference.pass(1);
      if (frame % 10) await ann.speak(frame, 0.1);
      else await ann.lose(frame, 0.1);
    }
    ann.session.handler?.packet(new Uint8Array(0), conference.clock.now());
    ann.session.handler?.control({ type: 'nonsense' });
    const there = rooms.figures();
    expect(there).toMatchObject({
      rooms: 2,
      mirrors: 1,
      people: 3,
      away: 0,
      sessions: { webtransport: 3 },
      codecFaults: 0,
    });
    expect(there.delaysMs).toHaveLength(3);
    expect(there.traffic).toMatchObject({
      received: 90,
      lost: 9,
      late: 0,
      dropped: { empty: 1, control: 1, duplicate: 0, flood: 0 },
    });

    expect(there.sessionLimits).toEqual({ path: 0, application: 0, unknown: 3 });
    const seen = (/** @type {boolean} */ deliveryIsLimit) =>
      Object.assign(ann.session, {
        stats: () => ({
          rttMs: 1,
          lostPackets: 0,
          droppedOut: 0,
          droppedIn: 0,
          deliveryBps: 1e6,
          deliveryIsLimit,
        }),
      });
    seen(true);
    expect(rooms.figures().sessionLimits).toEqual({ path: 1, application: 0, unknown: 2 });
    seen(false);
    expect(rooms.figures().sessionLimits).toEqual({ path: 0, application: 1, unknown: 2 });

    ann.session.close(19, 'lost');
    expect(rooms.figures()).toMatchObject({
      people: 3,
      away: 1,
      sessions: { webtransport: 2 },
      traffic: there.traffic,
    });
    conference.rooms.close();
    const gone = rooms.figures();
    expect(gone).toMatchObject({
      rooms: 0,
      mirrors: 0,
      people: 0,
      sessions: {},
      traffic: there.traffic,
    });
    expect(gone.ticks.count).toBe(there.ticks.count);
  });

  it('have every tick in a bin of how late it was', async () => {
    const conference = new Conference();
    await conference.join('Ann');
    conference.pass(50);
    const { ticks } = conference.rooms.figures();
    expect(ticks.count).toBeGreaterThan(40);
    expect(ticks.bins.at(-1)?.count).toBe(ticks.count);
    for (const [i, { count }] of ticks.bins.entries())
      if (i > 0) expect(count).toBeGreaterThanOrEqual(ticks.bins[i - 1].count);
  });
});
