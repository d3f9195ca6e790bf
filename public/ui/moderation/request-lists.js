import { moderate } from '../../client/call/moderate.js';
import { announce, build, elementOf, makeButton, setText } from '../kit/element.js';
import { KeyedList } from '../kit/keyed-list.js';
import { labels, texts } from '../../texts/texts.js';

/**
 * @import { Access } from '../../client/call/types.js'
 * @import { ClientMessage } from '../../shared/messages/client-messages.js'
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
  #session = 0;
  /** Ids of the requests that were shown before the connection was lost. @type {Set<string>} */
  #known = new Set();

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
   * @param {number} session  of the call: another one begins with none
   * @returns {T[]} the new ones
   */
  show(requests, session) {
    if (session !== this.#session) this.#known = new Set(this.#rows.rows.keys());
    this.#session = session;
    const fresh = this.#rows.show(requests);
    this.#section.hidden = requests.length === 0;
    return fresh.filter(({ id }) => !this.#known.delete(id));
  }
}

/**
 * @param {string} name
 * @param {Send} send
 * @param {...[label: string, title: string, message: ClientMessage]} answers  the first one is
 *   primary
 */
function buildRow(name, send, ...answers) {
  const buttons = answers.map(([label, title, message], i) => {
    const button = makeButton(`button small${i === 0 ? ' primary' : ''}`, label, () =>
      send(message),
    );
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
      buildRow(
        name,
        send,
        [texts.letIn, texts.letInName(name), moderate.admit(id)],
        [texts.turnAway, texts.turnAwayName(name), moderate.turnAway(id)],
      ),
    );
  }

  /** @param {Access['knocks']} knocks @param {number} session */
  show(knocks, session) {
    const fresh = this.#list.show(knocks, session);
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
      buildRow(
        label,
        send,
        [texts.letSpeak, texts.letSpeakName(label), moderate.setRole(id, 'speaker')],
        [texts.lowerTheirHand, texts.lowerHandOf(label), moderate.lowerHand(id)],
      ),
    );
    this.#list.append(this.#more);
  }

  /**
   * @param {Access['hands']} hands  the first of them, and their number
   * @param {number} session
   */
  show({ people, count }, session) {
    const fresh = this.#list.show(people, session);
    this.#more.hidden = count <= people.length;
    setText(this.#more, texts.moreHands(count - people.length));
    if (fresh.length > 0)
      announce(fresh.length === 1 ? texts.raisedHand(fresh[0].label) : texts.handsUp(count));
  }
}
