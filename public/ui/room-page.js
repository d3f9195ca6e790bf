import { Call } from '../call.js';
import { CallSigns } from './call/call-signs.js';
import { CallView } from './call/call-view.js';
import { ReconnectingNotice } from './call/connection.js';
import { followKeys, showKeys } from './call/keys.js';
import { OwnSound, deviceOf } from './call/own-sound.js';
import { Sounds } from './call/sounds.js';
import { LobbyView } from './lobby/lobby-view.js';
import { OneTab } from './lobby/one-tab.js';
import { keepStage } from './kit/invitation.js';
import { OwnVolumes } from './people/own-volumes.js';
import { keepChoices, readChoices, soundOf } from './settings/choices.js';
import { Devices, LISTEN_ONLY } from './settings/devices.js';
import { moderatedText, noticeText, texts } from '../texts.js';

/**
 * @import { Notices } from './kit/notices.js'
 * @import { Entry } from './lobby/lobby-view.js'
 * @import { Place } from './lobby/one-tab.js'
 * @import { Wish } from './lobby/room-address.js'
 * @import { Person } from './people/person.js'
 * @import { Switches } from './settings/choices.js'
 * @import { Device, NewDevice } from './settings/devices.js'
 */

/** A room's page, which owns the call: the green room, the call, and the green room again. */
export class RoomPage {
  /** The call that goes on or is being joined. @type {Call | null} */
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
  #volumes = new OwnVolumes(
    (person, volume) => void this.call?.sendControl({ type: 'volume', person, ...volume }),
  );
  #own;
  #lobby;
  #view;
  #handRaised = false;
  /** The key of the stage where the room is a broadcast; empty otherwise. */
  #stage;
  #soundOn = { label: texts.soundOn, run: () => void this.call?.resumeSound() };
  #listenFirst = {
    label: texts.listenFirst,
    run: () => {
      this.#notices.settle('microphone-slow');
      this.call?.listenFirst();
    },
  };
  #isReconnecting = false;

  /**
   * @param {string} room
   * @param {Wish} wish
   * @param {Notices} notices
   */
  constructor(room, wish, notices) {
    this.#room = room;
    this.#wish = wish;
    this.#stage = wish.stage ?? '';
    this.#notices = notices;
    this.#lobby = new LobbyView(room, wish, this.#sounds, {
      join: (entry) => void this.#join(entry),
      cancel: () => void this.call?.leave(),
      problem: (code) => notices.show(code),
      settled: (code) => notices.settle(code),
      listDevices: () => void this.#devices.list(),
    });
    this.#own = new OwnSound({
      call: () => this.call,
      processing: wish.processing,
      refused: (why) =>
        notices.show('moderated', {
          sentence: why === 'listener' ? texts.onlyListens : noticeText('muted-by-moderator'),
        }),
      onMuted: (muted, talking, held) => {
        this.#view.muted(muted, talking, held);
        this.#signs.muted(muted);
      },
      listDevices: () => this.#devices.list(),
    });
    this.#devices = new Devices({
      listed: (microphones, speakers) => this.#listed(microphones, speakers),
      came: (device) => this.#deviceCame(device),
    });
    this.#signs = new CallSigns(room, {
      toggleMute: () => void this.#toggleMute(true),
      leave: () => void this.call?.leave(),
    });
    this.#tab = new OneTab(room, { asked: () => this.#place(), taken: () => void this.#taken() });
    this.#reconnectingNotice = new ReconnectingNotice(notices, () => this.call?.retry());
    this.#view = this.#makeView();
    this.#followKeys();
  }

  #followKeys() {
    followKeys({
      active: () => this.call?.state === 'joined' || this.#isReconnecting,
      mute: () => void this.#toggleMute(true),
      hand: () => this.#toggleHand(),
      chat: () => this.#view.toggleChat(),
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
      volumeOf: (person) => this.#volumes.of(person),
      volume: (person, volume) => this.#volumes.set(person, volume),
      record: (on, isPublic) => this.call?.sendControl({ type: 'record', on, isPublic }),
      consent: (agreed) => this.call?.sendControl({ type: 'recordConsent', agreed }),
      say: (text) => this.call?.sendControl({ type: 'chat', text }) ?? false,
      unread: (count) => this.#signs.unread(count),
      comeOrGone: (came) => readChoices().sounds && void this.#sounds.play(came ? 'came' : 'went'),
      failed: (code) => this.#notices.show(code),
      send: (message) => this.call?.sendControl(message),
      hearMetronome: (heard) => this.call?.hearMetronome(heard),
      offerTrack: async (file, name, progress) =>
        this.call?.offerTrack(file, name, progress) ?? false,
      setTrackLevel: (level) => this.call?.setTrackLevel(level),
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
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   */
  #listed(microphones, speakers) {
    this.#lobby.devices(microphones, speakers, this.#support.microphone);
    this.#view.devices(microphones, speakers, this.#own.microphone, this.#support.microphone);
  }

  /** @param {NewDevice} device */
  #deviceCame({ label, microphone, speaker }) {
    // A call takes the chosen device by itself when it comes back.
    const isAwaited = microphone === this.#own.microphone || speaker === readChoices().speaker;
    if (!this.call || isAwaited) return;
    const use = () => {
      this.#notices.settle('device-new');
      if (microphone !== null && this.#own.microphone !== LISTEN_ONLY)
        void this.#own.chooseMicrophone(microphone);
      if (speaker !== null) void this.#chooseSpeaker(speaker);
    };
    this.#notices.show('device-new', {
      sentence: texts.deviceNew(label),
      action: { label: texts.useIt, run: use },
    });
  }

  /** @param {Entry} entry */
  async #join({ name, password, microphone, speaker, transport }) {
    if (this.call) return;
    this.#notices.clear();
    this.#lobby.busy(true);
    const place = await this.#tab.enter();
    if (place === null) {
      this.#lobby.busy(false);
      return;
    }
    const { resume, you, muted = false, volumes } = place;
    this.#own.begin(
      this.#support.microphone && !this.#wish.listen ? microphone : LISTEN_ONLY,
      muted,
    );
    this.#volumes.begin(you, volumes);
    this.call = new Call({
      ...soundOf(readChoices(), this.#wish.processing),
      room: this.#room,
      name,
      password,
      transport,
      muted,
      resume,
      token: this.#wish.token,
      listen: this.#wish.listen || undefined,
      stage: this.#stage || undefined,
      e2eKey: this.#wish.e2eKey,
      microphoneId: deviceOf(this.#own.microphone),
      speakerId: speaker,
    });
    this.#follow(this.call);
    await this.call.join();
    // The browser tells the devices' names only after its permission.
    await this.#devices.list();
  }

  /**
   * The call's place, for another tab that continues it.
   * @returns {Place | null} null when there is none now
   */
  #place() {
    if (this.call?.state !== 'joined') return null;
    return { resume: this.call.resume, muted: this.#own.muted, ...this.#volumes.place };
  }

  /** Leaves the call, which another tab continues. */
  async #taken() {
    await this.call?.leave();
    this.#lobby.show();
    this.#notices.show('resumed-elsewhere');
  }

  /**
   * Goes on with a call that another page of this tab has joined, in which one may speak now.
   * @param {Call} call
   * @param {ReadonlyArray<[string, any]>} past its events that still matter, in order: type and
   *   detail
   */
  adopt(call, past) {
    this.#own.begin(LISTEN_ONLY, true);
    this.#volumes.begin();
    this.call = call;
    this.#follow(call);
    for (const [type, detail] of past) call.dispatchEvent(new CustomEvent(type, { detail }));
    call.dispatchEvent(new CustomEvent('state', { detail: { state: 'joined' } }));
    this.#notices.show('moderated', { sentence: texts.onStage });
    void this.#devices.list();
  }

  /** @param {Call} call */
  #follow(call) {
    let wasJoined = false;
    call.addEventListener(
      'state',
      ({ detail: { state, code, since = Date.now(), nextTry = 0 } }) => {
        wasJoined ||= state === 'joined';
        if (state === 'joined') this.#joined();
        else if (state === 'reconnecting') this.#reconnecting(since, nextTry);
        else if (state === 'left' && wasJoined) this.#over(texts.youLeft, texts.howBack);
        else if (state === 'left') this.#over('');
        else if (state === 'failed') this.#failed(code ?? 'unknown');
      },
    );
    call.addEventListener('control', ({ detail }) => {
      this.#view.control(detail);
      if (detail.type === 'draining') this.#notices.show('call-draining');
      if (detail.type === 'lobby') this.#waiting();
      if (detail.type === 'moderated') this.#moderated(detail);
      if (detail.type === 'refused' && detail.of === 'mute') this.#own.silence();
    });
    call.addEventListener('access', ({ detail }) => {
      // Before the welcome nothing is known of what one may do.
      if (detail.waiting) return;
      this.#own.follow(detail);
      this.#keepStage(detail.stage);
      this.#view.access(detail);
    });
    call.addEventListener('people', ({ detail: { people, you, listeners } }) =>
      this.#people(people, you, listeners),
    );
    call.addEventListener('transport', ({ detail: { took, tried } }) =>
      this.#view.connected(took, tried),
    );
    call.addEventListener('stats', ({ detail }) => {
      this.#view.stats(detail);
      this.#notices.hold('computer-busy', detail.detail.client.isShortOfTime);
    });
    call.addEventListener('speakers', ({ detail }) => this.#view.speakers(detail));
    call.addEventListener('notice', ({ detail: { code } }) => this.#notice(code));
    call.addEventListener('settled', ({ detail: { code } }) => this.#notices.settle(code));
  }

  /**
   * @param {string} key of the broadcast's stage, which this person is on; empty where they aren't,
   *   or there is none
   */
  #keepStage(key) {
    if (key === this.#stage) return;
    this.#stage = key;
    keepStage(this.#room, key);
  }

  /**
   * A moderator must let this person in: for the first time, or where the place was lost meanwhile.
   */
  #waiting() {
    if (this.#isReconnecting)
      return this.#notices.show('lobby', { sentence: texts.waitingInLobby });
    this.#lobby.waiting();
    this.#view.announce(texts.waitingInLobby);
  }

  /** @param {Record<string, any>} message  what a moderator has done to this person */
  #moderated(message) {
    if (message.muted === true) this.#own.silence();
    this.#notices.settle('muted-by-moderator');
    const sentence = moderatedText(message);
    // A hand that was lowered is soon old news, and doesn't take the place of what still holds.
    const code = message.action === 'hand-lowered' ? 'hand-lowered' : 'moderated';
    if (sentence !== '') this.#notices.show(code, { sentence });
  }

  #joined() {
    this.#notices.settle('lobby');
    if (this.#isReconnecting) {
      this.#isReconnecting = false;
      this.#reconnectingNotice.end();
      this.#notices.settle('call-draining');
      this.#view.announce(texts.reconnected);
    } else {
      this.#view.show();
      this.#signs.begin();
      this.#tab.hold();
    }
    this.#offline(false);
    this.#own.joined();
    this.#volumes.sendAll();
  }

  /**
   * Shows that the call is reconnecting; the call's view stays.
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
   * @param {Person[]} people
   * @param {string} you
   * @param {number} listeners  how many only listen
   */
  #people(people, you, listeners) {
    this.#volumes.follow(you);
    this.#view.people(people, you, listeners);
    this.#handRaised = Boolean(people.find(({ id }) => id === you)?.hand);
  }

  /**
   * Ends the call on the page.
   * @param {string} sentence announced to assistive technology
   * @param {string} [says] above the form
   */
  #over(sentence, says) {
    this.call = null;
    this.#isReconnecting = false;
    this.#tab.leave();
    this.#signs.end();
    this.#reconnectingNotice.end();
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
    else if (code.startsWith('password-')) this.#lobby.passwordProblem(code);
    else this.#notices.show(code);
  }

  /** @param {string} code */
  #notice(code) {
    const isHeld = code === 'sound-blocked' || code === 'sound-interrupted';
    this.#notices.show(code, {
      action: isHeld ? this.#soundOn : code === 'microphone-slow' ? this.#listenFirst : undefined,
    });
    // Whether there is a microphone may have changed.
    if (!isHeld && this.call?.state === 'joined') this.#own.apply();
  }

  /**
   * @param {boolean} byKey whether to announce the result; the button, when pressed, announces
   *   itself
   */
  async #toggleMute(byKey) {
    await this.#own.toggleMute();
    if (!this.#own.muted) this.#notices.settle('moderated');
    if (byKey && !this.#own.held)
      this.#view.announce(this.#own.muted ? texts.youMuted : texts.youUnmuted);
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
