import { describe, expect, it } from 'vitest';
import { newOf } from '../../../public/ui/settings/devices.js';

const device = (/** @type {string} */ deviceId, label = `device ${deviceId}`) => ({
  deviceId,
  label,
});

describe('a device that comes', () => {
  it('is told of when it was not there before', () => {
    expect(newOf([device('a')], [device('a'), device('b')])).toEqual(device('b'));
    expect(newOf([device('a')], [device('a')])).toBeNull();
    expect(newOf([device('a'), device('b')], [device('b')])).toBeNull();
  });

  it('is not told of where it is the first: that one is taken by itself', () => {
    expect(newOf([], [device('a')])).toBeNull();
  });

  it('is not told of before the browser tells devices apart, nor when it does so first', () => {
    expect(newOf([device('', '')], [device('a'), device('b')])).toBeNull();
    expect(newOf([device('a')], [device('a'), device('b', '')])).toBeNull();
  });

  it('is none that only stands for another', () => {
    expect(
      newOf([device('a')], [device('default'), device('communications'), device('a')]),
    ).toBeNull();
  });
});
