import { describe, expect, it } from 'vitest';
import { Labels } from '../../../../server/room/people/labels.js';

/** @param {Labels} labels @param {string} name */
function take(labels, name) {
  const label = labels.labelFor(name);
  labels.take(name, label);
  return label;
}

describe('Labels', () => {
  it('gives the least number that is free, also behind names that have a number themselves', () => {
    const labels = new Labels();
    expect(['Ada', 'Ada', 'Ada (3)', 'Ada'].map((name) => take(labels, name))).toEqual([
      'Ada',
      'Ada (2)',
      'Ada (3)',
      'Ada (4)',
    ]);
    labels.free('Ada', 'Ada (2)');
    expect(take(labels, 'Ada')).toBe('Ada (2)');
    labels.free('Ada', 'Ada');
    expect(take(labels, 'Ada')).toBe('Ada');
    expect(take(labels, 'Ada')).toBe('Ada (5)');
  });

  it('looks at few of a thousand of one name', () => {
    const labels = new Labels();
    let looked = 0;
    const has = Set.prototype.has;
    Set.prototype.has = function (value) {
      looked += 1;
      return has.call(this, value);
    };
    try {
      for (let i = 0; i < 1000; i++) take(labels, 'Guest');
    } finally {
      Set.prototype.has = has;
    }
    expect(labels.labelFor('Guest')).toBe('Guest (1001)');
    expect(looked).toBeLessThan(5000);
  });
});
