import { build, makeButton, setText } from '../ui/kit/element.js';
import { KeyedList } from '../ui/kit/keyed-list.js';
import { adminTexts as texts } from './texts.js';

/**
 * @typedef {{ id: string, room: string, name: string, by: string, identity: string | null, network:
 *   string | null, seconds: number }} Ban
 */

/** List of bans with person, room and remaining time. */
export class BansList {
  #list;
  #empty;
  #rows;

  /**
   * @param {HTMLElement} list
   * @param {HTMLElement} empty shown when there are none
   * @param {(ban: Ban) => void} onLift
   */
  constructor(list, empty, onLift) {
    this.#list = list;
    this.#empty = empty;
    this.#rows = new KeyedList(
      list,
      ({ id }) => id,
      (/** @type {Ban} */ ban) => makeBanRow(ban, onLift),
      // The pressed button is gone: the focus moves to the next one, or to the list's heading.
      (neighbour) =>
        (neighbour?.querySelector('button') ?? document.getElementById('bans-title'))?.focus(),
    );
  }

  /** @param {Ban[]} bans the newest first */
  show(bans) {
    this.#rows.show(bans, ({ until }, ban) => setText(until, texts.banLine(ban)));
    this.#list.hidden = bans.length === 0;
    this.#empty.hidden = bans.length > 0;
  }
}

/** @param {Ban} ban @param {(ban: Ban) => void} onLift */
function makeBanRow(ban, onLift) {
  const until = build('p', { class: 'hint' });
  const lift = makeButton('button', texts.lift, () => onLift(ban));
  lift.setAttribute('aria-label', texts.liftWhose(ban));
  const person = build('p', { class: 'person-name' }, texts.banned(ban));
  const actions = build('div', { class: 'actions' }, lift);
  return { element: build('li', {}, build('div', {}, person, until), actions), until };
}

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
      (/** @type {RecordingSummary} */ recording) => makeRecordingRow(recording, onDelete),
      (neighbour) =>
        (neighbour?.querySelector('a') ?? document.getElementById('recordings-title'))?.focus(),
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
function makeRecordingRow({ id, room }, onDelete) {
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
