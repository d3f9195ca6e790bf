import { describe, expect, it } from 'vitest';
import { LENGTH_BYTES } from '../../../public/shared/wire/stream-packets.js';
import { MIN_GROUP } from '../../../server/mix/recipient-lists.js';
import { SharedFanout } from '../../../server/mix/shared-fanout.js';
import { FakeSession, fakeTransport } from '../../fakes/fake-session.js';

/** @import { Session, SessionGroup } from '../../../server/session/session.js' */

/** A transport with groups, which keep what they were asked. */
function groupingTransport() {
  /** @type {{ sessions: Session[], sent: number[], closed: boolean }[]} */
  const groups = [];
  const createGroup = () => {
    const group = {
      sessions: /** @type {Session[]} */ ([]),
      sent: /** @type {number[]} */ ([]),
      closed: false,
    };
    groups.push(group);
    /** @type {SessionGroup} */
    return {
      set: (sessions) => {
        group.sessions = [...sessions];
        return groups.length <= 2;
      },
      send: (bytes) => void group.sent.push(bytes[0]),
      close: () => void (group.closed = true),
    };
  };
  return { transport: fakeTransport({ createGroup }), groups };
}

/** @param {FakeSession} session @param {number} [redundancy] @returns {any} */
const listenerOf = (session, redundancy = 0) => ({
  session,
  shares: true,
  returns: () => false,
  repeats: () => redundancy,
});

/** @type {any} */
const stream = { write: (/** @type {number} */ redundancy) => new Uint8Array([redundancy]) };

/**
 * @param {SharedFanout} fanout
 * @param {FakeSession[]} sessions
 * @param {number} frame
 * @param {number} [redundancy]
 */
function tick(fanout, sessions, frame, redundancy) {
  fanout.listeners = sessions.map((session) => listenerOf(session, redundancy));
  fanout.settle(frame);
  fanout.send(stream, frame);
}

const sessionsOf = (/** @type {any} */ transport, /** @type {number} */ count) =>
  Array.from({ length: count }, () => new FakeSession(transport));

describe('SharedFanout', () => {
  it('sends to each where there are few, and through a group where there are many', () => {
    const { transport, groups } = groupingTransport();
    const fanout = new SharedFanout();
    const sessions = sessionsOf(transport, MIN_GROUP);
    tick(fanout, sessions.slice(1), 1, 2);
    expect(groups).toHaveLength(0);
    expect(sessions.map(({ packets }) => packets.length)).toEqual([
      0,
      ...Array(MIN_GROUP - 1).fill(1),
    ]);
    tick(fanout, sessions, 2, 2);
    expect(groups).toMatchObject([{ sent: [2], closed: false }]);
    expect(groups[0].sessions).toEqual(sessions);
    expect(sessions[1].packets).toHaveLength(1);
    expect(fanout.size).toBe(MIN_GROUP);
  });

  it('gives a group back when few are left, and when it is closed', () => {
    const { transport, groups } = groupingTransport();
    const fanout = new SharedFanout();
    const sessions = sessionsOf(transport, MIN_GROUP);
    tick(fanout, sessions, 1);
    tick(fanout, sessions.slice(1), 2);
    expect(groups).toMatchObject([{ closed: true, sent: [0] }]);
    expect(sessions[1].packets).toHaveLength(1);
    tick(fanout, sessions, 3);
    expect(groups[1].closed).toBe(false);
    fanout.close();
    fanout.close();
    expect(groups[1].closed).toBe(true);
  });

  it('sends to each where the transport has no more groups', () => {
    const { transport, groups } = groupingTransport();
    const fanout = new SharedFanout();
    const sessions = sessionsOf(transport, MIN_GROUP);
    for (let redundancy = 0; redundancy < 3; redundancy++)
      tick(fanout, sessions, redundancy, redundancy);
    expect(groups[2]).toMatchObject({ sent: [], closed: true });
    expect(sessions[0].packets).toHaveLength(1);
  });

  it('sends near listeners packets thrice, steady ones once reliably, new ones recent ones', () => {
    const fanout = new SharedFanout();
    /** @type {any} */
    const mix = {
      endsSound: false,
      isSparse: false,
      frame: 0,
      leavesOut: () => 0,
      write: () => new Uint8Array([255]),
      writeStride: () => new Uint8Array([mix.frame]),
    };
    const sure = /** @type {number[]} */ ([]);
    const lightOf = (/** @type {string} */ carriage) => {
      const session = Object.assign(new FakeSession(fakeTransport()), {
        surely: { send: (/** @type {Uint8Array} */ framed) => sure.push(framed[LENGTH_BYTES]) },
      });
      return /** @type {any} */ ({ session, carriage, stride: 3, longStride: 3, repeats: 2 });
    };
    const [near, steady, late] = [lightOf('thrice'), lightOf('surely'), lightOf('surely')];
    fanout.addLight(near);
    fanout.addLight(steady);
    const pass = (/** @type {number} */ from, /** @type {number} */ to) => {
      for (mix.frame = from; mix.frame < to; mix.frame++) {
        fanout.settle(mix.frame);
        fanout.send(mix, mix.frame);
      }
    };
    pass(0, 12);
    expect(near.session.packets.map((/** @type {Uint8Array} */ [frame]) => frame)).toEqual([
      2, 2, 5, 2, 5, 8, 5, 8, 11,
    ]);
    expect(sure).toEqual([2, 5, 8, 11]);
    expect(steady.session.packets).toEqual([]);
    // In a silence packets are far apart, and what is before it isn't sent again.
    mix.isSparse = true;
    pass(21, 22);
    expect(near.session.packets.map((/** @type {Uint8Array} */ [frame]) => frame).slice(9)).toEqual(
      [21],
    );
    fanout.addLight(late);
    sure.length = 0;
    fanout.fill(late, 250, 20);
    expect(sure).toEqual([8, 11, 21]);
    fanout.close();
  });
});
