import { moderate } from '../../client/call/moderate.js';
import { build, elementOf, makeButton } from '../kit/element.js';
import { labels, texts } from '../../texts.js';

/**
 * @import { Send } from './person-dialog.js'
 *
 * @typedef {{ id: string, name: string }} Knock  one who waits to be let in
 */

/**
 * Those who wait in the lobby, above the people, for a moderator to let them in or turn them away.
 */
export class KnockList {
  #section = elementOf('knocks', HTMLElement);
  #list = build('ul', {});
  #send;
  #arrived;
  /** The rows by id. @type {Map<string, HTMLElement>} */
  #rows = new Map();

  /**
   * @param {Send} send
   * @param {(sentence: string) => void} arrived  told when somebody new waits
   */
  constructor(send, arrived) {
    this.#send = send;
    this.#arrived = arrived;
    this.#section.append(build('h2', { class: 'knocks-title' }, labels.knocks), this.#list);
  }

  /** @param {Knock[]} knocks */
  show(knocks) {
    const here = new Set(knocks.map(({ id }) => id));
    const hadFocus = this.#section.contains(document.activeElement);
    for (const [id, row] of this.#rows) {
      if (here.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    const fresh = knocks.filter(({ id }) => !this.#rows.has(id));
    for (const knock of fresh) this.#add(knock);
    this.#section.hidden = knocks.length === 0;
    // The button that was pressed is gone: the focus stays among those who wait, or goes to the
    // room's name.
    if (hadFocus && !this.#section.contains(document.activeElement)) {
      const next = this.#list.querySelector('button') ?? elementOf('call-title', HTMLElement);
      next.focus();
    }
    if (fresh.length > 0) this.#arrived(texts.knocked(fresh.map(({ name }) => name)));
  }

  /** @param {Knock} knock */
  #add({ id, name }) {
    const admit = makeButton('button small primary', texts.letIn, () =>
      this.#send(moderate.admit(id)),
    );
    const refuse = makeButton('button small', texts.turnAway, () =>
      this.#send(moderate.turnAway(id)),
    );
    admit.setAttribute('aria-label', texts.letInName(name));
    refuse.setAttribute('aria-label', texts.turnAwayName(name));
    const row = build(
      'li',
      { class: 'knock' },
      build('span', { class: 'knock-name' }, name),
      build('div', { class: 'knock-buttons' }, admit, refuse),
    );
    this.#rows.set(id, row);
    this.#list.append(row);
  }
}
