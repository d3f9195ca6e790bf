import {
  canShareTab,
  captureTab,
  readShared,
  SharedSound,
} from '../../client/call/shared-sound.js';
import { isAllowed } from '../../client/call/call-view.js';
import { findSupport } from '../../client/connection/support.js';
import { build, keepFocus, makeButton, setText } from '../kit/element.js';
import { noticeText, texts } from '../../texts/texts.js';
import { makeSoundInput } from './sound-file.js';

/**
 * @import { Call } from '../../call.js'
 * @import { CurrentCall } from '../call/current-call.js'
 */

/**
 * True when a shared sound has ended as planned: at its end, or since this person sends another one
 * beside their voice.
 * @param {string} code
 */
const isOver = (code) => code === 'share-over' || code === 'resumed-elsewhere';

/** Controls of the sound that this person shares beside their voice: a tab's, or a file's. */
export class ShareControls {
  #file = makeSoundInput('share-file', (file, name) => void this.#shareFile(file, name));
  #says = build('p', { 'aria-live': 'polite' });
  #buttons;
  #stop;
  #current;
  /** @type {SharedSound | null} */
  #shared = null;
  /** This person's id while they share. */
  #owner = '';
  /** The shared sound's id; empty before it has joined. */
  #id = '';
  /** Volume of the shared sound for this person; null: as it is. @type {number | null} */
  #ownGain = null;
  element;

  /** @param {CurrentCall} current */
  constructor(current) {
    this.#current = current;
    const canTab = canShareTab();
    this.#buttons = [
      ...(canTab ? [makeButton('button', texts.shareTab, () => void this.#shareTab())] : []),
      makeButton('button', texts.shareFile, () => this.#file.click()),
    ];
    this.#stop = makeButton('button', texts.shareStop, () => {
      this.#shared?.close();
      this.#over(texts.shareNone);
    });
    this.element = build(
      'section',
      { class: 'share-sound stack', 'aria-labelledby': 'share-title' },
      build('h3', { id: 'share-title' }, texts.share),
      this.#says,
      this.#file,
      build('div', { class: 'joined-fields' }, ...this.#buttons, this.#stop),
      build('p', { class: 'hint' }, canTab ? texts.shareHint : texts.shareFileHint),
    );
    this.#over(texts.shareNone);
    // Without its owner's place a shared sound has none, and listeners share none.
    current.store.subscribe(['you', 'state', 'access', 'joined'], ({ you, state, access }) => {
      const goesOn = you === this.#owner && state !== 'ended' && isAllowed(access, 'speak');
      if (this.#shared === null) return;
      if (goesOn) return this.#sendOwnGain();
      this.#shared.close();
      this.#over(texts.shareNone);
    });
  }

  async #shareTab() {
    const { call } = this.#current;
    try {
      const stream = await captureTab();
      // The person hears the tab itself.
      if (stream) this.#share(call, stream, texts.shareOfTab, 0);
    } catch (error) {
      this.#failed(error);
    }
  }

  /** @param {File} file @param {string | null} name */
  async #shareFile(file, name) {
    setText(this.#says, texts.shareReading);
    const { call } = this.#current;
    try {
      this.#share(call, await readShared(file), name ?? texts.shareOfFile, null);
    } catch (error) {
      this.#failed(error);
    }
  }

  /**
   * @param {Call | null} call  in which the source was chosen
   * @param {MediaStream | AudioBuffer} source
   * @param {string} name  for everybody
   * @param {number | null} ownGain  of the sound for this person; null: as it is
   */
  #share(call, source, name, ownGain) {
    // Another call may have begun while the person chose, or the file was read.
    if (!call || call !== this.#current.call || call.resume === '') {
      if (source instanceof MediaStream) for (const track of source.getTracks()) track.stop();
      return this.#not(texts.shareNone);
    }
    this.#shared?.close();
    this.#owner = this.#current.store.value.you;
    this.#id = '';
    this.#ownGain = ownGain;
    this.#shared = new SharedSound(call.sharingAs(name), source, findSupport(), {
      joined: (id) => {
        this.#id = id;
        this.#sendOwnGain();
        setText(this.#says, texts.shareOn(name));
      },
      ended: (code) => this.#over(isOver(code) ? texts.shareOver : noticeText(code)),
    });
    this.#shared.start();
    setText(this.#says, texts.shareBegins);
    this.#show();
  }

  /** Each new connection of this person needs it again. */
  #sendOwnGain() {
    if (this.#id === '' || this.#ownGain === null) return;
    this.#current.send({ type: 'volume', person: this.#id, gain: this.#ownGain });
  }

  /** @param {unknown} error */
  #failed(error) {
    const { code = 'share-failed' } = /** @type {{ code?: string }} */ (error);
    this.#not(noticeText(code));
  }

  /** Says why nothing is shared, unless something else is by now. @param {string} sentence */
  #not(sentence) {
    if (this.#shared === null) this.#over(sentence);
  }

  /** @param {string} sentence */
  #over(sentence) {
    this.#shared = null;
    setText(this.#says, sentence);
    this.#show();
  }

  #show() {
    const isOn = this.#shared !== null;
    keepFocus(
      () => {
        for (const button of this.#buttons) button.hidden = isOn;
        this.#stop.hidden = !isOn;
      },
      () => (isOn ? this.#stop : this.#buttons[0]),
    );
  }
}
