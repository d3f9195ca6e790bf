import { Call } from '../call.js';
import { followKeys } from './call-keys.js';
import { CallSigns } from './call-signs.js';
import { CallView } from './call-view.js';
import { keepChoices, readChoices, soundOf } from './choices.js';
import { LISTEN_ONLY } from './device-select.js';
import { Devices } from './devices.js';
import { showKeys } from './keys-help.js';
import { LobbyView } from './lobby-view.js';
import { OneTab } from './one-tab.js';
import { OwnSound, deviceOf } from './own-sound.js';
import { ask } from './question.js';
import { ReconnectingNotice } from './reconnecting-notice.js';
import { Sounds } from './sounds.js';
import { texts } from '../texts.js';

/**
 * @import { Entry } from './lobby-view.js'
 * @import { Switches } from './choices.js'
 * @import { NewDevice } from './devices.js'
 */

/** A room's page: the green room, the call, and the green room again. */
export class RoomPage {
  /** @type {Call | null} the call that is going on, or being joined */
  call = null;
  #room;
  #wish;
  #notices;
  #support = Call.support();
  #sounds = new Sounds();
  #devices;
  #signs;
  #tab;
  #reconnectingNotice;
  /** How loud others are made, by their ids. @type {Map<string, number>} */
  #volumes = new Map();
  #you = '';
  #own;
  #lobby;
  #view;
  #handRaised = false;
  #isReconnecting = false;

  /**
   * @param {string} room
   * @param {import('./address.js').Wish} wish
   * @param {import('./notices.js').Notices} notices
   */
  constructor(room, wish, notices) {
    this.#room = room;
    this.#wish = wish;
    this.#notices = notices;
    this.#lobby = new LobbyView(room, wish, this.#sounds, {
      join: (entry) => void this.#join(entry),
      problem: (code) => notices.show(code),
      listDevices: () => void this.#devices.list(),
    });
    this.#own = new OwnSound({
      call: () => this.call,
      processing: wish.processing,
      onMuted: (muted, talking) => {
        this.#view.bar.muted(muted, talking);
        this.#signs.muted(muted);
      },
      listDevices: () => this.#devices.list(),
    });
    this.#devices = new Devices({
      listed: (microphones, speakers) => this.#listed(microphones, speakers),
      came: (device) => this.#deviceCame(device),
    });
    this.#signs = new CallSigns(room, { toggleMute: () => void this.#toggleMute(true), leave: () => void this.call?.leave() });
    this.#tab = new OneTab(room, () => void this.#taken());
    this.#reconnectingNotice = new ReconnectingNotice(notices, () => this.call?.retry());
    this.#view = this.#makeView();
    this.#followKeys();
  }

  #followKeys() {
    followKeys({
      active: () => this.call?.state === 'joined' || this.#isReconnecting,
      mute: () => void this.#toggleMute(true),
      hand: () => this.#toggleHand(),
      chat: () => this.#view.side.toggle(this.#view.bar.chat),
      help: showKeys,
      talk: (talking) => this.#own.talk(talking),
    });
  }

  #makeView() {
    return new CallView(this.#room, {
      leave: () => void this.call?.leave(),
      toggleMute: () => void this.#toggleMute(false),
      toggleHand: () => this.#toggleHand(),
      chooseMicrophone: (microphone) => void this.#own.chooseMicrophone(microphone),
      chooseSpeaker: (speaker) => void this.#chooseSpeaker(speaker),
      choose: (choice) => this.#chosen(choice),
      volume: (person, gain) => this.#setVolume(person, gain),
      record: (on) => this.call?.sendControl({ type: 'record', on }),
      consent: (agreed) => this.call?.sendControl({ type: 'recordConsent', agreed }),
      say: (text) => this.call?.sendControl({ type: 'chat', text }) ?? false,
      unread: (count) => this.#signs.unread(count),
      comeOrGone: (came) => readChoices().sounds && void this.#sounds.play(came ? 'came' : 'went'),
      failed: (code) => this.#notices.show(code),
    });
  }

  /** Shows the green room. */
  async open() {
    for (const code of this.#support.problems) {
      if (code === 'no-webtransport') this.#lobby.noWebTransport();
      else this.#notices.show(code);
    }
    this.#lobby.show();
    await this.#devices.list();
  }

  /**
   * @param {import('./device-select.js').Device[]} microphones
   * @param {import('./device-select.js').Device[]} speakers
   */
  #listed(microphones, speakers) {
    this.#lobby.devices(microphones, speakers, this.#support.microphone);
    this.#view.settings.devices(microphones, speakers, this.#own.microphone, this.#support.microphone);
  }

  /** @param {NewDevice} device */
  #deviceCame({ label, microphone, speaker }) {
    // The one that was chosen is taken by itself.
    const isAwaited = microphone === this.#own.microphone || speaker === readChoices().speaker;
    if (!this.call || isAwaited) return;
    const use = () => {
      this.#notices.settle('device-new');
      if (microphone !== null && this.#own.microphone !== LISTEN_ONLY) void this.#own.chooseMicrophone(microphone);
      if (speaker !== null) void this.#chooseSpeaker(speaker);
    };
    this.#notices.show('device-new', { sentence: texts.deviceNew(label), action: { label: texts.useIt, run: use } });
  }

  /** @param {Entry} entry */
  async #join({ name, microphone, speaker, transport }) {
    if (this.call) return;
    this.#notices.clear();
    this.#lobby.busy(true);
    if (!(await this.#enter())) {
      this.#lobby.busy(false);
      return;
    }
    this.#own.begin(this.#support.microphone ? microphone : LISTEN_ONLY);
    this.call = new Call({
      ...soundOf(readChoices(), this.#wish.processing),
      room: this.#room,
      name,
      transport,
      microphoneId: deviceOf(this.#own.microphone),
      speakerId: speaker,
    });
    this.#follow(this.call);
    await this.call.join();
    // Now that the browser has given its permission it tells the devices' names.
    await this.#devices.list();
  }

  /** @returns {Promise<boolean>} false where this one is in the room in another tab, and stays there */
  async #enter() {
    if (await this.#tab.enter()) return true;
    const moves = await new Promise((resolve) => void ask(texts.otherTab, resolve));
    return moves && this.#tab.enter(true);
  }

  /** The call goes on in another tab. */
  async #taken() {
    await this.call?.leave();
    this.#lobby.show();
    this.#notices.show('resumed-elsewhere');
  }

  /** @param {Call} call */
  #follow(call) {
    const { connection } = this.#view;
    call.addEventListener('state', ({ detail: { state, code, since = Date.now(), nextTry = 0 } }) => {
      if (state === 'joined') this.#joined();
      else if (state === 'reconnecting') this.#reconnecting(since, nextTry);
      else if (state === 'left') this.#over(texts.youLeft, texts.howBack);
      else if (state === 'failed') this.#failed(code ?? 'unknown');
    });
    call.addEventListener('control', ({ detail }) => this.#control(detail));
    call.addEventListener('people', ({ detail: { people, you } }) => this.#people(people, you));
    call.addEventListener('transport', ({ detail: { took, tried } }) => connection.connected(took, tried));
    call.addEventListener('stats', ({ detail }) => this.#view.stats(detail));
    call.addEventListener('speakers', ({ detail }) => this.#view.speakers(detail));
    call.addEventListener('notice', ({ detail: { code } }) => this.#notice(code));
    call.addEventListener('settled', ({ detail: { code } }) => this.#notices.settle(code));
  }

  /** @param {Record<string, any>} message of the server */
  #control(message) {
    const { chat, recording } = this.#view;
    if (message.type === 'welcome') {
      chat.history(Array.isArray(message.chat) ? message.chat : [], String(message.you));
      recording.welcome(message.recording ?? null, message.canRecord === true);
    } else if (message.type === 'chat') {
      chat.add(message.message);
    } else if (message.type === 'recording') {
      recording.told(message.recording);
      this.#view.refresh();
    } else if (message.type === 'refused') {
      if (message.of === 'chat') chat.refused(Number(message.retryMs) || 0);
      else this.#notices.show(String(message.code));
    }
  }

  #joined() {
    if (this.#isReconnecting) {
      this.#isReconnecting = false;
      this.#reconnectingNotice.end();
      this.#view.announce(texts.reconnected);
    } else {
      this.#view.show();
      this.#signs.begin();
    }
    this.#offline(false);
    this.#own.joined();
    // What was set while there was no connection.
    for (const [person, gain] of this.#volumes) this.#setVolume(person, gain);
  }

  /**
   * The connection is being made anew; what is shown stays.
   * @param {number} since
   * @param {number} nextTry
   */
  #reconnecting(since, nextTry) {
    if (!this.#isReconnecting) this.#offline(true);
    this.#isReconnecting = true;
    this.#reconnectingNotice.show(since, nextTry);
  }

  /** @param {boolean} offline */
  #offline(offline) {
    this.#view.offline(offline);
    this.#signs.offline(offline);
  }

  /**
   * @param {string} person
   * @param {number} gain
   */
  #setVolume(person, gain) {
    this.#volumes.set(person, gain);
    this.call?.sendControl({ type: 'volume', person, gain });
  }

  /**
   * @param {import('./person-tile.js').Person[]} people
   * @param {string} you
   */
  #people(people, you) {
    // Another id than before: so have the others, and nobody's volume is set any more.
    if (you !== this.#you) this.#volumes.clear();
    this.#you = you;
    this.#view.people(people, you);
    this.#handRaised = Boolean(people.find(({ id }) => id === you)?.hand);
  }

  /**
   * @param {string} sentence for those who listen to the page
   * @param {string} [says] above the form
   */
  #over(sentence, says) {
    this.call = null;
    this.#isReconnecting = false;
    this.#tab.leave();
    this.#signs.end();
    this.#reconnectingNotice.end();
    this.#volumes.clear();
    this.#view.clear();
    this.#view.announce(sentence);
    this.#sounds.close();
    this.#notices.clear();
    this.#lobby.show(says);
  }

  /** @param {string} code */
  #failed(code) {
    this.#over('');
    if (code === 'user-name') this.#lobby.nameProblem(code);
    else this.#notices.show(code);
  }

  /** @param {string} code */
  #notice(code) {
    const isHeld = code === 'sound-blocked' || code === 'sound-interrupted';
    const action = isHeld ? { label: texts.soundOn, run: () => void this.call?.resumeSound() } : undefined;
    this.#notices.show(code, { action });
    // There may be a microphone now that wasn't before, or none any more.
    if (!isHeld && this.call?.state === 'joined') this.#own.apply();
  }

  /** @param {boolean} byKey without the button, which says by itself what it does now */
  async #toggleMute(byKey) {
    await this.#own.toggleMute();
    if (byKey) this.#view.announce(this.#own.muted ? texts.youMuted : texts.youUnmuted);
  }

  #toggleHand() {
    this.call?.sendControl({ type: 'hand', raised: !this.#handRaised });
  }

  /** @param {string} speaker */
  async #chooseSpeaker(speaker) {
    keepChoices({ speaker });
    this.#sounds.speaker(speaker);
    if ((await this.call?.setSpeaker(speaker)) === false) this.#notices.show('no-speaker');
    else this.#notices.settle('no-speaker');
  }

  /** @param {keyof Switches} choice */
  #chosen(choice) {
    if (choice !== 'sounds' && choice !== 'shortcuts') void this.#own.processingChanged();
  }
}
