import createLibopus from '/vendor/libopus-wasm/generated/libopus.generated.mjs';
import { SampleRing } from '../../worklets/sample-ring.js';
import { createLibopusCodec } from '../shared/stream/libopus-codec.js';
import { SEGMENT_RATE } from '../shared/wire/segment.js';
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

/** Number of retries in a row for a broken session, and the pause before each, in milliseconds. */
const TRIES = 3;
const RETRY_MS = 700;

const page = /** @type {import('../client/call/types.js').MessageTarget} */ (
  /** @type {unknown} */ (globalThis)
);
const codec = createLibopus().then((module) => createLibopusCodec(module));

/** @type {{ url: string, options: WebTransportOptions, rule?: string }} */
let way;
/** @type {SegmentSession | null} */
let session = null;
/** @type {SampleRing | null} */
let ring = null;
/** @type {SegmentPlayback | null} */
let playback = null;
let [speed, paused, tries] = [1, true, 0];
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

async function connect() {
  const opening = new SegmentSession(way.url, way.options, {
    segment: (one) => {
      tries = 0;
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
    closed: (code, reason) => {
      session = null;
      // A session closed for lack of use is reopened when needed.
      if (!paused) void reconnect(`${code} ${reason}`);
    },
  });
  await opening.open();
  session = opening;
}

/** @param {string} why */
async function reconnect(why) {
  tries += 1;
  if (tries > TRIES) return page.postMessage({ failed: why });
  await new Promise((resolve) => void setTimeout(resolve, tries > 1 ? RETRY_MS : 0));
  try {
    await connect();
    session?.pace(speed, paused);
    if (playback) session?.play({ from: playback.missing, rule: way.rule });
  } catch (error) {
    await reconnect(String(error));
  }
}

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
  if (session) session.play({ from, rule: way.rule });
  else void reconnect('the session is closed');
  fill();
}

/**
 * @param {{ open?: typeof way, start?: { memory: SharedArrayBuffer, port: MessagePort }, seek?:
 *   number, speed?: number, paused?: boolean }} data a message of the page
 */
async function take(data) {
  if (data.open) {
    way = data.open;
    await connect().catch((error) => page.postMessage({ failed: String(error) }));
  }
  if (data.start) await start(data.start);
  if (data.seek !== undefined) seek(data.seek);
  if (data.speed !== undefined) {
    speed = data.speed;
    if (playback) playback.speed = speed;
    session?.pace(speed, paused);
  }
  if (data.paused !== undefined) {
    paused = data.paused;
    session?.pace(speed, paused);
    tries = 0;
    if (!paused && !session) void reconnect('the session is closed');
    fill();
  }
}

/** Messages are processed in order, though the codec is awaited. */
let last = Promise.resolve();
page.onmessage = ({ data }) => {
  last = last.then(() => take(data)).catch((error) => page.postMessage({ failed: String(error) }));
};
