/**
 * Measures the delay of a microphone's frames up to the server, stage by stage. The cases are
 * Chromium, Chromium with the worklet of other browsers, and Chromium on Firefox's sound server.
 * Firefox follows, with its usual device buffer and with a shorter one that only its user can set.
 */

import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { setTimeout as pause } from 'node:timers/promises';
import { Command } from 'commander';
import { chromium } from 'playwright-core';
import { wholeNumber } from './options.js';
import { Child } from '../testkit/participants/child.js';
import { SERVER } from './participants/whole-server.js';
import { CHROMIUM_ARGUMENTS, findChromium } from '../testkit/browsers/chromium.js';
import { findFirefox, openFirefox } from '../testkit/browsers/firefox.js';
import { canServeSound, startSoundServer } from '../testkit/browsers/sound-server.js';
import { quantile, sorted } from '../testkit/statistics.js';
import { formatWav } from '../testkit/sound/wav.js';

/** @import { Browser, Page } from 'playwright-core' */

const RATE = 48000;

/**
 * The time in which a call comes to rest, in milliseconds: the server forgets the first four
 * seconds too.
 */
const SETTLE_MS = 6000;

/** Sound of the microphone beyond the measurement, in seconds. */
const LEAD_SECONDS = 20;

/**
 * Blocks that the worklet gets within this time are of one burst, in milliseconds: its clock has
 * whole ones.
 */
const TOGETHER_MS = 1.5;

/**
 * Code that goes before the worklet's module: it counts blocks and bursts where a ring for capture
 * has room for it.
 */
const NOTE_BURSTS = `
import { SampleRing as NotedRing } from './sample-ring.js';
{
  const { write } = NotedRing.prototype;
  let [blocks, bursts, lastMs] = [0, 0, -Infinity];
  NotedRing.prototype.write = function (...block) {
    const now = Date.now();
    blocks += 1;
    if (now - lastMs > ${TOGETHER_MS}) bursts += 1;
    lastMs = now;
    // Negative: the ring for playback has numbers of its own there.
    this.setBurst(-blocks, -bursts);
    return write.apply(this, block);
  };
}
`;

/**
 * Put before the worker's module: notes each arriving piece of sound, and each departing frame.
 */
const NOTE_FRAMES = `
import { SampleRing as NotedRing } from '../../../worklets/sample-ring.js';
import { ClockSync as NotedClock } from '../clock/clock-sync.js';
import { Uplink as NotedUplink } from '../capture/uplink.js';
import { FrameSender as NotedSender } from '../capture/frame-sender.js';
{
  let notes = { pieces: [], frames: [], blocks: 0, bursts: 0 };
  let [atMs, clock] = [NaN, NaN];
  const { sampleClockAt } = NotedClock.prototype;
  NotedClock.prototype.sampleClockAt = function (ms) {
    return (clock = sampleClockAt.call(this, (atMs = ms)));
  };
  const { arm } = NotedRing.prototype;
  NotedRing.prototype.arm = function (mark) {
    if (this.burst < 0) [notes.blocks, notes.bursts] = [-this.burst, -this.burstGapMs];
    return arm.call(this, mark);
  };
  const { capture } = NotedUplink.prototype;
  NotedUplink.prototype.capture = function (...piece) {
    notes.pieces.push((1000 * piece[1]) / (piece[3] ?? ${RATE}));
    return capture.apply(this, piece);
  };
  const { send } = NotedSender.prototype;
  NotedSender.prototype.send = function (frame, pcm) {
    const [givenMs, given] = [atMs, clock];
    send.call(this, frame, pcm);
    notes.frames.push([frame, given, performance.now() - givenMs]);
  };
  const channel = new BroadcastChannel('notes');
  channel.onmessage = ({ data }) => {
    if (data !== 'take') return;
    channel.postMessage(notes);
    notes = { ...notes, pieces: [], frames: [] };
  };
}
`;

const options = new Command('capture')
  .description(
    "Where a microphone's frames spend their time until the server has them, by browser.",
  )
  .option('--seconds <n>', 'of each browser, each time', wholeNumber(1, 600), 15)
  .option('--turns <n>', 'through the browsers', wholeNumber(1, 100), 3)
  .option('--frame-ms <n>', 'length of a frame', '20')
  .parse()
  .opts();

/**
 * A worker whose module is put together here isn't taken to be of this machine, and could not reach
 * the server over HTTP/3.
 */
const ARGUMENTS = CHROMIUM_ARGUMENTS.map((one) =>
  one.startsWith('--disable-features=') ? `${one},LocalNetworkAccessChecks` : one,
);

/** A tone with overtones, for as long as a turn takes. */
function sound() {
  const samples = new Float32Array((options.seconds + LEAD_SECONDS) * RATE);
  for (let i = 0; i < samples.length; i++) samples[i] = 0.2 * (((i * 150) / RATE) % 1) - 0.1;
  return samples;
}

/** @returns {Promise<{ browser: Browser, close: () => Promise<void> }>} */
async function openChromium() {
  const scratch = await mkdtemp(join(tmpdir(), 'aloud-capture-'));
  const file = join(scratch, 'sound.wav');
  await writeFile(file, formatWav({ sampleRate: RATE, channels: [sound()] }));
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [
      ...ARGUMENTS,
      '--use-fake-ui-for-media-stream',
      '--use-fake-device-for-media-stream',
      `--use-file-for-fake-audio-capture=${file}`,
    ],
  });
  const close = async () => {
    await browser.close();
    await rm(scratch, { recursive: true, force: true });
  };
  return { browser, close };
}

/**
 * Has Chromium hear what Firefox does.
 * @returns {Promise<{ browser: Browser, close: () => Promise<void> }>}
 */
async function openChromiumOnPulse() {
  const server = await startSoundServer({
    microphone: formatWav({ sampleRate: RATE, channels: [sound()] }),
    speaker: true,
  });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...ARGUMENTS, '--use-fake-ui-for-media-stream'],
    env: { ...process.env, ...server.environment },
  });
  const close = async () => {
    await browser.close();
    await server.close();
  };
  return { browser, close };
}

const withWorklet = (/** @type {Page} */ page) =>
  page.addInitScript(() => void Reflect.deleteProperty(globalThis, 'MediaStreamTrackProcessor'));

const openFirefoxWith = (/** @type {Record<string, number>} */ preferences) => () =>
  openFirefox({ microphone: 'speech', speech: sound(), preferences });

const hasChromium = findChromium() !== undefined;
const hasFirefox = findFirefox() !== undefined;

/** Opening and page setup of each browser, by name. */
const BROWSERS = Object.freeze({
  ...(hasChromium && {
    Chromium: { open: openChromium },
    'Chromium, worklet': { open: openChromium, prepare: withWorklet },
  }),
  ...(hasChromium && canServeSound() && { 'Chromium, PulseAudio': { open: openChromiumOnPulse } }),
  ...(hasFirefox && {
    Firefox: { open: openFirefoxWith({}) },
    'Firefox, 256 samples': { open: openFirefoxWith({ 'media.cubeb_latency_mtg_frames': 256 }) },
  }),
});

/**
 * @param {Page} page
 * @param {string} path  of a module
 * @param {string} code  put before it
 */
const putBefore = (page, path, code) =>
  page.route(`**${path}`, async (route) => {
    const response = await route.fetch();
    const { 'content-encoding': _, 'content-length': __, ...headers } = response.headers();
    await route.fulfill({ status: 200, headers, body: code + (await response.text()) });
  });

/**
 * @param {Page} page
 * @returns {Promise<{ pieces: number[], frames: number[][], blocks: number, bursts: number }>}
 *   since the last time
 */
const takeNotes = (page) =>
  page.evaluate(
    () =>
      new Promise((resolve) => {
        const channel = new BroadcastChannel('notes');
        channel.onmessage = ({ data }) => {
          channel.close();
          resolve(data);
        };
        channel.postMessage('take');
      }),
  );

/**
 * @param {{ open: () => Promise<{ browser: Browser, close: () => Promise<void> }>, prepare?: (page:
 *   Page) => Promise<unknown> }} kind
 */
async function measure({ open, prepare }) {
  const server = new Child(SERVER, []);
  const { browser, close } = await open();
  try {
    const { port } = await server.call('start', {
      argv: ['--frame-ms', options.frameMs, '--no-silence-suppression'],
      observe: 'mixes',
    });
    const page = await browser.newPage();
    await prepare?.(page);
    await putBefore(page, '/client/call/worker.js', NOTE_FRAMES);
    await putBefore(page, '/worklets/capture-processor.js', NOTE_BURSTS);
    await page.goto(`http://localhost:${port}/r/tea?name=Ann&processing=off`);
    await page.getByRole('button', { name: 'Join' }).click();
    await page.getByRole('button', { name: 'Leave' }).waitFor();
    await pause(SETTLE_MS);
    const before = await takeNotes(page);
    await server.call('begin');
    await pause(options.seconds * 1000);
    const notes = await takeNotes(page);
    return split(notes, before, await server.call('collect'));
  } finally {
    await close();
    await server.close();
  }
}

/**
 * Splits the lateness of each frame into three stages: capture by the worker, encoding and sending,
 * and the path to the server. A burst is the sound that reaches the worklet, or the worker without
 * one, at once.
 * @param {Awaited<ReturnType<typeof takeNotes>>} notes
 * @param {Awaited<ReturnType<typeof takeNotes>>} before
 * @param {{ arrivals: { frame: number, atMs: number }[], originMs: number }} server  its notes
 */
function split({ pieces, frames, blocks, bursts }, before, { arrivals, originMs }) {
  const frameMs = Number(options.frameMs);
  const arrived = new Map(
    arrivals.map(({ frame, atMs }) => [frame, atMs - originMs - (frame + 1) * frameMs]),
  );
  const parts = frames.flatMap(([frame, clock, encodedMs]) => {
    const lateMs = arrived.get(frame);
    if (lateMs === undefined) return [];
    const heldMs = (clock * 1000) / RATE - (frame + 1) * frameMs;
    return [{ heldMs, encodedMs, wayMs: lateMs - heldMs - encodedMs, lateMs }];
  });
  const at = (
    /** @type {'heldMs' | 'encodedMs' | 'wayMs' | 'lateMs'} */ part,
    /** @type {number} */ p,
  ) => quantile(sorted(parts.map((one) => one[part])), p);
  const piece = quantile(sorted(pieces), 0.5);
  return {
    burst:
      bursts > before.bursts
        ? (128_000 * (blocks - before.blocks)) / (bursts - before.bursts) / RATE
        : piece,
    'held least': at('heldMs', 0.01),
    held: at('heldMs', 0.5),
    'held 99 %': at('heldMs', 0.99),
    encoded: at('encodedMs', 0.5),
    'on the way': at('wayMs', 0.5),
    late: at('lateMs', 0.5),
    'late 99 %': at('lateMs', 0.99),
    frames: parts.length,
  };
}

async function main() {
  /** @type {Record<string, Awaited<ReturnType<typeof measure>>>} */
  const rows = {};
  for (let turn = 0; turn < options.turns; turn++) {
    for (const [name, kind] of Object.entries(BROWSERS)) {
      process.stderr.write(`\r${turn + 1} of ${options.turns}: ${name} \x1b[K`);
      const parts = await measure(kind);
      rows[`${name} ${turn + 1}`] = /** @type {any} */ (
        Object.fromEntries(Object.entries(parts).map(([part, ms]) => [part, Number(ms.toFixed(1))]))
      );
    }
  }
  process.stderr.write('\r\x1b[K');
  console.log('Of each frame, in milliseconds, medians where nothing else is said.');
  console.table(rows);
}

await main();
