/**
 * Runs the thread that makes segments, so that no room waits for it. Requests: `{ id, open: { mix,
 * directory, rates } }`, `{ id, step: { most, isWhole } }`, `{ id, close: true }`. Answers, one for
 * each in order: `{ channels, count, bytes, ended }`, or `{ error }`.
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
 * Niceness of the thread: it gets a third of another thread's share when the CPU is busy. Listeners
 * may be waiting for its segments, so it isn't starved.
 */
const NICENESS = 5;

/** Lowers the thread's priority, if the system can. */
function lowerPriority() {
  try {
    // Linux has a priority per thread, addressed by "<process>/task/<thread>".
    setPriority(Number(readlinkSync('/proc/thread-self').split('/')[2]), NICENESS);
  } catch {
    // Another system, or Linux without /proc.
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
/**
 * Messages are handled one after another, so that no file is closed while segments are made from
 * it.
 */
let last = Promise.resolve();
port.on('message', (asked) => {
  last = last
    .then(() => answer(asked))
    .then(
      (answered) => port.postMessage(answered),
      (error) => port.postMessage({ error: String(error) }),
    );
});
