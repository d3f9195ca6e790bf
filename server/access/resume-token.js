/**
 * Resume tokens: the holder gets their place in a room back, on this node or another one. A token
 * is a JWS (RFC 7515, compact, HS256) of the fields of the place. Signing and checking are
 * synchronous, as joining is.
 *
 * @import { Grant, Permission, Role } from '../state/grant.js'
 * @import { Settings } from '../state/portable-state.js'
 *
 * @typedef {object} Place  content of a token
 * @property {string} room
 * @property {string} key      identifies the place
 * @property {string} id       the participant's
 * @property {string} name
 * @property {string} label
 * @property {Grant} grant     rights at the join
 * @property {Role} role       current role
 * @property {boolean} muted
 * @property {boolean} silenced
 * @property {number} hand     rank among the raised hands; 0 while it is down
 * @property {number} group    that they are in; 0: the room
 * @property {string | null} language  that they interpret into
 * @property {number} epoch    of the room; 0 without a cluster
 * @property {Omit<Settings, 'serverDelayMs'>} settings of the room; none in tokens of an earlier
 *   release
 * @property {number} issuedMs milliseconds since 1970
 */

import { createHmac, randomBytes, timingSafeEqual } from 'node:crypto';
import { z } from 'zod';
import { MAX_RESUME_LENGTH } from '../../public/shared/limits.js';
import { grantFields, personFields, settingsFields } from '../state/portable-state.js';

/** Interval at which a present member gets a newer token, in milliseconds. */
export const RENEW_MS = 10_000;

/** Largest difference between the dates of two nodes, in milliseconds. */
const TOLERANCE_MS = 5000;

const HEADER = Buffer.from('{"alg":"HS256","typ":"resume"}').toString('base64url');

/** Length of a place's name in bytes: 96 random bits. */
const KEY_BYTES = 12;

const payload = z.object({
  r: z.string().max(64),
  k: personFields.key,
  i: personFields.id,
  n: personFields.name,
  l: personFields.label,
  g: grantFields.role,
  o: personFields.role,
  w: grantFields.withheld.default([]),
  s: grantFields.identity.default(null),
  j: grantFields.tokenId.default(null),
  m: personFields.muted.default(false),
  x: personFields.silenced.default(false),
  h: personFields.hand.default(0),
  b: personFields.group.default(0),
  a: personFields.language.default(null),
  e: z.number().int().min(0).default(0),
  f: settingsFields.frameMs,
  c: settingsFields.channels,
  d: settingsFields.mode,
  y: settingsFields.e2e,
  t: z.number().min(0),
});

export class ResumeTokens {
  #key;
  #wallNow;

  /**
   * @param {object} [options]
   * @param {string | Uint8Array} [options.key] key that signs tokens; by default a random one, so
   *   that no other process accepts them
   * @param {() => number} [options.wallNow]  milliseconds since 1970
   * @param {number} [options.awayMs] time for which a place is kept; 0: no place moves to another
   *   node
   */
  constructor({ key = randomBytes(32), wallNow = Date.now, awayMs = 0 } = {}) {
    this.#key = key;
    this.#wallNow = wallNow;
    /** Time for which another node accepts a token after it was issued, in milliseconds. */
    this.freshMs = awayMs === 0 ? 0 : awayMs + RENEW_MS + TOLERANCE_MS;
  }

  /** Key that signs tokens, for the other threads of this server. */
  get key() {
    return this.#key;
  }

  /** Current time in tokens, in milliseconds since 1970. */
  now() {
    return this.#wallNow();
  }

  /** True when places move between nodes, so that members need fresh tokens. */
  get takesOver() {
    return this.freshMs > 0;
  }

  /** Makes the name of a new place. */
  newKey() {
    return randomBytes(KEY_BYTES).toString('base64url');
  }

  /** @param {Omit<Place, 'issuedMs'>} place @returns {string} */
  sign({ room, key, id, name, label, grant, role, epoch, settings, ...now }) {
    const { muted, silenced, hand, group, language } = now;
    const { role: granted, withheld, identity, tokenId } = grant;
    const said = {
      r: room,
      k: key,
      i: id,
      n: name,
      l: label,
      g: granted,
      o: role,
      ...(withheld.size > 0 && { w: [...withheld] }),
      ...(identity !== null && { s: identity }),
      ...(tokenId !== null && { j: tokenId }),
      ...(muted && { m: true }),
      ...(silenced && { x: true }),
      ...(hand > 0 && { h: hand }),
      ...(group > 0 && { b: group }),
      ...(language !== null && { a: language }),
      ...(epoch > 0 && {
        e: epoch,
        f: settings.frameMs,
        c: settings.channels,
        d: settings.mode,
        y: settings.e2e,
      }),
      t: Math.round(this.#wallNow()),
    };
    const text = `${HEADER}.${Buffer.from(JSON.stringify(said)).toString('base64url')}`;
    return `${text}.${this.#signatureOf(text).toString('base64url')}`;
  }

  /** @param {string} text */
  #signatureOf(text) {
    return createHmac('sha256', this.#key).update(text).digest();
  }

  /**
   * @param {string | undefined} token  as received
   * @param {string} room  for which it must be
   * @returns {Place | null} null if it isn't one of ours
   */
  read(token, room) {
    if (token === undefined || token.length > MAX_RESUME_LENGTH || !token.startsWith(`${HEADER}.`))
      return null;
    const end = token.lastIndexOf('.');
    const signature = Buffer.from(token.slice(end + 1), 'base64url');
    const right = this.#signatureOf(token.slice(0, end));
    if (signature.length !== right.length || !timingSafeEqual(signature, right)) return null;
    const parsed = payload.safeParse(parse(token.slice(HEADER.length + 1, end)));
    return parsed.success && parsed.data.r === room ? placeOf(parsed.data) : null;
  }

  /**
   * Returns a person's place on another node, or in the room that this one replaces. The token is
   * accepted for as long as a place is kept: its holder was in the room until just now. A holder
   * whose place in this very room is gone was removed from it.
   * @param {string | undefined} token
   * @param {string} room
   * @param {number} epoch  the room's here; 0 if it isn't open here yet
   * @returns {Place | null}
   */
  readTaken(token, room, epoch) {
    if (!this.takesOver) return null;
    const place = this.read(token, room);
    if (place === null || (epoch > 0 && place.epoch >= epoch)) return null;
    const ageMs = this.#wallNow() - place.issuedMs;
    return ageMs <= this.freshMs && ageMs >= -TOLERANCE_MS ? place : null;
  }
}

/** @param {z.infer<typeof payload>} said @returns {Place} */
function placeOf({ r, k, i, n, l, g, o, w, s, j, m, x, h, b, a, e, f, c, d, y, t }) {
  /** @type {Grant} */
  const grant = {
    role: g,
    withheld: new Set(/** @type {Permission[]} */ (w)),
    identity: s,
    tokenId: j,
  };
  const settings = { frameMs: f, channels: c, mode: d, e2e: y };
  return {
    room: r,
    key: k,
    id: i,
    name: n,
    label: l,
    grant,
    role: o,
    muted: m,
    silenced: x,
    hand: h,
    group: b,
    language: a,
    epoch: e,
    settings,
    issuedMs: t,
  };
}

/** @param {string} base64 @returns {unknown} */
function parse(base64) {
  try {
    return JSON.parse(Buffer.from(base64, 'base64url').toString('utf8'));
  } catch {
    return undefined;
  }
}
