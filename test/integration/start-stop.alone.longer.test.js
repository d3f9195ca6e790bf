/**
 * A listener who starts and stops speaking changes streams each time, between the full mix and the
 * mix without their own voice. Over real sockets with real Opus, nobody may hear it. The
 * delay is fixed and long, so that a busy machine loses nothing.
 */

import { isBuilt } from '@aloud/native';
import { monitorEventLoopDelay } from 'node:perf_hooks';
import { setTimeout as pause } from 'node:timers/promises';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { align } from '../../testkit/sound/signal.js';
import { readWav } from '../../testkit/sound/wav.js';
import { loadCodec } from '../../server/codec/codec.js';
import { loadConfig } from '../../server/config/config.js';
import { createServer } from '../../server/server.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { byLength } from '../support/long.js';
import { watchMachine } from '../../testkit/machine.js';
import { roomOf, WITH_OPERATOR } from '../support/operator.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const RATE = 48_000;
const SECONDS = 9;
/** Time until everything has settled, when the sound is checked. */
const FROM_SECONDS = 3;
const DELAY_MS = 300;
/**
 * Largest step between two samples that may be heard, in steps of the tone. A decoder's level that
 * hasn't settled gives up to 1.3. Without pre-roll and cross-fade in
 * public/client/playout/stream-decoder.js this test prints 2.8 to 11.
 */
const CLICK = 1.8;
/**
 * Frames that may be concealed until they come: they are late by more than a client's delay, but
 * are heard.
 */
const AWAITED = 2;
/**
 * Longest standstill of this event loop, in milliseconds. It has the server, three clients and
 * their sound cards, and a client's delay covers a few milliseconds.
 */
const LOOP_MS = 8;

const codec = await loadCodec('libopus-wasm');
const quiet = { error: vi.fn(), warn() {}, info() {}, debug() {} };
const words = (await readWav(new URL('../../testkit/speech/speech-high.wav', import.meta.url)))
  .channels[0];

/** Ann's: a voice without end, a second of it, which fits to itself. */
const tone = Float32Array.from({ length: RATE }, (_, i) => {
  const at = i / RATE;
  const sum = [1, 2, 3, 4, 5].reduce(
    (all, n) => all + Math.sin(2 * Math.PI * 170 * n * at + n) / n,
    0,
  );
  return 0.1 * sum * (1 + 0.3 * Math.sin(2 * Math.PI * 3 * at));
});

/** When Bob speaks in what he says again and again, in seconds, and how long all of it is. */
const SPEAKS = [
  [0.8, 2],
  [2.6, 2.8],
  [3.5, 4],
];
const sayings = new Float32Array(RATE * 4.5);
for (const [from, to] of SPEAKS) {
  const length = Math.round((to - from) * RATE);
  for (let i = 0; i < length; i++) {
    const edge = Math.min(1, i / 240, (length - i) / 240);
    sayings[Math.round(from * RATE) + i] = 0.8 * edge * words[RATE * 2.8 + i];
  }
}
/** A short stall: the playout delay may move in that time. */
const saying = sayings.subarray(SPEAKS[2][0] * RATE, SPEAKS[2][1] * RATE);

/** @type {(() => unknown)[]} */
const open = [];
async function closeAll() {
  for (const close of open.splice(0).toReversed()) await close();
}
afterEach(async () => {
  await closeAll();
  expect(quiet.error).not.toHaveBeenCalled();
});

async function startServer() {
  const argv = [
    ...WITH_OPERATOR,
    '--port',
    '0',
    '--h3-port',
    '0',
    '--server-delay-ms',
    String(DELAY_MS),
  ];
  const server = await createServer(loadConfig({ argv, env: {} }), { log: quiet });
  open.push(() => server.close());
  return server;
}

/**
 * @param {string} origin
 * @param {string} name
 * @param {any} transport
 * @param {Float32Array} [speech]
 */
async function joined(origin, name, transport, speech) {
  const person = new Headless({ codec, speech, recordSeconds: SECONDS + 1 });
  open.push(() => person.close());
  const silenceSuppression = name !== 'Ann';
  await person.join(
    /** @type {any} */ ({ origin, room: 'lab', name, transport, silenceSuppression }),
  );
  return person;
}

/** The largest step from one sample to the next. @param {Float32Array} sound */
function largestStep(sound) {
  let largest = 0;
  for (let i = 1; i < sound.length; i++)
    largest = Math.max(largest, Math.abs(sound[i] - sound[i - 1]));
  return largest;
}

/** The root mean square of each 20 ms. @param {Float32Array} sound */
function levels(sound) {
  const size = RATE / 50;
  const all = /** @type {number[]} */ ([]);
  for (let at = 0; at + size <= sound.length; at += size / 4) {
    all.push(
      Math.sqrt(
        sound.subarray(at, at + size).reduce((sum, value) => sum + value * value, 0) / size,
      ),
    );
  }
  return all;
}

/**
 * Number of times that the level falls below another, for however long.
 * @param {number[]} all
 * @param {number} bound
 */
const dips = (all, bound) =>
  all.filter((level, i) => level < bound && !(all[i - 1] < bound)).length;

/** Share of Bob's own voice in what was heard: 1 is all of it. @param {Float32Array} heard */
function shareOfBob(heard) {
  const { correlation, gainDb } = align(saying, heard);
  return correlation * 10 ** (gainDb / 20);
}

/**
 * Numbers of frames in somebody's packets: unheard ones, and only awaited ones.
 * @param {Headless} person
 */
function missedBy(person) {
  const { late, lost, concealed, garbage, skipped } = /** @type {any} */ (person.stats()).detail
    .playout;
  expect(garbage).toBe(0);
  return { unheard: late + lost + skipped, concealed };
}

/** While everything is settled. */
const loop = monitorEventLoopDelay({ resolution: 1 });

/** Watches the machine, and this event loop. */
async function watchBoth() {
  const endWatch = await watchMachine();
  return () => {
    const seen = endWatch();
    const longestMs = loop.max / 1e6;
    return longestMs > LOOP_MS
      ? { ...seen, hasStalled: seen.hasStalled + 1, longestMs: Math.max(seen.longestMs, longestMs) }
      : seen;
  };
}

/** The sound that a participant heard once everything had settled. @param {Headless} person */
const settled = ({ recording, recorded }) => recording.subarray(FROM_SECONDS * RATE, recorded);

const engine = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

describe.each(byLength({ short: ['webtransport'], long: ['websocket'] }))(
  'over %s',
  // Only tests in a browser get a second try.
  { retry: 0 },
  (transport) => {
    const test = transport === 'webtransport' ? engine.it : it;

    const hearsOn = async () => {
      const { url } = await startServer();
      const [ann, bob] = [
        await joined(url, 'Ann', transport, tone),
        await joined(url, 'Bob', transport, sayings),
      ];
      const cid = await joined(url, 'Cid', transport);
      await pause(FROM_SECONDS * 1000);
      const before = missedBy(bob);
      loop.reset();
      loop.enable();
      await pause((SECONDS - FROM_SECONDS) * 1000);
      loop.disable();
      const after = missedBy(bob);
      expect(after.unheard).toBe(before.unheard);
      expect(after.concealed - before.concealed).toBeLessThanOrEqual(AWAITED);
      const { people } = await roomOf(url);
      for (const { stats } of people)
        expect(stats).toMatchObject({ playoutDelayMs: expect.any(Number), droppedOut: 0 });
      const [ofBob, ofCid, own] = [settled(bob), settled(cid), levels(tone)];
      const [least, greatest] = [Math.min(...own), Math.max(...own)];
      expect(ofBob.length).toBeGreaterThan((SECONDS - FROM_SECONDS - 1) * RATE);
      expect(largestStep(ofBob)).toBeLessThan(CLICK * largestStep(tone));
      expect(dips(levels(ofBob), 0.85 * least)).toBe(0);
      expect(Math.max(...levels(ofBob))).toBeLessThan(1.15 * greatest);
      expect(shareOfBob(ofBob)).toBeLessThan(0.1);
      expect(shareOfBob(ofCid)).toBeGreaterThan(0.7);
      expect(shareOfBob(settled(ann))).toBeGreaterThan(0.7);
      expect(dips(levels(ofCid), 0.8 * least)).toBe(0);
    };

    test('a person who starts and stops speaking hears only the other, without a gap', () =>
      undisturbed(hearsOn, closeAll, { watch: watchBoth }));
  },
);
