import { build, makeButton, setText } from '../ui/kit/element.js';
import { adminTexts as texts } from './texts.js';

/**
 * @typedef {{ id: string, room: string, name: string, by: string, identity: string | null, network:
 *   string | null, seconds: number }} Ban
 */

/** List of bans with person, room and remaining time. */
export class BansList {
  #list;
  #empty;
  #onLift;
  /** Shown rows, by id. @type {Map<string, { element: HTMLElement, until: HTMLElement }>} */
  #shown = new Map();

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} empty shown when there are none
   * @param {(ban: Ban) => void} onLift
   */
  constructor(list, empty, onLift) {
    this.#list = list;
    this.#empty = empty;
    this.#onLift = onLift;
  }

  /** @param {Ban[]} bans the newest first */
  show(bans) {
    const there = new Set(bans.map(({ id }) => id));
    for (const [id, { element }] of this.#shown) if (!there.has(id)) this.#gone(id, element);
    for (const [i, ban] of bans.entries()) {
      const { element, until } = this.#shown.get(ban.id) ?? this.#add(ban);
      setText(until, texts.banLine(ban));
      if (this.#list.children[i] !== element)
        this.#list.insertBefore(element, this.#list.children[i] ?? null);
    }
    this.#list.hidden = bans.length === 0;
    this.#empty.hidden = bans.length > 0;
  }

  /** @param {Ban} ban */
  #add(ban) {
    const until = build('p', { class: 'hint' });
    const lift = makeButton('button', texts.lift, () => this.#onLift(ban));
    lift.setAttribute('aria-label', texts.liftWhose(ban));
    const who = build('p', { class: 'person-name' }, texts.banned(ban));
    const shown = {
      element: build(
        'li',
        {},
        build('div', {}, who, until),
        build('div', { class: 'actions' }, lift),
      ),
      until,
    };
    this.#shown.set(ban.id, shown);
    return shown;
  }

  /** @param {string} id @param {HTMLElement} element */
  #gone(id, element) {
    const hadFocus = element.contains(document.activeElement);
    const next = element.nextElementSibling ?? element.previousElementSibling;
    element.remove();
    this.#shown.delete(id);
    // The pressed button is gone: the focus moves to the next one, or to the list's heading.
    if (hadFocus) (next?.querySelector('button') ?? document.getElementById('bans-title'))?.focus();
  }
}
