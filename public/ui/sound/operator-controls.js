import { build, keepFocus, setText } from '../kit/element.js';
import { askOperatorApi, keepToken, readToken } from '../kit/operator-api.js';
import { noticeText, texts } from '../../texts/texts.js';

/** Largest delay of the slider, in milliseconds. */
const MAX_MS = 400;

/** Shortest time between two requests while the slider moves, in milliseconds. */
const APART_MS = 150;

/** Controls for the server's operator: the room's server-side delay, set by hand or automatic. */
export class OperatorControls {
  #room;
  #token = build('input', {
    id: 'operator-token',
    type: 'password',
    autocomplete: 'off',
    'aria-describedby': 'operator-says',
  });
  #entry = build(
    'form',
    { class: 'operator-entry' },
    build('label', { for: 'operator-token' }, texts.operatorToken),
    build(
      'div',
      { class: 'joined-fields' },
      this.#token,
      build('button', { type: 'submit', class: 'button' }, texts.operatorUse),
    ),
  );
  #automatic = build('input', { id: 'operator-auto', type: 'checkbox', role: 'switch' });
  #slider = build('input', {
    id: 'operator-delay',
    type: 'range',
    min: '0',
    max: String(MAX_MS),
    step: '5',
  });
  #value = build('output', { for: 'operator-delay', class: 'volume-value' });
  #controls = build(
    'div',
    { class: 'stack', hidden: true },
    build(
      'div',
      { class: 'switch' },
      build('label', { for: 'operator-auto' }, texts.operatorAuto),
      this.#automatic,
    ),
    build(
      'div',
      { class: 'field' },
      build('label', { for: 'operator-delay' }, texts.operatorDelay),
      build('div', { class: 'volume wide' }, this.#slider, this.#value),
    ),
  );
  #says = build('p', { class: 'problem', id: 'operator-says', 'aria-live': 'polite' });
  element = build(
    'details',
    { class: 'advanced operator' },
    build('summary', {}, texts.operator),
    build(
      'div',
      { class: 'stack' },
      build('p', { class: 'hint' }, texts.operatorHint),
      this.#entry,
      this.#controls,
      this.#says,
    ),
  );
  #timer = 0;
  #moving = false;

  /** @param {string} room */
  constructor(room) {
    this.#room = room;
    this.#entry.addEventListener('submit', (event) => {
      event.preventDefault();
      void this.#use(this.#token.value.trim());
    });
    this.#automatic.addEventListener('change', () => {
      this.#slider.disabled = this.#automatic.checked;
      void this.#change();
    });
    this.#slider.addEventListener('input', () => {
      this.#moving = true;
      this.#showValue();
      clearTimeout(this.#timer);
      this.#timer = window.setTimeout(() => void this.#change(), APART_MS);
    });
    this.#slider.addEventListener('change', () => (this.#moving = false));
  }

  opened() {
    this.#show();
    if (readToken() !== '') void this.#read(readToken());
  }

  closed() {
    clearTimeout(this.#timer);
  }

  /**
   * Moves the slider while the delay is automatic.
   * @param {number} serverDelayMs the current delay
   */
  follow(serverDelayMs) {
    if (!this.#automatic.checked || this.#moving || !Number.isFinite(serverDelayMs)) return;
    this.#slider.value = String(serverDelayMs);
    this.#showValue();
  }

  #showValue() {
    setText(this.#value, `${this.#slider.value} ms`);
  }

  #show() {
    const has = readToken() !== '';
    this.#entry.hidden = has;
    this.#controls.hidden = !has;
    this.#slider.disabled = this.#automatic.checked;
    this.#showValue();
  }

  get #path() {
    return `/rooms/${encodeURIComponent(this.#room)}`;
  }

  /**
   * Reads the room's delay from the server, and shows it.
   * @param {string} token
   * @returns {Promise<boolean>} false when the server refused, which is said
   */
  async #read(token) {
    const answer = await askOperatorApi('GET', this.#path, { token });
    this.#say(answer);
    if (answer.code !== null) return false;
    const { delay } = /** @type {{ delay: { mode: string, wantedMs: number } }} */ (answer.answer);
    this.#automatic.checked = delay.mode === 'auto';
    // The delay in force follows it gradually.
    this.#slider.value = String(Math.round(delay.wantedMs));
    this.#show();
    return true;
  }

  /**
   * Tries a token by reading the room's delay, which only the operator may see.
   * @param {string} token
   */
  async #use(token) {
    if (!(await this.#read(token))) return;
    keepToken(token);
    this.#token.value = '';
    this.#show();
    this.#automatic.focus();
  }

  async #change() {
    const serverDelayMs = this.#automatic.checked ? 'auto' : Number(this.#slider.value);
    this.#say(await askOperatorApi('PATCH', this.#path, { body: { serverDelayMs } }));
  }

  /**
   * Says why the server refused, if it did.
   * @param {{ code: string | null, status: number }} answer
   */
  #say({ code, status }) {
    setText(this.#says, code === null ? '' : noticeText(code));
    if (status === 401 || status === 403) this.#forgetToken();
  }

  /** Asks for the token again after the server has refused it. */
  #forgetToken() {
    keepToken('');
    keepFocus(
      () => this.#show(),
      () => this.#token,
    );
  }
}
