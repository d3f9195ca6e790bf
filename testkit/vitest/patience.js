import { vi } from 'vitest';

/** Time that vi.waitFor() waits unless a test says another, in milliseconds, as expect.poll(). */
const PATIENCE_MS = 10_000;

const { waitFor } = vi;

// Vitest gives up after one second, which a busy machine may need, and has no setting for it.
/** @type {typeof waitFor} */
const waitPatiently = (look, options = {}) =>
  waitFor(look, typeof options === 'number' ? options : { timeout: PATIENCE_MS, ...options });

// Files that share a process share it, too.
if (waitFor.name !== waitPatiently.name) vi.waitFor = waitPatiently;
