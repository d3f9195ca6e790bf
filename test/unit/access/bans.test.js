import { describe, expect, it } from 'vitest';
import { Bans, MAX_BAN_MS } from '../../../server/access/bans.js';
import { FakeClock } from '../../fakes/fake-clock.js';

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

  it('ends by itself, after 30 days at most, and when it is lifted', () => {
    const clock = new FakeClock();
    const bans = new Bans(clock);
    bans.add('tea', 'Ann', ann, 5000);
    bans.add('tea', 'Eve', stranger, Infinity);
    expect(bans.list('tea')).toMatchObject([{ id: '1', name: 'Ann', by: 'identity', seconds: 5 }, { id: '2', by: 'network' }]);
    clock.advance(5000);
    expect(bans.has('tea', { ...ann, network: null })).toBe(false);
    expect(bans.has('tea', stranger)).toBe(true);
    expect(bans.list('tea')).toMatchObject([{ name: 'Eve', seconds: (MAX_BAN_MS - 5000) / 1000 }]);
    expect(bans.remove('coffee', '2')).toBe(false);
    expect(bans.remove('tea', '2')).toBe(true);
    expect(bans.list('tea')).toEqual([]);
  });

  it('keeps so many of a room, the newest', () => {
    const bans = new Bans(new FakeClock());
    for (let i = 0; i < 250; i++) bans.add('tea', 'x', { ...ann, identity: `id-${i}` }, 1000);
    bans.add('coffee', 'x', ann, 1000);
    expect(bans.list('tea').length).toBe(200);
    expect(bans.list('tea')[0].identity).toBe('id-50');
    expect(bans.list('coffee').length).toBe(1);
  });

  it('lists those of all rooms, the newest first, and none that has ended', () => {
    const clock = new FakeClock();
    const bans = new Bans(clock);
    bans.add('tea', 'Ann', ann, 1000);
    bans.add('tea', 'Bob', { ...ann, identity: 'bob' }, 5000);
    bans.add('coffee', 'Eve', stranger, 5000);
    expect(bans.listAll(2).map(({ room, name }) => `${room} ${name}`)).toEqual(['coffee Eve', 'tea Bob']);
    clock.advance(1000);
    expect(bans.listAll(9)).toEqual([
      { room: 'coffee', id: '3', name: 'Eve', by: 'network', identity: null, network: '192.0.2.1', seconds: 4 },
      { room: 'tea', id: '2', name: 'Bob', by: 'identity', identity: 'bob', network: null, seconds: 4 },
    ]);
  });
});
