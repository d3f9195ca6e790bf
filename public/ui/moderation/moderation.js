import { KnockList } from './knock-list.js';
import { showPersonDialog } from './person-dialog.js';
import { RoomPanel } from './room-panel.js';
import { texts } from '../../texts.js';

/**
 * @import { CallBar } from '../call/call-bar.js'
 * @import { SidePanel } from '../call/side-panel.js'
 * @import { Person } from '../people/person.js'
 * @import { Audience, Rules } from './room-panel.js'
 *
 * @typedef {object} ModerationActions
 * @property {(message: object) => void} send     a control message to the server
 * @property {(sentence: string) => void} announce
 * @property {() => void} knocked                 plays the sound for somebody who wants to come in
 * @property {(code: string) => void} show        a notice
 * @property {(code: string) => void} settle
 * @property {(allowed: boolean) => void} mayChat
 */

/** The notice for what a moderator has done to this person, by `what` of the message `moderated`. */
const NOTICES = Object.freeze({
  muted: 'silenced',
  allowed: 'speech-allowed',
  'hand-lowered': 'hand-lowered',
  moderator: 'now-moderator',
  speaker: 'now-speaker',
  listener: 'now-listener',
});

/** The notices that are no longer true when another one is shown. */
const GROUPS = Object.freeze([['silenced', 'speech-allowed'], ['now-moderator', 'now-speaker', 'now-listener']]);

/** The lowest role, of these in order, of each audience. */
const ROLES = ['listener', 'speaker', 'moderator'];
/** @type {Readonly<Record<Audience, string>>} */
const LOWEST = Object.freeze({ everybody: 'listener', speakers: 'speaker', moderators: 'moderator' });

/** Moderating on the page: the panel Room, those who wait to come in, and what is done to this person. */
export class Moderation {
  #bar;
  #side;
  #actions;
  #panel;
  #knocks;
  /** @type {Rules | null} */
  #rules = null;
  #role = 'speaker';

  /**
   * @param {CallBar} bar
   * @param {SidePanel} side
   * @param {ModerationActions} actions
   */
  constructor(bar, side, actions) {
    this.#bar = bar;
    this.#side = side;
    this.#actions = actions;
    this.#panel = new RoomPanel(actions.send);
    this.#knocks = new KnockList(actions.send, (sentence) => {
      actions.announce(sentence);
      actions.knocked();
    });
    side.add(bar.moderate, this.#panel);
    this.clear();
  }

  /**
   * @param {Record<string, any>} message a control message of the server
   */
  control({ type, rules, knocks, what }) {
    if (type === 'welcome' || type === 'rules') this.#setRules(rules, type === 'rules');
    if (type === 'welcome' || type === 'knocks') this.#knocks.show(Array.isArray(knocks) ? knocks : []);
    if (type === 'moderated' && Object.hasOwn(NOTICES, what)) this.#notice(NOTICES[/** @type {keyof typeof NOTICES} */ (what)]);
  }

  /**
   * @param {Rules | undefined} rules
   * @param {boolean} isChange
   */
  #setRules(rules, isChange) {
    const before = this.#rules;
    // A server of before has none.
    if (!rules) return;
    this.#rules = rules;
    this.#panel.show(rules);
    if (isChange && before && before.locked !== rules.locked) this.#actions.announce(rules.locked ? texts.roomLocked : texts.roomUnlocked);
    this.#follow();
  }

  /** @param {string} code */
  #notice(code) {
    for (const group of GROUPS) if (group.includes(code)) for (const other of group) this.#actions.settle(other);
    this.#actions.show(code);
  }

  /**
   * @param {Person | undefined} me
   */
  me(me) {
    this.#panel.you = me?.id ?? '';
    this.#role = me?.role ?? 'speaker';
    this.#follow();
  }

  #follow() {
    const moderates = this.#role === 'moderator' && this.#rules !== null;
    this.#bar.moderate.hidden = !moderates;
    if (!moderates) {
      this.#side.closeOf(this.#bar.moderate);
      this.#knocks.show([]);
    }
    const chat = this.#rules?.chat ?? 'everybody';
    this.#actions.mayChat(ROLES.indexOf(this.#role) >= ROLES.indexOf(LOWEST[chat] ?? 'listener'));
  }

  /** @param {Person} person */
  person(person) {
    showPersonDialog(person, this.#actions.send);
  }

  /** Forgets the call, before another one. */
  clear() {
    this.#rules = null;
    this.me(undefined);
  }
}
