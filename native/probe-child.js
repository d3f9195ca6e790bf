/**
 * Loads a module and uses it for a moment, in a process of its own: what ends this process would
 * have ended the server. Prints the first line of an error's message, and then exits with 1.
 */

import { createRequire } from 'node:module';
import { pathToFileURL } from 'node:url';

/** Samples of a frame of 20 ms at 48 kHz. */
const FRAME_SAMPLES = 960;

/** OPUS_APPLICATION_VOIP of libopus. */
const VOIP = 2048;

/** @param {Partial<import('./binding.js').Binding>} library */
function encodeFrame({ OpusEncoder }) {
  if (!OpusEncoder) return;
  const encoder = new OpusEncoder(48_000, FRAME_SAMPLES, 32_000, 5, VOIP);
  const tone = Float32Array.from({ length: FRAME_SAMPLES }, (_, i) => Math.sin(i / 10));
  encoder.encode(tone, new Uint8Array(1500), 0);
  encoder.close();
}

const [, , path] = process.argv;
try {
  if (path.endsWith('.node')) encodeFrame(createRequire(import.meta.url)(path));
  else await import(pathToFileURL(path).href);
  process.exit(0);
} catch (error) {
  const [line] = String(error instanceof Error ? error.message : error).split('\n');
  process.stdout.write(line, () => process.exit(1));
}
