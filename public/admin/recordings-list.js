import { build, makeButton, setText } from '../ui/kit/element.js';
import { KeyedList } from '../ui/kit/keyed-list.js';
import { adminTexts as texts } from './texts.js';

/**
 * @typedef {{ id: string, room: string, startedAt: string, on: boolean }} RecordingSummary  in the
 *   answer to GET /api/recordings
 */

/** The recordings on the server's disk. */
export class RecordingsList {
  #list;
  #empty;
  #rows;

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} empty shown when there are none
   * @param {(id: string, room: string) => void} onDelete
   */
  constructor(list, empty, onDelete) {
    this.#list = list;
    this.#empty = empty;
    this.#rows = new KeyedList(
      list,
      ({ id }) => id,
      (/** @type {RecordingSummary} */ recording) => makeRow(recording, onDelete),
      (neighbour) => neighbour?.querySelector('a')?.focus(),
    );
  }

  /** @param {RecordingSummary[]} recordings the newest first */
  show(recordings) {
    this.#rows.show(recordings, ({ when, remove }, recording) => {
      setText(when, texts.recordingLine(recording));
      remove.hidden = recording.on;
    });
    this.#list.hidden = recordings.length === 0;
    this.#empty.hidden = recordings.length > 0;
  }
}

/** @param {RecordingSummary} recording @param {(id: string, room: string) => void} onDelete */
function makeRow({ id, room }, onDelete) {
  const when = build('p', { class: 'hint' });
  const remove = makeButton('button danger', texts.deleteRecording, () => onDelete(id, room));
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
  return { element, when, remove };
}
