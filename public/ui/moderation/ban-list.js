import { moderate } from '../../client/call/moderate.js';
import { build, makeButton } from '../kit/element.js';
import { panelTexts as texts } from '../../texts/room-panel.js';

/**
 * @import { Send } from './person-dialog.js'
 */

const time = new Intl.DateTimeFormat(undefined, { dateStyle: 'short', timeStyle: 'short' });

/**
 * Those who are banned from the room, each with a button that ends the ban. Hidden while there are
 * none.
 */
export class BanList {
  #send;
  #list = build('ul', { class: 'bans' });
  #title = build('h3', { tabindex: '-1' }, texts.bans);
  element = build('section', { class: 'field', hidden: true }, this.#title, this.#list);

  /** The list that is shown. @type {Record<string, any>[]} */
  #shown = [];

  /** @param {Send} send */
  constructor(send) {
    this.#send = send;
  }

  /** @param {Record<string, any>[]} bans  as the server lists them */
  show(bans) {
    if (bans === this.#shown) return;
    this.#shown = bans;
    const hadFocus = this.#list.contains(document.activeElement);
    this.#list.replaceChildren(...bans.map((ban) => this.#row(ban)));
    this.element.hidden = bans.length === 0;
    // The button that was pressed is gone.
    if (hadFocus) (bans.length > 0 ? this.#title : document.getElementById('side'))?.focus();
  }

  /** @param {Record<string, any>} ban */
  #row({ id, name, by, identity, network, seconds }) {
    const end = time.format(new Date(Date.now() + 1000 * Number(seconds)));
    const button = makeButton('button small', texts.unban, () =>
      this.#send(moderate.unban(String(id))),
    );
    button.setAttribute('aria-label', texts.unbanName(String(name)));
    return build(
      'li',
      { class: 'ban' },
      build('span', { class: 'ban-whom' }, texts.ban({ name, by, identity, network }, end)),
      button,
    );
  }
}
