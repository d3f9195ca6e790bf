import { ChatPanel } from '../chat/chat-panel.js';
import { CallBar } from './call-bar.js';
import { ConnectionLine } from './connection.js';
import { roomLink } from '../green-room/room-address.js';
import { showDialog } from '../kit/dialog.js';
import {
  addStyle,
  announce,
  build,
  elementOf,
  makeDrawing,
  makeIcon,
  setText,
} from '../kit/element.js';
import { icons } from '../kit/icons.js';
import { LazyPanel } from '../kit/lazy-panel.js';
import { ModerationControls } from '../moderation/moderation-controls.js';
import { PeopleList } from '../people/people-list.js';
import { changesOf, labelOf } from '../people/person.js';
import { RecordingControls } from '../recording/recording-controls.js';
import { readChoices } from '../settings/choices.js';
import { SoundHistory } from '../sound/sound-history.js';
import { SidePanel } from './side-panel.js';
import { showView } from '../kit/page.js';
import { labels, texts } from '../../texts/texts.js';

/**
 * @import { SoundPanel } from '../sound/sound-panel.js'
 * @import { CallView as View } from '../../client/call/types.js'
 * @import { CaptionSwitch } from '../captions/caption-switch.js'
 * @import { CaptionFields } from '../../shared/messages/fields.js'
 * @import { ServerMessages } from '../../shared/messages/server-messages.js'
 * @import { LanguageChoice } from '../kit/language-choice.js'
 * @import { Notices } from '../kit/notices.js'
 * @import { OwnVolumes } from '../people/own-volumes.js'
 * @import { SettingsPanel } from '../settings/settings-panel.js'
 * @import { CallSigns } from './call-signs.js'
 * @import { CurrentCall } from './current-call.js'
 * @import { OwnSound } from './own-sound.js'
 * @import { Sounds } from './sounds.js'
 *
 * @typedef {object} CallPage  what the parts of a call's page share
 * @property {CurrentCall} current
 * @property {OwnSound} own
 * @property {OwnVolumes} volumes
 * @property {Notices} notices
 * @property {Sounds} sounds
 * @property {CallSigns} signs
 */

/** Length of a list with speakers out of sight, and most of them that the page names above it. */
const MOST_IN_VIEW = 12;
const MOST_NAMED = 5;

/** Time for which the button says that the link was copied, in milliseconds. */
const SAID_MS = 4000;

/** Light modules around a QR code (ISO/IEC 18004). */
const QUIET_ZONE = 4;

/** A call: the people, the connection, the controls and the side panel. */
export class CallPanels {
  #side = new SidePanel();
  #bar;
  /** Null until somebody wants captions. @type {Promise<CaptionSwitch | null> | null} */
  #captions = null;
  /** @type {LazyPanel<SettingsPanel>} */
  #settings;
  /** Latest arguments of devices(). @type {Parameters<SettingsPanel['devices']>} */
  #devices = [[], [], '', false];
  #chat;
  #notices;
  #sounds;
  #title = elementOf('call-title', HTMLElement);
  #count = elementOf('people-count', HTMLElement);
  #stage = elementOf('stage', HTMLElement);
  #alone = elementOf('alone', HTMLElement);
  #speakerNames = elementOf('who-speaks', HTMLElement);
  #beat = elementOf('metronome-badge', HTMLElement);
  #trackBadge = elementOf('track-badge', HTMLElement);
  /** True once the part for groups is loaded, or being loaded. */
  #hasGroups = false;
  /** Likewise for languages. */
  #hasLanguages = false;
  /** @type {LanguageChoice | null} */
  #languages = null;

  /**
   * @param {string} room
   * @param {CallPage} page
   */
  constructor(room, page) {
    const { current, own, volumes, notices, sounds, signs } = page;
    this.#notices = notices;
    this.#sounds = sounds;
    setText(this.#title, room);
    this.#bar = new CallBar(current, own);
    this.#settings = new LazyPanel(labels.settings, async () => {
      const { SettingsPanel: Panel } = await import('../settings/settings-panel.js');
      const chosen = () => void this.#openCaptions(page).then((captions) => captions?.chosen());
      const panel = new Panel(own, chosen);
      panel.devices(...this.#devices);
      return { panel, parts: [panel.element] };
    });
    current.store.subscribe(['captions', 'state'], ({ captions, state }) => {
      if (captions.on || (state === 'joined' && readChoices().captions))
        void this.#openCaptions(page);
    });
    this.#chat = new ChatPanel(current);
    const sound = new SoundContent(room, current, notices);
    const recording = new RecordingControls(current, this.#bar.record, notices);
    this.#side.add(this.#bar.chat, this.#chat);
    this.#side.add(this.#bar.settings, this.#settings);
    this.#side.add(this.#bar.sound, sound);
    this.#side.add(this.#bar.record, recording.panel);
    const moderation = new ModerationControls(current, this.#bar.moderate, this.#side, page);
    new PeopleList(current, volumes, (person) => void moderation.person(person));
    new ConnectionLine(current);
    this.#chat.unread.subscribe(['count'], ({ count }) => {
      this.#bar.unread(count);
      signs.unread(count);
    });
    shareLink(notices);
    this.#follow(current);
  }

  /** @param {CurrentCall} current */
  #follow(current) {
    const { store } = current;
    store.subscribe(['people', 'you', 'listeners', 'session'], (now, before) => {
      this.#showPeople(now);
      this.#announcePeople(now, before);
    });
    store.subscribe(['speakers', 'people'], (now) => this.#showSpeakers(now));
    store.subscribe(['metronome'], (now, before) => {
      this.#showBeat(now.metronome.beat);
      if (isNews('metronome', now, before)) announceBeat(now.metronome);
    });
    store.subscribe(['track'], (now, before) => {
      this.#showTrack(now.track.track);
      if (now.track.track?.id !== before.track.track?.id) this.#settleTrack();
      if (isNews('track', now, before)) announceTrack(now.track, before.track.track);
    });
    store.subscribe(['access'], ({ access }) => {
      if (access.rules.groups !== null) void this.#openGroups(current);
      if (access.rules.languages.length > 0 && access.role === 'listener')
        void this.#offerLanguages(current);
    });
    store.subscribe(['state'], ({ state }) => {
      this.#title.closest('.call')?.classList.toggle('offline', state === 'away');
      if (state === 'idle') this.#side.close();
    });
  }

  /** Removes the notices that are no longer true once there is another track. */
  #settleTrack() {
    for (const code of ['track-not-sent', 'track-too-long', 'track-unreadable', 'tracks-full'])
      this.#notices.settle(code);
  }

  show() {
    showView('call');
    this.#title.focus();
    announce(texts.youJoined);
  }

  /** Loads a listener's choice of languages, once. @param {CurrentCall} current */
  async #offerLanguages(current) {
    if (this.#hasLanguages) return;
    this.#hasLanguages = true;
    const part = await this.#notices.loaded(import('../kit/language-choice.js'));
    this.#hasLanguages = part !== null;
    if (part === null) return;
    const choice = new part.LanguageChoice(current.send, () => this.#title);
    this.#languages = choice;
    elementOf('knocks', HTMLElement).before(choice.element);
    current.store.subscribe(['access', 'joined', 'state'], (call) => {
      if (call.state === 'joined') choice.show(call);
    });
  }

  /** Loads the page's part for groups, once. @param {CurrentCall} current */
  async #openGroups(current) {
    if (this.#hasGroups) return;
    this.#hasGroups = true;
    const part = await this.#notices.loaded(import('../groups/group-bar.js'));
    this.#hasGroups = part !== null;
    if (part) new part.GroupBar(current, this.#sounds);
  }

  /** @param {View} call */
  #showPeople({ people, you, listeners }) {
    const own = people.find(({ id }) => id === you);
    // A listener is in no other person's list.
    const listens = Number(own?.role === 'listener' && listeners > 0);
    const present = people.filter(({ owner }) => owner === '').length;
    const counts = [
      texts.people(present - listens),
      listeners > 0 && texts.listenersToo(listeners),
    ];
    setText(this.#count, counts.filter(Boolean).join(' · '));
    this.#speakerNames.hidden = people.length <= MOST_IN_VIEW;
    this.#alone.hidden = present !== 1 || listeners > listens;
    // One's own tile has no button: on a small screen the keyboard scrolls the stage itself.
    // Without its tabindex it would lose the keyboard's place.
    if (people.length === 1) this.#stage.tabIndex = 0;
    else if (document.activeElement !== this.#stage) this.#stage.removeAttribute('tabindex');
  }

  /**
   * Announces changes of people. Another own id means that the place was lost; after a restart of
   * the server all ids are new.
   * @param {View} now
   * @param {View} before
   */
  #announcePeople(now, before) {
    if (now.you === '' || now.you !== before.you || now.people === before.people) return;
    const { sentences, came, went } = changesOf(before.people, now.people, now.you);
    if (sentences.length > 0) announce(sentences.join(' '));
    if (came + went > 0) this.#sounds.playPresence(came > 0);
  }

  /** @param {View} call */
  #showSpeakers({ speakers, people }) {
    if (this.#speakerNames.hidden) return;
    const names = speakers
      .filter(({ voice }) => voice)
      .slice(0, MOST_NAMED)
      .map(({ id }) => people.find((person) => person.id === id));
    const found = names.flatMap((person) => (person ? [labelOf(person)] : []));
    setText(this.#speakerNames, texts.speaking(found));
  }

  /** @param {View['metronome']['beat']} beat  null: it is off */
  #showBeat(beat) {
    this.#beat.hidden = beat === null;
    setText(this.#beat, beat ? texts.metronomeBadge(beat.bpm) : '');
  }

  /** @param {View['track']['track']} track  the room's backing track; null: there is none */
  #showTrack(track) {
    const isRunning = track !== null && track.from !== null;
    this.#trackBadge.hidden = !isRunning;
    setText(this.#trackBadge, isRunning ? texts.trackBadge(track.name) : '');
  }

  /** @param {ServerMessages['refused']} message refusal of a request of this page */
  refused({ of, code, retryMs }) {
    if (of === 'chat') this.#chat.refused(code, retryMs);
    else if (of === 'captions')
      void this.#captions?.then((captions) => captions?.refused(retryMs ?? 0));
    // Nobody reads captions any more, or too many came: the next ones will do.
    else if (of === 'caption') return;
    else this.#notices.show(code);
    if (of === 'language') this.#languages?.refused();
  }

  /**
   * @param {CallPage} page
   * @returns {Promise<CaptionSwitch | null>} null when they can't be loaded; the next wish retries
   */
  #openCaptions(page) {
    const loading = () => this.#notices.loaded(import('../captions/caption-switch.js'));
    return (this.#captions ??= loading().then((part) => {
      if (part) return new part.CaptionSwitch(page);
      this.#captions = null;
      return null;
    }));
  }

  /** @param {CaptionFields} caption */
  caption(caption) {
    void this.#captions?.then((captions) => captions?.show(caption));
  }

  /** As SettingsPanel has it. @param {Parameters<SettingsPanel['devices']>} devices */
  devices(...devices) {
    this.#devices = devices;
    this.#settings.panel?.devices(...devices);
  }

  toggleChat() {
    this.#side.toggle(this.#bar.chat);
  }

  toggleHand() {
    this.#bar.toggleHand();
  }
}

/**
 * True when something has changed in the room, and isn't only new to this page.
 * @param {keyof View} name
 * @param {View} now
 * @param {View} before
 */
const isNews = (name, now, before) => now[name] !== before[name] && now.session === before.session;

/** @param {View['metronome']} metronome */
function announceBeat({ beat, by }) {
  const name = by ?? '';
  announce(beat ? texts.metronomeBegan(name, beat.bpm) : texts.metronomeEnded(name));
}

/** @param {View['track']} now @param {View['track']['track']} before */
function announceTrack({ track, by }, before) {
  announce(trackSentence(track, by, before));
}

/**
 * @param {View['track']['track']} track
 * @param {string | null} by
 * @param {View['track']['track']} before
 */
function trackSentence(track, by, before) {
  if (by === null) return texts.trackOver;
  if (!track) return texts.trackRemoved(by);
  if (track.id !== before?.id) return texts.trackCame(by, track.name);
  return track.from === null ? texts.trackStopped(by) : texts.trackBegan(by);
}

/**
 * Makes the buttons that copy the room's link and show it as a QR code.
 * @param {Notices} notices
 */
function shareLink(notices) {
  const text = elementOf('copy-link-text', HTMLElement);
  const copy = elementOf('copy-link', HTMLButtonElement);
  // The icon changes too, since a phone shows nothing else of the button.
  const say = (/** @type {string} */ sentence, /** @type {string} */ icon) => {
    setText(text, sentence);
    copy.firstElementChild?.replaceWith(makeIcon(icon));
  };
  let timer = 0;
  copy.addEventListener('click', async () => {
    if (!(await notices.copy(roomLink(location)))) return;
    say(texts.linkCopied, icons.check);
    announce(texts.linkCopied);
    clearTimeout(timer);
    timer = window.setTimeout(() => say(labels.copyLink, icons.link), SAID_MS);
  });
  elementOf('show-qr', HTMLButtonElement).addEventListener('click', () =>
    showQr().then(
      () => notices.settle('qr-failed'),
      () => notices.show('qr-failed'),
    ),
  );
}

/** @returns {Promise<void>} rejects when the encoder can't be loaded */
async function showQr() {
  const { encode } = await import('/vendor/uqr/index.mjs');
  const { data, size } = encode(roomLink(location), { ecc: 'M', border: QUIET_ZONE });
  const dark = data
    .map((row, y) => row.map((isDark, x) => (isDark ? `M${x} ${y}h1v1h-1z` : '')).join(''))
    .join('');
  const code = makeDrawing('qr', `0 0 ${size} ${size}`, dark);
  code.setAttribute('role', 'img');
  code.setAttribute('aria-label', texts.qrLabel);
  code.setAttribute('shape-rendering', 'crispEdges');
  showDialog(texts.qrTitle, code, build('p', { class: 'hint qr-link' }, roomLink(location)));
}

/**
 * The content Sound of the side panel. It keeps the call's history.
 * @extends {LazyPanel<SoundPanel>}
 */
class SoundContent extends LazyPanel {
  #current;
  #history = new SoundHistory();

  /**
   * @param {string} room
   * @param {CurrentCall} current
   * @param {Notices} notices
   */
  constructor(room, current, notices) {
    super(labels.soundPanel, async () => {
      const [{ SoundPanel }] = await Promise.all([
        import('../sound/sound-panel.js'),
        addStyle('/public/ui/sound/sound.css'),
      ]);
      const panel = new SoundPanel(room, current, notices, this.#history);
      this.#show(panel);
      return { panel, parts: panel.parts };
    });
    this.#current = current;
    current.store.subscribe(['stats'], ({ stats }) => {
      if (stats === null) return this.#history.clear();
      this.#history.add(stats, performance.now());
      if (this.isOpen) this.#show(this.panel);
    });
  }

  /** @override */
  opened() {
    super.opened();
    this.#show(this.panel);
  }

  /** @param {SoundPanel | null} panel */
  #show(panel) {
    panel?.show(this.#current.store.value.stats);
  }
}
