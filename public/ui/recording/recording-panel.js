import { isAllowed, NO_CALL } from '../../client/call/call-view.js';
import { build, keepFocus, makeButton, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { labelOf } from '../people/person.js';
import { locale } from '../../texts/language.js';
import { labels, noticeText, texts } from '../../texts/texts.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { Send } from '../call/current-call.js'
 * @import { Person } from '../people/person.js'
 *
 * @typedef {import('../../shared/messages/fields.js').RecordingFields} RecordingState
 *
 * @typedef {object} RecordedFile
 * @property {string} file
 * @property {string} label
 * @property {string | null} person  null: the mix of all
 * @property {number} [seconds]
 * @property {number} bytes
 */

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });

/** The panel Record: starting and stopping, this person's consent, and the files. */
export class RecordingPanel {
  title = labels.recording;
  #says = build('p', {});
  /** @type {RecordingState | null} */
  #recording = null;
  #allowed = true;
  /** Id of the recording whose files could not be fetched. */
  #failed = '';
  #start;
  #stop;
  #me = build('input', { id: 'record-me', type: 'checkbox', role: 'switch' });
  #meRow = build(
    'div',
    { class: 'switch', hidden: true },
    build('label', { for: 'record-me' }, texts.recordMe),
    this.#me,
  );
  #public = build('input', { id: 'record-public', type: 'checkbox', role: 'switch' });
  #publicRow = build(
    'div',
    { class: 'switch', hidden: true },
    build('label', { for: 'record-public' }, texts.recordPublic),
    this.#public,
  );
  #people = build('p', { class: 'hint' });
  #page = build(
    'a',
    { class: 'button small', target: '_blank', rel: 'noopener', hidden: true },
    texts.recordingPage,
  );
  #files = build('ul', { class: 'files', 'aria-label': texts.recordedFiles });
  #filesPart = build(
    'section',
    { class: 'stack', hidden: true },
    build('h3', {}, texts.recordedFiles),
    this.#files,
    build('p', { class: 'hint' }, texts.filesHint),
  );
  element;

  /**
   * @param {Send} send
   * @param {() => void} opened
   */
  constructor(send, opened) {
    this.opened = opened;
    this.#start = makeButton(
      'button primary',
      texts.startRecording,
      () =>
        send({
          type: 'record',
          on: true,
          isPublic: !this.#publicRow.hidden && this.#public.checked,
        }),
      icons.record,
    );
    this.#stop = makeButton('button', texts.stopRecording, () =>
      send({ type: 'record', on: false }),
    );
    this.#me.addEventListener('change', () => {
      const agreed = this.#me.checked;
      // Without a connection the switch shows what holds.
      if (!send({ type: 'recordConsent', agreed })) this.#me.checked = !agreed;
    });
    this.element = build(
      'div',
      { class: 'stack' },
      this.#says,
      this.#publicRow,
      this.#start,
      this.#meRow,
      this.#stop,
      this.#people,
      this.#page,
      this.#filesPart,
    );
    this.show(NO_CALL);
  }

  /** @param {CallView} call */
  show({ session, recording, people, you, access, node: origin }) {
    const allowed = session === 0 || isAllowed(access, 'record');
    const canBePublic = allowed && access.role === 'moderator' && access.rules.broadcast;
    const isOn = recording?.on === true;
    if (recording) this.#page.href = `${origin}/recordings/${encodeURIComponent(recording.id)}`;
    this.#recording = recording;
    this.#allowed = allowed;
    this.#say();
    keepFocus(
      () => {
        this.#publicRow.hidden = isOn || !canBePublic;
        this.#page.hidden = recording === null;
        this.#start.hidden = isOn || !allowed;
        this.#stop.hidden = !isOn || !canStop(recording, people, you, allowed);
        this.#meRow.hidden = !isOn;
      },
      () =>
        [this.#stop, this.#start].find(({ hidden }) => !hidden) ?? document.getElementById('side'),
    );
    this.#me.checked = people.find(({ id }) => id === you)?.recorded === true;
    const recorded = people.filter((person) => person.recorded).map(labelOf);
    setText(this.#people, isOn ? texts.recordedPeople(recorded) : '');
  }

  /**
   * @param {string} id of the recording
   * @param {string} startedAt  ISO 8601
   * @param {RecordedFile[]} files
   * @param {string} [origin]  of the server that has them; the page's own by default
   */
  addFiles(id, startedAt, files, origin = '') {
    this.#failed = '';
    this.#say();
    const since = clock.format(new Date(startedAt));
    this.#filesPart.hidden = false;
    this.#files.prepend(
      ...files.map((file) =>
        fileItem(`${origin}/api/recordings/${encodeURIComponent(id)}`, since, file),
      ),
    );
  }

  /**
   * Says that the files could not be fetched, until they come.
   * @param {string} id of the recording
   */
  filesFailed(id) {
    this.#failed = id;
    this.#say();
  }

  /** Forgets the files, before another call. */
  clear() {
    this.#files.replaceChildren();
    this.#filesPart.hidden = true;
    this.#failed = '';
  }

  #say() {
    const recording = this.#recording;
    if (recording && recording.id === this.#failed)
      setText(this.#says, noticeText('recording-files'));
    else
      setText(this.#says, recording || this.#allowed ? saysOf(recording) : texts.recordingClosed);
  }
}

/**
 * Returns true for people who may stop a recording: its starter, moderators, and once the starter
 * is gone everybody who may record.
 * @param {RecordingState} recording
 * @param {Person[]} people
 * @param {string} you
 * @param {boolean} allowed this person may record now
 */
function canStop({ person }, people, you, allowed) {
  if (person === you || people.some(({ id, role }) => id === you && role === 'moderator'))
    return true;
  return allowed && !people.some(({ id, away }) => id === person && !away);
}

/** @param {RecordingState | null} recording */
function saysOf(recording) {
  if (!recording) return texts.recordingIdle;
  if (recording.on)
    return texts.recordingSince(recording.by, clock.format(new Date(recording.startedAt)));
  if (recording.code) return noticeText(recording.code);
  return recording.ready ? texts.recordingReady : texts.recordingFinishing;
}

/**
 * @param {string} url  of the recording
 * @param {string} since  the local time when it began
 * @param {RecordedFile} file
 */
function fileItem(url, since, { file, label, person, seconds, bytes }) {
  const name = person === null ? texts.recordedMix : label;
  const href = `${url}/${encodeURIComponent(file)}`;
  const link = build(
    'a',
    { href, download: file, class: 'file' },
    makeIcon(icons.download),
    build('span', {}, name),
  );
  return build(
    'li',
    {},
    link,
    build('span', { class: 'hint' }, texts.fileSize(since, seconds ?? 0, bytes)),
  );
}
