import { texts } from '../../texts.js';

/**
 * The signs of a call outside of its page: the tab's title, the system's media controls, a screen
 * kept on.
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
   * @param {{ toggleMute: () => void, leave: () => void }} actions
   */
  constructor(room, { toggleMute, leave }) {
    this.#room = room;
    this.#showTitle();
    onMediaAction('togglemicrophone', () => this.#inCall && toggleMute());
    onMediaAction('hangup', () => this.#inCall && leave());
    // A wake lock ends whenever the page is hidden.
    document.addEventListener('visibilitychange', () => void this.#stayAwake());
  }

  begin() {
    this.#inCall = true;
    const session = navigator.mediaSession;
    if (session && typeof MediaMetadata === 'function') {
      session.metadata = new MediaMetadata({ title: this.#room, artist: texts.title });
      session.playbackState = 'playing';
    }
    setAudioSession('play-and-record');
    this.#showTitle();
    void this.#stayAwake();
  }

  /** Idempotent. */
  end() {
    this.#inCall = false;
    this.#offline = false;
    this.#unread = 0;
    if (navigator.mediaSession) navigator.mediaSession.playbackState = 'none';
    setAudioSession('auto');
    this.#showTitle();
    void this.#awake?.release().catch(() => {});
    this.#awake = null;
  }

  /** @param {boolean} muted */
  muted(muted) {
    this.#muted = muted;
    if (this.#inCall) void navigator.mediaSession?.setMicrophoneActive?.(!muted)?.catch?.(() => {});
    this.#showTitle();
  }

  /** @param {number} count of unread messages */
  unread(count) {
    this.#unread = count;
    this.#showTitle();
  }

  /** @param {boolean} offline */
  offline(offline) {
    this.#offline = offline;
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
      // Meanwhile the call may have ended, or another request may have been granted.
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
    navigator.mediaSession?.setActionHandler(/** @type {any} */ (action), run);
  } catch {
    // The browser doesn't know the action.
  }
}

/**
 * Tells a phone's system what the page's sound is (Audio Session API; Safari since 16.4): that of a
 * call isn't silenced by the switch at the phone's side while no microphone is open, goes on in the
 * background, and isn't mixed with music.
 * @param {'auto' | 'play-and-record'} type
 */
function setAudioSession(type) {
  const { audioSession } = /** @type {{ audioSession?: { type: string } }} */ (navigator);
  if (audioSession) audioSession.type = type;
}
