import { moderate } from '../../client/call/moderate.js';
import { announce, build, elementOf, makeButton, setText } from '../kit/element.js';
import { KeyedList } from '../kit/keyed-list.js';
import { labels, texts } from '../../texts/texts.js';

/**
 * @import { Access } from '../../client/call/types.js'
 * @import { Send } from '../call/current-call.js'
 * @import { Sounds } from '../call/sounds.js'
 *
 * @typedef {Access['knocks'][number]} Knock
 * @typedef {Access['hands']['people'][number]} Hand
 */

/**
 * Requests of people to a moderator, above the people: a row for each, with buttons that answer it.
 * @template {{ id: string }} T
 */
class RequestList {
  #section;
  #rows;

  /**
   * @param {string} id  of the section
   * @param {string} title
   * @param {(request: T) => HTMLElement} makeRow
   */
  constructor(id, title, makeRow) {
    this.#section = elementOf(id, HTMLElement);
    const list = build('ul', {});
    this.#rows = new KeyedList(
      list,
      (/** @type {T} */ { id: key }) => key,
      (/** @type {T} */ request) => ({ element: makeRow(request) }),
      // The button that was pressed is gone: the focus stays in the list, or goes to the room's
      // name.
      (neighbour) =>
        (neighbour?.querySelector('button') ?? elementOf('call-title', HTMLElement)).focus(),
    );
    this.#section.append(build('h2', { class: 'knocks-title' }, title), list);
  }

  /** @param {HTMLElement} element  below the rows */
  append(element) {
    this.#section.append(element);
  }

  /**
   * @param {readonly T[]} requests
   * @returns {T[]} the new ones
   */
  show(requests) {
    const fresh = this.#rows.show(requests);
    this.#section.hidden = requests.length === 0;
    return fresh;
  }
}

/**
 * @param {string} name
 * @param {{ label: string, title: string, run: () => void }[]} answers  the first one is primary
 */
function buildRow(name, answers) {
  const buttons = answers.map(({ label, title, run }, i) => {
    const button = makeButton(i === 0 ? 'button small primary' : 'button small', label, run);
    button.setAttribute('aria-label', title);
    return button;
  });
  return build(
    'li',
    { class: 'knock' },
    build('span', { class: 'knock-name' }, name),
    build('div', { class: 'knock-buttons' }, ...buttons),
  );
}

/** People in the waiting room, for a moderator to admit or turn away. */
export class KnockList {
  #list;
  #sounds;

  /** @param {Send} send @param {Sounds} sounds */
  constructor(send, sounds) {
    this.#sounds = sounds;
    this.#list = new RequestList('knocks', labels.knocks, (/** @type {Knock} */ { id, name }) =>
      buildRow(name, [
        {
          label: texts.letIn,
          title: texts.letInName(name),
          run: () => send(moderate.admit(id)),
        },
        {
          label: texts.turnAway,
          title: texts.turnAwayName(name),
          run: () => send(moderate.turnAway(id)),
        },
      ]),
    );
  }

  /** @param {Access['knocks']} knocks */
  show(knocks) {
    const fresh = this.#list.show(knocks);
    if (fresh.length === 0) return;
    announce(texts.knocked(fresh.map(({ name }) => name)));
    this.#sounds.playPresence(true);
  }
}

/** Raised hands of the audience, for a moderator to allow them to speak. */
export class HandList {
  #list;
  #more = build('p', { class: 'hint' });

  /** @param {Send} send */
  constructor(send) {
    this.#list = new RequestList('hands', labels.hands, (/** @type {Hand} */ { id, label }) =>
      buildRow(label, [
        {
          label: texts.letSpeak,
          title: texts.letSpeakName(label),
          run: () => send(moderate.setRole(id, 'speaker')),
        },
        {
          label: texts.lowerTheirHand,
          title: texts.lowerHandOf(label),
          run: () => send(moderate.lowerHand(id)),
        },
      ]),
    );
    this.#list.append(this.#more);
  }

  /** @param {Access['hands']} hands  the first of them, and their number */
  show({ people, count }) {
    const fresh = this.#list.show(people);
    this.#more.hidden = count <= people.length;
    setText(this.#more, texts.moreHands(count - people.length));
    if (fresh.length > 0)
      announce(fresh.length === 1 ? texts.raisedHand(fresh[0].label) : texts.handsUp(count));
  }
}
