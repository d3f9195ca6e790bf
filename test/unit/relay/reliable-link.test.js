import { expect, it } from 'vitest';
import { GIVE_UP_MS, InOrder, SentMessages } from '../../../server/relay/reliable-link.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** A receiver of messages. */
function open() {
  const clock = new FakeClock();
  const seen = /** @type {string[]} */ ([]);
  const received = new InOrder(clock, (/** @type {string} */ text) => void seen.push(text));
  return { clock, seen, received };
}

it('messages are handled in order, each once, however they come', () => {
  const { clock, seen, received } = open();
  for (const number of [1, 3, 4, 1, 2, 3, 5]) received.take(number, `m${number}`);
  expect(seen).toEqual(['m1', 'm2', 'm3', 'm4', 'm5']);
  expect(clock.waiting).toBe(0);
});

it('a message that never comes holds up others for 250 ms', () => {
  const { clock, seen, received } = open();
  for (const number of [2, 3, 5]) received.take(number, `m${number}`);
  clock.advance(GIVE_UP_MS - 1);
  expect(seen).toEqual([]);
  clock.advance(1);
  expect(seen).toEqual(['m2', 'm3']);
  clock.advance(GIVE_UP_MS);
  expect(seen).toEqual(['m2', 'm3', 'm5']);
  received.take(4, 'm4');
  expect([seen.length, clock.waiting]).toEqual([3, 0]);
});

it('each missing message has its own time', () => {
  const { clock, seen, received } = open();
  for (const number of [2, 4]) received.take(number, `m${number}`);
  clock.advance(GIVE_UP_MS - 50);
  received.take(1, 'm1');
  clock.advance(100);
  received.take(3, 'm3');
  expect(seen).toEqual(['m1', 'm2', 'm3', 'm4']);
});

it('a closed link handles nothing more, not even what waits', () => {
  const clock = new FakeClock();
  const seen = /** @type {string[]} */ ([]);
  const received = new InOrder(clock, (/** @type {string} */ text) => {
    seen.push(text);
    received.close();
  });
  for (const number of [2, 4, 1]) received.take(number, `m${number}`);
  clock.advance(GIVE_UP_MS);
  received.take(5, 'm5');
  expect([seen, clock.waiting]).toEqual([['m1'], 0]);
});

it('a finished link handles what waits, in order, and nothing more', () => {
  const { clock, seen, received } = open();
  for (const number of [5, 2, 4]) received.take(number, `m${number}`);
  received.finish();
  received.take(6, 'm6');
  expect([seen, clock.waiting]).toEqual([['m2', 'm4', 'm5'], 0]);
});

it('few messages wait for a missing one', () => {
  const { seen, received } = open();
  for (let number = 2; number < 100; number++) received.take(number, `m${number}`);
  expect(seen.length).toBe(98);
});

it('sent messages are repeated for 3 s, the last 64 of them', () => {
  const clock = new FakeClock();
  const published = /** @type {number[]} */ ([]);
  const sent = new SentMessages(clock, ({ number }) => void published.push(number));
  sent.send({ text: 'old' });
  clock.advance(2000);
  sent.send({ text: 'new' });
  sent.again();
  expect(published.splice(0)).toEqual([1, 2, 1, 2]);
  clock.advance(2000);
  sent.again();
  expect(published.splice(0)).toEqual([2]);
  for (let i = 0; i < 100; i++) sent.send({});
  published.length = 0;
  sent.again();
  expect([published[0], published.length]).toEqual([39, 64]);
});
