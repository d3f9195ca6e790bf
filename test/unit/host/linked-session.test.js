import { expect, it, onTestFinished } from 'vitest';
import { LinkedSessions } from '../../../server/host/linked-session.js';
import { createRing } from '../../../server/host/ring.js';
import { Conference, settle } from '../../fakes/conference.js';

const STATS = { rttMs: null, lostPackets: 0, droppedOut: 0, droppedIn: 0 };

/** A worker's room with a member whose session the main thread has. */
async function open() {
  const conference = new Conference({ idleTimeoutMs: 15_000 });
  const { clock, rooms } = conference;
  const links = new LinkedSessions({
    rings: { toWorker: createRing(4096), toFront: createRing(4096) },
    accept: conference.arrivals.accept,
    log: conference.services.log,
    clock,
    send: () => {},
  });
  onTestFinished(() => links.close());
  const transport = /** @type {const} */ ({ name: 'websocket', replyOnly: false });
  const message = { type: 'join', version: 1, room: 'lab', name: 'Ann' };
  links.take({ type: 'link', id: 1, peer: '192.0.2.1:1', room: 'lab', transport, message });
  await settle();
  return {
    clock,
    present: () => rooms.get('lab')?.publicView.present,
    /** The main thread reports a session that is silent. @param {number} seconds */
    report(seconds) {
      for (let i = 0; i < seconds; i++) {
        links.take({ type: 'link-stats', id: 1, stats: STATS });
        clock.advance(1000);
      }
    },
  };
}

it('a member stays while the main thread, which reads their session, stands still', async () => {
  const { clock, present, report } = await open();
  report(5);
  clock.advance(60_000);
  expect(present()).toBe(1);
  // Their packets are read after this report.
  report(5);
  expect(present()).toBe(1);
});

it('a member is lost whose session is silent while the main thread is there', async () => {
  const { present, report } = await open();
  report(14);
  expect(present()).toBe(1);
  report(4);
  expect(present()).toBe(0);
});
