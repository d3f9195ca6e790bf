import { describe, expect, it } from 'vitest';
import { AnswerCache } from '../../../server/http/recordings-api.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

describe('a costly answer', () => {
  it('is made once a second, for each of what is asked', () => {
    const clock = new FakeClock();
    const cache = new AnswerCache(clock);
    let made = 0;
    const make = () => ++made;
    for (let ms = 0; ms < 3000; ms += 10) {
      cache.get('a', make);
      clock.advance(10);
    }
    expect(made).toBe(3);
    expect([cache.get('b', make), cache.get('b', make)]).toEqual([4, 4]);
  });

  it('is made again once its content has changed', () => {
    const cache = new AnswerCache(new FakeClock());
    expect(cache.get('a', () => 1)).toBe(1);
    cache.invalidate('a');
    expect(cache.get('a', () => 2)).toBe(2);
  });

  it('is not kept, where making it failed', () => {
    const cache = new AnswerCache(new FakeClock());
    const fail = () => {
      throw new Error('no');
    };
    expect(() => cache.get('a', fail)).toThrow('no');
    expect(cache.get('a', () => 1)).toBe(1);
  });

  it('makes no heap of answers', () => {
    const cache = new AnswerCache(new FakeClock());
    for (let i = 0; i < 1000; i++) cache.get(String(i), () => i);
    expect(cache.get('0', () => -1)).toBe(0);
    cache.get('one more', () => 0);
    expect(cache.get('0', () => -1)).toBe(-1);
  });
});
