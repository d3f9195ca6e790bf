import { describe, expect, it } from 'vitest';
import { MAX_CONNECTIONS, RATES, Visitors } from '../../../server/http/visitors.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** @param {string} remoteAddress */
const socketFrom = (remoteAddress) => {
  const socket = {
    remoteAddress,
    isDestroyed: false,
    destroy: () => void (socket.isDestroyed = true),
  };
  return /** @type {any} */ (socket);
};

describe('connections of one address', () => {
  it('are as many as it may have; then the oldest that nothing goes on in makes way', () => {
    const visitors = new Visitors();
    const all = Array.from({ length: MAX_CONNECTIONS }, () =>
      visitors.connect(socketFrom('192.0.2.1'), false, 0),
    );
    const [first, second] = /** @type {any[]} */ (all);
    first.answering = {};
    expect(visitors.connect(socketFrom('192.0.2.1'), false, 0)).not.toBe(null);
    expect([first.socket.isDestroyed, second.socket.isDestroyed]).toEqual([false, true]);
    expect(visitors.connect(socketFrom('192.0.2.2'), false, 0)).not.toBe(null);
  });

  it('are refused where each has an answer under way, until one ends', () => {
    const visitors = new Visitors();
    const all = Array.from({ length: MAX_CONNECTIONS }, () =>
      visitors.connect(socketFrom('192.0.2.1'), false, 0),
    );
    for (const connection of /** @type {any[]} */ (all)) connection.answering = {};
    expect(visitors.connect(socketFrom('::ffff:192.0.2.1'), false, 0)).toBe(null);
    visitors.disconnect(/** @type {any} */ (all[7]));
    expect(visitors.connect(socketFrom('192.0.2.1'), false, 0)).not.toBe(null);
  });

  it('may be made only so often, all those of an IPv6 /64 together', () => {
    const visitors = new Visitors();
    let made = 0;
    for (let i = 0; i < 5000; i++) {
      const connection = visitors.connect(socketFrom(`2001:db8::${i.toString(16)}`), false, 0);
      if (!connection) continue;
      made += 1;
      visitors.disconnect(connection);
    }
    expect(made).toBe(2000);
    expect(visitors.connect(socketFrom('2001:db8:0:1::1'), false, 0)).not.toBe(null);
    expect(visitors.connect(socketFrom('2001:db8::1'), false, 1000)).not.toBe(null);
  });
});

describe('requests', () => {
  it('of one connection are answered up to its rate, those of an address up to that', () => {
    const visitors = new Visitors();
    const taken = (/** @type {any} */ connection) => {
      let count = 0;
      while (connection.take('api', 0)) count += 1;
      return count;
    };
    const connect = () => visitors.connect(socketFrom('192.0.2.1'), false, 0);
    const { connection: each, address } = RATES.api;
    expect(taken(connect())).toBe(each.atOnce);
    let all = each.atOnce;
    for (let i = 0; i < 30; i++) all += taken(connect());
    expect(all).toBeLessThanOrEqual(address.atOnce);
    expect(all).toBeGreaterThan(address.atOnce - 31);
    expect(taken(visitors.connect(socketFrom('192.0.2.2'), false, 0))).toBe(each.atOnce);
  });

  it('for a page, by fifty people behind one router at once, are answered', () => {
    const visitors = new Visitors();
    for (let person = 0; person < 50; person++) {
      const six = Array.from({ length: 6 }, () =>
        visitors.connect(socketFrom('192.0.2.1'), false, 0),
      );
      for (let file = 0; file < 112; file++) expect(six[file % 6]?.take('file', 0)).toBe(true);
    }
  });
});

describe('a client behind a trusted proxy', () => {
  it('may ask for as much as an address may, by the clock, and so may the next client', () => {
    const [visitors, clock] = [new Visitors(), new FakeClock()];
    const taken = (/** @type {string} */ address) => {
      let count = 0;
      while (visitors.takeFor(address, 'api', clock.now())) count += 1;
      return count;
    };
    const { atOnce, perSecond } = RATES.api.address;
    expect([taken('192.0.2.1'), taken('192.0.2.1'), taken('192.0.2.2')]).toEqual([
      atOnce,
      0,
      atOnce,
    ]);
    clock.advance(500);
    expect(taken('192.0.2.1')).toBe(perSecond / 2);
    // Files have a bucket of their own; those of an IPv6 network share theirs.
    expect(visitors.takeFor('192.0.2.1', 'file', clock.now())).toBe(true);
    expect([taken('2001:db8::1'), taken('2001:db8::2'), taken('2001:db8:0:1::1')]).toEqual([
      atOnce,
      0,
      atOnce,
    ]);
  });

  it('is served over as many proxy connections as its own limit, counted while in use', () => {
    const visitors = new Visitors();
    const proxys = (/** @type {number} */ count) =>
      Array.from(
        { length: count },
        () => /** @type {any} */ (visitors.connect(socketFrom('10.0.0.1'), false, 0, true)),
      );
    const all = proxys(MAX_CONNECTIONS);
    expect(all.every((connection) => visitors.carry(connection, '192.0.2.1'))).toBe(true);
    const [more] = proxys(1);
    expect([visitors.carry(more, '192.0.2.1'), visitors.carry(more, '192.0.2.2')]).toEqual([
      false,
      true,
    ]);
    visitors.release(all[0]);
    expect(visitors.carry(all[0], '192.0.2.1')).toBe(true);
    // One that ends serves nobody any more.
    visitors.disconnect(all[1]);
    visitors.release(more);
    expect(visitors.carry(more, '192.0.2.1')).toBe(true);
    expect(all.some(({ socket }) => socket.isDestroyed)).toBe(false);
  });

  it('is forgotten where there are many: twenty thousand are remembered', () => {
    const visitors = new Visitors();
    while (visitors.takeFor('192.0.2.1', 'api', 0));
    for (let i = 0; i < 25_000; i++)
      visitors.takeFor(`10.${i >> 16}.${(i >> 8) & 255}.${i & 255}`, 'api', 0);
    expect(visitors.size).toBeLessThanOrEqual(20_001);
    expect(visitors.takeFor('192.0.2.1', 'api', 0)).toBe(true);
  });
});
