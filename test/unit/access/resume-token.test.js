import { compactVerify } from 'jose';
import { describe, expect, it } from 'vitest';
import { OPEN_GRANT } from '../../../server/state/grant.js';
import { MAX_RESUME_LENGTH } from '../../../public/shared/limits.js';
import { RENEW_MS, ResumeTokens } from '../../../server/access/resume-token.js';

const KEY = 'a key of the cluster, the same for all';
const NOW = 1_800_000_000_000;

/** The tokens of a node. @param {{ key?: string, at?: number, awayMs?: number }} [options] */
const node = ({ key = KEY, at = NOW, awayMs = 30_000 } = {}) =>
  new ResumeTokens({ key, wallNow: () => at, awayMs });

/** @type {import('../../../server/access/resume-token.js').Place} */
const ann = {
  room: 'tea',
  key: 'abc',
  id: '7',
  name: 'Ann',
  label: 'Ann (2)',
  role: 'listener',
  muted: true,
  silenced: true,
  hand: 3,
  group: 2,
  language: 'pt-BR',
  epoch: 12,
  issuedMs: NOW,
  settings: { frameMs: 10, channels: 2, mode: 'forward', e2e: true },
  grant: {
    role: 'moderator',
    withheld: new Set(/** @type {const} */ (['chat', 'record'])),
    identity: 'ann-1',
    tokenId: 'one',
  },
};

describe('a resume token', () => {
  it('says on another node what makes the place', () => {
    expect(node().readTaken(node().sign(ann), 'tea', 0)).toEqual(ann);
    const bob = {
      ...ann,
      grant: OPEN_GRANT,
      role: /** @type {const} */ ('speaker'),
      muted: false,
      silenced: false,
      hand: 0,
      language: null,
      epoch: 0,
      settings: { frameMs: undefined, channels: undefined, mode: undefined, e2e: undefined },
    };
    expect(node().readTaken(node().sign(bob), 'tea', 1)).toEqual(bob);
  });

  it('is a JWS, which others can check too', async () => {
    const { payload } = await compactVerify(node().sign(ann), new TextEncoder().encode(KEY));
    expect(JSON.parse(new TextDecoder().decode(payload))).toMatchObject({
      r: 'tea',
      i: '7',
      n: 'Ann',
    });
  });

  it('fits, whatever the names', () => {
    const long = '\u{1f469}'.repeat(40);
    const token = node().sign({
      ...ann,
      room: 'r'.repeat(64),
      name: long,
      label: `${long} (100)`,
      grant: { ...ann.grant, identity: 'é'.repeat(256), tokenId: 'j'.repeat(256) },
    });
    expect(token.length).toBeLessThan(MAX_RESUME_LENGTH);
    expect(node().read(token, 'r'.repeat(64))?.name).toBe(long);
  });

  it('is nothing with another key, in another room, or when it was changed', () => {
    const token = node().sign(ann);
    expect(node({ key: 'the key of somebody else' }).read(token, 'tea')).toBe(null);
    expect(node().read(token, 'lab')).toBe(null);
    for (let at = 0; at < token.length; at += 3) {
      const changed = `${token.slice(0, at)}${token[at] === 'A' ? 'B' : 'A'}${token.slice(at + 1)}`;
      // The last letter has two bits that mean nothing.
      if (at < token.length - 1) expect(node().read(changed, 'tea')).toBe(null);
    }
    for (const text of [
      undefined,
      '',
      'A',
      '..',
      token.slice(0, -4),
      `${token}.`,
      'x'.repeat(5000),
    ])
      expect(node().read(text, 'tea')).toBe(null);
    const [, payload] = token.split('.');
    const unsigned = `${Buffer.from('{"alg":"none"}').toString('base64url')}.${payload}.`;
    expect(node().read(unsigned, 'tea')).toBe(null);
  });

  it('is believed elsewhere for as long as a place is kept', () => {
    const token = node().sign(ann);
    const after = (/** @type {number} */ ms) => node({ at: NOW + ms }).readTaken(token, 'tea', 13);
    expect(after(30_000 + RENEW_MS)).not.toBe(null);
    expect(after(60_000)).toBe(null);
    // From a node whose clock is ahead.
    expect(after(-4000)).not.toBe(null);
    expect(after(-10_000)).toBe(null);
    // The place itself knows it for longer.
    expect(node({ at: NOW + 600_000 }).read(token, 'tea')).not.toBe(null);
  });

  it('is of no use in the very room that its holder was taken out of', () => {
    const token = node().sign(ann);
    expect([11, 12, 13].map((epoch) => node().readTaken(token, 'tea', epoch)?.id)).toEqual([
      undefined,
      undefined,
      '7',
    ]);
  });

  it('is of one process alone without a cluster', () => {
    const [one, other] = [new ResumeTokens(), new ResumeTokens()];
    const token = one.sign(ann);
    expect(one.read(token, 'tea')).not.toBe(null);
    expect(one.readTaken(token, 'tea', 0)).toBe(null);
    expect(other.read(token, 'tea')).toBe(null);
  });
});
