/** A call between two programs of an installed aloud: one plays speech, the other records it. */

import { spawn } from 'node:child_process';
import { readFileSync, statSync } from 'node:fs';
import { join } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { fileURLToPath } from 'node:url';
import { align, alignPieces } from '../testkit/sound/signal.js';
import { parseWav } from '../testkit/sound/wav.js';

const SPEECH = fileURLToPath(new URL('../testkit/speech/speech-low.wav', import.meta.url));

/** Time for the listener to join, in milliseconds. */
const JOIN_MS = 15_000;

/** Seconds of speech from whose place the others are looked for. */
const ALIGNED_SECONDS = 2;

/** Time that the listener is behind the room, and some more, in milliseconds. */
const BEHIND_MS = 2000;

/** Size of a WAV file's header, in bytes: the listener writes it once it has joined. */
const HEADER_BYTES = 44;

/**
 * Runs a program to its end.
 * @param {string} aloud  path of the command
 * @param {string[]} args
 * @param {NodeJS.ProcessEnv} env
 */
function run(aloud, args, env) {
  const child = spawn(aloud, args, { env, stdio: ['ignore', 'ignore', 'pipe'] });
  let told = '';
  child.stderr.on('data', (bytes) => (told += bytes));
  const ended = new Promise((resolve, reject) => {
    child.on('error', reject);
    child.on('close', (code, signal) => {
      if (code === 0) resolve(undefined);
      else reject(new Error(`aloud ${args[0]} ended with ${code ?? signal}: ${told.trim()}`));
    });
  });
  return { child, ended };
}

/** @param {string} file */
const sizeOf = (file) => statSync(file, { throwIfNoEntry: false })?.size ?? 0;

/**
 * Holds a call over WebTransport.
 * @param {{ aloud: string, url: string, folder: string, env: NodeJS.ProcessEnv }} options  aloud:
 *   path of the installed command; url: the server's; folder: for what is heard
 * @returns {Promise<number>} correlation of said and heard sound, 1 at most. It is the median of
 *   pieces of 200 ms, because a player moves its delay on a busy machine
 * @throws {Error} when a program fails
 */
export async function holdCall({ aloud, url, folder, env }) {
  const heardFile = join(folder, 'heard.wav');
  const where = ['--server', url, '--room', 'tea', '--transport', 'webtransport'];
  const listener = run(aloud, ['listen', ...where, '-o', heardFile], env);
  try {
    const end = performance.now() + JOIN_MS;
    while (sizeOf(heardFile) < HEADER_BYTES) {
      if (performance.now() > end) throw new Error(`nobody listens after ${JOIN_MS} ms`);
      await Promise.race([pass(50), listener.ended]);
    }
    await run(aloud, ['play', SPEECH, ...where], env).ended;
    await pass(BEHIND_MS);
  } finally {
    listener.child.kill('SIGINT');
  }
  await listener.ended;
  const { channels, sampleRate } = parseWav(readFileSync(SPEECH));
  const [speech] = channels;
  const [heard] = parseWav(readFileSync(heardFile)).channels;
  const { lag } = align(speech.subarray(0, ALIGNED_SECONDS * sampleRate), heard);
  const fifth = sampleRate / 5;
  // A missing end is silent, and counts.
  const whole = new Float32Array(Math.max(heard.length, lag + speech.length + fifth));
  whole.set(heard);
  const pieces = alignPieces(speech, whole, lag, { pieceSamples: fifth, searchSamples: fifth });
  const sorted = pieces.map(({ correlation }) => correlation).toSorted((a, b) => a - b);
  return sorted[sorted.length >> 1] ?? 0;
}
