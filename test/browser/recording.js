/**
 * @import { Page } from 'playwright-core'
 */

/**
 * Records what a page's call plays, from now on. The recorder is a ScriptProcessorNode, deprecated as
 * it is: a worklet's module would have to come from the server, which serves nothing for tests. Its
 * largest buffer gives the page a third of a second to fetch each.
 *
 * @param {Page} page in a call
 * @param {1 | 2} [channels] two are interleaved
 * @returns {Promise<() => Promise<Float32Array>>} tells what was recorded since the start, or since it
 *   was asked last; at 48 kHz
 */
export async function record(page, channels = 1) {
  const rate = await page.evaluate(startRecording, channels);
  if (rate !== 48000) throw new Error(`the page's audio runs at ${rate} Hz, the tests' speech at 48000 Hz`);
  return async () => samplesOf(await page.evaluate(takeRecording));
}

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
    chunks.push(Float32Array.from({ length: inputBuffer.length * channels }, (_, i) => sides[i % channels][Math.floor(i / channels)]));
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
