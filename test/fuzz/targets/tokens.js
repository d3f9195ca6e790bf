/** @import { Target } from '../target.js' */

import { createHmac } from 'node:crypto';
import { errors } from '../../../public/shared/errors.js';
import { ROLES } from '../../../public/shared/limits.js';
import { TokenVerifier } from '../../../server/access/token.js';
import { bytesOf, check } from '../target.js';

const SECRET = 'a secret of 32 bytes and some more';

/** The time of the test, in milliseconds and seconds since 1970. */
const NOW_MS = 1_800_000_000_000;
const NOW = NOW_MS / 1000;

const ROOM = 'lab';

const verifier = new TokenVerifier(new Map([['main', SECRET]]), () => NOW_MS);
const fromUtf8 = new TextDecoder();

/** @param {string} text */
const base64 = (text) => Buffer.from(text, 'utf8').toString('base64url');

/**
 * A token of the server's own key (RFC 7515, section 3.1), whatever it says.
 * @param {string} header
 * @param {string} claims
 */
function sign(header, claims) {
  const signed = `${base64(header)}.${base64(claims)}`;
  return `${signed}.${createHmac('sha256', SECRET).update(signed).digest('base64url')}`;
}

const HEADER = '{"alg":"HS256","typ":"JWT"}';

/** @param {object} [own] @param {object} [video] */
const claimsOf = (own, video) =>
  JSON.stringify({
    iss: 'main',
    sub: 'ada-1',
    jti: 'one',
    name: 'Ada',
    nbf: NOW,
    exp: NOW + 600,
    video: { room: ROOM, roomJoin: true, ...video },
    ...own,
  });

/** Tokens that open the room. */
const good = [
  claimsOf(),
  claimsOf({}, { roomAdmin: true, roomRecord: true }),
  claimsOf({ jti: undefined }, { canPublish: false, canSubscribe: false, canPublishData: false }),
];

/** Tokens that don't. */
const bad = [
  claimsOf({ exp: NOW - 600 }),
  claimsOf({ nbf: NOW + 600 }),
  claimsOf({ exp: undefined }),
  claimsOf({ iss: 'other' }),
  claimsOf({ sub: '' }),
  claimsOf({ aud: ['a', 'b'], iat: NOW, exp: 1e300 }),
  claimsOf({}, { room: 'other' }),
  claimsOf({ video: null }),
  '[]',
  'null',
];

const HEADERS = [
  '{"alg":"none"}',
  '{"alg":"HS512"}',
  '{"alg":"RS256"}',
  '{"alg":"HS256","crit":["b64"],"b64":false}',
  '{"alg":"HS256","zip":"DEF"}',
  '{}',
  '[]',
];

/** @param {unknown} answer  of the verifier's */
function checkAnswer(answer) {
  if (typeof answer === 'string')
    return check(answer.startsWith('token-') && answer in errors, `${answer} refuses a token`);
  const { grant, name } = /** @type {import('../../../server/access/token.js').Admission} */ (
    answer
  );
  check(ROLES.includes(grant.role), 'a role is one of those that there are');
  check(
    typeof grant.identity === 'string' && grant.identity.length > 0 && grant.identity.length <= 256,
    'somebody has an identity',
  );
  check(grant.tokenId === null || grant.tokenId.length <= 256, 'a token has a short id, or none');
  check(name === null || name.length <= 256, 'a token names somebody, or nobody');
}

/** @param {string} token */
const withoutSignature = (token) => token.slice(0, token.lastIndexOf('.'));

const made = [
  ...[...good, ...bad].map((claims) => sign(HEADER, claims)),
  ...HEADERS.map((header) => sign(header, good[0])),
];
const welcome = new Set(made.slice(0, good.length));
const signed = new Set(made.map(withoutSignature));
const unsigned = `${base64('{"alg":"none"}')}.${base64(good[0])}.`;

/** A token that nobody signed lets nobody in. @type {Target} */
export const tokens = {
  name: 'tokens',
  cost: 40,
  valid: [...made, unsigned, ''].map(bytesOf),
  async run(input) {
    const token = fromUtf8.decode(input);
    const answer = await verifier.verify(token, ROOM);
    checkAnswer(answer);
    if (typeof answer === 'string')
      check(!welcome.has(token), `a good token is not refused with ${answer}`);
    else check(signed.has(withoutSignature(token)), 'who is let in has a token that was signed');
  },
};

/**
 * A token of the server's own key, header and claims in a line each, is verified or refused.
 * @type {Target}
 */
export const tokenClaims = {
  name: 'token-claims',
  cost: 80,
  valid: [
    ...[...good, ...bad].map((claims) => `${HEADER}\n${claims}`),
    ...HEADERS.map((header) => `${header}\n${good[0]}`),
  ].map(bytesOf),
  async run(input) {
    const [header, ...claims] = fromUtf8.decode(input).split('\n');
    const token = sign(header, claims.join('\n'));
    checkAnswer(await verifier.verify(token, ROOM));
    checkAnswer(await verifier.verify(token, null));
  },
};
