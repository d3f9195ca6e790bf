import { setTimeout as sleep } from 'node:timers/promises';
import { expect } from 'vitest';
import { align, findGaps, levelDb } from '../../../testkit/sound/signal.js';
import { mean } from '../../../testkit/statistics.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { inBrowser, openBrowser } from '../../../testkit/browsers/browser.js';
import { allowRecorder, recordingBegan, recordWholly } from '../support/recording.js';
import { joinRoom, nextStats, throughLink } from '../support/room-page.js';
import { useSite } from '../support/site.js';
import { openLink } from '../../support/fragile-link.js';
import { undisturbed } from '../../../testkit/undisturbed.js';

/** @import { Page } from 'playwright-core' */

const PER_MS = 48;
const STALL_MS = 300;

/** The time within which the delay is back, and by how much it may differ then, in milliseconds. */
const BACK_MS = 3000;
const NEAR_MS = 10;

/** When the first link stalls, from the first word on, in milliseconds. */
const FIRST_MS = 5000;

/**
 * The pieces of sound that are looked for, the short ones while sound is being made shorter, in
 * milliseconds.
 */
const PIECE_MS = 400;
const SHORT_PIECE_MS = 200;

/** The time from one piece to the next, in milliseconds. */
const STEP_MS = 100;

/** A piece with a lower correlation was heard in part only. */
const LEAST_CORRELATION = 0.6;

/**
 * The largest move of the sound within 1.2 s that is no catching up, in milliseconds: that takes 5
 * at once, a slide 0.6.
 */
const MOST_MOVE_MS = 3;

/** Silence for as long as joining takes, and until what it held up is over. */
const LEAD_MS = 5000;

/**
 * The longest quiet that is left between words, and the pieces by which quiet is found, in
 * milliseconds.
 */
const MOST_QUIET_MS = 60;
const LOOK_MS = 10;

/**
 * The level below which a piece is silent where it is heard, and by how much codecs may make a
 * piece softer, in decibels.
 */
const SILENT_DB = -70;
const SOFTER_DB = 10;

/**
 * By how much a level may differ from that before the stall: afterwards, and while sound is being
 * made shorter, in decibels.
 */
const SAME_DB = 1;
const SHORTENED_DB = 3;

/** Words without a pause between them. */
const said = Float32Array.from(
  (
    await Promise.all(
      ['speaker-low-1', 'speaker-low-2', 'speech-low'].map(async (name) => {
        const {
          channels: [words],
        } = await readWav(new URL(`../../../testkit/speech/${name}.wav`, import.meta.url));
        return withoutPauses(words);
      }),
    )
  ).flat(),
);
const SAID_MS = said.length / PER_MS;

const spoken = new Float32Array(LEAD_MS * PER_MS + said.length);
spoken.set(said, LEAD_MS * PER_MS);

/** @param {Float32Array} words @returns {number[]} */
function withoutPauses(words) {
  const kept = [];
  for (let at = 0, quietMs = 0; at + LOOK_MS * PER_MS <= words.length; at += LOOK_MS * PER_MS) {
    const piece = words.subarray(at, at + LOOK_MS * PER_MS);
    quietMs = levelDb(piece) < -50 ? quietMs + LOOK_MS : 0;
    if (quietMs <= MOST_QUIET_MS) kept.push(...piece);
  }
  return kept;
}

/**
 * Both delays that a stall makes longer, in milliseconds.
 * @param {Page} speaker
 * @param {Page} listener
 */
async function delaysOf(speaker, listener) {
  const [{ server }, { playout }] = await Promise.all([nextStats(speaker), nextStats(listener)]);
  return { offsetMs: server.offsetMs, playoutMs: playout.delayMs };
}

/**
 * Delay of each piece relative to the first one, in milliseconds, its place, and its gain over the
 * speech, in decibels.
 * @param {Float32Array} heard
 * @param {number} base where it begins
 * @param {number} pieceMs
 */
function laterOf(heard, base, pieceMs) {
  const pieces = [];
  for (let start = 0; start + pieceMs * PER_MS <= said.length; start += STEP_MS * PER_MS) {
    const piece = said.subarray(start, start + pieceMs * PER_MS);
    const to = Math.min(base + start + 500 * PER_MS, heard.length - piece.length);
    if (levelDb(piece) < -45 || to < base + start) continue;
    const { lag, correlation } = align(piece, heard, { from: base + start - 20 * PER_MS, to });
    if (correlation < LEAST_CORRELATION) continue;
    const gainDb = levelDb(heard.subarray(lag, lag + piece.length)) - levelDb(piece);
    pieces.push({ heardMs: lag / PER_MS, laterMs: (lag - base - start) / PER_MS, gainDb });
  }
  return pieces;
}

/**
 * The longest stretch below a level, in milliseconds.
 * @param {Float32Array} pcm
 * @param {number} db
 */
function longestBelow(pcm, db) {
  let [longest, length] = [0, 0];
  for (let at = 0; at + LOOK_MS * PER_MS <= pcm.length; at += LOOK_MS * PER_MS) {
    length = levelDb(pcm.subarray(at, at + LOOK_MS * PER_MS)) < db ? length + LOOK_MS : 0;
    longest = Math.max(longest, length);
  }
  return longest;
}

/** The steepest step from one sample to the next. @param {Float32Array} pcm */
const steepest = (pcm) =>
  pcm.reduce((most, x, i) => Math.max(most, i > 0 ? Math.abs(x - pcm[i - 1]) : 0), 0);

inBrowser.describe('a stall of 300 ms in speech without a pause, heard in Chromium', () => {
  const site = useSite();

  /** One speaks, one listens; first the one's link stalls, and then the other's. */
  const converse = async () => {
    const mouth = await openBrowser({ speech: spoken });
    const links = await Promise.all([openLink(site.server), openLink(site.server)]);
    try {
      const [up, down] = links;
      const transport = 'webtransport';
      const see = await throughLink(down);
      const prepare = async (/** @type {Page} */ page) => {
        await allowRecorder(page);
        await see(page);
      };
      const listener = await joinRoom(site.browser, down.url, 'stall', {
        name: 'Lis',
        transport,
        prepare,
      });
      const heard = await recordWholly(listener);
      const fromMs = performance.now();
      const speaker = await joinRoom(mouth.browser, up.url, 'stall', {
        name: 'Spe',
        transport,
        prepare: await throughLink(up),
      });
      const stalls = [];
      for (const [link, atMs] of /** @type {const} */ ([
        [up, FIRST_MS],
        [down, FIRST_MS + BACK_MS + 1500],
      ])) {
        await sleep(LEAD_MS + atMs - (performance.now() - fromMs));
        const before = await delaysOf(speaker, listener);
        await link.stall(STALL_MS);
        const overMs = Date.now();
        await sleep(BACK_MS);
        stalls.push({ overMs, before, after: await delaysOf(speaker, listener) });
      }
      await sleep(LEAD_MS + SAID_MS + 500 - (performance.now() - fromMs));
      const beganMs = await recordingBegan(listener);
      return {
        heard: await heard(),
        stalls: stalls.map((stall) => ({ ...stall, overMs: stall.overMs - beganMs })),
      };
    } finally {
      await site.closePages();
      await mouth.close();
      await Promise.all(links.map((link) => link.close()));
    }
  };

  inBrowser.it(
    'is over three seconds later, at the server and at the client, and nothing else moves',
    () =>
      undisturbed(
        async () => {
          const {
            heard,
            stalls: [up, down],
          } = await converse();
          expect(up.after.offsetMs).toBeLessThanOrEqual(up.before.offsetMs);
          expect(down.after.playoutMs).toBeLessThan(down.before.playoutMs + NEAR_MS);
          const { lag: base } = align(said.subarray(0, FIRST_MS * PER_MS), heard);
          const pieces = laterOf(heard, base, PIECE_MS);
          const short = laterOf(heard, base, SHORT_PIECE_MS);
          for (const { overMs } of [up, down]) {
            // Sound came late by most of the stall, or the test has tested nothing.
            const late = short
              .filter(({ heardMs }) => heardMs > overMs && heardMs < overMs + BACK_MS)
              .map(({ laterMs }) => laterMs);
            expect(Math.max(...late)).toBeGreaterThan(STALL_MS / 2);
            const within = (/** @type {number} */ fromMs, /** @type {number} */ toMs) =>
              pieces.filter(
                ({ heardMs }) => heardMs >= overMs + fromMs && heardMs + PIECE_MS <= overMs + toMs,
              );
            const [was, is] = [
              within(-STALL_MS - 1500, -STALL_MS),
              within(BACK_MS, BACK_MS + 1200),
            ];
            const [before, after] = [was, is].map((some) => some.map(({ laterMs }) => laterMs));
            expect(Math.min(before.length, after.length)).toBeGreaterThan(5);
            for (const later of [before, after])
              expect(Math.max(...later) - Math.min(...later)).toBeLessThan(MOST_MOVE_MS);
            expect(Math.abs(after[0] - before[0])).toBeLessThan(NEAR_MS);
            // All of it is as loud as before, and there is no pause in it that wasn't in what was
            // said.
            const [levelBefore, levelAfter] = [was, is].map((some) =>
              mean(some.map(({ gainDb }) => gainDb)),
            );
            expect(Math.abs(levelAfter - levelBefore)).toBeLessThan(SAME_DB);
            const shortened = short.filter(
              ({ heardMs }) => heardMs > overMs + STALL_MS && heardMs < overMs + BACK_MS,
            );
            expect(
              Math.max(...shortened.map(({ gainDb }) => Math.abs(gainDb - levelBefore))),
            ).toBeLessThan(SHORTENED_DB);
            const [goesOn, end] = [overMs + STALL_MS, overMs + BACK_MS + 1200].map((ms) =>
              Math.round(ms * PER_MS),
            );
            expect(longestBelow(heard.subarray(goesOn, end), SILENT_DB)).toBeLessThanOrEqual(
              longestBelow(said, SILENT_DB + SOFTER_DB) + LOOK_MS,
            );
            const again = Math.round((overMs + BACK_MS) * PER_MS);
            expect(
              findGaps(said.subarray(again - base, end - base), heard.subarray(again, end), 0, {
                longerThan: LOOK_MS * PER_MS,
              }),
            ).toEqual([]);
            // A click would be steeper than the speech of that time.
            const from = (overMs - 2 * STALL_MS) * PER_MS;
            const words = said.subarray(
              Math.max(0, from - base - STALL_MS * PER_MS),
              from - base + BACK_MS * PER_MS,
            );
            expect(steepest(heard.subarray(from, from + BACK_MS * PER_MS))).toBeLessThan(
              1.1 * steepest(words),
            );
          }
        },
        () => site.closePages(),
      ),
  );
});
