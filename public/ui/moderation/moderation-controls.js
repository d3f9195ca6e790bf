import { moderate } from '../../client/call/moderate.js';
import { announce, elementOf, keepFocus, setText } from '../kit/element.js';
import { LazyPanel } from '../kit/lazy-panel.js';
import { LiveTime } from '../kit/live-time.js';
import { HandList, KnockList } from './request-lists.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { Access, CallView } from '../../client/call/types.js'
 * @import { CurrentCall, Send } from '../call/current-call.js'
 * @import { SidePanel } from '../call/side-panel.js'
 * @import { Sounds } from '../call/sounds.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { Person } from '../people/person.js'
 */

/**
 * A moderator's part of the page: the panel Room, the waiting people, and this person's
 * permissions.
 */
export class ModerationControls {
  #current;
  #button;
  #side;
  #notices;
  #panel;
  #knocks;
  #hands;
  #signs = elementOf('room-rules', HTMLElement);
  #live = new LiveTime();
  /** @type {() => void} */
  #closeDialog = () => {};

  /**
   * @param {CurrentCall} current
   * @param {HTMLButtonElement} button  opens the panel
   * @param {SidePanel} side
   * @param {{ notices: Notices, sounds: Sounds }} page
   */
  constructor(current, button, side, { notices, sounds }) {
    this.#current = current;
    this.#button = button;
    this.#side = side;
    this.#notices = notices;
    this.#panel = new LazyPanel(texts.roomPanel, async () => {
      const { RoomPanel } = await import('./room-panel.js');
      const panel = new RoomPanel(current, this.#send, notices);
      return { panel, parts: [panel.element] };
    });
    this.#hands = new HandList(this.#send);
    this.#knocks = new KnockList(this.#send, sounds);
    side.add(button, this.#panel);
    this.#signs.after(' ', this.#live.element);
    current.store.subscribe(['access', 'session'], (now, before) => {
      if (!now.access.waiting) this.#show(now, before);
    });
  }

  /** @type {Send} */
  #send = (message) => {
    const isSent = this.#current.send(message);
    const hasChangedBans =
      message.type === 'moderate' &&
      (message.action === 'unban' ||
        (message.action === 'remove' && (message.banSeconds ?? 0) > 0));
    // The server sends the bans only on request.
    if (hasChangedBans) this.#current.send(moderate.bans());
    return isSent;
  };

  /** @param {CallView} now @param {CallView} before */
  #show({ access, session }, before) {
    const { rules, role, knocks, hands, e2e } = access;
    const moderates = role === 'moderator';
    keepFocus(
      () => (this.#button.hidden = !moderates),
      () => elementOf('call-title', HTMLElement),
    );
    if (!moderates) this.#close();
    this.#knocks.show(moderates ? knocks : [], session);
    this.#hands.show(moderates ? hands : { people: [], count: 0 }, session);
    setText(this.#signs, signsOf(rules, e2e));
    this.#live.show(session > 0 ? rules : null);
    const isChange = session > 0 && before.session > 0;
    if (isChange && before.access.rules.locked !== rules.locked)
      announce(rules.locked ? texts.roomLocked : texts.roomUnlocked);
  }

  /** Shows what can be done with somebody. @param {Person} person */
  async person(person) {
    const part = await this.#notices.loaded(import('./person-dialog.js'));
    const { role, rules } = this.#current.store.value.access;
    if (part && role === 'moderator')
      this.#closeDialog = part.showPersonDialog(person, this.#send, rules.broadcast);
  }

  #close() {
    this.#closeDialog();
    this.#panel.panel?.clear();
    this.#side.closeOf(this.#button);
  }
}

/**
 * Signs beside the number of people.
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
