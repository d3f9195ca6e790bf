/**
 * Measures each kind of processing of a microphone in Chromium, on its own PulseAudio. Figures are
 * its cost, delay, separation of left and right, and change of sustained notes.
 */

import { createServer } from 'node:http';
import { once } from 'node:events';
import { chromium } from 'playwright-core';
import { CHROMIUM_ARGUMENTS, findChromium } from '../testkit/browsers/chromium.js';
import { canServeSound, startSoundServer } from '../testkit/browsers/sound-server.js';
import { formatWav } from '../testkit/sound/wav.js';

const RATE = 48000;

/** The notes of each side, in Hz. */
const LEFT = [220, 880, 3520];
const RIGHT = [330, 1320, 5280];

const SECONDS = 9;

/** From when on the notes are measured, and for how long: what adapts has done so. */
const FROM_SECONDS = 6;
const MEASURED_SECONDS = 2;

const OFF = { echoCancellation: false, noiseSuppression: false, autoGainControl: false };

/** @type {Readonly<Record<string, object>>} */
const MODES = Object.freeze({
  none: OFF,
  'automatic gain': { ...OFF, autoGainControl: true },
  'noise suppression': { ...OFF, noiseSuppression: true },
  'echo cancellation': { ...OFF, echoCancellation: true },
  'the same, remote-only': { ...OFF, echoCancellation: 'remote-only' },
  all: { echoCancellation: true, noiseSuppression: true, autoGainControl: true },
});

const notes = (/** @type {number[]} */ tones) =>
  Float32Array.from({ length: (SECONDS + 5) * RATE }, (_, i) =>
    tones.reduce((sum, hz) => sum + 0.03 * Math.sin((2 * Math.PI * hz * i) / RATE), 0),
  );

/**
 * Runs in the page.
 * @param {{ processing: object, seconds: number, fromSeconds: number }} options
 */
async function hear({ processing, seconds, fromSeconds }) {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { channelCount: { ideal: 2 }, ...processing },
  });
  const track = /** @type {any} */ (stream.getAudioTracks()[0]);
  const reader = new /** @type {any} */ (globalThis).MediaStreamTrackProcessor({
    track,
  }).readable.getReader();
  const beginMs = performance.now();
  /** @type {number[][]} */
  const sides = [[], []];
  const latencies = [];
  let [rate, frames] = [0, 0];
  for (let ms = 0; ms < 1000 * seconds; ms = performance.now() - beginMs) {
    const { value } = await reader.read();
    rate = value.sampleRate;
    frames = value.numberOfFrames;
    const plane = new Float32Array(frames);
    for (const [side, samples] of sides.entries()) {
      value.copyTo(plane, {
        planeIndex: Math.min(side, value.numberOfChannels - 1),
        format: 'f32-planar',
      });
      if (ms > 1000 * fromSeconds) samples.push(...plane);
    }
    value.close();
    latencies.push(track.stats.latency);
  }
  latencies.sort((a, b) => a - b);
  return {
    rate,
    frames,
    sides,
    latencyMs: latencies[latencies.length >> 1],
    settingMs: 1000 * track.getSettings().latency,
  };
}

/**
 * @param {number[]} samples @param {number} rate @param {number} hz
 * @returns {number} the tone's level in dB over a sine at full scale
 */
function levelDb(samples, rate, hz) {
  const count = MEASURED_SECONDS * rate;
  let [re, im] = [0, 0];
  for (let i = 0; i < count; i++) {
    const sample = (samples[i] ?? 0) * (1 - Math.cos((2 * Math.PI * i) / count));
    re += sample * Math.cos((2 * Math.PI * hz * i) / rate);
    im += sample * Math.sin((2 * Math.PI * hz * i) / rate);
  }
  return 20 * Math.log10((2 * Math.hypot(re, im)) / count + 1e-6);
}

/** @param {string} url @param {object} processing */
async function measure(url, processing) {
  const sound = await startSoundServer({
    microphone: formatWav({ sampleRate: RATE, channels: [notes(LEFT), notes(RIGHT)] }),
    speaker: true,
  });
  const browser = await chromium.launch({
    executablePath: findChromium(),
    args: [...CHROMIUM_ARGUMENTS, '--use-fake-ui-for-media-stream'],
    env: { ...process.env, ...sound.environment },
  });
  try {
    const page = await browser.newPage();
    await page.goto(url);
    return await page.evaluate(hear, { processing, seconds: SECONDS, fromSeconds: FROM_SECONDS });
  } finally {
    await browser.close();
    await sound.close();
  }
}

if (!canServeSound() || findChromium() === undefined)
  throw new Error('this needs Chromium, and PulseAudio with pactl and paplay');
const http = createServer(
  (_, response) => void response.setHeader('content-type', 'text/html').end('<!doctype html>'),
);
http.listen(0, '127.0.0.1');
await once(http, 'listening');
const { port } = /** @type {import('node:net').AddressInfo} */ (http.address());
console.log(
  '| processing | pieces | rate, Hz | `latency` of the settings, ms | ' +
    '`track.stats.latency`, median, ms | left on the left, dB | right on the left, dB |',
);
console.log('| --- | --- | --- | --- | --- | --- | --- |');
for (const [name, processing] of Object.entries(MODES)) {
  const { rate, frames, sides, latencyMs, settingMs } = await measure(
    `http://localhost:${port}/`,
    processing,
  );
  const levels = (/** @type {number[]} */ tones) =>
    tones.map((hz) => levelDb(sides[0], rate, hz).toFixed(1)).join(', ');
  console.log(
    `| ${name} | ${frames} | ${rate} | ${settingMs.toFixed(1)} | ${latencyMs.toFixed(1)} | ` +
      `${levels(LEFT)} | ${levels(RIGHT)} |`,
  );
}
http.close();
