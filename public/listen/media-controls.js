/** Length of the played silence, in seconds: for less than five Chromium shows no controls. */
const SILENCE_SECONDS = 10;
const SILENCE_RATE = 8000;

/**
 * The system's media controls (W3C Media Session): on the lock screen, headphones and keyboards.
 * Systems show them for media elements, so one plays silence in a loop while the room is heard.
 */
export class MediaControls {
  /** @type {HTMLAudioElement | null} */
  #silence = null;

  /** @param {{ play: () => void, pause: () => void, stop: () => void }} actions */
  constructor(actions) {
    this.#handle(actions);
  }

  /** @param {Record<'play' | 'pause' | 'stop', (() => void) | null>} actions */
  #handle(actions) {
    for (const [action, run] of Object.entries(actions)) {
      try {
        navigator.mediaSession?.setActionHandler(/** @type {MediaSessionAction} */ (action), run);
      } catch {
        // The browser doesn't know the action.
      }
    }
  }

  /**
   * @param {string} title
   * @param {string} artist
   */
  describe(title, artist) {
    const { mediaSession } = navigator;
    if (!mediaSession || typeof MediaMetadata !== 'function') return;
    const { metadata } = mediaSession;
    if (metadata?.title === title && metadata.artist === artist) return;
    mediaSession.metadata = new MediaMetadata({
      title,
      artist,
      artwork: [{ src: '/public/icon.svg', sizes: 'any', type: 'image/svg+xml' }],
    });
  }

  /**
   * Shows that the room is heard. Call it from a press, because browsers let the element play only
   * then.
   */
  play() {
    this.#silence ??= silence();
    this.#silence.play().catch(() => {
      // Without permission to play the browser shows no controls either.
    });
    this.#tell('playing');
  }

  /** Shows that the room isn't heard. @param {'paused' | 'none'} state */
  rest(state) {
    this.#silence?.pause();
    this.#tell(state);
  }

  /** Releases the controls: another page continues in this tab. */
  close() {
    this.rest('none');
    this.#handle({ play: null, pause: null, stop: null });
  }

  /** @param {MediaSessionPlaybackState} state */
  #tell(state) {
    if (navigator.mediaSession) navigator.mediaSession.playbackState = state;
    // A phone's mute switch is meant for calls, not for listening (Audio Session API; Safari since
    // 16.4).
    const { audioSession } = /** @type {{ audioSession?: { type: string } }} */ (navigator);
    if (audioSession) audioSession.type = state === 'playing' ? 'playback' : 'auto';
  }
}

/** An element that plays silence: a WAV file of 8 bits a sample, in which 128 is zero. */
function silence() {
  const count = SILENCE_SECONDS * SILENCE_RATE;
  const file = new Uint8Array(44 + count).fill(128);
  const view = new DataView(file.buffer);
  const words = /** @type {const} */ ([
    [0, 'RIFF'],
    [8, 'WAVE'],
    [12, 'fmt '],
    [36, 'data'],
  ]);
  for (const [at, word] of words) for (let i = 0; i < 4; i++) file[at + i] = word.charCodeAt(i);
  const numbers = /** @type {const} */ ([
    [4, 36 + count],
    [16, 16],
    [20, 0x10001],
    [24, SILENCE_RATE],
    [28, SILENCE_RATE],
    [32, 0x80001],
    [40, count],
  ]);
  for (const [at, value] of numbers) view.setUint32(at, value, true);
  const audio = new Audio(URL.createObjectURL(new Blob([file], { type: 'audio/wav' })));
  audio.loop = true;
  return audio;
}
