/** Ends of a run from outside: a signal, or the end of the command that runs it. */

import { setMaxListeners } from 'node:events';

/** The signals that interrupt a run, which then keeps what it has measured. */
export const SIGNALS = Object.freeze(/** @type {const} */ (['SIGINT', 'SIGTERM']));

/** The reason of a run that a signal has interrupted. */
export class Interruption extends Error {
  /** @param {NodeJS.Signals} by */
  constructor(by) {
    super(`interrupted by ${by}`);
    this.by = by;
  }
}

/**
 * Begins to listen for what interrupts a run.
 * @returns {AbortSignal} aborted by it, with the reason
 */
export function interruption() {
  const interrupted = new AbortController();
  // Each process that is waited for listens to it.
  setMaxListeners(0, interrupted.signal);
  for (const by of SIGNALS) process.on(by, () => interrupted.abort(new Interruption(by)));
  const end = () => interrupted.abort(new Error('interrupted: the command that ran it has ended'));
  process.on('disconnect', end);
  // Perhaps that command ended while this one was being loaded.
  if (process.connected === false) end();
  // The channel alone keeps no process that is done.
  process.channel?.unref();
  return interrupted.signal;
}
