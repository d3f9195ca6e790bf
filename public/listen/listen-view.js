import {
  build,
  elementOf,
  keepFocus,
  makeButton,
  makeField,
  makeIcon,
  setText,
} from '../ui/kit/element.js';
import { LiveTime } from '../ui/kit/live-time.js';
import { NEARNESS } from '../shared/nearness.js';
import { direction, language } from '../texts/language.js';
import { listenTexts as texts } from '../texts/listen.js';

/**
 * @import { Nearness } from '../shared/nearness.js'
 * @import { LiveRules } from '../ui/kit/live-time.js'
 */

Object.assign(document.documentElement, { lang: language, dir: direction });

const icons = Object.freeze({ play: 'M8 5.5v13l10.5-6.5z', pause: 'M8.5 5.5v13M15.5 5.5v13' });

/** The content of the listeners' page, and its buttons. */
export class ListenView {
  #live = new LiveTime();
  #count = build('span', {});
  #title = elementOf('listen-title', HTMLElement);
  #speaks = elementOf('listen-speaks', HTMLElement);
  #stage = elementOf('listen-stage', HTMLElement);
  #button = elementOf('listen-button', HTMLButtonElement);
  #status = elementOf('listen-status', HTMLElement);
  #next = elementOf('listen-next', HTMLElement);
  #entry = elementOf('listen-entry', HTMLFormElement);
  #controls = elementOf('listen-controls', HTMLElement);
  #name = build('input', {
    id: 'listen-name',
    type: 'text',
    autocomplete: 'nickname',
    maxlength: '120',
    'aria-describedby': 'listen-name-hint',
  });
  #password = build('input', {
    id: 'listen-password',
    type: 'password',
    maxlength: '128',
    autocomplete: 'off',
  });
  #passwordField = makeField(texts.password, this.#password);
  #hand;
  #near;
  #quality = build('p', { class: 'hint' });
  #fromBeginning = build('a', { target: '_blank', rel: 'noopener' }, texts.fromBeginning);
  #recorded = build('p', { class: 'hint', hidden: true }, this.#fromBeginning);

  /**
   * @param {string} room
   * @param {{ isEmbedded: boolean, name: string, invited: string }} address
   *   invited: the name that the invitation gives, or empty
   * @param {{ toggle: () => void, hand: () => void, volume: (level: number) => void, near:
   *   (nearness: Nearness) => void }} actions
   */
  constructor(room, { isEmbedded, name, invited }, { toggle, hand, volume, near }) {
    document.body.classList.toggle('embedded', isEmbedded);
    document.title = texts.tabTitle(room);
    setText(this.#title, room);
    elementOf('listen-eyebrow', HTMLElement).append(this.#live.element, ' ', this.#count);
    this.#name.value = invited || name;
    this.#name.readOnly = invited !== '';
    this.#passwordField.hidden = true;
    this.#entry.append(
      this.#passwordField,
      this.#nameField(invited === '' ? texts.nameHint : texts.nameInvited),
    );
    // The button submits, and so does Enter in a field.
    this.#entry.addEventListener('submit', (event) => {
      event.preventDefault();
      toggle();
    });
    this.#hand = makeButton('button', texts.hand, hand);
    this.#hand.setAttribute('aria-pressed', 'false');
    const level = build('input', {
      id: 'listen-volume',
      type: 'range',
      min: '0',
      max: '100',
      value: '100',
    });
    level.addEventListener('input', () => volume(Number(level.value) / 100));
    this.#near = new NearChoice(near);
    this.#controls.append(
      makeField(texts.volume, level),
      this.#near.element,
      this.#hand,
      build('details', {}, build('summary', {}, texts.details), this.#quality),
    );
    const whole = build(
      'a',
      {
        href: `${location.pathname}?listen=call${location.hash}`,
        ...(isEmbedded && { target: '_blank', rel: 'noopener' }),
      },
      isEmbedded ? texts.openRoom : texts.wholePage,
    );
    elementOf('listen-foot', HTMLElement).append(
      this.#recorded,
      build('p', { class: 'hint' }, whole),
    );
    this.button('idle');
  }

  /** Adds a control above the others. @param {HTMLElement} element */
  addControl(element) {
    this.#controls.prepend(element);
  }

  /** @param {string} says */
  #nameField(says) {
    const hint = build('p', { class: 'hint', id: 'listen-name-hint' }, says);
    const field = makeField(texts.name, this.#name, hint);
    field.classList.add('listen-name');
    return field;
  }

  get entry() {
    const password = this.#passwordField.hidden ? undefined : this.#password.value;
    return {
      name: this.#name.value.trim() || texts.listenerName,
      password,
      nearness: this.#near.value,
    };
  }

  /** @param {'idle' | 'starting' | 'playing'} state */
  button(state) {
    const [icon, text] = /** @type {const} */ ({
      idle: [icons.play, texts.listen],
      starting: [icons.pause, texts.cancel],
      playing: [icons.pause, texts.pause],
    })[state];
    this.#button.replaceChildren(makeIcon(icon), build('span', {}, text));
    this.#button.classList.toggle('primary', state === 'idle');
    keepFocus(
      () => {
        this.#entry.hidden = state !== 'idle';
        this.#controls.hidden = state !== 'playing';
      },
      () => this.#button,
    );
  }

  get status() {
    return this.#status.textContent;
  }

  /** @param {string} sentence  announced to assistive technology */
  showStatus(sentence) {
    setText(this.#status, sentence);
  }

  /** Asks for the room's password. */
  askPassword() {
    this.#passwordField.hidden = false;
    this.#password.focus();
    this.#password.select();
  }

  /** @param {LiveRules | null} rules */
  live(rules) {
    this.#live.show(rules);
  }

  /** @param {number | null} count number of listeners; null: unknown */
  listeners(count) {
    setText(this.#count, count === null ? '' : texts.listeners(count));
  }

  /**
   * Offers to hear the broadcast from its beginning, if it is being recorded.
   * @param {string | null} id  of the recording
   * @param {string} [origin]   of the server that has it; the page's own by default
   */
  recorded(id, origin = '') {
    if (id !== null) this.#fromBeginning.href = `${origin}/recordings/${encodeURIComponent(id)}`;
    keepFocus(
      () => (this.#recorded.hidden = id === null),
      () => this.#button,
    );
  }

  /**
   * @param {string[] | null} names  null: nothing is heard
   * @param {boolean} [isOther] there is sound without a voice
   */
  speaks(names, isOther = false) {
    const sentence = isOther ? texts.otherSound : names && texts.speaking(names);
    setText(this.#speaks, sentence ?? '');
  }

  /** @param {string[] | null} names  null: unknown */
  onStage(names) {
    setText(this.#stage, names === null ? '' : texts.onStage(names));
  }

  /** @param {boolean} raised */
  hand(raised) {
    setText(this.#hand, raised ? texts.handUp : texts.hand);
    this.#hand.setAttribute('aria-pressed', String(raised));
  }

  /** @param {string} sentence  about the quality of the fetched sound */
  quality(sentence) {
    setText(this.#quality, sentence);
  }

  /** Replaces the offers. @param {...HTMLElement} offers none: nothing */
  offer(...offers) {
    keepFocus(
      () => this.#next.replaceChildren(...offers),
      () => this.#button,
    );
  }
}

/** Key of the kept choice of nearness in the browser's storage. */
const KEY = 'aloud.near';

/** The choice of the nearness to the speakers. */
class NearChoice {
  #select = build(
    'select',
    { id: 'listen-near', 'aria-describedby': 'listen-near-hint' },
    ...NEARNESS.map((value) => build('option', { value }, texts.nearness[value])),
  );
  #hint = build('p', { class: 'hint', id: 'listen-near-hint' });
  element;

  /** @param {(nearness: Nearness) => void} chosen */
  constructor(chosen) {
    this.#select.value = readKept();
    this.#select.addEventListener('change', () => {
      this.#explain();
      keep(this.value);
      chosen(this.value);
    });
    this.#explain();
    this.element = makeField(texts.near, this.#select, this.#hint);
    this.element.classList.add('listen-near');
  }

  get value() {
    return /** @type {Nearness} */ (this.#select.value);
  }

  #explain() {
    setText(this.#hint, texts.nearnessHints[this.value]);
  }
}

/** @returns {Nearness} */
function readKept() {
  try {
    return NEARNESS.find((one) => one === localStorage.getItem(KEY)) ?? 'conversation';
  } catch {
    return 'conversation';
  }
}

/** @param {Nearness} nearness */
function keep(nearness) {
  try {
    localStorage.setItem(KEY, nearness);
  } catch {
    // The browser stores nothing for this page: the choice isn't kept.
  }
}
