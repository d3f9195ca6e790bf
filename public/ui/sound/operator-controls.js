import { build, setText } from '../kit/element.js';
import { noticeText, texts } from '../../texts.js';

/** The token's key in `sessionStorage`, which lasts as long as the tab. */
const TOKEN_KEY = 'aloud.operator';

/** The slider's largest delay, in milliseconds. */
const MAX_MS = 400;

/** The least time between two requests while the slider moves, in milliseconds. */
const APART_MS = 150;

/** Controls for the server's operator: the room's server-side delay, set by hand or automatic. */
export class OperatorControls {
  #room;
  #token = build('input', { id: 'operator-token', type: 'password', autocomplete: 'off', 'aria-describedby': 'operator-says' });
  #entry = build(
    'form',
    { class: 'operator-entry' },
    build('label', { for: 'operator-token' }, texts.operatorToken),
    build('div', { class: 'joined-fields' }, this.#token, build('button', { type: 'submit', class: 'button' }, texts.operatorUse)),
  );
  #automatic = build('input', { id: 'operator-auto', type: 'checkbox', role: 'switch' });
  #slider = build('input', { id: 'operator-delay', type: 'range', min: '0', max: String(MAX_MS), step: '5' });
  #value = build('output', { for: 'operator-delay', class: 'volume-value' });
  #controls = build(
    'div',
    { class: 'stack', hidden: true },
    build('div', { class: 'switch' }, build('label', { for: 'operator-auto' }, texts.operatorAuto), this.#automatic),
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
    build('div', { class: 'stack' }, build('p', { class: 'hint' }, texts.operatorHint), this.#entry, this.#controls, this.#says),
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
    void this.#read().then(() => this.#show());
  }

  closed() {
    clearTimeout(this.#timer);
  }

  /** Moves the slider while the delay is automatic. @param {number} serverDelayMs the current delay */
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

  get #url() {
    return `/api/rooms/${encodeURIComponent(this.#room)}`;
  }

  /** Reads the room's delay from the server. @returns {Promise<boolean>} false when that failed */
  async #read() {
    const room = await fetch(this.#url).then((answer) => (answer.ok ? answer.json() : null)).catch(() => null);
    if (!room) return false;
    this.#automatic.checked = room.delay?.mode === 'auto';
    this.#slider.value = String(Math.round(Number(room.serverDelayMs) || 0));
    return true;
  }

  /**
   * Tries a token by setting the room's delay to what it is: only a change needs a token.
   * @param {string} token
   */
  async #use(token) {
    if (!(await this.#read())) {
      setText(this.#says, noticeText('operator-offline'));
      return;
    }
    keepToken(token);
    this.#token.value = '';
    this.#show();
    this.#automatic.focus();
    await this.#change();
  }

  async #change() {
    const serverDelayMs = this.#automatic.checked ? 'auto' : Number(this.#slider.value);
    try {
      const answer = await fetch(this.#url, {
        method: 'PATCH',
        headers: { Authorization: `Bearer ${readToken()}`, 'Content-Type': 'application/json' },
        body: JSON.stringify({ serverDelayMs }),
      });
      if (answer.ok) return setText(this.#says, '');
      const { code } = await answer.json();
      setText(this.#says, noticeText(code));
      if (answer.status === 401 || answer.status === 403) this.#forgetToken();
    } catch {
      setText(this.#says, noticeText('operator-offline'));
    }
  }

  /** Asks for the token again, since the server has refused it. */
  #forgetToken() {
    keepToken('');
    const hadFocus = this.#controls.contains(document.activeElement);
    this.#show();
    if (hadFocus) this.#token.focus();
  }
}

/** The token, where the browser keeps nothing. */
let kept = '';

/** @returns {string} '' when there is none */
function readToken() {
  try {
    return sessionStorage.getItem(TOKEN_KEY) ?? '';
  } catch {
    return kept;
  }
}

/** @param {string} token '' forgets it */
function keepToken(token) {
  kept = token;
  try {
    if (token) sessionStorage.setItem(TOKEN_KEY, token);
    else sessionStorage.removeItem(TOKEN_KEY);
  } catch {
    // The browser keeps nothing: the token lasts as long as the page.
  }
}
