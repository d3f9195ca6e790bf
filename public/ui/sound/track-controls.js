import { build, keepFocus, makeButton, makeField, setText } from '../kit/element.js';
import { texts } from '../../texts/texts.js';
import { makeSoundInput } from './sound-file.js';

/**
 * @import { TrackFields } from '../../shared/messages/fields.js'
 * @import { CurrentCall } from '../call/current-call.js'
 */

/** Name of a file without a presentable name. */
const NAMELESS = 'Track';

/** Controls of the room's backing track for everybody, and its volume for this person. */
export class TrackControls {
  #file = makeSoundInput('track-file', (file, name) => void this.#take(file, name));
  #choose;
  #play;
  #remove;
  #level = build('input', {
    id: 'track-level',
    type: 'range',
    min: '0',
    max: '100',
    step: '5',
    value: '100',
  });
  #progress = build('progress', { max: '1', 'aria-label': texts.trackSending, hidden: true });
  #says = build('p', {});
  #inRoom;
  #isSending = false;
  #current;
  element;

  /** @param {CurrentCall} current */
  constructor(current) {
    this.#current = current;
    const ask = (/** @type {'play' | 'stop' | 'remove'} */ action) =>
      current.send({ type: 'track', action });
    this.#choose = makeButton(
      'button',
      texts.trackChoose,
      () => this.#isSending || this.#file.click(),
    );
    this.#play = makeButton('button', texts.trackPlay, () => ask('play'));
    this.#remove = makeButton('button quiet', texts.trackRemove, () => ask('remove'));
    const setLevel = () => current.call?.setTrackLevel((Number(this.#level.value) / 100) ** 2);
    this.#level.addEventListener('input', setLevel);
    // The volume holds for the next call, too.
    current.store.subscribe(['state'], setLevel);
    const stop = makeButton('button', texts.trackStop, () => ask('stop'));
    this.#inRoom = [
      build('div', { class: 'joined-fields' }, this.#play, stop),
      makeField(texts.trackLevel, this.#level),
      this.#remove,
    ];
    this.element = build(
      'section',
      { class: 'backing-track stack', 'aria-labelledby': 'track-title' },
      build('h3', { id: 'track-title' }, texts.track),
      this.#says,
      this.#inRoom[0],
      this.#inRoom[1],
      this.#progress,
      this.#file,
      build('div', { class: 'joined-fields' }, this.#choose, this.#remove),
      build('p', { class: 'hint' }, texts.trackHint),
    );
    current.store.subscribe(['track'], ({ track }) =>
      keepFocus(
        () => this.#show(track.track),
        () => this.#choose,
      ),
    );
  }

  /** @param {TrackFields | null} track  null: there is none */
  #show(track) {
    for (const part of this.#inRoom) part.hidden = track === null;
    setText(
      this.#says,
      track ? texts.trackBy(track.by, track.name, track.seconds) : texts.trackNone,
    );
    setText(this.#play, track && track.from !== null ? texts.trackAgain : texts.trackPlay);
    setText(this.#choose, track ? texts.trackOther : texts.trackChoose);
  }

  /** @param {File} file @param {string | null} name */
  async #take(file, name) {
    // A disabled button would lose the keyboard's place.
    this.#isSending = true;
    this.#choose.setAttribute('aria-disabled', 'true');
    this.#progress.hidden = false;
    this.#progress.removeAttribute('value');
    setText(this.#says, texts.trackSending);
    await this.#current.call?.offerTrack(
      file,
      name ?? NAMELESS,
      (share) => (this.#progress.value = share),
    );
    this.#isSending = false;
    this.#choose.removeAttribute('aria-disabled');
    this.#progress.hidden = true;
    this.#show(this.#current.store.value.track.track);
  }
}
