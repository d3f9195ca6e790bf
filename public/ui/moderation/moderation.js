import { mayNow } from '../../client/call/access-state.js';
import { moderate } from '../../client/call/moderate.js';
import { elementOf, setText } from '../kit/element.js';
import { LiveTime } from '../kit/live-time.js';
import { HandList } from './hand-list.js';
import { KnockList } from './knock-list.js';
import { RoomContent } from './room-content.js';
import { texts } from '../../texts.js';

/**
 * @import { Access } from '../../client/call/access-state.js'
 * @import { CallBar } from '../call/call-bar.js'
 * @import { SidePanel } from '../call/side-panel.js'
 * @import { Person } from '../people/person.js'
 *
 * @typedef {object} ModerationActions
 * @property {(message: object) => void} send     a control message to the server
 * @property {(sentence: string) => void} announce
 * @property {(code: string) => void} failed      shows what could not be done
 * @property {() => void} knocked                 plays the sound for somebody who wants to come in
 * @property {(allowed: boolean) => void} mayChat
 * @property {(allowed: boolean, mayBePublic: boolean) => void} mayRecord mayBePublic: a recording
 *   that they start
 */

/**
 * Moderating on the page: the panel Room, those who wait to come in, and what this person may do.
 */
export class Moderation {
  #bar;
  #side;
  #actions;
  #panel;
  #knocks;
  #hands;
  #signs = elementOf('room-rules', HTMLElement);
  #live = new LiveTime();
  /** @type {Access | null} */
  #access = null;
  /** @type {() => void} */
  #closeDialog = () => {};

  /**
   * @param {CallBar} bar
   * @param {SidePanel} side
   * @param {ModerationActions} actions
   */
  constructor(bar, side, actions) {
    this.#bar = bar;
    this.#side = side;
    this.#actions = actions;
    this.#panel = new RoomContent(this.#send, {
      announce: actions.announce,
      failed: actions.failed,
    });
    this.#hands = new HandList(this.#send, actions.announce);
    this.#knocks = new KnockList(this.#send, (sentence) => {
      actions.announce(sentence);
      actions.knocked();
    });
    side.add(bar.moderate, this.#panel);
    this.#signs.after(' ', this.#live.element);
    this.clear();
  }

  #send = (/** @type {object} */ message) => {
    this.#actions.send(message);
    const { action, banSeconds } = /** @type {Record<string, any>} */ (message);
    // The bans have changed, and are told to those who ask.
    if (action === 'unban' || banSeconds > 0) this.#actions.send(moderate.bans());
  };

  /** @param {Access} access  what this person may do, whenever it changes */
  access(access) {
    const { rules, role, knocks, hands, e2e } = access;
    const before = this.#access?.rules ?? rules;
    const moderates = role === 'moderator';
    this.#access = access;
    this.#panel.show(access);
    this.#bar.moderate.hidden = !moderates;
    if (!moderates) this.#close();
    this.#knocks.show(moderates ? knocks : []);
    this.#hands.show(moderates ? hands : { people: [], count: 0 });
    this.#actions.mayChat(mayNow(access, 'chat'));
    this.#actions.mayRecord(mayNow(access, 'record'), moderates && rules.broadcast);
    setText(this.#signs, signsOf(rules, e2e));
    this.#live.show(rules);
    if (before.locked !== rules.locked)
      this.#actions.announce(rules.locked ? texts.roomLocked : texts.roomUnlocked);
  }

  /**
   * @param {Person[]} people
   * @param {string} you
   */
  people(people, you) {
    this.#panel.people(you, !people.some(({ id, role }) => id !== you && role === 'moderator'));
  }

  /** Shows what can be done with somebody. @param {Person} person */
  async person(person) {
    try {
      const { showPersonDialog } = await import('./person-dialog.js');
      if (this.#access?.role === 'moderator')
        this.#closeDialog = showPersonDialog(person, this.#send);
    } catch {
      this.#actions.failed('panel-failed');
    }
  }

  #close() {
    this.#closeDialog();
    this.#panel.clear();
    this.#side.closeOf(this.#bar.moderate);
  }

  /** Forgets the call, before another one. */
  clear() {
    this.#access = null;
    this.#close();
    this.#bar.moderate.hidden = true;
    this.#knocks.show([]);
    this.#hands.show({ people: [], count: 0 });
    setText(this.#signs, '');
    this.#live.show(null);
  }
}

/**
 * What is shown beside the number of people.
 * @param {Access['rules']} rules
 * @param {boolean} e2e
 */
function signsOf(rules, e2e) {
  const names = /** @type {const} */ (['locked', 'lobby', 'password']);
  const signs = [
    ...(e2e ? [texts.e2eSign] : []),
    ...names.filter((name) => rules[name]).map((name) => texts.ruleSigns[name]),
  ];
  return signs.map((sign) => `· ${sign}`).join(' ');
}
