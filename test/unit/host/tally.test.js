import { expect, it } from 'vitest';
import { Tally } from '../../../server/host/tally.js';

it('a tally tells each host what the others have together', () => {
  const buffer = Tally.create(3);
  const [first, second, third] = [0, 1, 2].map((host) => new Tally(buffer, host));
  first.publish({ present: 1, away: 0, rooms: 1 });
  second.publish({ present: 20, away: 3, rooms: 4 });
  third.publish({ present: 300, away: 0, rooms: 50 });
  expect(first.others()).toEqual({ present: 320, away: 3, rooms: 54 });
  expect(third.others()).toEqual({ present: 21, away: 3, rooms: 5 });
  expect(first.of(1)).toEqual({ present: 20, away: 3, rooms: 4 });
  first.set(1, { present: 0, away: 0, rooms: 0 });
  expect(third.others()).toEqual({ present: 1, away: 0, rooms: 1 });
});
