import { elementOf, setText } from '../kit/element.js';
import { ask } from '../kit/dialog.js';
import { RecordingPanel } from './recording-panel.js';
import { noticeText, texts } from '../../texts.js';

/**
 * @import { CallBar } from '../call/call-bar.js'
 * @import { Person } from '../people/person-tile.js'
 * @import { RecordedFile, RecordingState } from './recording-panel.js'
 *
 * @typedef {object} RecordingActions
 * @property {(on: boolean) => void} record
 * @property {(agreed: boolean) => void} consent
 * @property {(sentence: string) => void} announce
 */

/** How often the files are asked for until they are there, and how long between, in milliseconds. */
const TRIES = 5;
const TRY_MS = 1000;

/** What a page shows of a recording: the sign for everybody, the question, the panel. */
export class Recording {
  panel;
  #badge = elementOf('recording-badge', HTMLElement);
  #bar;
  #actions;
  /** @type {RecordingState | null} */
  #state = null;
  /** @type {Person[]} */
  #people = [];
  #you = '';
  /** Which recordings this one has answered for. @type {Set<string>} */
  #asked = new Set();
  /** @type {Set<string>} */
  #fetched = new Set();
  /** @type {(() => void) | null} */
  #endQuestion = null;

  /**
   * @param {CallBar} bar
   * @param {RecordingActions} actions
   */
  constructor(bar, actions) {
    this.#bar = bar;
    this.#actions = actions;
    this.panel = new RecordingPanel({
      record: (on) => actions.record(on),
      consent: (agreed) => actions.consent(agreed),
      opened: () => this.#fetchReady(),
    });
    setText(this.#badge, texts.recordingOn);
  }

  /** Whether one is going on. */
  get on() {
    return this.#state?.on === true;
  }

  /**
   * As one joins or comes back.
   * @param {RecordingState | null} state
   * @param {boolean} offered whether the server records at all
   */
  welcome(state, offered) {
    this.#bar.record.hidden = !offered;
    this.#become(state);
  }

  /** @param {RecordingState | null} state */
  told(state) {
    const wasOn = this.on;
    this.#become(state);
    if (!state) return;
    if (state.on && !wasOn) this.#actions.announce(texts.recordingBegan(state.by));
    else if (!state.on && wasOn) this.#actions.announce(state.code ? noticeText(state.code) : texts.recordingEnded(state.stoppedBy ?? state.by));
  }

  /**
   * @param {Person[]} people
   * @param {string} you
   */
  people(people, you) {
    this.#people = people;
    this.#you = you;
    this.#show();
  }

  /** Forgets everything, before another call. */
  clear() {
    this.#become(null);
    this.#people = [];
    this.panel.clear();
    this.#asked.clear();
    this.#fetched.clear();
  }

  /** @param {RecordingState | null} state */
  #become(state) {
    this.#state = state;
    if (!state?.on) this.#endQuestion?.();
    this.#show();
    this.#fetchReady();
  }

  #show() {
    this.#badge.hidden = !this.on;
    this.#bar.recording(this.on);
    this.panel.show(this.#state, this.#people, this.#you);
    this.#askOnce();
  }

  /** Who started it has agreed by that; everybody else is asked, once for each recording. */
  #askOnce() {
    const state = this.#state;
    const me = this.#people.find(({ id }) => id === this.#you);
    if (!state?.on || !me || this.#asked.has(state.id)) return;
    if (me.recorded || state.by === (me.label || me.name)) {
      this.#asked.add(state.id);
      return;
    }
    this.#asked.add(state.id);
    this.#endQuestion = ask(texts.consent(state.by), (agreed) => {
      this.#endQuestion = null;
      this.#actions.consent(agreed);
    });
  }

  /** Gets the files, once they are whole; again where that has failed before. */
  #fetchReady() {
    const state = this.#state;
    if (!state?.ready || this.#fetched.has(state.id)) return;
    this.#fetched.add(state.id);
    void this.#fetchFiles(state);
  }

  /** @param {RecordingState} recording */
  async #fetchFiles({ id, startedAt }) {
    // Until the call is over.
    for (let i = 0; i < TRIES && this.#fetched.has(id); i++) {
      if (i > 0) await new Promise((resolve) => void setTimeout(resolve, TRY_MS));
      const files = await filesOf(id);
      if (!files || !this.#fetched.has(id)) continue;
      this.panel.addFiles(id, startedAt, files);
      this.#actions.announce(texts.recordingReady);
      return;
    }
    if (!this.#fetched.delete(id)) return;
    this.panel.filesFailed();
    this.#actions.announce(noticeText('recording-files'));
  }
}

/**
 * @param {string} id of a recording
 * @returns {Promise<RecordedFile[] | null>} null where they can't be had
 */
async function filesOf(id) {
  try {
    const answer = await fetch(`/api/recordings/${encodeURIComponent(id)}/`);
    return answer.ok ? (await answer.json()).files : null;
  } catch {
    return null;
  }
}
