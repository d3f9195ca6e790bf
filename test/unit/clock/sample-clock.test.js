import { expect, it } from 'vitest';
import { ReceivedAudio } from '../../../server/mix/listener.js';
import { SampleClock } from '../../../server/clock/sample-clock.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

it('the sample clock counts from its making, there and back, and another may run behind it', () => {
  const clock = new FakeClock();
  clock.advance(1234.5);
  const samples = new SampleClock(clock, 48000);
  const behind = samples.behind(10);
  expect([samples.now(), behind.now()]).toEqual([0, -480]);
  clock.advance(30 * 24 * 3600 * 1000 + 0.25);
  expect(samples.now()).toBe(30 * 24 * 3600 * 48000 + 12);
  expect(samples.now() - behind.now()).toBe(480);
  for (const each of [samples, behind]) expect(each.msAt(each.now())).toBeCloseTo(clock.now(), 6);
});

it('audio that a listener requests or skips counts once in any order; a pause never counts', () => {
  const heard = new ReceivedAudio(48000);
  expect(heard.ask(0, 960)).toBe(960);
  expect(heard.ask(1920, 960)).toBe(1920);
  expect(heard.ask(960, 960)).toBe(0);
  expect(heard.ask(2880, 960)).toBe(960);
  expect(heard.ask(2880, 960)).toBe(0);
  expect(heard.ask(3840 + 48001, 960)).toBe(960);
});
