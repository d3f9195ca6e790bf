/**
 * The server's end of the scenarios `throughput` and `estimates`, in its own process. It sends like
 * a recording, a stream for each second as fast as possible, or for each segment when a player
 * needs it. Or it sends like a call, a datagram for each frame. Or it sends like a live channel: a
 * stream for each segment, whose pictures are written one by one. In the meantime it notes its
 * estimates.
 * @import { NativeSession, Stream } from '@aloud/native'
 * @import { CongestionController } from '../plugin/controllers.js'
 */

import { Endpoint } from '@aloud/native';
import { generateCertificate } from '../../server/certificate/generate.js';
import { serve, sharedMs } from '../../testkit/participants/child.js';
import { controllerSettings } from '../plugin/controllers.js';

/** Bytes of a second of a recording at 128 kbit/s, and of 20 ms of a call at that rate. */
const SEGMENT = new Uint8Array(16_000);
const FRAME = new Uint8Array(320);
const FRAME_MS = 20;

/** Segments under way at most, so that QUIC always has something to send: some 2 MB. */
const SEGMENTS = 128;

/** Pause between two looks at the session's figures, in milliseconds. */
const LOOK_MS = 20;

/** Time in a segment of a player's, and in its buffer at least, in milliseconds. */
const SEGMENT_MS = 1600;
const BUFFER_MS = 5000;

/** Bytes of a live picture of 2 000 kbit/s, of which there are 25 a second, and of a segment. */
const PICTURE_MS = 40;
const PICTURE = new Uint8Array(10_000);
const PICTURES = SEGMENT_MS / PICTURE_MS;
const PLAYERS_SEGMENT = new Uint8Array(PICTURES * PICTURE.length);

/** @type {Endpoint | null} */
let endpoint = null;
/** @type {NativeSession | null} */
let session = null;
/** @type {(() => void) | null} */
let stop = null;
/** @type {NodeJS.Timeout | undefined} */
let looking;
/**
 * @type {{ atMs: number, deliveryBps: number | null, isLimit: boolean, bytesInFlight: number,
 *   rttMs: number }[]}
 */
let notes = [];
/** Segments that a player was sent: when each began to go, and was acknowledged. */
let segments = /** @type {{ fromMs: number, toMs: number }[]} */ ([]);

/**
 * Opens streams as fast as they go, each with one segment.
 * @param {NativeSession} to
 * @returns {() => void} ends it
 */
function sendSegments(to) {
  /** The one that doesn't go out yet. @type {Stream | null} */
  let waiting = null;
  const fill = () => {
    for (let i = 0; i < SEGMENTS; i++) {
      waiting ??= to.openStream({ bidi: false });
      if (!waiting?.write(SEGMENT)) return;
      waiting.finish();
      waiting = null;
    }
  };
  const timer = setInterval(fill, 5);
  return () => {
    clearInterval(timer);
    waiting?.finish();
  };
}

/** @param {NativeSession} to @returns {() => void} ends it */
function sendFrames(to) {
  const startMs = performance.now();
  let sent = 0;
  const timer = setInterval(() => {
    for (; startMs + sent * FRAME_MS <= performance.now(); sent++) to.send(FRAME);
  }, FRAME_MS / 4);
  return () => clearInterval(timer);
}

/**
 * Sends a recording as a player needs it: the next segment when the one before has been
 * acknowledged, and its buffer holds less than BUFFER_MS. The buffer is known by what was sent and
 * the time that has passed.
 * @param {NativeSession} to
 * @returns {() => void} ends it
 */
function sendToPlayer(to) {
  const startMs = performance.now();
  let [sentMs, sentBytes, fromMs] = [0, 0, NaN];
  const next = () => {
    const stats = to.stats();
    if (!stats) return;
    const nowMs = sharedMs(performance.now());
    const isUnderWay =
      stats.bytesInFlight > 0 || stats.sentBytes - sentBytes < PLAYERS_SEGMENT.length;
    if (!Number.isNaN(fromMs)) {
      if (isUnderWay) return;
      segments.push({ fromMs, toMs: nowMs });
      fromMs = NaN;
    }
    if (sentMs - (performance.now() - startMs) >= BUFFER_MS) return;
    const stream = to.openStream({ bidi: false });
    if (!stream?.write(PLAYERS_SEGMENT)) return;
    stream.finish();
    [sentMs, sentBytes, fromMs] = [sentMs + SEGMENT_MS, stats.sentBytes, nowMs];
  };
  const timer = setInterval(next, 5);
  return () => clearInterval(timer);
}

/**
 * Sends a live channel: each picture when it comes to be, in the stream of its segment. What a
 * stream's buffer doesn't take is left out.
 * @param {NativeSession} to
 * @returns {() => void} ends it
 */
function sendLive(to) {
  const startMs = performance.now();
  let sent = 0;
  /** @type {Stream | null} */
  let stream = null;
  const timer = setInterval(() => {
    for (; startMs + sent * PICTURE_MS <= performance.now(); sent++) {
      stream ??= to.openStream({ bidi: false });
      stream?.write(PICTURE);
      if ((sent + 1) % PICTURES > 0) continue;
      stream?.finish();
      stream = null;
    }
  }, PICTURE_MS / 8);
  return () => {
    clearInterval(timer);
    stream?.finish();
  };
}

const SENDERS = Object.freeze({
  segments: sendSegments,
  frames: sendFrames,
  player: sendToPlayer,
  live: sendLive,
});

function look() {
  const stats = session?.stats();
  if (!stats) return;
  const { deliveryBps, deliveryIsLimit: isLimit, bytesInFlight, rttMs } = stats;
  notes.push({ atMs: sharedMs(performance.now()), deliveryBps, isLimit, bytesInFlight, rttMs });
}

function end() {
  stop?.();
  stop = null;
}

serve(
  {
    /**
     * @param {{ host: string, controller: CongestionController, lookMs?: number }} options
     */
    async open({ host, controller, lookMs = LOOK_MS }) {
      const certificate = await generateCertificate({ hosts: [host], now: new Date() });
      const { certPem, keyPem } = certificate;
      endpoint = new Endpoint({
        ...controllerSettings(controller),
        maxStreams: SEGMENTS,
        streamBufferBytes: 1 << 20,
      });
      const onSession = (/** @type {NativeSession} */ opened) => void (session = opened);
      const { port } = await endpoint.listen({
        host,
        port: 0,
        certPem,
        keyPem,
        onRequest: (request) => request.accept(),
        onSession,
      });
      looking = setInterval(look, lookMs);
      return { port, hash: certificate.hash };
    },

    /**
     * Sends from now on, to the session that was opened last.
     * @param {{ what: keyof typeof SENDERS | 'nothing' }} options
     */
    send({ what }) {
      end();
      if (!session) throw new Error('nobody has connected');
      segments = [];
      if (what !== 'nothing') stop = SENDERS[what](session);
    },

    /** Returns the samples since the last call, with times of the shared clock. */
    take() {
      const taken = notes;
      notes = [];
      return taken;
    },

    /** Returns the player's segments since the sending began. */
    takeSegments: () => segments,
  },
  async () => {
    end();
    clearInterval(looking);
    await endpoint?.close();
  },
);
