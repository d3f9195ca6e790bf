/* global AudioContext, OscillatorNode, GainNode */
/**
 * Asks Chromium on a PulseAudio for an output of each latency that a page may wish for. Prints what
 * it reports of them beside what the sound server sees.
 */

import { execFileSync } from 'node:child_process';
import { findChromium, launchChromium, CHROMIUM_ARGUMENTS } from '../testkit/browsers/chromium.js';
import { startSoundCard } from '../testkit/browsers/sound-server.js';
import { quantile, sorted } from '../testkit/statistics.js';
import { formatWav } from '../testkit/sound/wav.js';

const RATE = 48000;

/** Wishes of a page (Web Audio API, AudioContextLatencyCategory, or seconds). */
const HINTS = Object.freeze([0, 0.005, 0.01, 'interactive', 'playback']);

/** Number of readings of a context, and their interval in milliseconds. */
const READINGS = 20;
const EVERY_MS = 100;

/**
 * Runs in the page: plays a tone in a context of its own.
 * @param {{ latencyHint: number | AudioContextLatencyCategory, sampleRate: number, readings:
 *   number, everyMs: number }} options
 */
async function readContext({ latencyHint, sampleRate, readings, everyMs }) {
  const context = new AudioContext({ latencyHint, sampleRate });
  await context.resume();
  const tone = new OscillatorNode(context, { frequency: 300 });
  tone.connect(new GainNode(context, { gain: 0.1 })).connect(context.destination);
  tone.start();
  const outputMs = [];
  for (let i = 0; i < readings; i++) {
    await new Promise((resolve) => void setTimeout(resolve, everyMs));
    // 0 until the device has begun.
    if (context.outputLatency > 0) outputMs.push(1000 * context.outputLatency);
  }
  const baseMs = 1000 * context.baseLatency;
  await context.close();
  return { baseMs, outputMs };
}

async function main() {
  const silence = formatWav({ sampleRate: RATE, channels: [new Float32Array(RATE / 10)] });
  const card = await startSoundCard(silence);
  const env = { ...process.env, ...card.ear };
  const browser = await launchChromium({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGUMENTS, '--autoplay-policy=no-user-gesture-required'],
    ignoreDefaultArgs: ['--mute-audio'],
    env,
  });
  try {
    const page = await browser.newPage();
    /** @type {Record<string, object>} */
    const rows = {};
    for (const latencyHint of HINTS) {
      const options = { latencyHint, sampleRate: RATE, readings: READINGS, everyMs: EVERY_MS };
      const read = page.evaluate(readContext, /** @type {any} */ (options));
      await page.waitForTimeout((READINGS * EVERY_MS) / 2);
      const inputs = execFileSync('pactl', ['list', 'sink-inputs'], { env, encoding: 'utf8' });
      const opened = inputs.split('Sink Input #').find((text) => text.includes('"Chromium"')) ?? '';
      const { baseMs, outputMs } = await read;
      const ascending = sorted(outputMs);
      const at = (/** @type {number} */ p) => Number(quantile(ascending, p).toFixed(1));
      rows[String(latencyHint)] = {
        'baseLatency, ms': Number(baseMs.toFixed(1)),
        'outputLatency, ms': at(0.5),
        least: at(0),
        most: at(1),
        'opened as': /Sample Specification: (.*)/.exec(opened)?.[1] ?? '',
      };
    }
    console.table(rows);
  } finally {
    await browser.close();
    await card.close();
  }
}

await main();
