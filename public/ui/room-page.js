import { Call } from '../call.js';
import { keepChoices } from './choices.js';
import { CallView } from './call-view.js';
import { LobbyView } from './lobby-view.js';
import { LISTEN_ONLY } from './microphone-select.js';
import { texts } from '../texts.js';

/** @import { Entry } from './lobby-view.js' */

/** What a microphone that works takes back. */
const MICROPHONE_NOTICES = ['no-microphone', 'microphone-refused', 'microphone-busy', 'microphone-ended'];

/** A room's page: the form before a call, the call, and the form again. */
export class RoomPage {
  /** @type {Call | null} the call that is going on, or being joined */
  call = null;
  #room;
  #wish;
  #notices;
  #support = Call.support();
  #lobby;
  #view;
  /** The microphone that was chosen: a device's id, '' or LISTEN_ONLY. */
  #microphone = '';
  /** Whether this person muted themselves; without a microphone one is muted anyway. */
  #muted = false;

  /**
   * @param {string} room
   * @param {import('./address.js').Wish} wish
   * @param {import('./notices.js').Notices} notices
   */
  constructor(room, wish, notices) {
    this.#room = room;
    this.#wish = wish;
    this.#notices = notices;
    this.#lobby = new LobbyView(room, wish, (entry) => void this.#join(entry));
    this.#view = new CallView(room, {
      leave: () => void this.call?.leave(),
      toggleMute: () => void this.#toggleMute(),
      chooseMicrophone: (microphone) => void this.#chooseMicrophone(microphone),
      copyFailed: () => notices.show('copy-failed'),
    });
  }

  /** Shows the form. */
  async open() {
    document.title = texts.roomTitle(this.#room);
    for (const { code, message, remedy } of this.#support.problems) {
      if (code === 'no-webtransport') this.#lobby.noWebTransport();
      else this.#notices.show(code, { message: `${message} ${remedy}` });
    }
    this.#lobby.show();
    navigator.mediaDevices?.addEventListener('devicechange', () => void this.#listMicrophones());
    await this.#listMicrophones();
  }

  async #listMicrophones() {
    const microphones = await Call.microphones();
    this.#lobby.microphones(microphones, this.#support.microphone);
    this.#view.microphones(microphones, this.#microphone, this.#support.microphone);
  }

  /**
   * @param {Entry} entry
   */
  async #join({ name, microphone, transport }) {
    if (this.call) return;
    this.#notices.clear();
    this.#lobby.busy(true);
    this.#microphone = this.#support.microphone ? microphone : LISTEN_ONLY;
    this.#muted = false;
    this.call = new Call({
      room: this.#room,
      name,
      transport,
      microphoneId: deviceOf(this.#microphone),
      processing: this.#wish.processing,
    });
    this.#follow(this.call);
    await this.call.join();
    // Now that the browser has given its permission it tells the microphones' names.
    await this.#listMicrophones();
  }

  /**
   * @param {Call} call
   */
  #follow(call) {
    const { connection } = this.#view;
    call.addEventListener('state', ({ detail: { state, code, message } }) => {
      if (state === 'joined') this.#joined();
      else if (state === 'left') this.#over(texts.youLeft);
      else if (state === 'failed') this.#failed(code ?? 'unknown', message);
    });
    call.addEventListener('people', ({ detail: { people, you } }) => this.#view.people(people, you));
    call.addEventListener('transport', ({ detail: { took, tried } }) => connection.connected(took, tried));
    call.addEventListener('stats', ({ detail }) => connection.stats(detail));
    call.addEventListener('notice', ({ detail: { code, message } }) => this.#notice(code, message));
  }

  #joined() {
    this.#view.show();
    this.#applyMute();
  }

  /**
   * @param {string} sentence for those who listen to the page
   */
  #over(sentence) {
    this.call = null;
    this.#view.clear();
    this.#view.announce(sentence);
    this.#notices.clear();
    this.#lobby.show();
  }

  /**
   * @param {string} code
   * @param {string} [message]
   */
  #failed(code, message) {
    this.#over('');
    if (code === 'user-name') this.#lobby.nameProblem(code);
    else this.#notices.show(code, { message });
  }

  /**
   * @param {string} code
   * @param {string} message
   */
  #notice(code, message) {
    if (code === 'sound-blocked') {
      const settle = () => this.#notices.settle(code);
      // Any press lets sound start, not only the button's.
      for (const press of ['pointerup', 'keyup']) addEventListener(press, settle, { once: true });
      this.#notices.show(code, { action: { label: texts.soundOn, run: () => void this.call?.resumeSound() } });
      return;
    }
    this.#notices.show(code, { message });
    if (this.call?.state === 'joined') this.#applyMute();
  }

  /** Tells the others, and the button, whether this person can be heard. */
  #applyMute() {
    const muted = this.#muted || !this.call?.hasMicrophone;
    this.call?.mute(muted);
    this.#view.muted(muted);
  }

  async #toggleMute() {
    if (this.call?.hasMicrophone) {
      this.#muted = !this.#muted;
      this.#applyMute();
      return;
    }
    // Who listens only and presses Unmute wants to speak.
    await this.#chooseMicrophone(this.#microphone === LISTEN_ONLY ? '' : this.#microphone);
  }

  /**
   * @param {string} microphone
   */
  async #chooseMicrophone(microphone) {
    const { call } = this;
    if (!call) return;
    const before = this.#microphone;
    const heardBefore = call.hasMicrophone;
    let failed = false;
    const onNotice = () => (failed = true);
    for (const code of MICROPHONE_NOTICES) this.#notices.settle(code);
    call.addEventListener('notice', onNotice);
    await call.setMicrophone(deviceOf(microphone));
    call.removeEventListener('notice', onNotice);
    if (call !== this.call) return;

    // Where the new one fails, the one before goes on.
    this.#microphone = failed && call.hasMicrophone ? before : microphone;
    if (!heardBefore && call.hasMicrophone) this.#muted = false;
    if (!failed) keepChoices({ microphone });
    this.#applyMute();
    await this.#listMicrophones();
  }
}

/**
 * @param {string} microphone as the lists have it
 * @returns {string | null} as a call has it
 */
const deviceOf = (microphone) => (microphone === LISTEN_ONLY ? null : microphone);
