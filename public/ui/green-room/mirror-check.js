import { Call } from '../../call.js';
import { readChoices, roomSoundOf, soundOf } from '../settings/choices.js';
import { build, makeIcon, setText } from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { texts } from '../../texts/texts.js';

/**
 * @import { Notices } from '../kit/notices.js'
 * @import { Entry } from './green-room.js'
 */

/** The room's name in a mirror call; the server puts each mirror call in a room of its own. */
const MIRROR_ROOM = 'mirror';

/** Name of a person who hasn't typed one yet. */
const NAMELESS = '–';

/**
 * Plays this person's voice as others would hear it: a call whose server returns it after two
 * seconds.
 */
export class MirrorCheck {
  #label = build('span', {}, texts.hearYourself);
  #button = build(
    'button',
    { type: 'button', class: 'button' },
    makeIcon(icons.sound),
    this.#label,
  );
  #says = build('p', { class: 'hint', 'aria-live': 'polite' });
  #options;
  /** @type {Call | null} */
  #call = null;
  /** Codes of the notices about the present call, or about the end of the last one. */
  #noticed = /** @type {Set<string>} */ (new Set());
  element = build(
    'div',
    { class: 'check' },
    build('div', { class: 'check-row' }, this.#button),
    this.#says,
  );

  /**
   * @param {object} options
   * @param {() => Entry} options.entry the form's values
   * @param {boolean} options.processing false leaves the microphone's sound as it is
   * @param {string} [options.token]  of the invitation
   * @param {Notices} options.notices
   * @param {() => void} options.onStart
   */
  constructor(options) {
    this.#options = options;
    this.#button.addEventListener('click', () => void (this.#call ? this.stop() : this.#start()));
  }

  async #start() {
    const { entry, processing, token, notices, onStart } = this.#options;
    onStart();
    this.#settle();
    const { name, microphone, speaker, transport } = entry();
    const choices = readChoices();
    const call = new Call({
      ...soundOf(choices, processing),
      join: {
        ...roomSoundOf(choices),
        room: MIRROR_ROOM,
        mirror: true,
        name: name || NAMELESS,
        token,
      },
      transport,
      microphoneId: microphone,
      speakerId: speaker,
    });
    this.#call = call;
    this.#show(texts.hearConnecting);
    call.store.subscribe(['state'], ({ state, end }) => {
      if (call !== this.#call) return;
      if (state === 'joined') this.#show(texts.hearing);
      else if (end !== null) {
        this.#call = null;
        this.#show('');
        this.#settle();
        if (end.code !== 'left') this.#notice(end.code);
      }
    });
    call.addEventListener('notice', ({ detail: { code } }) => this.#notice(code));
    call.addEventListener('settled', ({ detail: { code } }) => notices.settle(code));
    await call.join();
  }

  /** Idempotent. */
  async stop() {
    const call = this.#call;
    this.#call = null;
    this.#show('');
    this.#settle();
    await call?.leave();
  }

  /** @param {string} code */
  #notice(code) {
    this.#noticed.add(code);
    this.#options.notices.show(code);
  }

  /** Removes the notices, which are about a call that is over. */
  #settle() {
    for (const code of this.#noticed) this.#options.notices.settle(code);
    this.#noticed.clear();
  }

  /** @param {string} sentence */
  #show(sentence) {
    setText(this.#label, this.#call ? texts.hearStop : texts.hearYourself);
    setText(this.#says, sentence);
  }
}
