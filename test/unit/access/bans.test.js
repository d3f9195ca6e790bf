import { describe, expect, it } from 'vitest';
import { grantOf } from '../../../server/access/grants.js';
import { Bans } from '../../../server/access/bans.js';

/** @param {Partial<import('../../../server/access/grants.js').Entrant>} [known] @returns {import('../../../server/access/grants.js').Entrant} */
const entrant = (known = {}) => ({ grant: null, identity: null, name: '', place: '192.0.2.1', password: null, ...known });

/** @param {string} subject @param {string | null} [tokenId] */
const identity = (subject, tokenId = null) => ({ issuer: 'key', subject, tokenId });

function create() {
  let now = 1_000_000;
  const bans = new Bans(() => now);
  return { bans, wait: (/** @type {number} */ seconds) => void (now += 1000 * seconds) };
}

describe('a ban', () => {
  it('by address keeps that place out of that room until its end', () => {
    const { bans, wait } = create();
    bans.add('tea', entrant(), { by: 'address', seconds: 60, label: 'Eve' });
    expect([bans.has('tea', entrant()), bans.has('lab', entrant()), bans.has('tea', entrant({ place: '192.0.2.2' }))]).toEqual([true, false, false]);
    wait(59);
    expect(bans.list('tea')).toEqual([{ id: '1', room: 'tea', by: 'address', label: 'Eve', until: 1_060_000 }]);
    wait(1);
    expect([bans.has('tea', entrant()), bans.list('tea')]).toEqual([false, []]);
  });

  it('by identity holds against the subject and against the token, from anywhere', () => {
    const { bans } = create();
    const eve = entrant({ identity: identity('eve', 't1') });
    expect(bans.add('tea', eve, { by: 'identity', seconds: 60, label: 'Eve' })).toBe('1');
    expect(bans.has('tea', entrant({ identity: identity('eve', 't2'), place: 'elsewhere' }))).toBe(true);
    expect(bans.has('tea', entrant({ identity: identity('mallory', 't1') }))).toBe(true);
    expect(bans.has('tea', entrant({ identity: identity('ann') }))).toBe(false);
    expect(bans.has('tea', entrant({ identity: { ...identity('eve'), issuer: 'other' } }))).toBe(false);
  });

  it('by identity needs one', () => {
    expect(create().bans.add('tea', entrant(), { by: 'identity', seconds: 60, label: 'Eve' })).toBe(null);
  });

  it('by address stops no moderator\'s token, and by identity does', () => {
    const { bans } = create();
    const chair = entrant({ grant: grantOf('moderator'), identity: identity('chair') });
    bans.add('tea', entrant(), { by: 'address', seconds: 60, label: 'Eve' });
    expect(bans.has('tea', chair)).toBe(false);
    bans.add('tea', chair, { by: 'identity', seconds: 60, label: 'Chair' });
    expect(bans.has('tea', chair)).toBe(true);
  });

  it('can be lifted, and goes with its room', () => {
    const { bans } = create();
    for (const place of ['a', 'b']) bans.add('tea', entrant({ place }), { by: 'address', seconds: 60, label: 'Eve' });
    expect([bans.remove('tea', '1'), bans.remove('tea', '1'), bans.remove('lab', '2')]).toEqual([true, false, false]);
    expect(bans.list('tea').length).toBe(1);
    bans.forget('tea');
    expect(bans.has('tea', entrant({ place: 'b' }))).toBe(false);
  });

  it('gives way beyond the most, the oldest first', () => {
    const { bans } = create();
    for (let i = 0; i < 1001; i++) bans.add('tea', entrant({ place: `p${i}` }), { by: 'address', seconds: 60, label: 'Eve' });
    expect(bans.list('tea').length).toBe(1000);
    expect(bans.has('tea', entrant({ place: 'p0' }))).toBe(false);
    for (let room = 0; room < 10; room++) {
      for (let i = 0; i < 1000; i++) bans.add(`r${room}`, entrant({ place: `p${i}` }), { by: 'address', seconds: 60, label: 'Eve' });
    }
    expect(bans.list('tea')).toEqual([]);
    expect(bans.list('r9').length).toBe(1000);
  }, 30_000);
});
