import { createHmac } from 'node:crypto';
import { UnsecuredJWT, SignJWT } from 'jose';
import { AccessToken } from 'livekit-server-sdk';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { Tokens } from '../../../server/access/tokens.js';

const SECRET = 'a-secret-of-more-than-32-characters';
const OTHER = 'another-secret-of-more-than-32-chars';
const NOW_S = 1_700_000_000;

const tokens = () => new Tokens([`key:${SECRET}`, `second:${OTHER}`], () => 1000 * NOW_S);

const video = { room: 'tea', roomJoin: true };
const claims = { iss: 'key', sub: 'ann', exp: NOW_S + 60, video };

/** @param {Record<string, unknown>} payload @param {{ secret?: string, header?: object }} [options] */
function signed(payload, { secret = SECRET, header = { alg: 'HS256', typ: 'JWT' } } = {}) {
  const text = [header, payload].map((part) => Buffer.from(JSON.stringify(part)).toString('base64url')).join('.');
  return `${text}.${createHmac('sha256', secret).update(text).digest('base64url')}`;
}

/** @param {Record<string, unknown>} changes */
const changed = (changes) => signed(JSON.parse(JSON.stringify({ ...claims, ...changes })));

describe('a token', () => {
  it('lets its bearer into its room, with its name, identity and grant', async () => {
    const bearer = await tokens().read(signed({ ...claims, name: 'Ann', jti: 't1' }), 'tea');
    expect(bearer).toMatchObject({ name: 'Ann', identity: { issuer: 'key', subject: 'ann', tokenId: 't1' }, grant: { role: 'speaker' } });
  });

  it('may be signed with any of the keys, by that key\'s id', async () => {
    expect(await tokens().read(signed({ ...claims, iss: 'second' }, { secret: OTHER }), 'tea')).toMatchObject({ grant: { role: 'speaker' } });
    expect(await tokens().read(signed({ ...claims, iss: 'second' }), 'tea')).toBe('token-invalid');
  });

  it('is for its room alone, or for a mirror', async () => {
    expect(await tokens().read(signed(claims), 'lab')).toBe('token-room');
    expect(await tokens().read(signed(claims), 'Tea')).toBe('token-room');
    expect(await tokens().read(signed(claims), null)).toMatchObject({ grant: { role: 'speaker' } });
  });

  it.each([
    ['that is missing', undefined, 'token-needed'],
    ['that is empty', '', 'token-needed'],
    ['that is no token', 'a.b.c', 'token-invalid'],
    ['that is too long', `${signed(claims)}${'A'.repeat(4096)}`, 'token-invalid'],
    ['that has expired', changed({ exp: NOW_S - 11 }), 'token-expired'],
    ['that isn\'t valid yet', changed({ nbf: NOW_S + 11 }), 'token-early'],
    ['without exp', changed({ exp: undefined }), 'token-invalid'],
    ['whose exp is a text', changed({ exp: String(NOW_S + 60) }), 'token-invalid'],
    ['whose exp is endless', signed({ ...claims, exp: null }), 'token-invalid'],
    ['without sub', changed({ sub: undefined }), 'token-invalid'],
    ['without iss', changed({ iss: undefined }), 'token-invalid'],
    ['of an unknown key', changed({ iss: 'nobody' }), 'token-invalid'],
    ['of a key that every object has', changed({ iss: '__proto__' }), 'token-invalid'],
    ['of a foreign secret', signed(claims, { secret: OTHER }), 'token-invalid'],
    ['of alg none', new UnsecuredJWT(claims).encode(), 'token-invalid'],
    ['of alg none, with a signature', signed(claims, { header: { alg: 'none' } }), 'token-invalid'],
    ['of another algorithm', signed(claims, { header: { alg: 'HS512' } }), 'token-invalid'],
    ['with a critical header', signed(claims, { header: { alg: 'HS256', crit: ['x'], x: 1 } }), 'token-invalid'],
    ['without a video claim', changed({ video: undefined }), 'token-invalid'],
    ['whose video claim is of another kind', changed({ video: { ...video, canPublish: 'yes' } }), 'token-invalid'],
    ['that doesn\'t let one join', changed({ video: { room: 'tea' } }), 'token-room'],
    ['without a room', changed({ video: { roomJoin: true } }), 'token-room'],
  ])('%s is refused', async (_, token, code) => expect(await tokens().read(token, 'tea')).toBe(code));

  it('has ten seconds for clocks that differ', async () => {
    expect(await tokens().read(changed({ exp: NOW_S - 9, nbf: NOW_S + 9 }), 'tea')).toMatchObject({ grant: {} });
  });

  it('that is tampered with anywhere is refused', async () => {
    const good = signed(claims);
    const reader = tokens();
    await fc.assert(
      fc.asyncProperty(fc.nat(good.length - 2), fc.constantFrom(...'AZaz09-_.'), async (at, letter) => {
        if (good[at] === letter) return;
        expect(await reader.read(good.slice(0, at) + letter + good.slice(at + 1), 'tea')).toBe('token-invalid');
      }),
      { seed: 5, numRuns: 300 },
    );
  });

  it('that is any text is refused, and nothing is thrown', async () => {
    const reader = tokens();
    await fc.assert(
      fc.asyncProperty(fc.oneof(fc.string(), fc.json().map((json) => `${Buffer.from(json).toString('base64url')}.e30.x`)), async (text) => {
        expect(await reader.read(text, 'tea')).toMatch(/^token-/);
      }),
      { seed: 6 },
    );
  });
});

describe('a token that is made here', () => {
  it.each(/** @type {const} */ (['moderator', 'speaker', 'listener']))('makes its bearer a %s', async (role) => {
    const token = await tokens().make({ room: 'tea', name: 'Ann', subject: 'ann', role, seconds: 60 });
    expect(await tokens().read(token, 'tea')).toMatchObject({ name: 'Ann', grant: { role }, identity: { issuer: 'key', subject: 'ann' } });
    const later = new Tokens([`key:${SECRET}`], () => 1000 * (NOW_S + 71));
    expect(await later.read(token, 'tea')).toBe('token-expired');
  });

  it('can be signed with a key that is named, if there is one', async () => {
    const wish = { room: 'tea', name: 'Ann', subject: 'ann', role: /** @type {const} */ ('speaker'), seconds: 60 };
    expect(await tokens().read(await tokens().make({ ...wish, key: 'second' }), 'tea')).toMatchObject({ identity: { issuer: 'second' } });
    await expect(tokens().make({ ...wish, key: 'third' })).rejects.toThrow(RangeError);
  });
});

describe('a token that LiveKit\'s SDK makes', () => {
  const wallTokens = new Tokens([`key:${SECRET}`], Date.now);

  /** @param {Partial<import('livekit-server-sdk').VideoGrant>} grant @param {object} [options] */
  async function minted(grant, options) {
    const token = new AccessToken('key', SECRET, { identity: 'ann', name: 'Ann', ...options });
    token.addGrant({ roomJoin: true, room: 'tea', ...grant });
    return token.toJwt();
  }

  it.each(/** @type {const} */ ([
    [{}, 'speaker', ['record']],
    [{ roomAdmin: true }, 'moderator', []],
    [{ canPublish: false, canPublishData: true }, 'listener', ['record']],
    [{ canSubscribe: false, roomRecord: true }, 'speaker', ['listen']],
    [{ canPublishSources: [2] }, 'speaker', ['record']],
    [{ canPublishSources: [1] }, 'listener', ['record']],
  ]))('with %j is a token here', async (grant, role, without) => {
    const bearer = /** @type {any} */ (await wallTokens.read(await minted(/** @type {any} */ (grant)), 'tea'));
    expect(bearer).toMatchObject({ name: 'Ann', identity: { subject: 'ann' }, grant: { role } });
    expect([...bearer.grant.without]).toEqual(without);
  });

  it('is refused for another room, or without leave to join', async () => {
    expect(await wallTokens.read(await minted({ room: 'lab' }), 'tea')).toBe('token-room');
    expect(await wallTokens.read(await minted({ roomJoin: false }), 'tea')).toBe('token-room');
  });

  it('can be read by anybody who reads LiveKit\'s: claims and signature are the same', async () => {
    const { TokenVerifier } = await import('livekit-server-sdk');
    const ours = await wallTokens.make({ room: 'tea', name: 'Ann', subject: 'ann', role: 'moderator', seconds: 60 });
    expect(await new TokenVerifier('key', SECRET).verify(ours)).toMatchObject({ sub: 'ann', name: 'Ann', video: { room: 'tea', roomJoin: true, roomAdmin: true } });
    await expect(new TokenVerifier('key', OTHER).verify(ours)).rejects.toThrow();
  });

  it('of ten thousand years is read too', async () => {
    const token = await new SignJWT({ video }).setProtectedHeader({ alg: 'HS256' }).setIssuer('key').setSubject('a').setExpirationTime('10000y').sign(Buffer.from(SECRET));
    expect(await wallTokens.read(token, 'tea')).toMatchObject({ grant: { role: 'speaker' } });
  });
});
