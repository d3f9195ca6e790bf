/**
 * @import { CallView, CaptureOptions, MessageTarget, ToWorker } from './types.js'
 * @import { NoiseSuppressor } from '../capture/noise-suppressor.js'
 * @import { OwnRecording } from '../capture/own-recording.js'
 * @import { Encoding, SecondInput } from '../capture/second-input.js'
 * @import { Primitives } from '../../shared/stream/sframe.js'
 */

import createLibopus from '/vendor/libopus-wasm/generated/libopus.generated.mjs';
import { SampleRing } from '../../../worklets/sample-ring.js';
import { systemClock } from '../../shared/clock.js';
import { createAudioFormat } from '../../shared/sound/audio-format.js';
import { createLibopusCodec } from '../../shared/stream/libopus-codec.js';
import { warmUpCodec } from './call-audio.js';
import { CallClient } from './call-client.js';
import { openWorkerEnd } from './call-port.js';
import { pullSamples } from '../playout/playout.js';
import { CaptureFeed, TrackFeed } from '../capture/capture-feeds.js';
import { PlaybackFeed } from '../playout/playback-feed.js';

/** The source of captured sound: the worklet's port, or a track. */
let capture = /** @type {MessagePort | TrackFeed | null} */ (null);
/** Removes noise from captured sound; null unless this person has chosen it. */
let suppressor = /** @type {NoiseSuppressor | null} */ (null);
/** Number of the latest choice: a model that was loaded for an earlier one is dropped. */
let suppressions = 0;
/** Records captured sound on this device; null unless this person does. */
let recording = /** @type {OwnRecording | null} */ (null);
/** The second input, captured with the first; null unless this person has one. */
let second = /** @type {SecondInput | null} */ (null);
/** Number of the latest change of the second input: code loaded for an earlier one isn't run. */
let inputTurns = 0;
/** Number of the latest start or stop of the recording, for the same reason. */
let recordingTurns = 0;
/** True while captured sound has two channels, which are two inputs. */
let isSplit = false;
let isMuted = false;
/** True when silence may be left out, as the page asks. */
let suppressesSilence = true;
/** Encoding of the first input. @type {Encoding} */
let encoding = {};
let playbackPort = /** @type {MessagePort | null} */ (null);
let format = createAudioFormat();
let frame = new Float32Array(pullSamples(format));
let playback = /** @type {PlaybackFeed | null} */ (null);

/**
 * Loads the primitives of end-to-end encryption, which most calls don't need.
 * @returns {Promise<Primitives>}
 */
async function loadPrimitives() {
  const [{ ctr }, { expand, extract }, { hmac }, { sha256 }] = await Promise.all([
    import('/vendor/noble-ciphers/aes.js'),
    import('/vendor/noble-hashes/hkdf.js'),
    import('/vendor/noble-hashes/hmac.js'),
    import('/vendor/noble-hashes/sha2.js'),
  ]);
  return { ctr, expand, extract, hmac, sha256 };
}

const loadNoiseModel = async () => {
  const { default: createModel } = await import('/vendor/rnnoise-wasm/rnnoise.js');
  return createModel();
};

const codec = createLibopus().then((module) => createLibopusCodec(module));
let isWarm = false;

/** @param {() => number} capturedTo */
const openSecond = (capturedTo) =>
  new CallClient({ codec, primitives: loadPrimitives, capturedTo });

const call = new CallClient({
  codec,
  primitives: loadPrimitives,
  on: {
    notice: (code) => page.send('notice', { code }),
    sound: () => playback?.arrived(),
  },
});

call.on('refused', (message) => page.send('refused', message));
call.on('moderated', (message) => {
  if ('muted' in message && message.muted === true) mute(true);
  page.send('moderated', message);
});
call.on('caption', (message) => page.send('caption', message));
call.on('track-place', (message) => page.send('track-place', message));

call.store.observe((_value, _before, changes) => {
  const { joined, stats } = changes;
  if (joined) {
    prepare(joined.format);
    recording?.joined(joined.format);
    second?.ownerJoined(joined);
  }
  if (stats) recording?.follow(stats.clock);
  page.send('changed', stats ? { ...changes, stats: atPageTime(stats) } : changes);
  if (joined && !isWarm) {
    isWarm = true;
    // While the page starts its sound.
    void codec.then((ready) => warmUpCodec(ready, joined.format));
  }
});

/** @param {typeof format} joined  the room's */
function prepare(joined) {
  // The page makes new rings.
  if (JSON.stringify(joined) !== JSON.stringify(format)) closePorts();
  format = joined;
  frame = new Float32Array(pullSamples(format) * format.channels);
}

/**
 * The page's clock counts from another origin (High Resolution Time, section 4).
 * @param {NonNullable<CallView['stats']>} stats
 */
function atPageTime({ clock, ...stats }) {
  return { ...stats, clock: { ...clock, atMs: clock.atMs + performance.timeOrigin } };
}

function closePorts() {
  endCapture();
  playbackPort?.close();
  playback?.close();
  playbackPort = playback = null;
}

function endCapture() {
  capture?.close();
  capture = null;
}

/** Captured sound on its way to the call. */
const voice = {
  /**
   * @param {Float32Array} samples
   * @param {number} count
   * @param {number} [rate]
   * @param {number} [burst]
   * @param {Float32Array | null} [inputs]  both, interleaved, where they are two
   */
  capture(samples, count, rate, burst, inputs = null) {
    const channels = inputs ? 2 : format.channels;
    recording?.capture(inputs ?? samples, count, rate, burst, channels);
    (suppressor ?? call).capture(samples, count, rate, burst);
  },
  get samplesToFrame() {
    return (suppressor ?? call).samplesToFrame;
  },
};

/** @param {NoiseSuppressor | null} chosen */
function setSuppressor(chosen) {
  suppressor = chosen;
  call.change({ suppressionMs: chosen?.delayMs ?? 0 });
}

/**
 * Removes noise from captured sound once the model is loaded. If it can't be used, the page
 * receives a notice, and captured sound passes unchanged.
 * @param {boolean} isWanted
 */
async function suppressNoise(isWanted) {
  const turn = ++suppressions;
  if (suppressor) setSuppressor(null);
  if (!isWanted) return;
  const failed = () => {
    if (turn !== suppressions) return;
    setSuppressor(null);
    page.send('notice', { code: 'noise-model' });
  };
  try {
    const { openNoiseSuppressor } = await import('../capture/noise-suppressor.js');
    const opened = await openNoiseSuppressor(loadNoiseModel, call, format, failed);
    if (turn !== suppressions) return;
    call.restartCapture();
    setSuppressor(opened);
  } catch {
    failed();
  }
}

/** @param {boolean} muted */
function mute(muted) {
  isMuted = muted;
  recording?.mute(muted);
  second?.mute(muted);
}

/** Two inputs keep their place in silence, since sound of one would move without the other's. */
function suppressSilence() {
  call.change({ silenceSuppression: suppressesSilence && second === null });
}

/** @param {ToWorker['second-input']} input */
async function setSecond(input) {
  const turn = ++inputTurns;
  second?.close();
  second = null;
  suppressSilence();
  if (input === null) return;
  const { SecondInput: Input } = await import('../capture/second-input.js');
  if (turn !== inputTurns) return input.port.close();
  const first = { first: voice, firstCall: call, encoding };
  second = new Input({ ...input, ...first, muted: isMuted, open: openSecond });
  suppressSilence();
}

/** @param {MessagePort | null} port */
async function recordOwn(port) {
  const turn = ++recordingTurns;
  recording?.stop();
  recording = null;
  if (port === null) return;
  const { OwnRecording } = await import('../capture/own-recording.js');
  // The file that waits for sound is closed.
  if (turn !== recordingTurns) return port.postMessage({ end: '' });
  const channels = isSplit ? 2 : format.channels;
  recording = new OwnRecording({ format, channels, port, muted: isMuted, clock: systemClock });
  const { stats } = call.store.value;
  if (stats) recording.follow(stats.clock);
}

/** Captured sound goes on from another device, or after a gap. */
function restartCapture() {
  call.restartCapture();
  recording?.restartCapture();
  second?.restartCapture();
}

/**
 * Begins to capture from another source.
 * @param {CaptureOptions} options
 * @returns {{ sink: typeof voice | SecondInput, channels: number }} the receiver of its sound
 */
function beginCapture({ noiseModel, split }) {
  endCapture();
  restartCapture();
  isSplit = split === true;
  void suppressNoise(noiseModel === true && !isSplit);
  second?.begin(isSplit);
  return { sink: isSplit && second ? second : voice, channels: isSplit ? 2 : format.channels };
}

/** @param {ToWorker['capture']} source */
function captureFrom({ memory, port, ...source }) {
  const { sink, channels } = beginCapture(source);
  capture = port;
  if (memory) {
    const feed = new CaptureFeed(new SampleRing(memory), sink);
    port.onmessage = () => feed.wake();
  } else {
    port.onmessage = (/** @type {MessageEvent<Float32Array>} */ { data }) => {
      port.postMessage(0);
      sink.capture(data, data.length / channels);
    };
  }
}

/** @param {ToWorker['playback']} output */
function playTo({ memory, port, sampleRate, blockMs }) {
  playback?.close();
  const { frameMs } = format;
  const sizes = { sampleRate, blockMs, frameMs, pullSamples: frame.length };
  const feed = new PlaybackFeed(new SampleRing(memory), call, sizes);
  playback = feed;
  playbackPort = port;
  port.onmessage = () => feed.wake();
}

const scope = /** @type {MessageTarget} */ (/** @type {unknown} */ (globalThis));

const page = openWorkerEnd(scope, {
  // The store tells of a failure.
  join: (options) => {
    mute(options.muted ?? false);
    suppressesSilence = options.silenceSuppression ?? true;
    encoding = { application: options.application, pcm: options.join.pcm };
    void call.join(options).catch(() => {});
  },
  change: (changes) => {
    if (changes.muted !== undefined) mute(changes.muted);
    suppressesSilence = changes.silenceSuppression ?? suppressesSilence;
    call.change(second ? { ...changes, silenceSuppression: false } : changes);
  },
  control: (message) => call.sendControl(message),
  wake: () => {
    call.wake();
    second?.wake();
  },
  leave: ({ keepsPlace }) => {
    void recordOwn(null);
    void setSecond(null);
    call.leave(keepsPlace);
    page.send('left', null);
  },
  capture: captureFrom,
  'capture-track': ({ sound, ...source }) => {
    const { sink, channels } = beginCapture(source);
    // An exception reaches the page's Worker.onerror, as one in an event handler does.
    capture = new TrackFeed(sound, sink, channels, reportError);
  },
  'capture-ended': endCapture,
  'second-input': (input) =>
    void setSecond(input).catch(() => input?.port.postMessage({ end: 'no-worker' })),
  'record-own': (port) =>
    void recordOwn(port).catch(() => port?.postMessage({ end: 'own-failed' })),
  playback: playTo,
  pull: ({ frames, leadMs }) => {
    call.observeOutput(leadMs, 0, 0);
    for (let i = 0; i < frames; i++) {
      const samples = frame.slice(0, call.pull(frame) * format.channels);
      page.send('frame', { samples }, [samples.buffer]);
    }
  },
});
