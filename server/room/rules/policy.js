/**
 * @import { ToldState } from '../../state/portable-state.js'
 *
 * @typedef {'everybody' | 'moderators'} Who
 * @typedef {'locked' | 'lobby' | 'chat' | 'record'} Rule
 */

import { RoomPassword } from '../../access/room-password.js';

/** Rules that moderators set: who may come into the room, and who may chat and record in it. */
export class Policy {
  #set = {
    locked: false,
    lobby: false,
    chat: /** @type {Who} */ ('everybody'),
    record: /** @type {Who} */ ('everybody'),
  };
  /** @type {RoomPassword | null} */
  #password = null;

  get locked() {
    return this.#set.locked;
  }

  get lobby() {
    return this.#set.lobby;
  }

  /** Password that newcomers need; null without one. */
  get password() {
    return this.#password;
  }

  /** @param {'chat' | 'record'} what */
  who(what) {
    return this.#set[what];
  }

  /** The rules, as people see them. */
  get told() {
    return { ...this.#set, password: this.#password !== null };
  }

  /** @param {Rule} rule @param {boolean | Who} value @returns {boolean} false without a change */
  change(rule, value) {
    if (this.#set[rule] === value) return false;
    Object.assign(this.#set, { [rule]: value });
    return true;
  }

  /** @param {string | null} password  null for none */
  setPassword(password) {
    this.#password = password === null ? null : new RoomPassword(password);
  }

  /** @returns {Pick<ToldState, Rule | 'password'>} */
  state() {
    const password = this.#password?.state() ?? null;
    // A password that isn't hashed yet leaves the room locked, not open.
    const locked = this.#set.locked || (this.#password !== null && password === null);
    return { ...this.#set, locked, password };
  }

  /** @param {Pick<ToldState, Rule | 'password'>} state */
  restore({ locked, lobby, chat, record, password }) {
    this.#password = password && new RoomPassword(password);
    this.#set = { locked, lobby, chat, record };
  }

  /** Takes the stricter of two policies. @param {Pick<ToldState, Rule | 'password'>} other */
  meet({ locked, lobby, chat, record, password }) {
    const own = this.#set;
    this.#set = {
      locked: own.locked || locked,
      lobby: own.lobby || lobby,
      chat: stricter(own.chat, chat),
      record: stricter(own.record, record),
    };
    if (this.#password === null && password !== null) this.#password = new RoomPassword(password);
  }
}

/** @param {Who} one @param {Who} other @returns {Who} */
const stricter = (one, other) => (one === 'moderators' ? one : other);
