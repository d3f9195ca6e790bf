/**
 * Roles, and what each may do. Nobody's permissions are made up anywhere else.
 *
 * @typedef {'moderator' | 'speaker' | 'listener'} Role
 * @typedef {'speak' | 'listen' | 'chat' | 'record' | 'moderate'} Permission
 *
 * @typedef {object} Grant  what somebody comes with
 * @property {Role} role
 * @property {ReadonlySet<Permission>} withheld  what their token denies them, whatever their role
 * @property {string | null} identity  the token's `sub`; null without a token
 * @property {string | null} tokenId   the token's `jti`
 */

export const ROLES = Object.freeze(/** @type {const} */ (['moderator', 'speaker', 'listener']));

/** @type {Readonly<Record<Role, ReadonlyArray<Permission>>>} */
const OF_ROLE = Object.freeze({
  moderator: ['speak', 'listen', 'chat', 'record', 'moderate'],
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
 * The permissions of those from whom nothing is withheld: one set for all of a role.
 * @type {Readonly<Record<Role, ReadonlySet<Permission>>>}
 */
const WHOLE = Object.freeze({
  moderator: new Set(OF_ROLE.moderator),
  speaker: new Set(OF_ROLE.speaker),
  listener: new Set(OF_ROLE.listener),
});

/** Somebody who comes without a token. @type {Readonly<Grant>} */
export const OPEN_GRANT = Object.freeze({
  role: 'speaker',
  withheld: new Set(),
  identity: null,
  tokenId: null,
});
