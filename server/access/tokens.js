/**
 * Access tokens: JSON Web Tokens (RFC 7519) signed by HS256, with the claims that LiveKit's have.
 *
 * @import { JWTPayload } from 'jose'
 * @import { ErrorCode } from '../../public/shared/errors.js'
 * @import { Grant, Identity, Role } from './grants.js'
 *
 * @typedef {object} Bearer  what a token says of the one who brings it
 * @property {Grant} grant
 * @property {Identity} identity
 * @property {string} name  '' where the token has none
 */

import { randomUUID } from 'node:crypto';
import { decodeJwt, errors as failures, jwtVerify, SignJWT } from 'jose';
import { z } from 'zod';
import { grantOfClaims } from './grants.js';

/** How far the issuer's clock may be off, in seconds. */
const CLOCK_TOLERANCE_S = 10;

/** The longest token, in characters. */
export const MAX_TOKEN = 4096;

const claims = z.object({
  iss: z.string().max(64),
  sub: z.string().min(1).max(256),
  exp: z.number(),
  jti: z.string().max(256).optional(),
  name: z.string().max(1000).optional(),
  video: z.object({
    room: z.string().optional(),
    roomJoin: z.boolean().optional(),
    roomAdmin: z.boolean().optional(),
    roomRecord: z.boolean().optional(),
    canPublish: z.boolean().optional(),
    canPublishSources: z.array(z.string()).optional(),
    canSubscribe: z.boolean().optional(),
    canPublishData: z.boolean().optional(),
  }),
});

/** The keys that tokens are signed with, and what reads and makes tokens. */
export class Tokens {
  /** @type {Map<string, Uint8Array>} */
  #secrets = new Map();
  #wallNow;

  /**
   * @param {ReadonlyArray<string>} keys  each `id:secret`, checked already
   * @param {() => number} wallNow  milliseconds since 1970
   */
  constructor(keys, wallNow) {
    this.#wallNow = wallNow;
    for (const key of keys) {
      const colon = key.indexOf(':');
      this.#secrets.set(key.slice(0, colon), Buffer.from(key.slice(colon + 1)));
    }
  }

  /** The ids of the keys. */
  get ids() {
    return [...this.#secrets.keys()];
  }

  /**
   * Reads a token and checks it: signature, times, and that it lets its bearer into the room.
   * @param {string | undefined} token
   * @param {string | null} room  null where any room's will do
   * @returns {Promise<Bearer | ErrorCode>}
   */
  async read(token, room) {
    if (token === undefined || token === '') return 'token-needed';
    const verified = await this.#verify(token);
    if (typeof verified === 'string') return verified;
    const parsed = claims.safeParse(verified);
    if (!parsed.success) return 'token-invalid';
    const { iss: issuer, sub: subject, jti: tokenId = null, name = '', video } = parsed.data;
    if (!video.roomJoin || !video.room || (room !== null && video.room !== room)) return 'token-room';
    return { grant: grantOfClaims(video), identity: { issuer, subject, tokenId }, name };
  }

  /**
   * @param {string} token
   * @returns {Promise<JWTPayload | ErrorCode>}
   */
  async #verify(token) {
    const secret = token.length <= MAX_TOKEN ? this.#secrets.get(issuerOf(token)) : undefined;
    if (!secret) return 'token-invalid';
    try {
      const { payload } = await jwtVerify(token, secret, {
        algorithms: ['HS256'],
        requiredClaims: ['iss', 'sub', 'exp'],
        clockTolerance: CLOCK_TOLERANCE_S,
        currentDate: new Date(this.#wallNow()),
      });
      return payload;
    } catch (error) {
      return codeOf(error);
    }
  }

  /**
   * Makes a token.
   * @param {object} wish
   * @param {string} wish.room
   * @param {string} wish.name
   * @param {string} wish.subject
   * @param {Role} wish.role
   * @param {number} wish.seconds  until it expires
   * @param {string} [wish.key]  the id of the key that signs it; the first by default
   * @returns {Promise<string>}
   * @throws {RangeError} when there is no such key
   */
  async make({ room, name, subject, role, seconds, key = this.ids[0] }) {
    const secret = this.#secrets.get(key);
    if (!secret) throw new RangeError(`there is no key ${key}`);
    const now = Math.floor(this.#wallNow() / 1000);
    const publishes = role !== 'listener';
    const video = {
      room,
      roomJoin: true,
      roomAdmin: role === 'moderator',
      roomRecord: publishes,
      canPublish: publishes,
      canSubscribe: true,
      canPublishData: true,
    };
    return new SignJWT({ name, video })
      .setProtectedHeader({ alg: 'HS256', typ: 'JWT' })
      .setIssuer(key)
      .setSubject(subject)
      .setJti(randomUUID())
      .setNotBefore(now)
      .setExpirationTime(now + seconds)
      .sign(secret);
  }
}

/**
 * The key's id that a token names, which isn't proven yet.
 * @param {string} token
 */
function issuerOf(token) {
  try {
    return String(decodeJwt(token).iss ?? '');
  } catch {
    return '';
  }
}

/**
 * @param {unknown} error  as jose throws it
 * @returns {ErrorCode}
 */
function codeOf(error) {
  if (error instanceof failures.JWTExpired) return 'token-expired';
  const isEarly = error instanceof failures.JWTClaimValidationFailed && error.claim === 'nbf' && error.reason === 'check_failed';
  if (isEarly) return 'token-early';
  if (error instanceof failures.JOSEError) return 'token-invalid';
  throw error;
}
