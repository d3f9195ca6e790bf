import { changesOf } from './announcements.js';
import { ChatPanel } from '../chat/chat-panel.js';
import { CallBar } from './call-bar.js';
import { ConnectionLine } from './connection.js';
import { elementOf, setText } from '../kit/element.js';
import { PeopleList } from '../people/people-list.js';
import { Recording } from '../recording/recording.js';
import { SettingsPanel } from '../settings/settings-panel.js';
import { shareLink } from './share-link.js';
import { SoundContent } from '../sound/sound-content.js';
import { SidePanel } from './side-panel.js';
import { showView } from '../kit/views.js';
import { texts } from '../../texts.js';

/**
 * @import { Person } from '../people/person-tile.js'
 * @import { VolumeActions } from '../people/people-list.js'
 * @import { Switches } from '../settings/choices.js'
 *
 * @typedef {CallControls & VolumeActions} CallActions
 *
 * @typedef {object} CallControls  what a person can do in a call
 * @property {() => void} leave
 * @property {() => void} toggleMute
 * @property {() => void} toggleHand
 * @property {(microphone: string) => void} chooseMicrophone
 * @property {(speaker: string) => void} chooseSpeaker
 * @property {(choice: keyof Switches) => void} choose
 * @property {(on: boolean) => void} record
 * @property {(agreed: boolean) => void} consent         to being recorded
 * @property {(text: string) => boolean} say               in the chat; false where there is no connection
 * @property {(count: number) => void} unread              messages that nobody has seen yet
 * @property {(came: boolean) => void} comeOrGone         somebody came, or went
 * @property {(code: string) => void} failed               something could not be done
 */

/** So much of a message is said to those who listen to the page, in characters. */
const MAX_ANNOUNCED = 300;

/** A call: who is there, how one is connected, and the controls. */
export class CallView {
  connection = new ConnectionLine();
  side = new SidePanel();
  bar;
  settings;
  chat;
  sound;
  recording;
  #title = elementOf('call-title', HTMLElement);
  #count = elementOf('people-count', HTMLElement);
  #people;
  #alone = elementOf('alone', HTMLElement);
  #announcer = elementOf('announcer', HTMLElement);
  #comeOrGone;
  #failed;
  /** @type {Person[]} who was there when the list was last shown */
  #here = [];
  /** @type {Person['id'] | null} */
  #you = null;

  /**
   * @param {string} room
   * @param {CallActions} actions
   */
  constructor(room, actions) {
    setText(this.#title, room);
    this.#comeOrGone = actions.comeOrGone;
    this.#failed = actions.failed;
    this.#people = new PeopleList(elementOf('people', HTMLUListElement), actions);
    this.bar = new CallBar(actions);
    this.settings = new SettingsPanel(actions);
    this.chat = new ChatPanel({
      send: actions.say,
      onUnread: (count, message) => {
        this.bar.unread(count);
        actions.unread(count);
        if (message) this.announce(texts.chatFrom(message.name, message.text.slice(0, MAX_ANNOUNCED)));
      },
    });
    this.side.add(this.bar.chat, () => this.chat);
    this.side.add(this.bar.settings, () => this.settings);
    const share = { announce: (/** @type {string} */ sentence) => this.announce(sentence), failed: actions.failed };
    this.sound = new SoundContent(room, share);
    this.side.add(this.bar.sound, () => this.sound);
    this.recording = new Recording(this.bar, { record: actions.record, consent: actions.consent, announce: share.announce });
    this.side.add(this.bar.record, () => this.recording.panel);
    shareLink(share);
  }

  show() {
    showView('call');
    this.#title.focus();
    this.announce(texts.youJoined);
  }

  /** @param {boolean} offline whether what is shown is of a moment ago */
  offline(offline) {
    this.#title.closest('.call')?.classList.toggle('offline', offline);
    this.connection.offline(offline);
    // Who is heard nobody knows just now.
    if (offline) this.#people.speakers([]);
    this.bar.offline(offline);
    this.chat.offline(offline);
  }

  /** Forgets the people, before another call. */
  clear() {
    this.side.close();
    this.offline(false);
    this.#here = [];
    this.#you = null;
    this.#people.show([], null);
    this.connection.stats({});
    this.sound.clear();
    this.recording.clear();
    this.bar.hand(false);
    this.chat.clear();
  }

  /**
   * Shows who is there, and tells of those who came and went.
   * @param {Person[]} people
   * @param {Person['id']} you
   */
  people(people, you) {
    // One whose place was lost has another id, and so have the others after the server has begun anew.
    if (this.#you !== you) {
      this.#people.show([], null);
    } else {
      const { sentences, came, went } = changesOf(this.#here, people, you);
      if (sentences.length > 0) this.announce(sentences.join(' '));
      if (came + went > 0) this.#comeOrGone(came > 0);
    }
    this.#you = you;
    this.#here = people.map((person) => ({ ...person }));
    this.#people.show(people, you, this.recording.on);
    this.recording.people(people, you);
    setText(this.#count, texts.people(people.length));
    this.#alone.hidden = people.length !== 1;
    this.bar.hand(Boolean(people.find(({ id }) => id === you)?.hand));
  }

  /** @param {Record<string, any>} message of the server */
  told(message) {
    const { chat, recording } = this;
    if (message.type === 'welcome') {
      chat.history(Array.isArray(message.chat) ? message.chat : [], String(message.you));
      recording.welcome(message.recording ?? null, message.canRecord === true);
    } else if (message.type === 'chat') {
      chat.add(message.message);
    } else if (message.type === 'recording') {
      recording.told(message.recording);
      // Whether somebody is in it is shown with the people.
      if (this.#you !== null) this.#people.show(this.#here, this.#you, recording.on);
    } else if (message.type === 'refused') {
      if (message.of === 'chat') chat.refused(Number(message.retryMs) || 0);
      else this.#failed(String(message.code));
    }
  }

  /** @param {import('../../client/call/client-stats.js').ClientStats} stats */
  stats(stats) {
    this.connection.stats(stats);
    this.sound.add(stats);
  }

  /** @param {{ id: string, level: number, voice: boolean }[]} speakers */
  speakers(speakers) {
    this.#people.speakers(speakers);
  }

  /**
   * Says something to those who listen to the page rather than look at it.
   * @param {string} sentence
   */
  announce(sentence) {
    this.#announcer.textContent = sentence;
  }
}
