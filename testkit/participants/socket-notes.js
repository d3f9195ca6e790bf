/**
 * Notes this process's connections through a run.
 * @import { OwnSockets } from './own-sockets.js'
 */

import { subscribe } from 'node:diagnostics_channel';
import { ownSockets } from './own-sockets.js';

/** Interval between two looks, in milliseconds. */
const LOOK_MS = 20;

let opened = 0;
subscribe('undici:client:connected', () => void (opened += 1));

/** Connections that fetch opens, and looks at all sockets. */
export class SocketNotes {
  /** @type {NodeJS.Timeout | undefined} */
  #timer;
  /** @type {(OwnSockets & { atMs: number })[]} */
  #looks = [];
  #openedBefore = 0;

  /** Begins again, without notes. */
  begin() {
    this.stop();
    this.#looks = [];
    this.#openedBefore = opened;
    this.#timer = setInterval(
      () => this.#looks.push({ atMs: performance.now(), ...ownSockets() }),
      LOOK_MS,
    );
  }

  /**
   * Ends the notes.
   * @returns {{ opened: number, looks: (OwnSockets & { atMs: number })[] }} opened: connections of
   *   fetch since the beginning; atMs: on performance.now()
   */
  take() {
    this.stop();
    return { opened: opened - this.#openedBefore, looks: this.#looks };
  }

  stop() {
    clearInterval(this.#timer);
  }
}
