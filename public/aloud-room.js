/**
 * `<aloud-room>`: a room's call as an element of any page, with a button to join and one to mute
 * (docs/embedding.md).
 *
 *     <script type="module" src="https://talk.example.org/public/aloud-room.js"></script>
 *     <aloud-room room="tea" name="Ada"></aloud-room>
 *
 * @import { Call } from './call.js'
 * @import { CallView } from './client/call/types.js'
 */

import { callOf, joined } from './aloud.js';
import { NO_CALL } from './client/call/call-view.js';
import { elementTexts as texts } from './texts/labels.js';
import { noticeText } from './texts/failures.js';
import { build, setText } from './ui/kit/element.js';
import { KeyedList } from './ui/kit/keyed-list.js';

/** Codes of good news, and of brief faults: the status says nothing of them. */
const PASSING = new Set(['microphone-back', 'speaker-back', 'sound-resumed', 'track-not-heard']);

/** The page may change colours by these properties, and the parts by ::part(). */
const STYLE = `
  :host { display: block; max-inline-size: 36rem; font: 1rem/1.4 system-ui, sans-serif;
    --aloud-accent: light-dark(#0f5f4c, #7fd8ba); --aloud-on-accent: light-dark(#fff, #07251c); }
  :host([hidden]), [hidden] { display: none !important; }
  form, div { display: flex; flex-wrap: wrap; gap: 0.5rem; align-items: end; }
  label { display: grid; gap: 0.25rem; flex: 1 1 10rem; }
  input, button { font: inherit; min-block-size: 3rem; padding-inline: 1rem;
    border: 1px solid light-dark(#6f746c, #8d978f); border-radius: 0.75rem;
    box-sizing: border-box; }
  button { min-inline-size: 6rem; cursor: pointer; }
  button[aria-disabled='true'] { opacity: 0.5; cursor: not-allowed; }
  button.first, button[aria-pressed='true'] { background: var(--aloud-accent);
    color: var(--aloud-on-accent); border-color: transparent; }
  :focus-visible { outline: 3px solid var(--aloud-accent); outline-offset: 2px; }
  p { margin-block: 0.5rem; min-block-size: 1.4em; }
  ul { margin: 0 0 0.5rem; padding: 0; list-style: none; display: flex; flex-wrap: wrap;
    gap: 0.25rem 1rem; }
  li { overflow-wrap: anywhere; }
  li.speaks { font-weight: 700; text-decoration: underline; text-underline-offset: 0.25em; }
`;

/**
 * Attributes: `room`, a name or a whole link; `name`, asked for when absent; `listen`, to join the
 * audience; `music`; `password`; `token`. It joins by the visitor's press, or by join().
 * @fires change  of `state`: it bubbles
 */
export class AloudRoom extends HTMLElement {
  /** The call, joined or joining. */
  #call = /** @type {Call | null} */ (null);
  /** Settled once it has joined, or can't. */
  #joining = Promise.resolve();
  #view = /** @type {Readonly<CallView>} */ (NO_CALL);
  /** Codes of the call's faults that last, the latest last. @type {Set<string>} */
  #faults = new Set();
  #name = build('input', { autocomplete: 'nickname', maxlength: '120', part: 'name' });
  #label = build('label', {}, texts.name, this.#name);
  #join = build('button', { class: 'first', part: 'button join' });
  #form = build('form', {}, this.#label, this.#join);
  #status = build('p', { role: 'status', part: 'status' });
  #people = build('ul', { 'aria-label': texts.people, part: 'people' });
  #rows = new KeyedList(
    this.#people,
    ({ id }) => id,
    (/** @type {CallView['people'][number]} */ { label }) => ({ element: build('li', {}, label) }),
    () => {},
  );
  #mute = build('button', { type: 'button', part: 'button mute' }, texts.mute);
  #leave = build('button', { type: 'button', part: 'button leave' }, texts.leave);
  #controls = build('div', {}, this.#mute, this.#leave);

  constructor() {
    super();
    const root = this.attachShadow({ mode: 'open', delegatesFocus: true });
    const style = new CSSStyleSheet();
    style.replaceSync(STYLE);
    root.adoptedStyleSheets = [style];
    root.append(this.#form, this.#people, this.#status, this.#controls);
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      // The status says what went wrong.
      void this.join().catch(() => {});
    });
    this.#status.addEventListener('blur', () => this.#status.removeAttribute('tabindex'));
    this.#mute.addEventListener('click', () => {
      if (this.#mute.ariaDisabled !== 'true') this.mute(!this.muted);
    });
    this.#leave.addEventListener('click', () => void this.leave());
  }

  /**
   * The call, for everything that the element has no button for; null before and after it.
   * @type {Call | null}
   */
  get call() {
    return isIn(this.#view) ? this.#call : null;
  }

  /** The call as the client sees it: `state`, `people`, `speakers` and more. */
  get state() {
    return this.#view;
  }

  get muted() {
    return this.#mute.getAttribute('aria-pressed') === 'true';
  }

  connectedCallback() {
    this.role ??= 'group';
    this.ariaLabel ??= texts.call(this.getAttribute('room') ?? '');
    this.#show(this.#view);
  }

  disconnectedCallback() {
    // An element that only moves is in the document again by then.
    queueMicrotask(() => void (this.isConnected || this.leave()));
  }

  /**
   * Joins the room, muted if mute(true) came before. While it is in, or joining, it returns the
   * same promise.
   * @returns {Promise<void>} rejects with a JoinError, unless leave() came; the element shows its
   *   sentence, too
   */
  join() {
    if (!this.#call) this.#joining = this.#begin();
    return this.#joining;
  }

  async #begin() {
    const text = (/** @type {string} */ name) => this.getAttribute(name) ?? undefined;
    try {
      const call = callOf({
        room: text('room') ?? '',
        name: text('name') ?? this.#name.value,
        listen: this.hasAttribute('listen'),
        music: this.hasAttribute('music'),
        password: text('password'),
        token: text('token'),
        muted: this.muted,
      });
      this.#call = call;
      this.#faults.clear();
      const joining = joined(call);
      this.#follow(call);
      await joining;
    } catch (error) {
      const { code = '', message } = /** @type {Error & { code?: string }} */ (error);
      if (code === 'left') return;
      if (code === '') this.#take({ ...NO_CALL, state: 'ended', end: { code, message } });
      throw error;
    }
  }

  /** @param {Call} call */
  #follow(call) {
    call.addEventListener('moderated', ({ detail }) => {
      if ('muted' in detail && detail.muted) this.mute(true);
    });
    call.addEventListener('refused', ({ detail }) => {
      if (detail.of === 'mute') this.mute(true);
    });
    call.addEventListener('notice', ({ detail }) => this.#note(call, detail.code, true));
    call.addEventListener('settled', ({ detail }) => this.#note(call, detail.code, false));
    call.store.subscribe(
      ['state', 'people', 'speakers', 'access', 'away', 'end'],
      (view) => call === this.#call && this.#take(view),
    );
  }

  /**
   * @param {Call} call
   * @param {string} code of a notice
   * @param {boolean} holds false: it is over
   */
  #note(call, code, holds) {
    if (call !== this.#call || PASSING.has(code)) return;
    this.#faults.delete(code);
    if (holds) this.#faults.add(code);
    this.#show(this.#view);
  }

  /** @param {boolean} muted true when the others don't hear this person */
  mute(muted) {
    this.#mute.setAttribute('aria-pressed', String(muted));
    this.#call?.mute(muted);
  }

  /** Leaves the room, or stops joining. Idempotent. */
  async leave() {
    await this.#call?.leave();
  }

  /** @param {Readonly<CallView>} view */
  #take(view) {
    this.#view = view;
    if (view.state === 'ended') this.#call = null;
    this.#show(view);
    this.dispatchEvent(new Event('change', { bubbles: true }));
  }

  /** @param {Readonly<CallView>} view */
  #show(view) {
    const { state, people, you, speakers, access, end } = view;
    const focused = this.shadowRoot?.activeElement;
    const isOut = state === 'idle' || state === 'ended';
    const listens = this.hasAttribute('listen');
    this.#join.textContent = listens ? texts.listen : texts.join;
    this.#label.hidden = listens || this.hasAttribute('name');
    this.#form.hidden = !isOut;
    // Nobody need wait for a moderator.
    this.#controls.hidden = !isIn(view) && !(state === 'connecting' && access.waiting);
    this.#mute.hidden = listens || !isIn(view);
    // A disabled button would lose the keyboard's place.
    this.#mute.ariaDisabled = String(access.silenced);
    const heard = new Set(speakers.filter(({ voice }) => voice).map(({ id }) => id));
    this.#people.hidden = !isIn(view);
    this.#rows.show(isIn(view) ? people : [], ({ element }, { id, label }) => {
      setText(element, label);
      element.classList.toggle('speaks', heard.has(id));
    });
    const isAlone = people.every(({ id }) => id === you);
    const fault = [...this.#faults].at(-1);
    setText(this.#status, statusOf({ state, isAlone, isWaiting: access.waiting, end, fault }));
    // The button that was pressed is hidden now.
    if (focused && !focused.checkVisibility()) (isOut ? this.#join : this.#focusable()).focus();
  }

  /** The status, which has the focus only while there is no button. */
  #focusable() {
    this.#status.tabIndex = -1;
    return this.#status;
  }
}

/** @param {Readonly<CallView>} view */
const isIn = ({ state }) => state === 'joined' || state === 'away';

/**
 * @param {Pick<CallView, 'state' | 'end'> & { isAlone: boolean, isWaiting: boolean, fault?:
 *   string }} view  fault: code of what is wrong while the call goes on
 * @returns {string} a sentence, or nothing
 */
function statusOf({ state, isAlone, isWaiting, end, fault }) {
  if (state === 'away') return texts.away;
  if (end) return end.code === 'left' ? texts.left : noticeOf(end);
  if (state === 'idle') return '';
  if (isWaiting) return texts.waiting;
  if (fault !== undefined) return noticeText(fault);
  return state === 'connecting' ? texts.joining : isAlone ? texts.alone : '';
}

/** @param {NonNullable<CallView['end']>} end  without a code when the address is no room's */
const noticeOf = ({ code, message }) => (code === '' ? message : noticeText(code));

customElements.define('aloud-room', AloudRoom);
