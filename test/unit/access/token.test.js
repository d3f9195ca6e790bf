import { AccessToken } from 'livekit-server-sdk';
import { SignJWT, UnsecuredJWT } from 'jose';
import { describe, expect, it } from 'vitest';
import { permissionsOf } from '../../../server/state/grant.js';
import { makeToken, MAX_TOKEN_LENGTH, TokenVerifier } from '../../../server/access/token.js';

const SECRET = 'a-secret-of-at-least-32-characters';
const OTHER = 'another-secret-of-32-characters-or-more';
const NOW = 1_800_000_000_000;
const verifier = new TokenVerifier(
  new Map([
    ['main', SECRET],
    ['next', OTHER],
  ]),
  () => NOW,
);
const given = {
  keyId: 'main',
  secret: SECRET,
  room: 'tea',
  name: 'Ann',
  identity: 'ann-1',
  role: /** @type {const} */ ('speaker'),
  ttlSeconds: 60,
  now: NOW,
};
const bytes = (/** @type {string} */ text) => new TextEncoder().encode(text);

/** @param {Record<string, unknown>} claims @param {string} [secret] @param {string} [alg] */
const signed = (claims, secret = SECRET, alg = 'HS256') =>
  new SignJWT({
    iss: 'main',
    sub: 'ann-1',
    exp: NOW / 1000 + 60,
    video: { room: 'tea', roomJoin: true },
    ...claims,
  })
    .setProtectedHeader({ alg })
    .sign(bytes(secret));

describe('a token of aloud', () => {
  it('lets its holder in with its role, name and identity', async () => {
    const admission = await verifier.verify(await makeToken(given), 'tea');
    expect(admission).toMatchObject({
      name: 'Ann',
      grant: { role: 'speaker', identity: 'ann-1', tokenId: expect.any(String) },
    });
    const listener = await verifier.verify(await makeToken({ ...given, role: 'listener' }), 'tea');
    expect(listener).toMatchObject({ grant: { role: 'listener' } });
    const moderator = await verifier.verify(
      await makeToken({ ...given, keyId: 'next', secret: OTHER, role: 'moderator' }),
      'tea',
    );
    expect(moderator).toMatchObject({ grant: { role: 'moderator', withheld: new Set() } });
  });

  it('is for its room, and for a mirror, which nobody else hears', async () => {
    const token = await makeToken(given);
    expect(await verifier.verify(token, 'coffee')).toBe('token-room');
    expect(await verifier.verify(token, null)).toMatchObject({ name: 'Ann' });
  });

  it('ends', async () => {
    const token = await makeToken(given);
    const later = (/** @type {number} */ s) =>
      new TokenVerifier(new Map([['main', SECRET]]), () => NOW + s * 1000).verify(token, 'tea');
    expect(await later(60)).toMatchObject({ name: 'Ann' });
    expect(await later(66)).toBe('token-expired');
    expect(await later(-6)).toBe('token-early');
  });
});

describe('a token that is none of ours', () => {
  it.each([
    ['missing', undefined, 'token-missing'],
    ['empty', '', 'token-missing'],
    ['no JWT', 'abc', 'token-invalid'],
    ['too long', 'a'.repeat(MAX_TOKEN_LENGTH + 1), 'token-invalid'],
    ['of an unknown key', signed({ iss: 'theirs' }), 'token-foreign'],
    ['without a key', signed({ iss: undefined }), 'token-foreign'],
    ['signed with another secret', signed({}, OTHER), 'token-invalid'],
    ['of another algorithm', signed({}, `${SECRET}${SECRET}`, 'HS512'), 'token-invalid'],
    ['without an end', signed({ exp: undefined }), 'token-endless'],
    ['with an end that is no number', signed({ exp: 'never' }), 'token-invalid'],
    ['without an identity', signed({ sub: undefined }), 'token-invalid'],
    ['without a grant', signed({ video: undefined }), 'token-invalid'],
    ['that does not let join', signed({ video: { room: 'tea' } }), 'token-room'],
    ['for no room', signed({ video: { roomJoin: true } }), 'token-room'],
    [
      'with a grant that is no boolean',
      signed({ video: { room: 'tea', roomJoin: true, roomAdmin: 'yes' } }),
      'token-invalid',
    ],
  ])('is refused: %s', async (_what, token, code) => {
    expect(await verifier.verify(await token, 'tea')).toBe(code);
  });

  it('is refused with alg none, however it is written', async () => {
    const claims = {
      iss: 'main',
      sub: 'ann-1',
      exp: NOW / 1000 + 60,
      video: { room: 'tea', roomJoin: true },
    };
    expect(await verifier.verify(new UnsecuredJWT(claims).encode(), 'tea')).toBe('token-invalid');
    const part = (/** @type {object} */ value) =>
      Buffer.from(JSON.stringify(value)).toString('base64url');
    for (const alg of ['none', 'None', 'NONE']) {
      const body = `${part({ alg })}.${part(claims)}.`;
      expect(await verifier.verify(body, 'tea')).toBe('token-invalid');
      expect(await verifier.verify(`${body}AAAA`, 'tea')).toBe('token-invalid');
    }
  });

  it('is refused with any one character of it changed', async () => {
    const token = await makeToken(given);
    for (let i = 0; i < token.length; i += 7) {
      // The last character of a part may have bits that mean nothing.
      if (token[i] === '.' || token[i + 1] === '.' || i === token.length - 1) continue;
      const changed = token.slice(0, i) + (token[i] === 'A' ? 'B' : 'A') + token.slice(i + 1);
      expect(await verifier.verify(changed, 'tea'), `character ${i}`).toBeTypeOf('string');
    }
  });
});

describe("LiveKit's SDK", () => {
  /** @param {import('livekit-server-sdk').VideoGrant} grant */
  async function made(grant) {
    const token = new AccessToken('main', SECRET, { identity: 'bob-1', name: 'Bob', ttl: '1h' });
    token.addGrant({ room: 'tea', roomJoin: true, ...grant });
    const now = new TokenVerifier(new Map([['main', SECRET]]), Date.now);
    const admission = await now.verify(await token.toJwt(), 'tea');
    if (typeof admission === 'string') throw new Error(admission);
    return admission;
  }

  it('makes tokens that let people in', async () => {
    const { name, grant } = await made({});
    expect(name).toBe('Bob');
    expect(grant).toMatchObject({ role: 'speaker', identity: 'bob-1' });
    expect([...permissionsOf(grant.role, grant.withheld)]).toEqual(['speak', 'listen', 'chat']);
  });

  it('gives roles and permissions', async () => {
    const may = async (/** @type {import('livekit-server-sdk').VideoGrant} */ video) => {
      const { grant } = await made(video);
      return [...permissionsOf(grant.role, grant.withheld)];
    };
    expect(await may({ roomAdmin: true })).toEqual([
      'speak',
      'listen',
      'chat',
      'record',
      'moderate',
    ]);
    expect(await may({ canPublish: false })).toEqual(['listen', 'chat']);
    expect(await may({ roomAdmin: true, canPublish: false })).toEqual([
      'listen',
      'chat',
      'record',
      'moderate',
    ]);
    expect(await may({ canPublishData: false, roomRecord: true })).toEqual([
      'speak',
      'listen',
      'record',
    ]);
    expect(await may({ canSubscribe: false })).toEqual(['speak', 'chat']);
  });
});
