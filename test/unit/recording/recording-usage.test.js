import { describe, expect, it } from 'vitest';
import { RecordingUsage } from '../../../server/recording/recording-usage.js';

const NETWORK = '192.0.2.1';
/** @param {string} room @param {string | null} [identity] @param {string | null} [network] */
const owner = (room, identity = null, network = NETWORK) => ({ room, identity, network });

describe('the share of the space for recordings', () => {
  it('of a network without tokens is four times what is free, in however many rooms', () => {
    const usage = new RecordingUsage(1000);
    usage.set('a', owner('tea'), 400);
    usage.set('b', owner('coffee'), 400);
    expect(usage.refusal(owner('milk'))).toBe(null);
    usage.add('b', 1);
    expect(usage.refusal(owner('milk'))).toBe('recording-share');
    expect(usage.refusal(owner('milk', null, '192.0.2.2'))).toBe(null);
    expect(usage.refusal(owner('milk', null, null))).toBe(null);
  });

  it('of a person with a token is four times what is free, from wherever they come', () => {
    const usage = new RecordingUsage(1000);
    usage.set('a', owner('tea', 'ann', '192.0.2.1'), 400);
    usage.set('b', owner('coffee', 'ann', '192.0.2.2'), 401);
    expect(usage.refusal(owner('milk', 'ann', '192.0.2.3'))).toBe('recording-share');
    expect(usage.refusal(owner('milk', 'ann', null))).toBe('recording-share');
  });

  it('of others behind their address stays: with a token, and without', () => {
    const usage = new RecordingUsage(1000);
    usage.set('a', owner('tea', 'ann'), 850);
    expect(usage.refusal(owner('coffee', 'ann'))).toBe('recording-share');
    expect(usage.refusal(owner('coffee', 'bob'))).toBe(null);
    expect(usage.refusal(owner('coffee'))).toBe(null);
    // The room still has its share, for any starter.
    expect(usage.refusal(owner('tea', 'bob'))).toBe('recording-share');
  });

  it('of a network without tokens doesn’t grow by what its people with tokens record', () => {
    const usage = new RecordingUsage(1000);
    usage.set('a', owner('tea'), 500);
    usage.set('b', owner('coffee', 'ann'), 370);
    expect(usage.refusal(owner('milk', 'ann'))).toBe(null);
    expect(usage.refusal(owner('milk', 'bob'))).toBe(null);
    expect(usage.refusal(owner('milk'))).toBe(null);
    usage.add('b', 6);
    expect(usage.refusal(owner('milk'))).toBe('recording-share');
    expect(usage.refusal(owner('milk', 'ann'))).toBe(null);
  });

  it('isn’t a network’s for one whose `sub` is its address', () => {
    const usage = new RecordingUsage(1000);
    usage.set('a', owner('tea', NETWORK), 850);
    expect(usage.refusal(owner('coffee'))).toBe(null);
  });

  it('is free again once recordings are deleted', () => {
    const usage = new RecordingUsage(1000);
    usage.set('a', owner('tea', 'ann'), 850);
    usage.remove('a');
    expect(usage.refusal(owner('tea', 'ann'))).toBe(null);
    expect([usage.bytes, usage.count]).toEqual([0, 0]);
    usage.set('b', owner('tea'), 1000);
    expect(usage.refusal(owner('coffee', 'ann'))).toBe('recording-limit');
  });
});
