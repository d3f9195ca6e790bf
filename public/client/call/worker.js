import createLibopus from '/vendor/libopus-wasm/generated/libopus.generated.mjs';
import { SampleRing } from '../../../worklets/sample-ring.js';
import { createAudioFormat } from '../../shared/sound/audio-format.js';
import { createLibopusCodec } from '../../shared/stream/libopus-codec.js';
import { warmUpCodec } from './client-audio.js';
import { loadPrimitives } from './primitives.js';
import { ReconnectingClient } from './reconnecting-client.js';
import { pullSamples } from '../playout/playout.js';
import { CaptureFeed, TrackFeed } from '../capture/capture-feeds.js';
import { PlaybackFeed } from '../playout/playback-feed.js';

/**
 * The worker's shell around ReconnectingClient. Messages in: `join`, `mute`, `silence-suppression`,
 * `nearness`, `control`, `leave`, `capture`, `capture-track`, `capture-ended`, `playback`, `pull`,
 * `wake`; out: `joined`, `ended`, `frame`, and the call's events.
 *
 * @typedef {object} Port
 * @property {(message: object, transfer?: Transferable[]) => void} postMessage
 * @property {((event: MessageEvent) => void) | null} onmessage
 */

const page = /** @type {Port} */ (/** @type {unknown} */ (globalThis));

/**
 * The way that captured sound comes: the worklet's port, or a track.
 * @type {MessagePort | TrackFeed | null}
 */
let capture = null;
/** @type {MessagePort | null} */
let playbackPort = null;
let format = createAudioFormat();
let frame = new Float32Array(pullSamples(format));
/** @type {PlaybackFeed | null} */
let playback = null;

const codec = createLibopus().then((module) => createLibopusCodec(module));
let isWarm = false;

const call = new ReconnectingClient({
  codec,
  primitives: loadPrimitives,
  on: {
    transport: (detail) => page.postMessage({ type: 'transport', ...detail }),
    joined: ({ format: joined, leaveUrl, resume }) => {
      // The page makes its rings anew.
      if (JSON.stringify(joined) !== JSON.stringify(format)) closePorts();
      format = joined;
      frame = new Float32Array(pullSamples(format) * format.channels);
      page.postMessage({ type: 'joined', format, leaveUrl, resume });
      // While the page starts its sound.
      if (!isWarm) void codec.then((ready) => warmUpCodec(ready, joined));
      isWarm = true;
    },
    state: (detail) => page.postMessage({ type: 'state', ...detail }),
    people: (detail) => page.postMessage({ type: 'people', ...detail }),
    control: (message) => page.postMessage({ type: 'control', message }),
    access: (access) => page.postMessage({ type: 'access', access }),
    stats: ({ clock, ...detail }) => {
      // The page's clock counts from another origin (High Resolution Time, section 4).
      const atMs = clock.atMs + performance.timeOrigin;
      page.postMessage({ type: 'stats', ...detail, clock: { ...clock, atMs } });
    },
    notice: (code) => page.postMessage({ type: 'notice', code }),
    speakers: (speakers) => page.postMessage({ type: 'speakers', speakers }),
    sound: () => playback?.arrived(),
    ended: (detail) => page.postMessage({ type: 'ended', ...detail }),
  },
});

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

/**
 * Ends the call as an exception in an event handler does: it reaches the page's Worker.onerror.
 * @param {unknown} error
 */
const tellFault = (error) => reportError(error);

/** @type {Record<string, (data: any) => void>} */
const handlers = {
  join: (options) => {
    call
      .join(options)
      .catch(({ code = 'internal', message }) =>
        page.postMessage({ type: 'ended', code, message }),
      );
  },
  mute: ({ muted }) => call.mute(muted),
  'silence-suppression': ({ on }) => call.suppressSilence(on),
  nearness: ({ nearness }) => call.setNearness(nearness),
  wake: () => call.wake(),
  control: ({ message }) => call.sendControl(message),
  leave: ({ keepsPlace }) => {
    call.leave(keepsPlace);
    page.postMessage({ type: 'ended', code: 'left', message: '' });
  },
  capture: ({ memory, port }) => {
    endCapture();
    call.captureAnew();
    capture = port;
    if (memory) {
      const feed = new CaptureFeed(new SampleRing(memory), call);
      port.onmessage = () => feed.wake();
    } else {
      port.onmessage = (/** @type {MessageEvent<Float32Array>} */ { data }) => {
        port.postMessage(0);
        call.capture(data, data.length / format.channels);
      };
    }
  },
  'capture-track': ({ sound }) => {
    endCapture();
    call.captureAnew();
    capture = new TrackFeed(sound, call, format.channels, tellFault);
  },
  'capture-ended': endCapture,
  playback: ({ memory, port, sampleRate, blockMs }) => {
    playback?.close();
    const feed = new PlaybackFeed(new SampleRing(memory), call, {
      sampleRate,
      blockMs,
      frameMs: format.frameMs,
      pullSamples: frame.length,
    });
    playback = feed;
    playbackPort = port;
    port.onmessage = () => feed.wake();
  },
  pull: ({ frames, leadMs }) => {
    call.observeOutput(leadMs, 0, 0);
    for (let i = 0; i < frames; i++) {
      const samples = frame.slice(0, call.pull(frame) * format.channels);
      page.postMessage({ type: 'frame', samples }, [samples.buffer]);
    }
  },
};

page.onmessage = ({ data }) => handlers[data.type]?.(data);
