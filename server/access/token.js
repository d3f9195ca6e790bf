/**
 * Tokens for joining: JWT (RFC 7519) signed with HS256, with LiveKit's claims
 * (https://docs.livekit.io/home/get-started/authentication/), so that its server SDKs can make
 * them.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Grant, Permission, Role } from '../state/grant.js'
 */

import { randomUUID } from 'node:crypto';
import { decodeJwt, errors as joseErrors, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';

/** Longest accepted token, in characters: a join message may be four times as long. */
export const MAX_TOKEN_LENGTH = 4096;

/** Longest identity or token id, in characters. */
const MAX_ID = 256;

/** Largest difference between the clocks of two machines, in seconds. */
const CLOCK_TOLERANCE = 5;

/** Claims that jose doesn't check. Unknown claims are ignored. */
const claims = z.object({
  sub: z.string().min(1).max(MAX_ID),
  jti: z.string().max(MAX_ID).optional(),
  name: z.string().max(MAX_ID).optional(),
  video: z.object({
    room: z.string().default(''),
    roomJoin: z.boolean().default(false),
    roomAdmin: z.boolean().default(false),
    roomRecord: z.boolean().default(false),
    canPublish: z.boolean().default(true),
    canSubscribe: z.boolean().default(true),
    canPublishData: z.boolean().default(true),
  }),
});

/**
 * @typedef {{ grant: Grant, name: string | null }} Admission  name: in the token; null without one
 */

/** Checks tokens against the keys of this server. */
export class TokenVerifier {
  #keys;
  #wallNow;

  /**
   * @param {ReadonlyMap<string, string>} keys  secrets by the keys' ids
   * @param {() => number} wallNow  milliseconds since 1970
   */
  constructor(keys, wallNow) {
    this.#keys = new Map([...keys].map(([id, secret]) => [id, new TextEncoder().encode(secret)]));
    this.#wallNow = wallNow;
  }

  /**
   * @param {string | undefined} token  as received
   * @param {string | null} room  to join; null for a mirror, which has nobody else in it
   * @returns {Promise<Admission | ErrorCode>}
   */
  async verify(token, room) {
    if (token === undefined || token === '') return 'token-missing';
    if (token.length > MAX_TOKEN_LENGTH) return 'token-invalid';
    try {
      const key = this.#keys.get(String(decodeJwt(token).iss));
      if (!key) return 'token-foreign';
      const { payload } = await jwtVerify(token, key, {
        algorithms: ['HS256'],
        requiredClaims: ['exp'],
        clockTolerance: CLOCK_TOLERANCE,
        currentDate: new Date(this.#wallNow()),
      });
      const parsed = claims.safeParse(payload);
      return parsed.success ? admissionOf(parsed.data, room) : 'token-invalid';
    } catch (error) {
      return codeOf(error);
    }
  }
}

/**
 * @param {z.infer<typeof claims>} claims
 * @param {string | null} room
 * @returns {Admission | ErrorCode}
 */
function admissionOf({ sub, jti, name, video }, room) {
  if (!video.roomJoin || (room !== null && video.room !== room)) return 'token-room';
  /** @type {Set<Permission>} */
  const withheld = new Set();
  if (!video.canSubscribe) withheld.add('listen');
  if (!video.canPublishData) withheld.add('chat');
  if (!video.roomRecord && !video.roomAdmin) withheld.add('record');
  // Without roomAdmin they are a listener: a moderator may let them speak.
  if (!video.canPublish && video.roomAdmin) withheld.add('speak');
  /** @type {Role} */
  const role = video.roomAdmin ? 'moderator' : video.canPublish ? 'speaker' : 'listener';
  return { name: name ?? null, grant: { role, withheld, identity: sub, tokenId: jti ?? null } };
}

/**
 * @param {unknown} error  as jose throws it
 * @returns {ErrorCode}
 */
function codeOf(error) {
  if (error instanceof joseErrors.JWTExpired) return 'token-expired';
  if (error instanceof joseErrors.JWTClaimValidationFailed) {
    if (error.claim === 'exp' && error.reason === 'missing') return 'token-endless';
    if (error.claim === 'nbf' && error.reason === 'check_failed') return 'token-early';
  }
  if (error instanceof joseErrors.JOSEError) return 'token-invalid';
  throw error;
}

/**
 * Makes a token.
 * @param {object} options
 * @param {string} options.keyId
 * @param {string} options.secret
 * @param {string} options.room
 * @param {string} options.name
 * @param {string} options.identity
 * @param {Role} options.role
 * @param {number} options.ttlSeconds
 * @param {number} options.now  milliseconds since 1970
 * @returns {Promise<string>}
 */
export function makeToken({ keyId, secret, room, name, identity, role, ttlSeconds, now }) {
  const seconds = Math.floor(now / 1000);
  const speaks = role !== 'listener';
  const video = {
    room,
    roomJoin: true,
    roomAdmin: role === 'moderator',
    canPublish: speaks,
    roomRecord: speaks,
  };
  return new SignJWT({ name, video })
    .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
    .setIssuer(keyId)
    .setSubject(identity)
    .setJti(randomUUID())
    .setNotBefore(seconds)
    .setExpirationTime(seconds + ttlSeconds)
    .sign(new TextEncoder().encode(secret));
}
