import { isAllowed } from '../../client/call/call-view.js';
import { MAX_USER_NAME, readName } from '../../shared/text.js';
import { build, makeButton, makeField, setText } from '../kit/element.js';
import { inputTexts } from '../../texts/features.js';
import { noticeText, texts } from '../../texts/texts.js';

/**
 * @import { Call } from '../../call.js'
 * @import { FromSecondInput } from '../../client/capture/second-input.js'
 * @import { CurrentCall } from '../call/current-call.js'
 */

/** Sentences for the ends that only a second input has. @type {Readonly<Record<string, string>>} */
const ENDS = Object.freeze({
  'second-mono': inputTexts.oneChannel,
  'resumed-elsewhere': inputTexts.replaced,
});

/** A microphone whose two channels Chromium would make the same if it processed them. */
const INPUTS = Object.freeze({
  channels: /** @type {const} */ (2),
  echoCancellation: false,
  noiseSuppression: false,
  autoGainControl: false,
});

/** Controls of a microphone whose two channels are two inputs, each heard on its own. */
export class InputControls {
  #says = build('p', { 'aria-live': 'polite' });
  #name = build('input', {
    id: 'second-input-name',
    value: inputTexts.second,
    maxlength: String(MAX_USER_NAME),
    autocomplete: 'off',
  });
  #start = makeButton('button', inputTexts.start, () => void this.#begin());
  #stop = makeButton('button', inputTexts.stop, () => this.#end(inputTexts.off));
  #current;
  /** The call with two inputs, and the worker's port; null with one. */
  #running = /** @type {{ call: Call, port: MessagePort, name: string } | null} */ (null);
  /** The second input's id; empty before it has joined. */
  #id = '';
  /** Settled once captured sound is no longer split. */
  #isWhole = Promise.resolve();
  element;

  /** @param {CurrentCall} current */
  constructor(current) {
    this.#current = current;
    this.element = build(
      'section',
      { class: 'two-inputs stack', 'aria-labelledby': 'inputs-title' },
      build('h3', { id: 'inputs-title' }, inputTexts.title),
      this.#says,
      makeField(inputTexts.name, this.#name),
      build('div', { class: 'joined-fields' }, this.#start, this.#stop),
      build('p', { class: 'hint' }, inputTexts.hint),
    );
    this.#over(inputTexts.off);
    current.store.subscribe(['state', 'access', 'joined'], ({ state, access }) => {
      if (this.#running === null) return;
      const isOver = state === 'ended' || state === 'idle';
      if (isOver || !isAllowed(access, 'speak')) this.#end(inputTexts.off);
      else this.#muteForSelf();
    });
  }

  async #begin() {
    await this.#isWhole;
    if (this.#running !== null) return;
    const { call, store } = this.#current;
    if (!call || call.resume === '') return this.#over(inputTexts.off);
    if (!isAllowed(store.value.access, 'speak')) return this.#over(texts.cannotSpeak);
    if (!call.hasMicrophone) return this.#over(inputTexts.noMicrophone);
    const { name, error } = readName(this.#name.value);
    const { port1: port, port2 } = new MessageChannel();
    const running = { call, port, name: error === null ? name : inputTexts.second };
    this.#running = running;
    port.onmessage = ({ data }) => {
      if (this.#running === running) void this.#follow(data);
    };
    const input = { options: call.sharingAs(running.name), port: port2 };
    call.toWorker('second-input', input, [port2]);
    setText(this.#says, texts.shareBegins);
    this.#show();
  }

  /** @param {FromSecondInput} message */
  async #follow(message) {
    const running = this.#running;
    if (running === null) return;
    if ('end' in message) return this.#end(ENDS[message.end] ?? noticeText(message.end));
    if ('joined' in message) {
      this.#id = message.joined;
      this.#muteForSelf();
      setText(this.#says, inputTexts.on(running.name));
      return;
    }
    await running.call.setProcessing({ inputs: INPUTS });
    if (this.#running === running && !running.call.hasMicrophone) this.#end(inputTexts.off);
  }

  /** A person doesn't hear their own second input, as they don't hear their voice. */
  #muteForSelf() {
    if (this.#id !== '') this.#current.send({ type: 'volume', person: this.#id, gain: 0 });
  }

  /** @param {string} sentence */
  #end(sentence) {
    const running = this.#running;
    this.#over(sentence);
    if (running === null) return;
    const { call, port } = running;
    port.close();
    // The worker needs the second input for as long as captured sound is split.
    this.#isWhole = call
      .setProcessing({ inputs: null })
      .then(() => call.toWorker('second-input', null));
  }

  /** @param {string} sentence */
  #over(sentence) {
    this.#running = null;
    this.#id = '';
    setText(this.#says, sentence);
    this.#show();
  }

  #show() {
    const isOn = this.#running !== null;
    const hadFocus = this.element?.contains(document.activeElement);
    this.#start.hidden = isOn;
    this.#stop.hidden = !isOn;
    this.#name.disabled = isOn;
    // A hidden button would lose the keyboard's place.
    if (hadFocus) (isOn ? this.#stop : this.#start).focus();
  }
}
