import { build } from '../ui/kit/element.js';
import { recordingPageTexts as texts } from '../texts/pages.js';

/** Seconds of an arrow key and of a page key. */
const STEP_SECONDS = 5;
const PAGE_SECONDS = 60;

/** Number of bars: as many as fit a phone's width. */
const BARS = 160;

/** Height of the smallest bar, of 100. */
const LEAST = 4;

const SVG = 'http://www.w3.org/2000/svg';

/** Waveform of a recording for jumping to any moment: a slider for keyboards and screen readers. */
export class Waveform {
  #all = document.createElementNS(SVG, 'path');
  #played = document.createElementNS(SVG, 'path');
  #onSeek;
  #seconds = 0;
  #at = 0;
  /** @type {{ step: number, peaks: number[] }} */
  #peaks = { step: 1, peaks: [] };
  #dragging = false;
  element;

  /** @param {(seconds: number) => void} onSeek */
  constructor(onSeek) {
    this.#onSeek = onSeek;
    const drawing = document.createElementNS(SVG, 'svg');
    drawing.setAttribute('viewBox', `0 0 ${BARS} 100`);
    drawing.setAttribute('preserveAspectRatio', 'none');
    drawing.setAttribute('aria-hidden', 'true');
    this.#all.setAttribute('class', 'wave');
    this.#played.setAttribute('class', 'wave played');
    drawing.append(this.#all, this.#played);
    this.element = build('div', {
      class: 'waveform',
      role: 'slider',
      tabindex: '0',
      'aria-label': texts.position,
      'aria-valuemin': '0',
    });
    this.element.append(drawing);
    this.#listen();
  }

  #listen() {
    const { element } = this;
    element.addEventListener('keydown', (event) => this.#key(event));
    element.addEventListener('pointerdown', (event) => {
      if (event.button !== 0) return;
      this.#dragging = true;
      element.setPointerCapture(event.pointerId);
      this.#paint(this.#secondsAt(event));
    });
    element.addEventListener('pointermove', (event) => {
      if (this.#dragging) this.#paint(this.#secondsAt(event));
    });
    element.addEventListener('pointerup', (event) => {
      if (!this.#dragging) return;
      this.#dragging = false;
      this.#onSeek(this.#secondsAt(event));
    });
    element.addEventListener('pointercancel', () => (this.#dragging = false));
  }

  /** @param {PointerEvent} event */
  #secondsAt({ clientX }) {
    const { left, width } = this.element.getBoundingClientRect();
    return Math.min(1, Math.max(0, (clientX - left) / width)) * this.#seconds;
  }

  /** @param {KeyboardEvent} event */
  #key(event) {
    const to = {
      ArrowLeft: this.#at - STEP_SECONDS,
      ArrowDown: this.#at - STEP_SECONDS,
      ArrowRight: this.#at + STEP_SECONDS,
      ArrowUp: this.#at + STEP_SECONDS,
      PageDown: this.#at - PAGE_SECONDS,
      PageUp: this.#at + PAGE_SECONDS,
      Home: 0,
      End: this.#seconds,
    }[event.key];
    if (to === undefined || event.altKey || event.ctrlKey || event.metaKey) return;
    event.preventDefault();
    event.stopPropagation();
    this.#onSeek(Math.min(this.#seconds, Math.max(0, to)));
  }

  /**
   * @param {number} seconds the recording's length
   * @param {{ step: number, peaks: number[] }} [peaks] the server's
   */
  show(seconds, peaks = this.#peaks) {
    this.#seconds = seconds;
    this.#peaks = peaks;
    const path = pathOf(peaks, seconds);
    this.#all.setAttribute('d', path);
    this.#played.setAttribute('d', path);
    this.element.setAttribute('aria-valuemax', String(Math.floor(seconds)));
    // The length is part of the announced value.
    this.element.removeAttribute('aria-valuenow');
    this.#paint(this.#at);
  }

  /** Shows the playing position. @param {number} seconds */
  at(seconds) {
    this.#at = seconds;
    if (!this.#dragging) this.#paint(seconds);
  }

  /** @param {number} seconds */
  #paint(seconds) {
    const share = this.#seconds > 0 ? Math.min(1, seconds / this.#seconds) : 0;
    this.element.style.setProperty('--played', `${(100 * share).toFixed(3)}%`);
    const now = String(Math.floor(seconds));
    if (this.element.getAttribute('aria-valuenow') === now && !this.#dragging) return;
    this.element.setAttribute('aria-valuenow', now);
    this.element.setAttribute('aria-valuetext', texts.positionOf(seconds, this.#seconds));
  }
}

/**
 * @param {{ step: number, peaks: number[] }} peaks
 * @param {number} seconds
 * @returns {string} an upright line for each bar
 */
function pathOf({ step, peaks }, seconds) {
  let path = '';
  for (let bar = 0; bar < BARS; bar++) {
    const from = Math.floor((bar * seconds) / BARS / step);
    const to = Math.max(from + 1, Math.floor(((bar + 1) * seconds) / BARS / step));
    let peak = 0;
    for (let i = from; i < to && i < peaks.length; i++) peak = Math.max(peak, peaks[i]);
    // The square root makes soft speech visible beside loud.
    const half = Math.max(LEAST, 100 * Math.sqrt(Math.min(1, peak / 100))) / 2;
    path += `M${bar + 0.5} ${(50 - half).toFixed(1)}V${(50 + half).toFixed(1)}`;
  }
  return path;
}
