import { Call } from '../aloud.js';
import { CallPanels } from './call/call-panels.js';
import { CallSigns } from './call/call-signs.js';
import { ReconnectingNotice } from './call/connection.js';
import { CurrentCall } from './call/current-call.js';
import { followKeys, showKeys } from './call/keys.js';
import { OwnSound, deviceOf } from './call/own-sound.js';
import { Sounds } from './call/sounds.js';
import { GreenRoom } from './green-room/green-room.js';
import { OneTab } from './green-room/one-tab.js';
import { announce, elementOf } from './kit/element.js';
import { keepStage, takeInvitation, takeStage } from './kit/invitation.js';
import { Notices } from './kit/notices.js';
import { writeTexts } from './kit/page.js';
import { readAddress } from './green-room/room-address.js';
import { OwnVolumes } from './people/own-volumes.js';
import { readChoices, roomSoundOf, soundOf } from './settings/choices.js';
import { Devices, LISTEN_ONLY } from './settings/devices.js';
import { moderatedText, texts } from '../texts/texts.js';

/**
 * @import { CallView } from '../client/call/types.js'
 * @import { ServerMessages } from '../shared/messages/server-messages.js'
 * @import { Entry } from './green-room/green-room.js'
 * @import { Place } from './green-room/one-tab.js'
 * @import { PageAddress } from './green-room/room-address.js'
 * @import { Device, NewDevice } from './settings/devices.js'
 */

/** A room's page, which owns the call: the green room, the call, and the green room again. */
export class RoomPage {
  #room;
  #address;
  #notices;
  #support = Call.support();
  #sounds = new Sounds();
  #current = new CurrentCall();
  #devices;
  #tab;
  #reconnectingNotice;
  #volumes = new OwnVolumes(this.#current);
  #own;
  #greenRoom;
  #panels;
  /** The key of a broadcast's stage, or empty. */
  #stage;
  #soundOn = { label: texts.soundOn, run: () => void this.call?.resumeSound() };
  #listenFirst = {
    label: texts.listenFirst,
    run: () => {
      this.#notices.settle('microphone-slow');
      this.call?.listenFirst();
    },
  };

  /**
   * @param {string} room
   * @param {PageAddress} address
   * @param {Notices} notices
   */
  constructor(room, address, notices) {
    this.#room = room;
    this.#address = address;
    this.#stage = address.stage ?? '';
    this.#notices = notices;
    this.#greenRoom = new GreenRoom(room, address, {
      notices,
      sounds: this.#sounds,
      join: (entry) => void this.#join(entry),
      cancel: () => void this.call?.leave(),
      listDevices: () => void this.#devices.list(),
    });
    this.#own = new OwnSound({
      current: this.#current,
      processing: address.processing,
      notices,
      sounds: this.#sounds,
      listDevices: () => this.#devices.list(),
    });
    this.#devices = new Devices({
      listed: (microphones, speakers) => this.#listed(microphones, speakers),
      came: (device) => this.#deviceCame(device),
    });
    this.#tab = new OneTab(room, { asked: () => this.#place(), taken: () => void this.#taken() });
    this.#reconnectingNotice = new ReconnectingNotice(notices, () => this.call?.retry());
    this.#panels = new CallPanels(room, {
      current: this.#current,
      own: this.#own,
      volumes: this.#volumes,
      notices,
      sounds: this.#sounds,
      signs: new CallSigns(room, this.#current, this.#own),
    });
    this.#followKeys();
    this.#followCall();
  }

  /** The present call, joined or joining, or null. */
  get call() {
    return this.#current.call;
  }

  #followKeys() {
    followKeys({
      active: () => this.call?.state === 'joined' || this.call?.state === 'away',
      mute: () => void this.#own.toggleMute(true),
      hand: () => this.#panels.toggleHand(),
      chat: () => this.#panels.toggleChat(),
      help: showKeys,
      talk: (talking) => this.#own.talk(talking),
    });
  }

  #followCall() {
    const { store } = this.#current;
    store.subscribe(['state', 'away'], (now, before) => this.#followState(now, before));
    store.subscribe(['isDraining'], ({ isDraining }) =>
      this.#notices.hold('call-draining', isDraining),
    );
    store.subscribe(['access', 'session'], ({ access, session }) => {
      if (access.waiting) this.#waiting();
      else if (session > 0) this.#keepStage(access.stage);
    });
    store.subscribe(['stats'], ({ stats }) =>
      this.#notices.hold('computer-busy', stats?.detail.client.isShortOfTime === true),
    );
  }

  /** Shows the green room. */
  async open() {
    for (const code of this.#support.problems) {
      if (code === 'no-webtransport') this.#greenRoom.noWebTransport();
      else this.#notices.show(code);
    }
    this.#greenRoom.show();
    await this.#devices.list();
  }

  /**
   * @param {Device[]} microphones
   * @param {Device[]} speakers
   */
  #listed(microphones, speakers) {
    this.#greenRoom.devices(microphones, speakers, this.#support.microphone);
    this.#panels.devices(microphones, speakers, this.#own.microphone, this.#support.microphone);
  }

  /** @param {NewDevice} device */
  #deviceCame({ label, microphone, speaker }) {
    // A call that reconnects opens the chosen device itself.
    const isAwaited = microphone === this.#own.microphone || speaker === readChoices().speaker;
    if (!this.call || isAwaited) return;
    const use = () => {
      this.#notices.settle('device-new');
      if (microphone !== null && this.#own.microphone !== LISTEN_ONLY)
        void this.#own.chooseMicrophone(microphone);
      if (speaker !== null) void this.#own.chooseSpeaker(speaker);
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
    this.#greenRoom.busy(true);
    const place = await this.#tab.enter();
    if (place === null) {
      this.#greenRoom.busy(false);
      return;
    }
    const { resume, you, muted = false, volumes } = place;
    const { token, listen, e2eKey, processing } = this.#address;
    const choices = readChoices();
    this.#own.begin(this.#support.microphone && !listen ? microphone : LISTEN_ONLY, muted);
    this.#volumes.begin(you, volumes);
    const call = new Call({
      join: {
        ...roomSoundOf(choices),
        room: this.#room,
        name,
        password,
        resume,
        token,
        listen: listen || undefined,
        stage: this.#stage || undefined,
      },
      ...soundOf(choices, processing),
      transport,
      muted,
      e2eKey,
      microphoneId: deviceOf(this.#own.microphone),
      speakerId: speaker,
    });
    this.#follow(call);
    await call.join();
    // The browser gives the devices' names only after its permission.
    await this.#devices.list();
  }

  /**
   * The call's place, for another tab that continues it.
   * @returns {Place | null} null when there is none now
   */
  #place() {
    const { call } = this;
    // A lost call goes on in the other tab, too: muted, if it was.
    if (call?.state !== 'joined' && call?.state !== 'away') return null;
    return { resume: call.resume, muted: this.#own.muted, ...this.#volumes.place };
  }

  /** Leaves the call, because another tab continues it. */
  async #taken() {
    await this.call?.leave();
    this.#greenRoom.show();
    this.#notices.show('resumed-elsewhere');
  }

  /**
   * Continues a call that another page of this tab has joined, in which this person may now speak.
   * @param {Call} call
   */
  adopt(call) {
    this.#own.begin(LISTEN_ONLY, true);
    this.#volumes.begin();
    this.#follow(call);
    this.#notices.show('moderated', { sentence: texts.onStage });
    void this.#devices.list();
  }

  /** @param {Call} call */
  #follow(call) {
    call.addEventListener('refused', ({ detail }) => {
      if (detail.of === 'mute') this.#own.silence();
      this.#panels.refused(detail);
    });
    call.addEventListener('moderated', ({ detail }) => this.#moderated(detail));
    call.addEventListener('caption', ({ detail }) => this.#panels.caption(detail));
    call.addEventListener('notice', ({ detail: { code } }) => this.#notice(code));
    call.addEventListener('settled', ({ detail: { code } }) => this.#notices.settle(code));
    this.#current.begin(call);
  }

  /** @param {CallView} now @param {CallView} before */
  #followState({ state, away, end }, before) {
    if (state === before.state && away === before.away) return;
    if (state === 'joined') this.#joined(before.state === 'away');
    else if (away !== null) this.#reconnectingNotice.show(away.since, away.nextTry);
    else if (end?.code === 'left') this.#left(before.state !== 'connecting');
    else if (end !== null) this.#failed(end.code);
  }

  /** @param {boolean} isBack  true after the connection was lost */
  #joined(isBack) {
    this.#notices.settle('lobby');
    this.#notices.settle('local-network');
    if (isBack) {
      this.#reconnectingNotice.end();
      announce(texts.reconnected);
    } else {
      this.#panels.show();
      this.#tab.hold();
    }
    this.#own.joined();
  }

  /** @param {string} key of the broadcast's stage, for a person on it; otherwise empty */
  #keepStage(key) {
    if (key === this.#stage) return;
    this.#stage = key;
    keepStage(this.#room, key);
  }

  /**
   * Shows that a moderator must admit this person: for the first time, or after their place was
   * lost.
   */
  #waiting() {
    if (this.call?.state === 'away')
      return this.#notices.show('lobby', { sentence: texts.waitingInLobby });
    this.#greenRoom.waiting();
    announce(texts.waitingInLobby);
  }

  /** @param {ServerMessages['moderated']} message an act of a moderator on this person */
  #moderated(message) {
    if ('muted' in message && message.muted) this.#own.silence();
    this.#notices.settle('muted-by-moderator');
    const sentence = moderatedText(message);
    // A lowered hand is soon old news, and must not replace lasting news.
    const code = message.action === 'hand-lowered' ? 'hand-lowered' : 'moderated';
    if (sentence !== '') this.#notices.show(code, { sentence });
  }

  /** @param {boolean} wasJoined */
  #left(wasJoined) {
    if (wasJoined) this.#over(texts.youLeft, texts.howBack);
    else this.#over('');
  }

  /**
   * Ends the call on the page.
   * @param {string} sentence announced to assistive technology
   * @param {string} [says] above the form
   */
  #over(sentence, says) {
    this.#current.end();
    this.#tab.leave();
    this.#reconnectingNotice.end();
    announce(sentence);
    this.#sounds.close();
    this.#notices.clear();
    this.#greenRoom.show(says);
  }

  /** @param {string} code */
  #failed(code) {
    this.#over('');
    if (code === 'user-name') this.#greenRoom.nameProblem(code);
    else if (code.startsWith('password-')) this.#greenRoom.passwordProblem(code);
    else this.#notices.show(code);
  }

  /** @param {string} code */
  #notice(code) {
    const isHeld = code === 'sound-blocked' || code === 'sound-interrupted';
    this.#notices.show(code, {
      action: isHeld ? this.#soundOn : code === 'microphone-slow' ? this.#listenFirst : undefined,
    });
    // The microphone may have appeared or disappeared.
    if (!isHeld && this.call?.state === 'joined') this.#own.apply();
  }
}

/**
 * Continues the call of a listener who may now speak, in the markup of the call's page.
 * @param {string} room
 * @param {Call} call
 */
export function adopt(room, call) {
  writeTexts(document);
  const address = {
    ...readAddress(location),
    room,
    listen: false,
    token: takeInvitation(room),
    stage: takeStage(room),
  };
  const page = new RoomPage(room, address, new Notices(elementOf('notices', HTMLElement)));
  Object.defineProperty(window, 'aloud', { value: page, configurable: true });
  page.adopt(call);
}
