import { describe, expect, it } from 'vitest';
import { Bans, MAX_BAN_MS } from '../../../server/access/bans.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

const ann = { identity: 'ann', tokenId: 'token-1', network: '192.0.2.1' };
const stranger = { identity: null, tokenId: null, network: '192.0.2.1' };

describe('Bans', () => {
  it('holds against the same token, and against another one of the same identity', () => {
    const bans = new Bans(new FakeClock());
    expect(bans.add('tea', 'Ann', ann, 1000)).toBe(true);
    expect(bans.has('tea', ann)).toBe(true);
    expect(bans.has('tea', { ...ann, tokenId: 'token-2', network: '198.51.100.1' })).toBe(true);
    expect(bans.has('tea', { ...ann, identity: 'other' })).toBe(true);
    expect(bans.has('coffee', ann)).toBe(false);
    // The neighbours of one who has a token aren't banned.
    expect(bans.has('tea', stranger)).toBe(false);
  });

  it('bans by network where there is no token, and not at all where there is no network', () => {
    const bans = new Bans(new FakeClock());
    expect(bans.add('tea', 'Eve', stranger, 1000)).toBe(true);
    expect(bans.has('tea', stranger)).toBe(true);
    expect(bans.has('tea', { ...stranger, network: '192.0.2.2' })).toBe(false);
    expect(bans.add('tea', 'Eve', { ...stranger, network: null }, 1000)).toBe(false);
    expect(bans.has('tea', { ...stranger, network: null })).toBe(false);
  });

  it('forgets a ban after 30 days at most, and when it is lifted', () => {
    const clock = new FakeClock();
    const bans = new Bans(clock);
    bans.add('tea', 'Ann', ann, 5000);
    bans.add('tea', 'Eve', stranger, Infinity);
    expect(bans.list('tea')).toMatchObject([
      { id: '1', name: 'Ann', by: 'identity', seconds: 5 },
      { id: '2', by: 'network' },
    ]);
    clock.advance(5000);
    expect(bans.has('tea', { ...ann, network: null })).toBe(false);
    expect(bans.has('tea', stranger)).toBe(true);
    expect(bans.list('tea')).toMatchObject([{ name: 'Eve', seconds: (MAX_BAN_MS - 5000) / 1000 }]);
    expect(bans.remove('coffee', '2')).toBe(false);
    expect(bans.remove('tea', '2')).toBe(true);
    expect(bans.list('tea')).toEqual([]);
  });

  it('keeps the newest of a room, up to its limit', () => {
    const bans = new Bans(new FakeClock());
    for (let i = 0; i < 250; i++) bans.add('tea', 'x', { ...ann, identity: `id-${i}` }, 1000);
    bans.add('coffee', 'x', ann, 1000);
    expect(bans.list('tea').length).toBe(200);
    expect(bans.list('tea')[0].identity).toBe('id-50');
    expect(bans.list('coffee').length).toBe(1);
  });

  it('limits bans across rooms by dropping the oldest of the fullest room only', () => {
    const clock = new FakeClock();
    const bans = new Bans(clock);
    bans.add('tea', 'Ann', ann, 5000);
    bans.add('tea', 'Eve', stranger, 5000);
    for (let i = 0; i < 12_000; i++)
      bans.add(`filled-${i % 60}`, 'x', { ...ann, identity: `id-${i}` }, 9000);
    expect(bans.list('tea').map(({ name }) => name)).toEqual(['Ann', 'Eve']);
    expect([bans.has('tea', ann), bans.has('tea', stranger)]).toEqual([true, true]);
    const all = bans.listAll(20_000);
    expect(all.length).toBe(10_000);
    expect(all[0]).toMatchObject({ room: 'filled-59', identity: 'id-11999' });
    // The newest of each filled room are kept.
    const own = bans.list('filled-0').map(({ identity }) => identity);
    expect(own.length).toBeGreaterThanOrEqual(166);
    expect(own).toEqual(Array.from(own, (_, i) => `id-${11_940 - 60 * (own.length - 1 - i)}`));

    clock.advance(5000);
    expect([bans.has('tea', ann), bans.listAll(20_000).length]).toEqual([false, 9998]);
    clock.advance(4000);
    expect(bans.listAll(20_000)).toEqual([]);
    // There is room again.
    for (const room of ['tea', 'coffee']) bans.add(room, 'Eve', stranger, 1000);
    expect(bans.listAll(9).map(({ room }) => room)).toEqual(['coffee', 'tea']);
  });

  it('ends each at its time, in whichever room, and after another was lifted', () => {
    const clock = new FakeClock();
    const bans = new Bans(clock);
    bans.add('tea', 'Ann', ann, 1000);
    bans.add('coffee', 'Bob', { ...ann, identity: 'bob' }, 2000);
    expect(bans.remove('tea', '1')).toBe(true);
    clock.advance(1000);
    expect(bans.has('tea', ann)).toBe(false);
    expect(bans.has('coffee', { ...ann, identity: 'bob' })).toBe(true);
    clock.advance(1000);
    expect(bans.has('coffee', { ...ann, identity: 'bob' })).toBe(false);
    bans.add('tea', 'Ann', ann, 1000);
    clock.advance(999);
    expect(bans.has('tea', ann)).toBe(true);
    clock.advance(1);
    expect(bans.has('tea', ann)).toBe(false);
  });

  it('lists those of all rooms, the newest first, and none that has ended', () => {
    const clock = new FakeClock();
    const bans = new Bans(clock);
    bans.add('tea', 'Ann', ann, 1000);
    bans.add('tea', 'Bob', { ...ann, identity: 'bob' }, 5000);
    bans.add('coffee', 'Eve', stranger, 5000);
    expect(bans.listAll(2).map(({ room, name }) => `${room} ${name}`)).toEqual([
      'coffee Eve',
      'tea Bob',
    ]);
    clock.advance(1000);
    expect(bans.listAll(9)).toEqual([
      {
        room: 'coffee',
        id: '3',
        name: 'Eve',
        by: 'network',
        identity: null,
        network: '192.0.2.1',
        seconds: 4,
      },
      {
        room: 'tea',
        id: '2',
        name: 'Bob',
        by: 'identity',
        identity: 'bob',
        network: null,
        seconds: 4,
      },
    ]);
  });
});

describe('bans of several nodes', () => {
  it('are listed in their order, and keep the id that another node has given', () => {
    const ids = ['90', '7'];
    const bans = new Bans(new FakeClock(), undefined, () => ids.shift() ?? '');
    bans.add('tea', 'Ann', ann, 5000);
    bans.add('tea', 'Eve', stranger, 5000);
    bans.add('tea', 'Bob', { ...ann, identity: 'bob' }, 5000, '55');
    expect(bans.listAll(9).map(({ id, name }) => `${id} ${name}`)).toEqual([
      '55 Bob',
      '7 Eve',
      '90 Ann',
    ]);
    expect(bans.export('tea', 1)).toMatchObject([{ id: '55', name: 'Bob' }]);
    // Never in place of another ban.
    ids.push('8');
    bans.add('tea', 'Cid', { ...ann, identity: 'cid' }, 5000, '55');
    expect(bans.list('tea').map(({ name }) => name)).toEqual(['Ann', 'Eve', 'Bob', 'Cid']);
  });
});

describe('bans of several threads', () => {
  it('tell each other what was added and lifted, with the time that is left', () => {
    const [clock, other] = [new FakeClock(), new FakeClock()];
    other.advance(1_000_000);
    const copy = new Bans(other);
    const bans = new Bans(clock, (change) => copy.heard(structuredClone(change)));
    bans.add('tea', 'Ann', ann, 5000);
    bans.add('tea', 'Eve', stranger, 9000);
    expect(copy.list('tea')).toEqual(bans.list('tea'));
    expect(copy.has('tea', { ...ann, network: null })).toBe(true);
    bans.remove('tea', '1');
    expect(copy.has('tea', { ...ann, network: null })).toBe(false);
    other.advance(9000);
    expect(copy.has('tea', stranger)).toBe(false);
  });

  it('stay lifted when they are told again, and are forgotten a thousand later', () => {
    const clock = new FakeClock();
    const [bans, copy] = [new Bans(clock), new Bans(clock)];
    bans.add('tea', 'Ann', ann, 5000);
    const [told] = bans.all();
    bans.remove('tea', '1');
    bans.heard(structuredClone(told));
    expect(bans.add('tea', 'Ann', ann, 5000, '1')).toBe(false);
    // A change that overtakes the ban, too.
    for (const change of [...bans.all(), told]) copy.heard(structuredClone(change));
    expect([bans.list('tea'), copy.list('tea')]).toEqual([[], []]);
    expect(copy.add('tea', 'Eve', stranger, 5000)).toBe(true);
    expect(copy.list('tea')[0].id).toBe('2');
    for (let i = 0; i < 1000; i++) bans.heard({ type: 'unban', room: 'tea', id: String(10 + i) });
    bans.heard(structuredClone(told));
    expect(bans.list('tea')).toHaveLength(1);
    expect(bans.all()).toHaveLength(1001);
  });

  it('are handed over to one that is new, and no id is given twice', () => {
    const clock = new FakeClock();
    const bans = new Bans(clock);
    bans.add('tea', 'Ann', ann, 5000);
    const copy = new Bans(clock);
    for (const change of bans.all()) copy.heard(structuredClone(change));
    copy.add('tea', 'Eve', stranger, 5000);
    expect(copy.list('tea').map(({ id, name }) => `${id} ${name}`)).toEqual(['1 Ann', '2 Eve']);
  });
});
