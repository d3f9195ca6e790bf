import { readConnection } from './address.js';
import { keepChoices, readChoices } from './choices.js';
import { elementOf, setText } from './element.js';
import { problem } from './form-problem.js';
import { showMicrophones } from './microphone-select.js';
import { showView } from './views.js';
import { noticeText, texts } from '../texts.js';

/**
 * @typedef {import('./address.js').Wish} Wish
 * @typedef {import('./address.js').Connection} Connection
 * @typedef {{ name: string, microphone: string, transport: Connection }} Entry
 */

/** Before a call: name, microphone, connection, and Join. */
export class LobbyView {
  #form = elementOf('join', HTMLFormElement);
  #name = elementOf('name', HTMLInputElement);
  #microphone = elementOf('microphone', HTMLSelectElement);
  #transport = elementOf('transport', HTMLSelectElement);
  #hint = elementOf('transport-hint', HTMLElement);
  #button = elementOf('join-button', HTMLButtonElement);

  /**
   * @param {string} room
   * @param {Wish} wish what the address asks for; it goes before what was chosen last
   * @param {(entry: Entry) => void} join
   */
  constructor(room, wish, join) {
    const kept = readChoices();
    setText(elementOf('lobby-title', HTMLElement), room);
    this.#name.value = wish.name || kept.name || '';
    this.#transport.value = wish.transport ?? readConnection(kept.transport) ?? 'auto';
    if (this.#transport.value !== 'auto') elementOf('advanced', HTMLDetailsElement).open = true;
    this.#name.addEventListener('input', () => problem(this.#name, null));
    this.#form.addEventListener('submit', (event) => {
      event.preventDefault();
      const entry = this.#read();
      if (entry === null) return;
      keepChoices(entry);
      join(entry);
    });
  }

  /**
   * @param {{ deviceId: string, label: string }[]} microphones
   * @param {boolean} allowed false where a microphone is of no use
   */
  microphones(microphones, allowed) {
    const chosen = this.#microphone.value || readChoices().microphone || '';
    showMicrophones(this.#microphone, microphones, chosen, allowed);
  }

  /** Shows the form, ready for what comes first. */
  show() {
    showView('lobby');
    this.busy(false);
    if (this.#name.value === '') this.#name.focus();
    else this.#button.focus();
  }

  /**
   * @param {boolean} busy true while joining
   */
  busy(busy) {
    this.#button.disabled = busy;
    setText(this.#button, busy ? texts.joining : texts.join);
  }

  /**
   * @param {string} code what is wrong with the name
   */
  nameProblem(code) {
    problem(this.#name, noticeText(code));
  }

  /** Says beside the choice of the connection that this browser lacks one. */
  noWebTransport() {
    setText(this.#hint, noticeText('no-webtransport'));
  }

  /**
   * @returns {Entry | null} null when something is missing; the form says what
   */
  #read() {
    const name = this.#name.value.trim();
    if (name === '') {
      problem(this.#name, texts.noNameTyped);
      return null;
    }
    const transport = readConnection(this.#transport.value) ?? 'auto';
    return { name, microphone: this.#microphone.value, transport };
  }
}
