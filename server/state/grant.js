/**
 * Roles and their permissions: the only place that decides them.
 *
 * @typedef {import('../../public/shared/limits.js').Role} Role
 * @typedef {import('../../public/shared/limits.js').Permission} Permission
 *
 * @typedef {object} Grant  rights of a person who joins
 * @property {Role} role
 * @property {ReadonlySet<Permission>} withheld  denied by their token, in any role
 * @property {string | null} identity  the token's `sub`; null without a token
 * @property {string | null} tokenId   the token's `jti`
 * @property {boolean} [isStream]  true for a member who only sends sound and keeps no place: a
 *   program that came by the room's stream key, or somebody's shared sound
 * @property {string} [owner]  id of the member whose shared sound it is
 */

import { PERMISSIONS } from '../../public/shared/limits.js';

/** @type {Readonly<Record<Role, ReadonlyArray<Permission>>>} */
const OF_ROLE = Object.freeze({
  moderator: PERMISSIONS,
  speaker: ['speak', 'listen', 'chat', 'record'],
  listener: ['listen', 'chat'],
});

/**
 * The permissions of a role.
 * @param {Role} role
 * @param {ReadonlySet<Permission>} withheld
 * @returns {ReadonlySet<Permission>}
 */
export const permissionsOf = (role, withheld) =>
  withheld.size === 0
    ? WHOLE[role]
    : new Set(OF_ROLE[role].filter((permission) => !withheld.has(permission)));

/**
 * Permissions by role when nothing is withheld, so that all of a role share one set.
 * @type {Readonly<Record<Role, ReadonlySet<Permission>>>}
 */
const WHOLE = Object.freeze({
  moderator: new Set(OF_ROLE.moderator),
  speaker: new Set(OF_ROLE.speaker),
  listener: new Set(OF_ROLE.listener),
});

/** Grant of a person without a token. @type {Readonly<Grant>} */
export const OPEN_GRANT = Object.freeze({
  role: 'speaker',
  withheld: new Set(),
  identity: null,
  tokenId: null,
});

/** Grant of a program that came by a room's stream key. @type {Readonly<Grant>} */
export const STREAM_GRANT = Object.freeze({
  role: 'speaker',
  withheld: new Set(PERMISSIONS.filter((permission) => permission !== 'speak')),
  identity: null,
  tokenId: null,
  isStream: true,
});

/**
 * Grant of a member's shared sound.
 * @param {string} owner  the member's id
 * @returns {Readonly<Grant>}
 */
export const sharedGrant = (owner) => Object.freeze({ ...STREAM_GRANT, owner });

/** The server's operator, as the actor in a room. */
export const OPERATOR = Object.freeze({ id: 'operator', label: 'operator' });
