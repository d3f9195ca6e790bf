import { useSpeaker } from '../../client/playout/output-device.js';

/**
 * Soft sounds that the page itself makes: two notes each, synthesised, far below a voice.
 * @typedef {{ hz: number, at: number, seconds: number }} Note
 */

/** Of 1: about −26 dBFS, under any voice. */
const LOUDNESS = 0.05;

/** How long a note takes to swell, in seconds: none begins with a click. */
const SWELL = 0.03;

/** @type {Readonly<Record<'test' | 'came' | 'went', readonly Note[]>>} a fifth up, a third up, a third down */
const MELODIES = Object.freeze({
  test: [{ hz: 392, at: 0, seconds: 0.9 }, { hz: 587.3, at: 0.45, seconds: 1.2 }],
  came: [{ hz: 523.3, at: 0, seconds: 0.25 }, { hz: 659.3, at: 0.11, seconds: 0.4 }],
  went: [{ hz: 659.3, at: 0, seconds: 0.25 }, { hz: 523.3, at: 0.11, seconds: 0.4 }],
});

/** The least time between two sounds, in milliseconds: a crowd that comes makes one. */
const APART_MS = 600;

/** So long after a sound the sound device may rest, in milliseconds: later than the last note. */
const REST_MS = 4000;

/** Plays them, on the speaker that was chosen. */
export class Sounds {
  /** @type {AudioContext | null} */
  #context = null;
  #speaker = '';
  #lastMs = -Infinity;
  #timer = 0;

  /** @param {string} deviceId '' for the default speaker */
  speaker(deviceId) {
    this.#speaker = deviceId;
  }

  /**
   * @param {keyof typeof MELODIES} melody
   * @returns {Promise<boolean>} false where the speaker that was chosen could not be used
   */
  async play(melody) {
    const now = performance.now();
    if (typeof AudioContext !== 'function' || now - this.#lastMs < APART_MS) return true;
    this.#lastMs = now;
    clearTimeout(this.#timer);
    const context = (this.#context ??= new AudioContext());
    const isThere = await useSpeaker(context, this.#speaker);
    await context.resume().catch(() => {});
    for (const note of MELODIES[melody]) playNote(context, note);
    this.#timer = window.setTimeout(() => void context.suspend().catch(() => {}), REST_MS);
    return isThere || this.#speaker === '';
  }

  /** Lets the sound device go; the next sound opens it again. Idempotent. */
  close() {
    clearTimeout(this.#timer);
    void this.#context?.close().catch(() => {});
    this.#context = null;
  }
}

/**
 * @param {AudioContext} context
 * @param {Note} note
 */
function playNote(context, { hz, at, seconds }) {
  const start = context.currentTime + at;
  const gain = new GainNode(context, { gain: 0 });
  gain.gain.setValueAtTime(0, start);
  gain.gain.linearRampToValueAtTime(LOUDNESS, start + SWELL);
  gain.gain.setTargetAtTime(0, start + SWELL, seconds / 4);
  const oscillator = new OscillatorNode(context, { type: 'sine', frequency: hz });
  oscillator.connect(gain).connect(context.destination);
  oscillator.start(start);
  oscillator.stop(start + SWELL + 1.5 * seconds);
}
