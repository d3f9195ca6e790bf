import { build, makeButton, setText } from '../ui/kit/element.js';
import { adminTexts as texts } from './texts.js';

/**
 * @typedef {{ id: string, room: string, startedAt: string, on: boolean }} RecordingSummary  in the
 *   answer to GET /api/recordings
 */

/** The recordings on the server's disk. */
export class RecordingsList {
  #list;
  #empty;
  #onDelete;
  /**
   * Shown rows, by id.
   * @type {Map<string, { element: HTMLElement, when: HTMLElement, remove: HTMLButtonElement }>}
   */
  #shown = new Map();

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} empty shown when there are none
   * @param {(id: string, room: string) => void} onDelete
   */
  constructor(list, empty, onDelete) {
    this.#list = list;
    this.#empty = empty;
    this.#onDelete = onDelete;
  }

  /** @param {RecordingSummary[]} recordings the newest first */
  show(recordings) {
    const there = new Set(recordings.map(({ id }) => id));
    for (const [id, { element }] of this.#shown) {
      if (there.has(id)) continue;
      element.remove();
      this.#shown.delete(id);
    }
    for (const [i, recording] of recordings.entries()) {
      const { element, when, remove } = this.#shown.get(recording.id) ?? this.#add(recording);
      setText(when, texts.recordingLine(recording));
      remove.hidden = recording.on;
      if (this.#list.children[i] !== element)
        this.#list.insertBefore(element, this.#list.children[i] ?? null);
    }
    this.#list.hidden = recordings.length === 0;
    this.#empty.hidden = recordings.length > 0;
  }

  /** @param {{ id: string, room: string }} recording */
  #add({ id, room }) {
    const when = build('p', { class: 'hint' });
    const remove = makeButton('button danger', texts.deleteRecording, () =>
      this.#onDelete(id, room),
    );
    remove.setAttribute('aria-label', texts.deleteWhich(room));
    const link = build(
      'a',
      {
        class: 'button',
        href: `/api/recordings/${id}`,
        target: '_blank',
        rel: 'noopener',
        'aria-label': texts.openWhich(room),
      },
      texts.open,
    );
    const element = build(
      'li',
      {},
      build('div', {}, build('p', { class: 'person-name' }, room), when),
      build('div', { class: 'actions' }, link, remove),
    );
    const shown = { element, when, remove };
    this.#shown.set(id, shown);
    return shown;
  }
}
