/**
 * The server's end of the scenario `throughput`, in its own process. It sends like a recording,
 * a stream for each second, or like a call, a datagram for each frame. In the meantime it notes
 * its estimates.
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
     * @param {{ host: string, controller: CongestionController }} options
     */
    async open({ host, controller }) {
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
      looking = setInterval(look, LOOK_MS);
      return { port, hash: certificate.hash };
    },

    /**
     * Sends from now on, to the session that was opened last.
     * @param {{ what: 'segments' | 'frames' | 'nothing' }} options
     */
    send({ what }) {
      end();
      if (!session) throw new Error('nobody has connected');
      if (what !== 'nothing')
        stop = what === 'segments' ? sendSegments(session) : sendFrames(session);
    },

    /** Returns the samples since the last call, with times of the shared clock. */
    take() {
      const taken = notes;
      notes = [];
      return taken;
    },
  },
  async () => {
    end();
    clearInterval(looking);
    await endpoint?.close();
  },
);
