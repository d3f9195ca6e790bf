import { build } from '../kit/element.js';
import { texts } from '../../texts.js';

/** The quietest that the bar shows, in dBFS. */
const FLOOR_DB = -60;

/** How often assistive technology gets the value, in milliseconds. */
const TELL_MS = 500;

/** One's own level, as a bar: what a microphone hears, from its stream. */
export class LevelMeter {
  element = build(
    'div',
    { class: 'level', role: 'meter', 'aria-label': texts.yourLevel, 'aria-valuemin': '0', 'aria-valuemax': '100', 'aria-valuenow': '0' },
    build('span', { class: 'level-bar' }),
  );
  /** The loudest since the meter was started, 0 to 100. */
  peak = 0;
  /** @type {AudioContext | null} */
  #context = null;
  #toldMs = 0;
  #frame = 0;

  /**
   * Follows a microphone until stop() is called.
   * @param {MediaStream} stream
   */
  start(stream) {
    this.stop();
    this.peak = 0;
    const context = new AudioContext();
    this.#context = context;
    const analyser = new AnalyserNode(context, { fftSize: 2048 });
    new MediaStreamAudioSourceNode(context, { mediaStream: stream }).connect(analyser);
    void context.resume().catch(() => {});
    const samples = new Float32Array(analyser.fftSize);
    let shown = 0;
    const follow = () => {
      analyser.getFloatTimeDomainData(samples);
      const level = levelOf(samples);
      shown = Math.max(level, shown * 0.9);
      this.peak = Math.max(this.peak, level);
      this.#show(shown);
      this.#frame = requestAnimationFrame(follow);
    };
    follow();
  }

  /** Idempotent. */
  stop() {
    cancelAnimationFrame(this.#frame);
    void this.#context?.close().catch(() => {});
    this.#context = null;
    this.#show(0);
  }

  /** @param {number} level 0 to 100 */
  #show(level) {
    this.element.style.setProperty('--level', String(level / 100));
    const now = performance.now();
    if (now - this.#toldMs < TELL_MS && level > 0) return;
    this.#toldMs = now;
    this.element.setAttribute('aria-valuenow', String(Math.round(level)));
  }
}

/**
 * @param {Float32Array} samples
 * @returns {number} 0 to 100, by decibels
 */
export function levelOf(samples) {
  let sum = 0;
  for (const sample of samples) sum += sample * sample;
  const db = 10 * Math.log10(sum / samples.length + 1e-12);
  return Math.min(100, Math.max(0, (100 * (db - FLOOR_DB)) / -FLOOR_DB));
}
