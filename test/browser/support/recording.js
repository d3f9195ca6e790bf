import { readFile } from 'node:fs/promises';
import { readWav } from '../../../testkit/sound/wav.js';

/**
 * @import { Page } from 'playwright-core'
 */

/** The lab's: a worklet that hands on all that it hears. */
const RECORDER = new URL('../../../testkit/participants/recorder-processor.js', import.meta.url);

/**
 * Records what a page's call plays, from now on. The recorder is a ScriptProcessorNode, deprecated
 * as it is: a worklet's module would have to come from the server, which serves nothing for tests.
 * Its largest buffer gives the page a third of a second to fetch each.
 *
 * @param {Page} page in a call
 * @param {1 | 2} [channels] two are interleaved
 * @returns {Promise<() => Promise<Float32Array>>} tells what was recorded since the start, or since
 *   it was asked last; at 48 kHz
 */
export async function record(page, channels = 1) {
  const rate = await page.evaluate(startRecording, channels);
  if (rate !== 48000)
    throw new Error(`the page's audio runs at ${rate} Hz, the tests' speech at 48000 Hz`);
  return async () => samplesOf(await page.evaluate(takeRecording));
}

/**
 * Lets a page load the recorder of recordWholly(). To be called before the page loads.
 * @param {Page} page
 */
export const allowRecorder = (page) =>
  page.route('**/r/**', async (route) => {
    const response = await route.fetch();
    const headers = response.headers();
    const policy = headers['content-security-policy'].replace('script-src', 'script-src blob:');
    await route.fulfill({ response, headers: { ...headers, 'content-security-policy': policy } });
  });

/**
 * As record(), mono, but by a worklet, which never misses a block. A ScriptProcessorNode does while
 * the page fetches what it has. All later sound is then 128 samples earlier.
 * @param {Page} page in a call, whose page was opened with allowRecorder()
 * @returns {Promise<() => Promise<Float32Array>>} tells what was recorded since the start
 */
export async function recordWholly(page) {
  await page.evaluate(startRecorder, await readFile(RECORDER, 'utf8'));
  return async () => samplesOf(await page.evaluate(takeRecording));
}

/** Runs in the page. @param {string} processor */
async function startRecorder(processor) {
  const scope = /** @type {any} */ (window);
  /** @type {AudioNode} */
  const output = scope.aloud.call.output;
  const url = URL.createObjectURL(new Blob([processor], { type: 'text/javascript' }));
  await /** @type {AudioContext} */ (output.context).audioWorklet.addModule(url);
  const options = {
    numberOfOutputs: 0,
    channelCount: 1,
    channelCountMode: /** @type {const} */ ('explicit'),
  };
  const recorder = new AudioWorkletNode(output.context, 'aloud-lab-recorder', options);
  /** @type {Float32Array[]} */
  const chunks = [];
  scope.testRecording = { recorder, chunks };
  recorder.port.onmessage = ({ data }) => {
    scope.testRecording.firstFrame ??= data.frame;
    chunks.push(data.samples);
  };
  output.connect(recorder);
}

/**
 * When the first sample that recordWholly() has recorded left the speaker, in milliseconds since
 * 1970, as the browser tells it. To be asked once something was recorded.
 * @param {Page} page
 */
export const recordingBegan = (page) =>
  page.evaluate(() => {
    const { recorder, firstFrame } = /** @type {any} */ (window).testRecording;
    /** @type {AudioContext} */
    const context = recorder.context;
    const { contextTime = NaN, performanceTime = NaN } = context.getOutputTimestamp();
    return (
      performance.timeOrigin +
      performanceTime +
      1000 * (firstFrame / context.sampleRate - contextTime)
    );
  });

/** Samples that came from a page as a data URL. @param {string} url */
export function samplesOf(url) {
  const bytes = Buffer.from(url.split(',')[1] ?? '', 'base64');
  return new Float32Array(bytes.buffer.slice(bytes.byteOffset, bytes.byteOffset + bytes.length));
}

/** Runs in the page. @param {number} channels */
function startRecording(channels) {
  const page = /** @type {any} */ (window);
  /** @type {AudioNode} */
  const output = page.aloud.call.output;
  const context = /** @type {AudioContext} */ (output.context);
  const recorder = context.createScriptProcessor(16384, channels, channels);
  /** @type {Float32Array[]} */
  const chunks = [];
  recorder.addEventListener('audioprocess', ({ inputBuffer }) => {
    const sides = Array.from({ length: channels }, (_, c) => inputBuffer.getChannelData(c));
    chunks.push(
      Float32Array.from(
        { length: inputBuffer.length * channels },
        (_, i) => sides[i % channels][Math.floor(i / channels)],
      ),
    );
  });
  output.connect(recorder).connect(context.destination);
  // Chromium stops a recorder that nobody holds on to.
  page.testRecording = { recorder, chunks };
  return context.sampleRate;
}

/** Runs in the page. */
async function takeRecording() {
  const { chunks } = /** @type {any} */ (window).testRecording;
  const reader = new FileReader();
  reader.readAsDataURL(new Blob(chunks.splice(0)));
  await new Promise((resolve) => void reader.addEventListener('load', resolve));
  return String(reader.result);
}

/**
 * Loudness of a page's call over a second, as the root mean square of its samples.
 * @param {() => Promise<Float32Array>} take
 */
export async function loudness(take) {
  await take();
  let sum = 0;
  let count = 0;
  while (count < 48_000) {
    for (const sample of await take()) {
      sum += sample * sample;
      count += 1;
    }
    await new Promise((resolve) => setTimeout(resolve, 100));
  }
  return Math.sqrt(sum / count);
}

/**
 * Sound of everybody's microphone, longer than a test listens: for useSite().
 * @returns {Promise<{ speech: Float32Array }>}
 */
export async function longSpeech() {
  const {
    channels: [speech],
  } = await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url));
  return {
    speech: Float32Array.from({ length: speech.length * 30 }, (_, i) => speech[i % speech.length]),
  };
}
