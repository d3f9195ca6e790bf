import { elementOf, setText } from '../kit/element.js';
import { ask } from '../kit/dialog.js';
import { labelOf } from '../people/person.js';
import { RecordingPanel } from './recording-panel.js';
import { noticeText, texts } from '../../texts.js';

/**
 * @import { CallBar } from '../call/call-bar.js'
 * @import { Person } from '../people/person.js'
 * @import { RecordedFile, RecordingState } from './recording-panel.js'
 *
 * @typedef {object} RecordingActions
 * @property {(on: boolean, isPublic: boolean) => boolean | void} record
 * @property {(agreed: boolean) => void} consent
 * @property {(sentence: string) => void} announce
 */

/**
 * The number of times the files are requested before that is a failure, and the interval in
 * milliseconds.
 */
const TRIES = 5;
const TRY_MS = 1000;

/** A recording on the page: the badge, the question for consent, the panel. */
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
  #origin = '';
  #allowed = true;
  #mayBePublic = false;
  /** The recordings that this person has been asked about, by id. @type {Set<string>} */
  #asked = new Set();
  /** The recordings whose files were fetched, or are being fetched. @type {Set<string>} */
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
      record: actions.record,
      consent: actions.consent,
      opened: () => this.#fetchReady(),
    });
    setText(this.#badge, texts.recordingOn);
  }

  /** Whether the room is being recorded. */
  get on() {
    return this.#state?.on === true;
  }

  /**
   * Called after each join.
   * @param {RecordingState | null} state
   * @param {boolean} offered whether the server can record
   * @param {string} origin of the node of a cluster that has the room; '' for the page's own server
   */
  welcome(state, offered, origin) {
    this.#origin = origin;
    this.#bar.record.hidden = !offered;
    this.#become(state);
  }

  /**
   * @param {boolean} allowed whether this person may record now
   * @param {boolean} mayBePublic whether they may make the recording public: a moderator, in a
   *   broadcast
   */
  allowed(allowed, mayBePublic) {
    this.#allowed = allowed;
    this.#mayBePublic = allowed && mayBePublic;
    this.#show();
  }

  /** Called when the recording has changed. @param {RecordingState | null} state */
  changed(state) {
    const wasOn = this.on;
    this.#become(state);
    if (!state) return;
    if (state.on && !wasOn) this.#actions.announce(texts.recordingBegan(state.by));
    else if (!state.on && wasOn)
      this.#actions.announce(
        state.code ? noticeText(state.code) : texts.recordingEnded(state.stoppedBy ?? state.by),
      );
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

  /** Forgets the call, before another one. */
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
    this.panel.show(this.#state, this.#people, this.#you, {
      allowed: this.#allowed,
      mayBePublic: this.#mayBePublic,
      origin: this.#origin,
    });
    this.#askOnce();
  }

  /** Asks for consent, once for each recording; the person who started it has agreed by that. */
  #askOnce() {
    const state = this.#state;
    const me = this.#people.find(({ id }) => id === this.#you);
    // Nothing of one who only listens could be recorded.
    if (!state?.on || !me || me.role === 'listener' || this.#asked.has(state.id)) return;
    this.#asked.add(state.id);
    if (me.recorded || state.by === labelOf(me)) return;
    this.#endQuestion = ask(texts.consent(state.by), (agreed) => {
      this.#endQuestion = null;
      this.#actions.consent(agreed);
    });
  }

  /** Fetches the files once they are complete, unless that was done. */
  #fetchReady() {
    const state = this.#state;
    if (!state?.ready || this.#fetched.has(state.id)) return;
    this.#fetched.add(state.id);
    void this.#fetchFiles(state);
  }

  /** @param {RecordingState} recording */
  async #fetchFiles({ id, startedAt }) {
    // clear() ends it: the call is over.
    for (let i = 0; i < TRIES && this.#fetched.has(id); i++) {
      if (i > 0) await new Promise((resolve) => void setTimeout(resolve, TRY_MS));
      const origin = this.#origin;
      const files = await filesOf(origin, id);
      if (!files || !this.#fetched.has(id)) continue;
      this.panel.addFiles(id, startedAt, files, origin);
      this.#actions.announce(texts.recordingReady);
      return;
    }
    if (!this.#fetched.delete(id)) return;
    this.panel.filesFailed(id);
    this.#actions.announce(noticeText('recording-files'));
  }
}

/**
 * @param {string} origin
 * @param {string} id of a recording
 * @returns {Promise<RecordedFile[] | null>} null when they can't be fetched; the caller reports it
 */
async function filesOf(origin, id) {
  try {
    const answer = await fetch(`${origin}/api/recordings/${encodeURIComponent(id)}/`);
    return answer.ok ? (await answer.json()).files : null;
  } catch {
    return null;
  }
}
