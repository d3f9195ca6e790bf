/**
 * What somebody may do in a room. This file alone decides it, for every transport and for every way in.
 *
 * @import { ErrorCode } from '../../public/shared/errors.js'
 *
 * @typedef {'speak' | 'listen' | 'chat' | 'record' | 'moderate'} Permission
 *
 * @typedef {'moderator' | 'speaker' | 'listener'} Role
 *
 * @typedef {object} Grant  what a person came with: by a token, or as everybody has it where there are no keys
 * @property {Role} role
 * @property {ReadonlySet<Permission>} without  permissions that the token withholds, whatever the role becomes
 *
 * @typedef {'everybody' | 'speakers' | 'moderators'} Audience
 *
 * @typedef {object} Allowances  who may do what in a room, as its moderators set it
 * @property {Audience} chat
 * @property {Audience} record
 *
 * @typedef {object} Standing  all that decides what one person may do now
 * @property {Role} role
 * @property {ReadonlySet<Permission>} without
 * @property {boolean} silenced  a moderator has muted them
 * @property {Readonly<Allowances>} allowances
 *
 * @typedef {object} Identity  who a token says that its bearer is
 * @property {string} issuer  the id of the key that signed it
 * @property {string} subject
 * @property {string | null} tokenId  `jti`, where the token has one
 *
 * @typedef {object} Entrant  one who asks to come in, as far as the server knows them
 * @property {Grant | null} grant  null where no token is asked for
 * @property {Identity | null} identity  null without a token
 * @property {string} name  that the token gives; '' where it gives none
 * @property {string} place  the network address: see placeOf
 * @property {object | null} password  the room's password whose text they have shown that they know
 */

/** The roles, from the one that may least. */
const RANKS = Object.freeze(/** @type {const} */ (['listener', 'speaker', 'moderator']));

/** The lowest role of each audience. @type {Readonly<Record<Audience, Role>>} */
const LOWEST = Object.freeze({ everybody: 'listener', speakers: 'speaker', moderators: 'moderator' });

/** @type {ReadonlySet<Permission>} */
const NOTHING = new Set();

export const ROLES = Object.freeze(/** @type {const} */ (['moderator', 'speaker', 'listener']));
export const AUDIENCES = Object.freeze(/** @type {const} */ (['everybody', 'speakers', 'moderators']));

/** The allowances of a new room: listeners are told to listen, and a recording is heard by others. */
export const DEFAULT_ALLOWANCES = Object.freeze({ chat: /** @type {Audience} */ ('everybody'), record: /** @type {Audience} */ ('speakers') });

/**
 * @param {Role} role
 * @param {ReadonlySet<Permission>} [without]
 * @returns {Readonly<Grant>}
 */
export const grantOf = (role, without = NOTHING) => Object.freeze({ role, without });

/**
 * Says why somebody may not do something.
 * @param {Standing} standing
 * @param {Permission} permission
 * @returns {ErrorCode | null} null where they may
 */
export function refusalOf({ role, without, silenced, allowances }, permission) {
  if (without.has(permission)) return 'not-allowed';
  switch (permission) {
    case 'listen':
      return null;
    case 'speak':
      if (role === 'listener') return 'not-allowed';
      return silenced ? 'silenced' : null;
    case 'chat':
    case 'record':
      return reaches(role, LOWEST[allowances[permission]]) ? null : 'not-allowed';
    case 'moderate':
      return role === 'moderator' ? null : 'not-allowed';
  }
}

/**
 * @param {Role} role
 * @param {Role} lowest
 */
const reaches = (role, lowest) => RANKS.indexOf(role) >= RANKS.indexOf(lowest);

/**
 * The grant that a token's claims give, in the sense of LiveKit: what isn't said about publishing and subscribing is
 * allowed, and data follow publishing. Who may only publish data is a listener who writes.
 * @param {object} video  the claim, checked already
 * @param {boolean} [video.roomAdmin]
 * @param {boolean} [video.roomRecord]
 * @param {boolean} [video.canPublish]
 * @param {string[]} [video.canPublishSources]  takes the place of canPublish
 * @param {boolean} [video.canSubscribe]
 * @param {boolean} [video.canPublishData]
 * @returns {Readonly<Grant>}
 */
export function grantOfClaims({ roomAdmin, roomRecord, canPublish = true, canPublishSources, canSubscribe = true, canPublishData }) {
  const hasSources = canPublishSources !== undefined && canPublishSources.length > 0;
  const publishes = hasSources ? canPublishSources.includes('microphone') : canPublish;
  /** @type {Set<Permission>} */
  const without = new Set();
  if (!canSubscribe) without.add('listen');
  if (!(canPublishData ?? canPublish)) without.add('chat');
  if (!roomAdmin && !roomRecord) without.add('record');
  // A moderator whose token withholds the microphone moderates in silence.
  if (roomAdmin && !publishes) without.add('speak');
  return grantOf(roomAdmin ? 'moderator' : publishes ? 'speaker' : 'listener', without);
}
