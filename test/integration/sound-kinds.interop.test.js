/**
 * Sound files of many kinds, played into rooms: their length and their level are as the file has
 * them.
 */

import { spawn, spawnSync } from 'node:child_process';
import { randomUUID } from 'node:crypto';
import { createReadStream, createWriteStream, mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join as joinPath } from 'node:path';
import { pipeline } from 'node:stream/promises';
import { fileURLToPath } from 'node:url';
import { expect, onTestFinished } from 'vitest';
import { levelDb } from '../../testkit/sound/signal.js';
import { join } from '../../programs/client.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { readOggOpus } from '../fakes/ogg-file.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { makeKinds, secondsByFfmpeg } from '../support/sound-kinds.js';

/** @import { Kind } from '../support/sound-kinds.js' */

const quiet = { error() {}, warn() {}, info() {}, debug() {} };
const MAIN = fileURLToPath(new URL('../../server/main.js', import.meta.url));
const RATE = 48_000;
const WINDOW = RATE / 250;
const TOLERANCE = Object.freeze({ seconds: 0.02, dB: 0.5 });
const AT_ONCE = 3;

/**
 * Attempts for a kind that isn't right: a busy machine leaves out frames, but never in the same
 * way.
 */
const TRIES = 3;

/** The level of a tone of the source, in dB: its amplitude is a quarter. */
const TONE_DB = 20 * Math.log10(0.25 / Math.SQRT2);

const hasAll = ['ffmpeg', 'sox'].every(
  (command) => spawnSync(command, ['-version']).error === undefined,
);

/** Where the tone begins and ends, in windows. @param {Float32Array} samples */
function boundsOf(samples) {
  const levels = Array.from({ length: Math.floor(samples.length / WINDOW) }, (_, i) =>
    levelDb(samples.subarray(i * WINDOW, (i + 1) * WINDOW)),
  );
  const isLoud = (/** @type {number} */ level) => level > Math.max(...levels) - 12;
  return { from: levels.findIndex(isLoud), to: levels.findLastIndex(isLoud) + 1 };
}

/** @param {Float32Array} samples @returns {number} seconds */
function toneSeconds(samples) {
  const { from, to } = boundsOf(samples);
  return ((to - from) * WINDOW) / RATE;
}

/**
 * The middle one of a tone's levels, in dB.
 * @param {Float32Array} side
 * @param {{ from: number, to: number }} bounds
 */
function toneLevel(side, { from, to }) {
  const levels = Array.from({ length: to - from }, (_, i) =>
    levelDb(side.subarray((from + i) * WINDOW, (from + i + 1) * WINDOW)),
  );
  return levels.toSorted((a, b) => a - b)[levels.length >> 1];
}

/** @param {Kind} kind @param {string} url @param {string} room */
async function playKind({ file, by }, url, room) {
  const child = spawn(process.execPath, [
    MAIN,
    'play',
    by === 'pipe' ? '-' : by === 'fifo' ? `${file}.fifo` : file,
    '--server',
    url,
    '--room',
    room,
  ]);
  let told = '';
  child.stderr.on('data', (bytes) => (told += bytes));
  const ended = new Promise((resolve) => void child.on('close', resolve));
  if (by === 'pipe') await pipeline(createReadStream(file), child.stdin).catch(() => {});
  if (by === 'fifo') await pipeline(createReadStream(file), createWriteStream(`${file}.fifo`));
  expect(await ended, `${file}: ${told}`).toBe(0);
}

/**
 * @param {Kind} kind
 * @param {string} url
 * @returns {Promise<{ seconds: number, levels: number[] }>} as it is heard in a room
 */
async function heard(kind, url) {
  const room = `${kind.name.replace(/\W/g, '-')}-${randomUUID()}`;
  const holder = await join({
    url,
    room,
    listen: true,
    hear: false,
    channels: /** @type {1 | 2} */ (kind.channels),
  });
  const leaving = new AbortController();
  /** @type {Uint8Array[]} */
  const parts = [];
  const reading = fetch(`${url}/listen/${room}`, { signal: leaving.signal })
    .then(async ({ body }) => {
      for await (const part of /** @type {ReadableStream<Uint8Array>} */ (body)) parts.push(part);
    })
    .catch(() => {});
  await playKind(kind, url, room);
  await new Promise((resolve) => void setTimeout(resolve, 1500));
  leaving.abort();
  await Promise.all([reading, holder.leave()]);
  const { samples, channels } = await readOggOpus(Buffer.concat(parts));
  const sides = Array.from({ length: channels }, (_, c) =>
    samples.filter((_sample, i) => i % channels === c),
  );
  const bounds = boundsOf(sides[0]);
  return {
    seconds: ((bounds.to - bounds.from) * WINDOW) / RATE,
    levels: sides.map((side) => toneLevel(side, bounds)),
  };
}

const withPrograms = requireOrSkip(hasAll, 'ffmpeg and sox are not installed');

withPrograms.it(
  'sound files of all kinds are heard at their length and level',
  async () => {
    const directory = mkdtempSync(joinPath(tmpdir(), 'aloud-kinds-'));
    onTestFinished(() => rmSync(directory, { recursive: true }));
    const server = await createServer(
      loadConfig({ argv: ['--port', '0', '--h3-port', '0', '--server-delay-ms', '800'], env: {} }),
      { log: quiet },
    );
    onTestFinished(() => server.close());
    const kinds = makeKinds((name) => joinPath(directory, name));
    expect(kinds.length).toBeGreaterThanOrEqual(40);
    const fifos = kinds.filter(({ by }) => by === 'fifo').map(({ file }) => `${file}.fifo`);
    expect(spawnSync('mkfifo', fifos).status).toBe(0);
    /** @type {object[]} */
    const wrong = [];
    const waiting = [...kinds];
    await Promise.all(
      Array.from({ length: AT_ONCE }, async () => {
        for (let kind = waiting.shift(); kind; kind = waiting.shift()) {
          const told = await wrongOf(kind, server.url);
          if (told !== null) wrong.push(told);
        }
      }),
    );
    expect(wrong).toEqual([]);
  },
  600_000,
);

/**
 * @param {Kind} kind
 * @param {string} url
 * @returns {Promise<object | null>} the heard sound, if it isn't right
 */
async function wrongOf(kind, url) {
  const seconds = kind.seconds ?? secondsByFfmpeg(kind.file, toneSeconds);
  const gains = kind.gains.map((gain) => TONE_DB + 20 * Math.log10(gain));
  const tries = [];
  for (let i = 0; i < TRIES; i++) {
    const found = await heard(kind, url);
    const isLevel = gains.every((level, c) => Math.abs(level - found.levels[c]) <= TOLERANCE.dB);
    if (isLevel && Math.abs(found.seconds - seconds) <= TOLERANCE.seconds) return null;
    tries.push(found);
  }
  return { kind: kind.name, seconds, gains, tries };
}
