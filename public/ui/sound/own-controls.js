import {
  canRecordOwn,
  listOwnFiles,
  ownFile,
  OwnFileRecording,
  removeOwnFile,
  sendOwnFile,
} from '../../client/call/own-files.js';
import { build, keepFocus, makeButton, setText } from '../kit/element.js';
import { locale } from '../../texts/language.js';
import { noticeText, texts } from '../../texts/texts.js';

/**
 * @import { CallView } from '../../client/call/types.js'
 * @import { OwnFile } from '../../client/call/own-files.js'
 * @import { CurrentCall } from '../call/current-call.js'
 */

const clock = new Intl.DateTimeFormat(locale, { hour: '2-digit', minute: '2-digit' });
const day = new Intl.DateTimeFormat(locale, { dateStyle: 'short', timeStyle: 'short' });

/** Time for which a downloaded file's address is kept, in milliseconds. */
const DOWNLOAD_MS = 60_000;

/** Controls of this person's recording on their own device, and its files. */
export class OwnControls {
  #says = build('p', { 'aria-live': 'polite' });
  /** Length and size so far, which a screen reader shouldn't repeat each second. */
  #progress = build('p', { class: 'hint', hidden: true });
  #start;
  #stop;
  #files = build('ul', { class: 'files', 'aria-label': texts.ownFiles, hidden: true });
  #current;
  #room;
  /** @type {OwnFileRecording | null} */
  #running = null;
  #name = '';
  /** The room's recordings that files belong to, by the file's name. @type {Map<string, string>} */
  #meant = new Map();
  element;

  /** @param {string} room @param {CurrentCall} current */
  constructor(room, current) {
    this.#room = room;
    this.#current = current;
    const can = canRecordOwn();
    this.#start = makeButton('button', texts.ownStart, () => this.#begin());
    this.#stop = makeButton('button', texts.ownStop, () => this.#running?.stop());
    this.element = build(
      'section',
      { class: 'own-recording stack', 'aria-labelledby': 'own-title' },
      build('h3', { id: 'own-title' }, texts.own),
      this.#says,
      this.#progress,
      build('div', { class: 'joined-fields' }, this.#start, this.#stop),
      this.#files,
      build('p', { class: 'hint' }, can ? texts.ownHint : texts.ownUnsupported),
    );
    this.#say(texts.ownNone);
    this.#show();
    this.#start.disabled = !can;
    if (!can) return;
    void this.#list();
    current.store.subscribe(['recording', 'people', 'you', 'state'], (now, before) => {
      this.#note(now);
      if (now.recording?.ready !== before.recording?.ready) void this.#list();
      if (now.state === 'ended' || now.state === 'idle') this.#running?.stop();
    });
  }

  /** Notes the room's recording that this file belongs to. @param {CallView} call */
  #note({ recording, people, you }) {
    const isRecorded = people.find(({ id }) => id === you)?.recorded === true;
    if (this.#running && recording?.on && isRecorded) this.#meant.set(this.#name, recording.id);
  }

  #begin() {
    const { call, me } = this.#current;
    if (!call || this.#running) return;
    const now = new Date();
    const stamp = new Date(now.getTime() - now.getTimezoneOffset() * 60_000)
      .toISOString()
      .slice(0, 19)
      .replace('T', '-')
      .replaceAll(':', '');
    const words = `${this.#room}-${me?.name ?? ''}`.replace(/[^\p{L}\p{N}_-]+/gu, '-');
    this.#name = `${words}-${stamp}.wav`;
    const file = { name: this.#name, description: `${this.#room}, ${me?.name ?? ''}` };
    this.#running = new OwnFileRecording(call, file, {
      progress: (bytes, seconds) =>
        setText(this.#progress, texts.fileSize(clock.format(now), seconds, bytes)),
      ended: (code) => this.#ended(code),
    });
    this.#note(this.#current.store.value);
    setText(this.#progress, '');
    this.#say(texts.ownOn);
    this.#show();
  }

  /** @param {string} code  '', or of a sentence */
  #ended(code) {
    this.#running = null;
    this.#say(code === '' ? texts.ownKept : noticeText(code));
    this.#show();
    void (code === 'own-empty' ? this.#remove(this.#name) : this.#list());
  }

  /** @param {string} sentence */
  #say(sentence) {
    setText(this.#says, sentence);
  }

  #show() {
    const isOn = this.#running !== null;
    keepFocus(
      () => {
        this.#start.hidden = isOn;
        this.#stop.hidden = !isOn;
        this.#progress.hidden = !isOn;
      },
      () => (isOn ? this.#stop : this.#start),
    );
  }

  async #list() {
    const files = (await listOwnFiles()).filter(
      ({ name }) => this.#running === null || name !== this.#name,
    );
    const label = document.activeElement?.getAttribute('aria-label');
    keepFocus(
      () => {
        this.#files.hidden = files.length === 0;
        this.#files.replaceChildren(...files.map((file) => this.#row(file)));
      },
      () =>
        [...this.#files.querySelectorAll('button')].find(
          (one) => one.getAttribute('aria-label') === label,
        ) ?? (this.#running === null ? this.#start : this.#stop),
    );
  }

  /** @param {OwnFile} file */
  #row({ name, bytes, seconds, lastModified }) {
    const { recording } = this.#current.store.value;
    const canGive = recording?.ready === true && this.#meant.get(name) === recording.id;
    const button = (/** @type {string} */ label, /** @type {() => Promise<unknown>} */ run) => {
      const made = makeButton('button small', label, () => {
        run().catch(() => this.#say(noticeText('own-failed')));
      });
      made.setAttribute('aria-label', `${label}: ${name}`);
      return made;
    };
    return build(
      'li',
      { class: 'own-file' },
      build('span', {}, name),
      build('span', { class: 'hint' }, texts.fileSize(day.format(lastModified), seconds, bytes)),
      build(
        'div',
        { class: 'joined-fields' },
        button(texts.ownDownload, () => download(name)),
        ...(canGive ? [button(texts.ownGive, () => this.#give(name))] : []),
        button(texts.ownDelete, () => this.#remove(name)),
      ),
    );
  }

  /** Adds a file to the room's recording. @param {string} name */
  async #give(name) {
    const { call, store } = this.#current;
    const { recording, node } = store.value;
    if (!call || !recording) return;
    this.#meant.delete(name);
    await this.#list();
    this.#progress.hidden = false;
    const to = {
      url: `${node}/api/recordings/${encodeURIComponent(recording.id)}`,
      resume: call.resume,
    };
    const code = await sendOwnFile(await ownFile(name), to, (share) =>
      setText(this.#progress, texts.ownSending(Math.round(100 * share))),
    );
    if (code !== null) this.#meant.set(name, recording.id);
    this.#progress.hidden = this.#running === null;
    this.#say(code === null ? texts.ownSent : noticeText(code));
    await this.#list();
  }

  /** @param {string} name */
  async #remove(name) {
    await removeOwnFile(name);
    await this.#list();
  }
}

/** Downloads a file of this device; it is read from the disk. @param {string} name */
async function download(name) {
  const href = URL.createObjectURL(await ownFile(name));
  build('a', { href, download: name }).click();
  setTimeout(() => URL.revokeObjectURL(href), DOWNLOAD_MS);
}
