import createLibopus from '/vendor/libopus-wasm/generated/libopus.generated.mjs';
import { SampleRing } from '../../worklets/sample-ring.js';
import { createLibopusCodec } from '../shared/stream/libopus-codec.js';
import { SEGMENT_RATE } from '../shared/wire/segment.js';
import { LastingSession } from './lasting-session.js';
import { SegmentPlayback } from './segment-playback.js';
import { SegmentSession } from './segment-session.js';

/**
 * Worker that fetches, decodes and plays a recording's segments. Messages in: `{ open: { url,
 * options } }`, `{ start: { memory, port } }`, `{ seek }` in seconds, `{ speed }`, `{ paused }`;
 * out: `{ opened: { channels } }`, `{ state }`, `{ failed }`, a sentence for the console.
 */

/** Level of the ring that wakes this thread, and level to fill it to, in samples. */
const LOW = (SEGMENT_RATE * 150) / 1000;
const FULL = (SEGMENT_RATE * 300) / 1000;

const page = /** @type {import('../client/call/types.js').MessageTarget} */ (
  /** @type {unknown} */ (globalThis)
);
const codec = createLibopus().then((module) => createLibopusCodec(module));

/** @type {{ url: string, options: WebTransportOptions, rule?: string }} */
let way;
/** @type {SampleRing | null} */
let ring = null;
/** @type {SegmentPlayback | null} */
let playback = null;
let [speed, paused] = [1, true];
let on = false;
/**
 * The server's description of the recording, until a playback exists.
 * @type {{ count: number, whole: boolean } | null}
 */
let known = null;

function tell() {
  if (playback)
    page.postMessage({
      state: {
        seconds: playback.seconds,
        rate: playback.rate,
        waiting: playback.waiting,
        ended: playback.ended && (ring?.available ?? 0) <= 0,
        on,
      },
    });
}

function fill() {
  if (!playback || !ring) return;
  if (!paused) playback.fill(FULL);
  ring.arm(LOW);
  tell();
}

/** @param {(why: string) => void} closed */
async function connect(closed) {
  const opening = new SegmentSession(way.url, way.options, {
    segment: (one) => {
      link.forgive();
      playback?.take(one);
      fill();
    },
    recording: (state) => {
      if (!playback && !known) page.postMessage({ opened: { channels: state.channels } });
      known = state;
      ({ on } = state);
      playback?.known(state.count, state.whole);
      tell();
    },
    closed: (code, reason) => closed(`${code} ${reason}`),
  });
  await opening.open();
  return opening;
}

/** @type {LastingSession<SegmentSession>} */
const link = new LastingSession({
  open: connect,
  reopened: (session) => {
    session.pace(speed, paused);
    if (playback) session.play({ from: playback.missing, rule: way.rule });
  },
  // A session closed for lack of use is reopened when needed.
  closed: (why) => {
    if (!paused) void link.reopen(why);
  },
  failed: (why) => page.postMessage({ failed: why }),
});

/** @param {{ memory: SharedArrayBuffer, port: MessagePort }} start */
async function start({ memory, port }) {
  ring = new SampleRing(memory);
  playback = new SegmentPlayback(await codec, ring);
  playback.speed = speed;
  if (known) playback.known(known.count, known.whole);
  port.onmessage = fill;
  ring.arm(LOW);
}

/** @param {number} seconds */
function seek(seconds) {
  if (!playback) return;
  playback.seek(seconds);
  const from = Math.floor(seconds);
  if (link.current) link.current.play({ from, rule: way.rule });
  else void link.reopen('the session is closed');
  fill();
}

/**
 * @param {{ open?: typeof way, start?: { memory: SharedArrayBuffer, port: MessagePort }, seek?:
 *   number, speed?: number, paused?: boolean }} data a message of the page
 */
async function take(data) {
  if (data.open) {
    way = data.open;
    await link.open().catch((error) => page.postMessage({ failed: String(error) }));
  }
  if (data.start) await start(data.start);
  if (data.seek !== undefined) seek(data.seek);
  if (data.speed !== undefined) {
    speed = data.speed;
    if (playback) playback.speed = speed;
    link.current?.pace(speed, paused);
  }
  if (data.paused !== undefined) {
    paused = data.paused;
    link.current?.pace(speed, paused);
    link.forgive();
    if (!paused) void link.reopen('the session is closed');
    fill();
  }
}

/** Messages are processed in order, though the codec is awaited. */
let last = Promise.resolve();
page.onmessage = ({ data }) => {
  last = last.then(() => take(data)).catch((error) => page.postMessage({ failed: String(error) }));
};
