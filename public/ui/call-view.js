import { ConnectionPanel } from './connection-panel.js';
import { elementOf, setText } from './element.js';
import { showMicrophones } from './microphone-select.js';
import { PeopleList } from './people-list.js';
import { showView } from './views.js';
import { texts } from '../texts.js';

/**
 * @typedef {import('./people-list.js').Person} Person
 *
 * @typedef {object} Actions  what a person can do in a call
 * @property {() => void} leave
 * @property {() => void} toggleMute
 * @property {(microphone: string) => void} chooseMicrophone
 * @property {() => void} copyFailed  the browser did not let the link be copied
 */

/** A call: who is there, how one is connected, and the controls. */
export class CallView {
  connection = new ConnectionPanel();
  #title = elementOf('call-title', HTMLElement);
  #count = elementOf('people-count', HTMLElement);
  #people = new PeopleList(elementOf('people', HTMLUListElement));
  #alone = elementOf('alone', HTMLElement);
  #mute = elementOf('mute', HTMLButtonElement);
  #muteText = elementOf('mute-text', HTMLElement);
  #microphone = elementOf('call-microphone', HTMLSelectElement);
  #copyLinkText = elementOf('copy-link-text', HTMLElement);
  #announcer = elementOf('announcer', HTMLElement);
  /** @type {Map<Person['id'], Person>} who was there when the list was last shown */
  #here = new Map();
  /** @type {Person['id'] | null} */
  #you = null;

  /**
   * @param {string} room
   * @param {Actions} actions
   */
  constructor(room, actions) {
    setText(this.#title, room);
    setText(this.#alone, texts.alone);
    elementOf('leave', HTMLButtonElement).addEventListener('click', actions.leave);
    this.#mute.addEventListener('click', actions.toggleMute);
    this.#microphone.addEventListener('change', () => actions.chooseMicrophone(this.#microphone.value));
    elementOf('copy-link', HTMLButtonElement).addEventListener('click', () => void this.#copyLink(actions.copyFailed));
  }

  show() {
    showView('call');
    this.#title.focus();
    this.announce(texts.youJoined);
  }

  /** Forgets the people, before another call. */
  clear() {
    this.#here.clear();
    this.#you = null;
    this.#people.show([], null);
    this.connection.stats({});
  }

  /**
   * Shows who is there, and tells of those who came and went.
   * @param {Person[]} people
   * @param {Person['id'] | null} you
   */
  people(people, you) {
    if (this.#you !== null) this.#announceChanges(people);
    this.#you = you;
    this.#here = new Map(people.map((person) => [person.id, { ...person }]));
    this.#people.show(people, you);
    setText(this.#count, texts.people(people.length));
    this.#alone.hidden = people.length !== 1;
  }

  /**
   * @param {boolean} muted
   */
  muted(muted) {
    this.#mute.ariaPressed = String(muted);
    setText(this.#muteText, muted ? texts.unmute : texts.mute);
  }

  /**
   * @param {{ deviceId: string, label: string }[]} microphones
   * @param {string} chosen
   * @param {boolean} allowed
   */
  microphones(microphones, chosen, allowed) {
    showMicrophones(this.#microphone, microphones, chosen, allowed);
  }

  /**
   * Says something to those who listen to the page rather than look at it.
   * @param {string} sentence
   */
  announce(sentence) {
    this.#announcer.textContent = sentence;
  }

  /**
   * @param {Person[]} people
   */
  #announceChanges(people) {
    const sentences = [];
    const gone = new Map(this.#here);
    for (const { id, name, muted } of people) {
      const before = this.#here.get(id);
      gone.delete(id);
      if (!before) sentences.push(texts.joined(name));
      else if (id !== this.#you && before.muted !== muted) {
        sentences.push(muted ? texts.nowMuted(name) : texts.nowUnmuted(name));
      }
    }
    for (const { name } of gone.values()) sentences.push(texts.left(name));
    if (sentences.length > 0) this.announce(sentences.join(' '));
  }

  /**
   * @param {() => void} copyFailed
   */
  async #copyLink(copyFailed) {
    try {
      // Without the query: the name in it is one's own.
      await navigator.clipboard.writeText(location.origin + location.pathname);
    } catch {
      copyFailed();
      return;
    }
    setText(this.#copyLinkText, texts.linkCopied);
    this.announce(texts.linkCopied);
    setTimeout(() => setText(this.#copyLinkText, texts.copyLink), 4000);
  }
}
