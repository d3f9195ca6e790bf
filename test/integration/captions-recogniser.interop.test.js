/**
 * The example that writes captions, with a real recogniser on real speech: two people, whose words
 * espeak-ng says, and a third who reads.
 */

import { spawnSync } from 'node:child_process';
import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { setTimeout as pass } from 'node:timers/promises';
import { expect, onTestFinished } from 'vitest';
import { writeCaptions } from '../../examples/write-captions.js';
import { join, readSound } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { requireOrSkip } from '../../testkit/skip.js';

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const python = process.env.PYTHON ?? 'python3';
const works = (/** @type {string} */ program, /** @type {string[]} */ ...args) =>
  spawnSync(program, args).status === 0;
const canRecognise =
  works(python, '-c', 'import pocketsphinx; pocketsphinx.Endpointer') &&
  works('espeak-ng', '--version');

/** Voice and words of each speaker, and how many of them a recogniser of this size must find. */
const SPEAKERS = [
  { name: 'Ann', voice: 'en-us+f2', said: 'one two three four five six seven eight', least: 6 },
  { name: 'Ben', voice: 'en-us+f3', said: 'three two one zero', least: 3 },
];

/** Most times that a sentence is said. */
const MOST_TRIES = 4;

/** Number of words of a sentence in a text. @param {string} said @param {string} text */
const wordsIn = (said, text) => {
  const found = text.split(' ');
  return said.split(' ').filter((word) => found.includes(word)).length;
};

requireOrSkip(canRecognise, 'espeak-ng or the Python package pocketsphinx is not installed').it(
  'a program writes what each of two people says, for the one who asked',
  async () => {
    const scratch = mkdtempSync(joinPath(tmpdir(), 'aloud-recogniser-'));
    const argv = ['--port', '0', '--h3-port', '0', '--workers', '0'];
    const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
    /** @type {{ leave: () => Promise<void> }[]} */
    const calls = [];
    onTestFinished(async () => {
      for (const call of calls) await call.leave();
      await server.close();
      rmSync(scratch, { recursive: true });
    });
    const url = `${server.url}/r/words`;
    calls.push(await writeCaptions(url));
    const reader = await join({ url, name: 'Eve', hear: false });
    calls.push(reader);
    /** @type {{ name: string, by?: string, text?: string }[]} */
    const read = [];
    reader.on('caption', (caption) => void (caption.final && read.push(caption)));
    reader.captions({ want: true });
    for (const { name, voice, said, least } of SPEAKERS) {
      const file = joinPath(scratch, `${name}.wav`);
      expect(works('espeak-ng', '-v', voice, '-s', '140', '-w', file, said)).toBe(true);
      const call = await join({ url, name, hear: false });
      calls.push(call);
      /** Most words of the sentence in one caption. */
      const recognised = () =>
        Math.max(
          0,
          ...read
            .filter((caption) => caption.name === name)
            .map(({ text = '' }) => wordsIn(said, text)),
        );
      // Again, if words were lost: on a busy machine sound is late, and a small recogniser errs.
      for (let i = 0; i < MOST_TRIES && recognised() < least; i++) {
        const before = read.length;
        for await (const piece of readSound(file, call)) await call.say(piece);
        await call.said();
        await expect.poll(() => read.length, { timeout: 20_000 }).toBeGreaterThan(before);
        await pass(500);
      }
      expect(recognised(), JSON.stringify(read)).toBeGreaterThanOrEqual(least);
    }
    expect(new Set(read.map(({ by }) => by))).toEqual(new Set(['Scribe']));
  },
  180_000,
);
