import { announce, elementOf, keepFocus, setText } from '../kit/element.js';
import { ask } from '../kit/dialog.js';
import { labelOf } from '../people/person.js';
import { RecordingPanel } from './recording-panel.js';
import { noticeText, texts } from '../../texts/texts.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { CurrentCall } from '../call/current-call.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { RecordedFile, RecordingState } from './recording-panel.js'
 */

/**
 * Number of requests for the files until they count as failed, and their interval in milliseconds.
 */
const TRIES = 5;
const TRY_MS = 1000;

/** Codes of notices that are no longer true once a recording has begun. */
const BEFORE_NEXT = Object.freeze([
  'recording-ended-away',
  'recording-busy',
  'recording-failed',
  'recording-limit',
  'recording-share',
]);

/** A recording on the page: the badge, the question for consent, the panel. */
export class RecordingControls {
  panel;
  #badge = elementOf('recording-badge', HTMLElement);
  #button;
  #current;
  /** Ids of recordings that this person was asked about. @type {Set<string>} */
  #asked = new Set();
  /**
   * Ids of recordings whose files were fetched, or are being fetched; another set for each call.
   * @type {Set<string>}
   */
  #fetched = new Set();
  /** @type {(() => void) | null} */
  #endQuestion = null;

  /**
   * @param {CurrentCall} current
   * @param {HTMLButtonElement} button  opens the panel
   * @param {Notices} notices
   */
  constructor(current, button, notices) {
    this.#current = current;
    this.#button = button;
    this.panel = new RecordingPanel(current.send, () => this.#fetchReady());
    setText(this.#badge, texts.recordingOn);
    current.store.subscribe(
      ['recording', 'canRecord', 'people', 'you', 'access', 'node', 'state'],
      (now, before) => {
        if (now.state === 'idle' && before.state !== 'idle') this.#forget();
        this.#show(now);
        if (now.recording === before.recording) return;
        this.#fetchReady();
        const wasOn = before.recording?.on === true;
        if (now.session === before.session) announceChange(now.recording, wasOn);
        else if (wasOn && !now.recording?.on && now.state === 'joined')
          notices.show('recording-ended-away');
        if (now.recording?.on) for (const code of BEFORE_NEXT) notices.settle(code);
      },
    );
  }

  /** Forgets the call, before another one. */
  #forget() {
    this.panel.clear();
    this.#asked.clear();
    this.#fetched = new Set();
  }

  /** @param {CallView} call */
  #show(call) {
    const { recording, canRecord } = call;
    if (!recording?.on) this.#endQuestion?.();
    this.#badge.hidden = !recording?.on;
    keepFocus(
      () => (this.#button.hidden = !canRecord),
      () => elementOf('call-title', HTMLElement),
    );
    this.panel.show(call);
    this.#askOnce();
  }

  /** Asks for consent, once for each recording. The person who started it has agreed by that. */
  #askOnce() {
    const { recording: state, state: call } = this.#current.store.value;
    const { me } = this.#current;
    // A listener has no sound to record.
    if (
      call !== 'joined' ||
      !state?.on ||
      !me ||
      me.role === 'listener' ||
      this.#asked.has(state.id)
    )
      return;
    this.#asked.add(state.id);
    // The question about an earlier recording.
    this.#endQuestion?.();
    if (me.recorded || state.by === labelOf(me)) return;
    this.#endQuestion = ask(texts.consent(state.by), (agreed) => {
      this.#endQuestion = null;
      // Without a connection the answer is lost: the question comes again with the next one.
      if (!this.#current.send({ type: 'recordConsent', agreed })) this.#asked.delete(state.id);
    });
  }

  /** Fetches the files once they are complete, and only once. */
  #fetchReady() {
    const state = this.#current.store.value.recording;
    if (!state?.ready || this.#fetched.has(state.id)) return;
    this.#fetched.add(state.id);
    void this.#fetchFiles(state);
  }

  /** @param {RecordingState} recording */
  async #fetchFiles({ id, startedAt }) {
    const fetched = this.#fetched;
    // The end of the call also ends the recording.
    for (let i = 0; i < TRIES && fetched === this.#fetched; i++) {
      if (i > 0) await new Promise((resolve) => void setTimeout(resolve, TRY_MS));
      const origin = this.#current.store.value.node;
      const files = await filesOf(origin, id);
      if (!files || fetched !== this.#fetched) continue;
      this.panel.addFiles(id, startedAt, files, origin);
      announce(texts.recordingReady);
      return;
    }
    if (fetched !== this.#fetched) return;
    fetched.delete(id);
    this.panel.filesFailed(id);
    announce(noticeText('recording-files'));
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

/** @param {RecordingState | null} recording @param {boolean} wasOn */
function announceChange(recording, wasOn) {
  if (!recording || recording.on === wasOn) return;
  const { on, by, code, stoppedBy = by } = recording;
  if (on) announce(texts.recordingBegan(by));
  else announce(code ? noticeText(code) : texts.recordingEnded(stoppedBy));
}
