import { build, makeIcon, setText } from './element.js';
import { icons } from './icons.js';
import { texts } from '../texts.js';

/** The loudest that one person can be made, as a factor. */
const MAX_GAIN = 2;

/** What one can do about one other person, for oneself alone: their volume. Opens over the tile. */
export class PersonMenu {
  button = build('button', { type: 'button', class: 'button quiet icon-only person-more', 'aria-expanded': 'false' }, makeIcon(icons.more));
  #slider = build('input', { type: 'range', min: '0', max: String(100 * MAX_GAIN), step: '5', value: '100' });
  #value = build('output', { class: 'volume-value' }, '100 %');
  #mute = build('button', { type: 'button', class: 'button small', 'aria-pressed': 'false' }, texts.muteForMe);
  #transport = build('p', { class: 'hint' });
  #onGain;
  #gain = 1;
  #silent = false;
  element = build(
    'div',
    { class: 'person-menu', role: 'group', hidden: true },
    build('div', { class: 'volume' }, makeIcon(icons.speaker), this.#slider, this.#value),
    this.#mute,
    this.#transport,
  );

  /** @param {(gain: number) => void} onGain 0 to MAX_GAIN; 0: muted for oneself */
  constructor(onGain) {
    this.#onGain = onGain;
    this.button.addEventListener('click', () => this.#open(Boolean(this.element.hidden)));
    this.#slider.addEventListener('input', () => {
      this.#gain = Number(this.#slider.value) / 100;
      this.#silent = false;
      this.#tell();
    });
    this.#mute.addEventListener('click', () => {
      this.#silent = !this.#silent;
      this.#tell();
    });
    this.element.addEventListener('keydown', (event) => {
      if (event.key !== 'Escape') return;
      event.stopPropagation();
      this.#open(false);
      this.button.focus();
    });
  }

  /**
   * @param {string} name
   * @param {string} transport
   * @param {boolean} you there is nothing to set about oneself
   */
  show(name, transport, you) {
    this.button.hidden = you;
    if (you) this.#open(false);
    this.button.setAttribute('aria-label', texts.more(name));
    this.element.setAttribute('aria-label', texts.more(name));
    this.#slider.setAttribute('aria-label', texts.volumeOf(name));
    setText(this.#transport, texts.connectedOver(transport));
  }

  /** @param {boolean} open */
  #open(open) {
    this.element.hidden = !open;
    this.button.setAttribute('aria-expanded', String(open));
    this.button.replaceChildren(makeIcon(open ? icons.close : icons.more));
    if (open) this.#slider.focus();
  }

  #tell() {
    const gain = this.#silent ? 0 : this.#gain;
    this.#mute.setAttribute('aria-pressed', String(gain === 0));
    setText(this.#value, `${Math.round(100 * gain)} %`);
    this.#onGain(gain);
  }
}
