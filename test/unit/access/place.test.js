import { describe, expect, it } from 'vitest';
import { PlaceLimit, placeOf } from '../../../server/access/place.js';

describe('the place of a session', () => {
  it.each([
    ['192.0.2.7:4433', '192.0.2.7'],
    ['192.0.2.7', '192.0.2.7'],
    ['[::ffff:192.0.2.7]:80', '192.0.2.7'],
    ['[2001:db8:1:2:3:4:5:6]:4433', '2001:db8:1:2::/64'],
    ['[2001:DB8:0001:2::9]:1', '2001:db8:1:2::/64'],
    ['[2001:db8::9]:1', '2001:db8:0:0::/64'],
    ['[::1]:5', '0:0:0:0::/64'],
    ['2001:db8:1:2::9', '2001:db8:1:2::/64'],
    ['[fe80::1%eth0]:7', 'fe80:0:0:0::/64'],
    ['[64:ff9b::192.0.2.7]:7', '64:ff9b:0:0::/64'],
    ['?', '?'],
  ])('of %s is %s', (peer, place) => expect(placeOf(peer)).toBe(place));
});

describe('a limit for each place', () => {
  it('lets a burst of each through, and forgets the oldest place beyond the most', () => {
    const limit = new PlaceLimit({ atOnce: 2, perSecond: 1, most: 2 });
    expect([limit.take('a', 0), limit.take('a', 0), limit.take('b', 0)]).toEqual([0, 0, 0]);
    expect(limit.take('a', 0)).toBe(1000);
    expect(limit.take('c', 0)).toBe(0);
    expect(limit.take('a', 0)).toBe(0);
  });
});
