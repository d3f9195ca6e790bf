import { ChatPanel } from '../chat/chat-panel.js';
import { CallBar } from './call-bar.js';
import { ConnectionLine } from './connection.js';
import { elementOf, setText } from '../kit/element.js';
import { Moderation } from '../moderation/moderation.js';
import { PeopleList } from '../people/people-list.js';
import { changesOf, labelOf } from '../people/person.js';
import { nodeOf } from '../../client/connection/node-origin.js';
import { Recording } from '../recording/recording.js';
import { SettingsPanel } from '../settings/settings-panel.js';
import { shareLink } from './share-link.js';
import { SoundContent } from '../sound/sound-content.js';
import { SidePanel } from './side-panel.js';
import { showView } from '../kit/page.js';
import { texts } from '../../texts.js';

/**
 * @import { Access } from '../../client/call/access-state.js'
 * @import { Person } from '../people/person.js'
 * @import { VolumeActions } from '../people/people-list.js'
 * @import { Track } from '../sound/track-controls.js'
 * @import { Device } from '../settings/devices.js'
 * @import { Switches } from '../settings/choices.js'
 *
 * @typedef {CallControls & Omit<VolumeActions, 'moderate'>} CallActions
 *
 * @typedef {object} CallControls
 * @property {() => void} leave
 * @property {() => void} toggleMute
 * @property {() => void} toggleHand
 * @property {(microphone: string) => void} chooseMicrophone
 * @property {(speaker: string) => void} chooseSpeaker
 * @property {(choice: keyof Switches) => void} choose
 * @property {(on: boolean, isPublic: boolean) => boolean | void} record
 * @property {(agreed: boolean) => void} consent    to being recorded
 * @property {(text: string) => boolean} say sends a chat message; false when there is no connection
 * @property {(count: number) => void} unread       called with the number of unread messages
 * @property {(came: boolean) => void} comeOrGone   called when somebody came, or went
 * @property {(code: string) => void} failed        shows what could not be done
 * @property {(message: object) => void} send       sends a control message
 * @property {(heard: boolean) => void} hearMetronome
 * @property {(file: Blob, name: string, progress: (share: number) => void) => Promise<boolean>}
 *   offerTrack
 * @property {(level: number) => void} setTrackLevel
 */

/** Characters of a message that are announced to assistive technology. */
const MAX_ANNOUNCED = 300;

/**
 * Of more people those who speak may be out of sight: they are named above the list, so many at
 * most.
 */
const MOST_IN_VIEW = 12;
const MOST_NAMED = 5;

/** A call: the people, the connection, the controls and the side panel. */
export class CallView {
  #connection = new ConnectionLine();
  #side = new SidePanel();
  #bar;
  #settings;
  #chat;
  #sound;
  #recording;
  #moderation;
  #title = elementOf('call-title', HTMLElement);
  #count = elementOf('people-count', HTMLElement);
  #people;
  #stage = elementOf('stage', HTMLElement);
  #alone = elementOf('alone', HTMLElement);
  #whoSpeaks = elementOf('who-speaks', HTMLElement);
  #beat = elementOf('metronome-badge', HTMLElement);
  #trackBadge = elementOf('track-badge', HTMLElement);
  /** @type {Track | null} */
  #track = null;
  #announcer = elementOf('announcer', HTMLElement);
  #comeOrGone;
  #failed;
  /** The people when the list was last shown. @type {Person[]} */
  #here = [];
  /** One's own id; null before the first list. @type {Person['id'] | null} */
  #you = null;

  /**
   * @param {string} room
   * @param {CallActions} actions
   */
  constructor(room, actions) {
    const { record, consent, failed, send, hearMetronome, offerTrack, setTrackLevel } = actions;
    const announce = (/** @type {string} */ sentence) => this.announce(sentence);
    setText(this.#title, room);
    this.#comeOrGone = actions.comeOrGone;
    this.#failed = failed;
    const moderate = (/** @type {Person} */ person) => void this.#moderation.person(person);
    this.#people = new PeopleList(elementOf('people', HTMLUListElement), { ...actions, moderate });
    this.#bar = new CallBar(actions);
    this.#settings = new SettingsPanel(actions);
    this.#chat = new ChatPanel({
      send: actions.say,
      onUnread: (count, message) => {
        this.#bar.unread(count);
        actions.unread(count);
        if (message) announce(texts.chatFrom(message.name, message.text.slice(0, MAX_ANNOUNCED)));
      },
    });
    this.#sound = new SoundContent(room, {
      announce,
      failed,
      send,
      hearMetronome,
      offerTrack,
      setTrackLevel,
    });
    this.#recording = new Recording(this.#bar, { record, consent, announce });
    this.#moderation = new Moderation(this.#bar, this.#side, {
      announce,
      failed,
      send,
      knocked: () => actions.comeOrGone(true),
      mayChat: (allowed) => this.#chat.allowed(allowed),
      mayRecord: (allowed, mayBePublic) => this.#recording.allowed(allowed, mayBePublic),
    });
    this.#side.add(this.#bar.chat, this.#chat);
    this.#side.add(this.#bar.settings, this.#settings);
    this.#side.add(this.#bar.sound, this.#sound);
    this.#side.add(this.#bar.record, this.#recording.panel);
    shareLink({ announce, failed });
  }

  show() {
    showView('call');
    this.#title.focus();
    this.announce(texts.youJoined);
  }

  /** @param {boolean} offline whether the connection is lost, and what is shown is old */
  offline(offline) {
    this.#title.closest('.call')?.classList.toggle('offline', offline);
    this.#connection.offline(offline);
    if (offline) this.#people.speakers([]);
    this.#bar.offline(offline);
    this.#chat.offline(offline);
  }

  /** Forgets the call, before another one. */
  clear() {
    this.#side.close();
    this.offline(false);
    this.#here = [];
    this.#you = null;
    this.#people.show([], null);
    this.#connection.stats({});
    this.#connection.waitedFor([]);
    this.#sound.clear();
    this.#metronome(null);
    this.#showTrack(null);
    this.#recording.clear();
    this.#moderation.clear();
    this.#bar.hand(false);
    this.#chat.clear();
  }

  /**
   * Shows the people, and announces what has changed.
   * @param {Person[]} people
   * @param {Person['id']} you
   * @param {number} listeners  how many only listen
   */
  people(people, you, listeners) {
    // Another id of one's own means that the place was lost; if the server was restarted, all ids
    // are others.
    if (this.#you !== you) {
      this.#people.show([], null);
    } else {
      const { sentences, came, went } = changesOf(this.#here, people, you);
      if (sentences.length > 0) this.announce(sentences.join(' '));
      if (came + went > 0) this.#comeOrGone(came > 0);
    }
    this.#you = you;
    this.#here = people.map((person) => ({ ...person }));
    this.#people.show(people, you, this.#recording.on);
    this.#connection.waitedFor(people.filter(({ waitMs = 0 }) => waitMs > 0).map(labelOf));
    this.#recording.people(people, you);
    this.#moderation.people(people, you);
    // One who only listens is in no list but their own.
    const listens = Number(
      people.find(({ id }) => id === you)?.role === 'listener' && listeners > 0,
    );
    const counts = [
      texts.people(people.length - listens),
      listeners > 0 && texts.listenersToo(listeners),
    ];
    setText(this.#count, counts.filter(Boolean).join(' · '));
    this.#whoSpeaks.hidden = people.length <= MOST_IN_VIEW;
    this.#alone.hidden = people.length !== 1 || listeners > listens;
    // One's own tile has no button: by the stage itself the keyboard scrolls it on a small screen.
    if (people.length === 1) this.#stage.tabIndex = 0;
    else this.#stage.removeAttribute('tabindex');
    this.#bar.hand(Boolean(people.find(({ id }) => id === you)?.hand));
  }

  /** @param {Access} access  what this person may do, and the room's rules */
  access(access) {
    this.#moderation.access(access);
  }

  /** @param {Record<string, any>} message a control message of the server */
  control(message) {
    if (message.type === 'welcome') {
      this.#people.stereo = message.format?.channels === 2;
      this.#chat.history(Array.isArray(message.chat) ? message.chat : [], String(message.you));
      this.#recording.welcome(
        message.recording ?? null,
        message.canRecord === true,
        nodeOf(message.nodes),
      );
      this.#metronome(message.metronome ?? null);
      this.#showTrack(message.track ?? null);
    } else if (message.type === 'chat') {
      this.#chat.add(message.message);
    } else if (message.type === 'metronome') {
      const { beat, by } = message;
      this.#metronome(beat);
      this.announce(beat ? texts.metronomeBegan(by, beat.bpm) : texts.metronomeEnded(by));
    } else if (message.type === 'track') {
      this.announce(trackSentence(this.#track, message.track, message.by));
      this.#showTrack(message.track);
    } else if (message.type === 'recording') {
      this.#recording.changed(message.recording);
      // The people's tiles show whether each of them is recorded.
      if (this.#you !== null) this.#people.show(this.#here, this.#you, this.#recording.on);
    } else if (message.type === 'refused') {
      if (message.of === 'chat' && message.code === 'chat-flood')
        this.#chat.refused(Number(message.retryMs) || 0);
      else if (message.of === 'chat') this.#chat.rejected(String(message.code));
      else this.#failed(String(message.code));
    }
  }

  /** @param {{ bpm: number, beats: number, by: string } | null} beat  null: it is off */
  #metronome(beat) {
    this.#beat.hidden = beat === null;
    setText(this.#beat, beat ? texts.metronomeBadge(beat.bpm) : '');
    this.#sound.metronome(beat);
  }

  /** @param {Track | null} track  the room's backing track; null: there is none */
  #showTrack(track) {
    this.#track = track;
    const isRunning = track !== null && track.from !== null;
    this.#trackBadge.hidden = !isRunning;
    setText(this.#trackBadge, isRunning ? texts.trackBadge(track.name) : '');
    this.#sound.track(track);
  }

  /**
   * @param {string} transport the one in use
   * @param {{ transport: string, code: string }[]} failed those that were tried before it
   */
  connected(transport, failed) {
    this.#connection.connected(transport, failed);
  }

  /** @param {import('../../client/call/client-stats.js').ClientStats} stats */
  stats(stats) {
    this.#connection.stats(stats);
    this.#sound.add(stats);
    this.#people.heardAfter(stats.delayMs);
  }

  /** @param {{ id: string, level: number, voice: boolean }[]} speakers */
  speakers(speakers) {
    this.#people.speakers(speakers);
    if (this.#whoSpeaks.hidden) return;
    const names = speakers
      .filter(({ voice }) => voice)
      .slice(0, MOST_NAMED)
      .map(({ id }) => this.#here.find((person) => person.id === id));
    setText(
      this.#whoSpeaks,
      texts.speaking(names.flatMap((person) => (person ? [labelOf(person)] : []))),
    );
  }

  /**
   * @param {boolean} muted
   * @param {boolean} talking whether Space is held
   * @param {boolean} held whether a moderator keeps this person muted
   */
  muted(muted, talking, held) {
    this.#bar.muted(muted, talking, held);
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   * @param {string} microphone the one in use
   * @param {boolean} allowed whether a microphone can be used
   */
  devices(microphones, speakers, microphone, allowed) {
    this.#settings.devices(microphones, speakers, microphone, allowed);
  }

  toggleChat() {
    this.#side.toggle(this.#bar.chat);
  }

  /**
   * Announces a sentence to assistive technology.
   * @param {string} sentence
   */
  announce(sentence) {
    this.#announcer.textContent = sentence;
  }
}

/**
 * @param {Track | null} before
 * @param {Track | null} track  as it is now
 * @param {string | null} by  who did it; null: it has come to its end
 */
function trackSentence(before, track, by) {
  if (by === null) return texts.trackOver;
  if (!track) return texts.trackRemoved(by);
  if (track.id !== before?.id) return texts.trackCame(by, track.name);
  return track.from === null ? texts.trackStopped(by) : texts.trackBegan(by);
}
