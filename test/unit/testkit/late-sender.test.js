import { expect, it } from 'vitest';
import { LateSender } from '../../../testkit/participants/participant.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

it('the sender sends every nth frame late and unchanged, and counts them', () => {
  const clock = new FakeClock();
  const sent = /** @type {[atMs: number, frame: number][]} */ ([]);
  const startMs = clock.now();
  let isOpen = true;
  const sender = new LateSender(
    { everyFrames: 3, lateMs: 50 },
    ([frame]) => {
      sent.push([clock.now() - startMs, frame]);
      return isOpen;
    },
    clock,
  );
  const buffer = new Uint8Array(1);
  for (let frame = 0; frame < 6; frame++) {
    buffer[0] = frame;
    sender.send(buffer);
    clock.advance(20);
  }
  expect(sent).toEqual([
    [0, 0],
    [20, 1],
    [60, 3],
    [80, 4],
    [90, 2],
  ]);
  isOpen = false;
  clock.advance(50);
  expect(sent.at(-1)).toEqual([150, 5]);
  expect(sender.sentLate).toBe(1);
});
