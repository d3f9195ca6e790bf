import { useSpeaker } from '../../client/playout/output-device.js';
import { readChoices } from '../settings/choices.js';

/**
 * @typedef {{ hz: number, at: number, seconds: number }} Note at: when it begins in the melody, in
 *   seconds
 */

/** Peak amplitude of the notes: about −26 dBFS, below any voice. */
const LOUDNESS = 0.05;

/** Fade-in of the notes, in seconds, which avoids a click. */
const SWELL = 0.03;

/**
 * The melodies: a fifth up, a third up, a third down.
 * @type {Readonly<Record<'test' | 'came' | 'went', readonly Note[]>>}
 */
const MELODIES = Object.freeze({
  test: [
    { hz: 392, at: 0, seconds: 0.9 },
    { hz: 587.3, at: 0.45, seconds: 1.2 },
  ],
  came: [
    { hz: 523.3, at: 0, seconds: 0.25 },
    { hz: 659.3, at: 0.11, seconds: 0.4 },
  ],
  went: [
    { hz: 659.3, at: 0, seconds: 0.25 },
    { hz: 523.3, at: 0.11, seconds: 0.4 },
  ],
});

/** Shortest time between two sounds, in milliseconds, so that a crowd makes one sound. */
const APART_MS = 600;

/** Time after which the audio context is suspended, in milliseconds; the melodies are shorter. */
const REST_MS = 4000;

/** Plays the page's own soft sounds, of two notes each, on the chosen output device. */
export class Sounds {
  /** @type {AudioContext | null} */
  #context = null;
  #speaker = '';
  /** False if the last sound's output device could not be used. */
  #isThere = true;
  #lastMs = -Infinity;
  #timer = 0;

  /** @param {string} deviceId '' for the default speaker */
  speaker(deviceId) {
    this.#speaker = deviceId;
  }

  /**
   * @param {keyof typeof MELODIES} melody
   * @returns {Promise<boolean>} false if the chosen output device could not be used
   */
  async play(melody) {
    const now = performance.now();
    if (typeof AudioContext !== 'function' || now - this.#lastMs < APART_MS) return this.#isThere;
    this.#lastMs = now;
    clearTimeout(this.#timer);
    const context = (this.#context ??= new AudioContext());
    this.#isThere = (await useSpeaker(context, this.#speaker)) || this.#speaker === '';
    // Rejects if close() came first; then nothing should be heard.
    await context.resume().catch(() => {});
    if (context !== this.#context) return true;
    for (const note of MELODIES[melody]) playNote(context, note);
    clearTimeout(this.#timer);
    this.#timer = window.setTimeout(() => void context.suspend(), REST_MS);
    return this.#isThere;
  }

  /**
   * Plays the sound of an arrival or a departure, if this person wants that.
   * @param {boolean} hasCome
   */
  playPresence(hasCome) {
    if (readChoices().sounds) void this.play(hasCome ? 'came' : 'went');
  }

  /** Closes the sound device until the next sound. Idempotent. */
  close() {
    clearTimeout(this.#timer);
    void this.#context?.close();
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
