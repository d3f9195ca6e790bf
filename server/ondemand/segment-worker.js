/**
 * The thread that makes segments, so that no room waits for it. Messages in: `{ id, open: { mix, directory, rates } }`,
 * `{ id, step: { most, isWhole } }`, `{ id, close: true }`; out, one for each: `{ id, channels, count, bytes, ended }` or `{ id, error }`.
 */

import { readlinkSync } from 'node:fs';
import { constants, setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { loadCodec } from '../codec/codec.js';
import { SegmentEncoder } from './segment-encoder.js';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const codec = loadCodec('libopus-wasm');
/** @type {Map<string, SegmentEncoder>} */
const encoders = new Map();

/** Has the kernel prefer all other threads: a tenth of a processor is left where they want all. Where that can’t be had it is an ordinary thread. */
function lowerPriority() {
  try {
    // Linux has a priority for each thread, by its number: "<process>/task/<thread>".
    setPriority(Number(readlinkSync('/proc/thread-self').split('/')[2]), constants.priority.PRIORITY_BELOW_NORMAL);
  } catch {
    // Another system, or one without /proc.
  }
}

/** @param {{ id: string, open?: { mix: string, directory: string, rates: number[] }, step?: { most: number, isWhole: boolean }, close?: true }} asked */
async function answer({ id, open, step, close }) {
  if (open) encoders.set(id, await SegmentEncoder.open(await codec, open.mix, open.directory, open.rates));
  const encoder = encoders.get(id);
  if (close) {
    encoders.delete(id);
    await encoder?.close();
  }
  if (!encoder) return { id };
  const bytes = step ? await encoder.step(step.most, step.isWhole) : 0;
  return { id, bytes, channels: encoder.channels, count: encoder.count, ended: encoder.ended };
}

lowerPriority();
port.on('message', (asked) => {
  answer(asked).then(
    (answered) => port.postMessage(answered),
    (error) => port.postMessage({ id: asked.id, error: String(error) }),
  );
});
