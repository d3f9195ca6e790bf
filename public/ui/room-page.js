import { Call } from '../call.js';
import { listSpeakers } from '../client/speaker.js';
import { followKeys } from './call-keys.js';
import { CallView } from './call-view.js';
import { keepChoices, readChoices, soundOf } from './choices.js';
import { LISTEN_ONLY } from './device-select.js';
import { LobbyView } from './lobby-view.js';
import { OwnSound, deviceOf } from './own-sound.js';
import { Sounds } from './sounds.js';
import { texts } from '../texts.js';

/**
 * @import { Entry } from './lobby-view.js'
 * @import { Switches } from './choices.js'
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
      listDevices: () => void this.#listDevices(),
    });
    this.#own = new OwnSound({
      call: () => this.call,
      processing: wish.processing,
      onMuted: (muted, talking) => this.#view.bar.muted(muted, talking),
      listDevices: () => this.#listDevices(),
    });
    this.#view = this.#makeView();
    followKeys({
      active: () => this.call?.state === 'joined' || this.#isReconnecting,
      mute: () => void this.#toggleMute(true),
      hand: () => this.#toggleHand(),
      chat: () => this.#view.side.toggle(this.#view.bar.chat),
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
      volume: (person, gain) => this.call?.sendControl({ type: 'volume', person, gain }),
      record: (on) => this.call?.sendControl({ type: 'record', on }),
      consent: (agreed) => this.call?.sendControl({ type: 'recordConsent', agreed }),
      say: (text) => this.call?.sendControl({ type: 'chat', text }),
      comeOrGone: (came) => readChoices().sounds && void this.#sounds.play(came ? 'came' : 'went'),
      copyFailed: () => this.#notices.show('copy-failed'),
    });
  }

  /** Shows the green room. */
  async open() {
    document.title = texts.roomTitle(this.#room);
    for (const code of this.#support.problems) {
      if (code === 'no-webtransport') this.#lobby.noWebTransport();
      else this.#notices.show(code);
    }
    this.#lobby.show();
    navigator.mediaDevices?.addEventListener('devicechange', () => void this.#listDevices());
    await this.#listDevices();
  }

  async #listDevices() {
    const [microphones, speakers] = await Promise.all([Call.microphones(), listSpeakers()]);
    this.#lobby.devices(microphones, speakers, this.#support.microphone);
    this.#view.settings.devices(microphones, speakers, this.#own.microphone, this.#support.microphone);
  }

  /** @param {Entry} entry */
  async #join({ name, microphone, speaker, transport }) {
    if (this.call) return;
    this.#notices.clear();
    this.#lobby.busy(true);
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
    await this.#listDevices();
  }

  /** @param {Call} call */
  #follow(call) {
    const { connection } = this.#view;
    call.addEventListener('state', ({ detail: { state, code } }) => {
      if (state === 'joined') this.#joined();
      else if (state === 'reconnecting') this.#reconnecting();
      else if (state === 'left') this.#over(texts.youLeft);
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
      if (message.of === 'chat') chat.refused(message.code);
      else this.#notices.show(String(message.code));
    }
  }

  #joined() {
    if (this.#isReconnecting) {
      this.#isReconnecting = false;
      this.#notices.settle('reconnecting');
      this.#view.announce(texts.reconnected);
    } else {
      this.#view.show();
    }
    this.#view.offline(false);
    this.#own.joined();
  }

  /** The connection is being made anew; what is shown stays. */
  #reconnecting() {
    this.#isReconnecting = true;
    this.#view.offline(true);
    this.#notices.show('reconnecting');
  }

  /**
   * @param {import('./person-tile.js').Person[]} people
   * @param {string} you
   */
  #people(people, you) {
    this.#view.people(people, you);
    this.#handRaised = Boolean(people.find(({ id }) => id === you)?.hand);
  }

  /** @param {string} sentence for those who listen to the page */
  #over(sentence) {
    this.call = null;
    this.#isReconnecting = false;
    this.#view.clear();
    this.#view.announce(sentence);
    this.#sounds.close();
    this.#notices.clear();
    this.#lobby.show();
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
