/**
 * @import { Grant, Permission, Role } from '../../state/grant.js'
 * @import { PersonState } from '../../state/portable-state.js'
 *
 * @typedef {Pick<PersonState, 'role' | 'muted' | 'silenced' | 'hand'> &
 *   { seconds?: number, group?: number, language?: string | null }} Past
 *   standing of a person by an earlier session, or on another thread or node
 */

import { permissionsOf } from '../../state/grant.js';

/** Rights of a member now: their role, and whether they may be heard. */
export class Standing {
  #grant;
  /** @type {Role} */
  #role;
  /** @type {ReadonlySet<Permission>} */
  #permissions;
  #muted;
  #silenced;
  /** False when the role or a moderator keeps the member from being heard. */
  #isHeard = false;

  /** @param {Grant} grant @param {Past | null} past */
  constructor(grant, past) {
    this.#grant = grant;
    this.#role = past?.role ?? grant.role;
    this.#permissions = permissionsOf(this.#role, grant.withheld);
    this.#muted = past?.muted ?? false;
    this.#silenced = past?.silenced ?? false;
    this.#update();
  }

  get role() {
    return this.#role;
  }

  get permissions() {
    return this.#permissions;
  }

  get isHeard() {
    return this.#isHeard;
  }

  /** True if nobody hears the member: by their own choice, a moderator's, or their role. */
  get muted() {
    return this.#muted || !this.#isHeard;
  }

  /** True when the member's own choice, or the last one of a moderator, is to be muted. */
  get isMutedByChoice() {
    return this.#muted;
  }

  /** True when a moderator has muted the member, who can't undo it. */
  get silenced() {
    return this.#silenced;
  }

  /** True when a moderator has made a listener of the member. */
  get lowered() {
    return this.#role === 'listener' && this.#grant.role !== 'listener';
  }

  /** @param {boolean} muted @returns {boolean} true when that is a change */
  mute(muted) {
    const before = this.muted;
    this.#muted = muted;
    return this.muted !== before;
  }

  /** @param {boolean} silenced  false: the member may unmute, but is still muted */
  silence(silenced) {
    this.#muted = true;
    this.#silenced = silenced;
    this.#update();
  }

  /** @param {Role} role  a member who couldn't speak before stays muted */
  setRole(role) {
    if (!this.#permissions.has('speak')) this.#muted = true;
    this.#role = role;
    this.#permissions = permissionsOf(role, this.#grant.withheld);
    this.#update();
  }

  #update() {
    this.#isHeard = !this.#silenced && this.#permissions.has('speak');
  }
}
