import { moderate } from '../../client/call/moderate.js';
import { build, elementOf, makeButton, setText } from '../kit/element.js';
import { labels, texts } from '../../texts.js';

/**
 * @import { Access } from '../../client/call/access-state.js'
 * @import { Send } from './person-dialog.js'
 */

/**
 * Those of the audience who have raised their hand, above the people, for a moderator to let them
 * speak.
 */
export class HandList {
  #section = elementOf('hands', HTMLElement);
  #list = build('ul', {});
  #more = build('p', { class: 'hint' });
  #send;
  #raised;
  /** The rows by id. @type {Map<string, HTMLElement>} */
  #rows = new Map();

  /**
   * @param {Send} send
   * @param {(sentence: string) => void} raised  told when somebody has raised a hand
   */
  constructor(send, raised) {
    this.#send = send;
    this.#raised = raised;
    this.#section.append(
      build('h2', { class: 'knocks-title' }, labels.hands),
      this.#list,
      this.#more,
    );
  }

  /** @param {Access['hands']} hands  the first of them, and how many they are */
  show({ people, count }) {
    const here = new Set(people.map(({ id }) => id));
    const hadFocus = this.#section.contains(document.activeElement);
    for (const [id, row] of this.#rows) {
      if (here.has(id)) continue;
      row.remove();
      this.#rows.delete(id);
    }
    const fresh = people.filter(({ id }) => !this.#rows.has(id));
    for (const person of fresh) this.#add(person);
    this.#section.hidden = count === 0;
    this.#more.hidden = count <= people.length;
    setText(this.#more, texts.moreHands(count - people.length));
    // The button that was pressed is gone: the focus stays among the hands, or goes to the room's
    // name.
    if (hadFocus && !this.#section.contains(document.activeElement)) {
      (this.#list.querySelector('button') ?? elementOf('call-title', HTMLElement)).focus();
    }
    if (fresh.length > 0)
      this.#raised(fresh.length === 1 ? texts.raisedHand(fresh[0].label) : texts.handsUp(count));
  }

  /** @param {{ id: string, label: string }} person */
  #add({ id, label }) {
    const speak = makeButton('button small primary', texts.letSpeak, () =>
      this.#send(moderate.setRole(id, 'speaker')),
    );
    const lower = makeButton('button small', texts.lowerTheirHand, () =>
      this.#send(moderate.lowerHand(id)),
    );
    speak.setAttribute('aria-label', texts.letSpeakName(label));
    lower.setAttribute('aria-label', texts.lowerHandOf(label));
    const row = build(
      'li',
      { class: 'knock' },
      build('span', { class: 'knock-name' }, label),
      build('div', { class: 'knock-buttons' }, speak, lower),
    );
    this.#rows.set(id, row);
    this.#list.append(row);
  }
}
