import { texts } from '../../texts/texts.js';

/**
 * @import { CurrentCall } from './current-call.js'
 * @import { OwnSound } from './own-sound.js'
 */

/**
 * Signs of a call outside of its page: the tab's title, the system's media controls, a screen kept
 * on.
 */
export class CallSigns {
  #room;
  #inCall = false;
  #muted = false;
  #offline = false;
  #unread = 0;
  /** @type {WakeLockSentinel | null} */
  #awake = null;

  /**
   * @param {string} room
   * @param {CurrentCall} current
   * @param {OwnSound} own
   */
  constructor(room, current, own) {
    this.#room = room;
    onMediaAction('togglemicrophone', () => void (this.#inCall && own.toggleMute(true)));
    onMediaAction('hangup', () => void (this.#inCall && current.call?.leave()));
    own.store.subscribe(['muted'], ({ muted }) => this.#setMuted(muted));
    current.store.subscribe(['state'], ({ state }) => {
      const isIn = state === 'joined' || state === 'away';
      this.#offline = state === 'away';
      if (isIn !== this.#inCall) this.#follow(isIn);
      this.#showTitle();
    });
    // A wake lock ends whenever the page is hidden.
    document.addEventListener('visibilitychange', () => void this.#stayAwake());
  }

  /** @param {boolean} isIn */
  #follow(isIn) {
    this.#inCall = isIn;
    if (isIn) this.#begin();
    else this.#end();
  }

  #begin() {
    const session = navigator.mediaSession;
    if (session && typeof MediaMetadata === 'function') {
      session.metadata = new MediaMetadata({ title: this.#room, artist: texts.title });
      session.playbackState = 'playing';
    }
    setAudioSession('play-and-record');
    void this.#stayAwake();
  }

  #end() {
    this.#unread = 0;
    if (navigator.mediaSession) navigator.mediaSession.playbackState = 'none';
    setAudioSession('auto');
    void this.#awake?.release().catch(() => {});
    this.#awake = null;
  }

  /** @param {boolean} muted */
  #setMuted(muted) {
    this.#muted = muted;
    if (this.#inCall) void navigator.mediaSession?.setMicrophoneActive?.(!muted)?.catch?.(() => {});
    this.#showTitle();
  }

  /** @param {number} count of unread messages */
  unread(count) {
    this.#unread = count;
    this.#showTitle();
  }

  #showTitle() {
    const state = !this.#inCall
      ? ''
      : this.#offline
        ? texts.titleOffline
        : this.#muted
          ? texts.muted
          : '';
    document.title = texts.tabTitle(this.#room, state, this.#inCall ? this.#unread : 0);
  }

  /**
   * Keeps the screen on during a call: a phone whose screen goes off switches its microphone off.
   */
  async #stayAwake() {
    if (!this.#inCall || document.hidden || this.#awake?.released === false || !navigator.wakeLock)
      return;
    try {
      const awake = await navigator.wakeLock.request('screen');
      // While waiting, the call may have ended, or another request may have been granted.
      const isOne = /** @type {WakeLockSentinel | null} */ (this.#awake)?.released === false;
      if (!this.#inCall || isOne) await awake.release();
      else this.#awake = awake;
    } catch {
      // The system refuses, to save its battery; the call goes on.
    }
  }
}

/**
 * @param {'togglemicrophone' | 'hangup'} action
 * @param {() => void} run
 */
function onMediaAction(action, run) {
  try {
    navigator.mediaSession?.setActionHandler(/** @type {MediaSessionAction} */ (action), run);
  } catch {
    // Browsers without this action throw.
  }
}

/**
 * Declares the kind of the page's sound to a phone's system (Audio Session API; Safari since 16.4).
 * Keeps the phone's mute switch from silencing a call without a microphone. The call continues in
 * the background, and isn't mixed with music.
 * @param {'auto' | 'play-and-record'} type
 */
function setAudioSession(type) {
  const { audioSession } = /** @type {{ audioSession?: { type: string } }} */ (navigator);
  if (audioSession) audioSession.type = type;
}
