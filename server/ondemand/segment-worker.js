/**
 * The thread that makes segments, so that no room waits for it. Messages in:
 * `{ id, open: { mix, directory, rates } }`, `{ id, step: { most, isWhole } }`,
 * `{ id, close: true }`; out, one for each, in order: `{ channels, count, bytes, ended }`, or
 * `{ error }`.
 */

import { readlinkSync } from 'node:fs';
import { setPriority } from 'node:os';
import { parentPort } from 'node:worker_threads';
import { loadCodec } from '../codec/codec.js';
import { SegmentEncoder } from './segment-encoder.js';

const port = /** @type {import('node:worker_threads').MessagePort} */ (parentPort);
const codec = loadCodec('libopus-wasm');
/** @type {Map<string, SegmentEncoder>} */
const encoders = new Map();

/**
 * The thread's niceness: it gets a third of what another thread gets where there isn't enough for
 * all. Somebody may be waiting for what it makes, so it isn't starved.
 */
const NICENESS = 5;

/** Has the kernel prefer other threads; where that can't be had this is an ordinary one. */
function lowerPriority() {
  try {
    // Linux has a priority for each thread, by its number: "<process>/task/<thread>".
    setPriority(Number(readlinkSync('/proc/thread-self').split('/')[2]), NICENESS);
  } catch {
    // Another system, or one without /proc.
  }
}

/**
 * @param {{ id: string, open?: { mix: string, directory: string, rates: number[] }, step?: { most:
 *   number, isWhole: boolean }, close?: true }} asked
 */
async function answer({ id, open, step, close }) {
  if (open)
    encoders.set(id, await SegmentEncoder.open(await codec, open.mix, open.directory, open.rates));
  const encoder = encoders.get(id);
  if (close) {
    encoders.delete(id);
    await encoder?.close();
  }
  if (!encoder) return {};
  const bytes = step ? await encoder.step(step.most, step.isWhole) : 0;
  return { bytes, channels: encoder.channels, count: encoder.count, ended: encoder.ended };
}

lowerPriority();
/** Messages are dealt with one after another: no file is closed while segments are made of it. */
let last = Promise.resolve();
port.on('message', (asked) => {
  last = last
    .then(() => answer(asked))
    .then(
      (answered) => port.postMessage(answered),
      (error) => port.postMessage({ error: String(error) }),
    );
});
