/**
 * A run's progress. A terminal has one line that is overwritten. Kept output (a file, a CI log) has
 * a line for each stage and one every 30 seconds.
 */

import { formatDuration } from './numbers.js';

/**
 * @typedef {object} Output
 * @property {(text: string) => unknown} write
 * @property {boolean} [isTTY]
 * @property {number} [columns]
 */

const REDRAW_MS = 100;
const LOG_MS = 30_000;
const BAR_WIDTH = 24;

/** Return to the line's begin, and erase the line (ECMA-48: EL). */
const ERASE = '\r\u001b[K';

export class Progress {
  #output;
  #clock;
  #stage = '';
  #startedMs = 0;
  #shownMs = -Infinity;
  #isDrawn = false;

  /**
   * @param {Output} output such as process.stderr
   * @param {{ now: () => number }} clock milliseconds, monotonic
   */
  constructor(output, clock) {
    this.#output = output;
    this.#clock = clock;
  }

  /** @param {string} name of the next stage */
  begin(name) {
    this.#stage = name;
    this.#startedMs = this.#clock.now();
    this.#shownMs = this.#startedMs;
    if (this.#output.isTTY) this.#draw(0, '');
    else this.#output.write(`${name}\n`);
  }

  /**
   * Accepts any number of calls, and shows only some.
   * @param {number} share of the stage that is done, 0 to 1
   * @param {string} [note]  current work
   */
  update(share, note = '') {
    const now = this.#clock.now();
    if (now - this.#shownMs < (this.#output.isTTY ? REDRAW_MS : LOG_MS)) return;
    this.#shownMs = now;
    if (this.#output.isTTY) this.#draw(share, note);
    else
      this.#output.write(
        `${this.#stage}: ${percent(share)}${this.#left(share)}${note && `, ${note}`}\n`,
      );
  }

  /** @param {string} line something that stays, such as a warning */
  print(line) {
    this.close();
    this.#output.write(`${line}\n`);
  }

  /** Leaves the terminal as it was. */
  close() {
    if (this.#isDrawn) this.#output.write(ERASE);
    this.#isDrawn = false;
  }

  /**
   * @param {number} share
   * @param {string} note
   */
  #draw(share, note) {
    const filled = Math.round(Math.min(1, Math.max(0, share)) * BAR_WIDTH);
    const bar = `${'━'.repeat(filled)}${'─'.repeat(BAR_WIDTH - filled)}`;
    const figures = `${percent(share)}${this.#left(share)}`;
    const line = `${this.#stage} ${bar} ${figures}${note && `  ${note}`}`;
    this.#output.write(`${ERASE}${line.slice(0, (this.#output.columns ?? 80) - 1)}`);
    this.#isDrawn = true;
  }

  /** @param {number} share */
  #left(share) {
    const elapsedMs = this.#clock.now() - this.#startedMs;
    if (!(share > 0 && share < 1) || elapsedMs < 2000) return '';
    return `, ${formatDuration((elapsedMs * (1 - share)) / share)} left`;
  }
}

/** @param {number} share */
const percent = (share) => `${Math.floor(100 * Math.min(1, Math.max(0, share)))} %`;
