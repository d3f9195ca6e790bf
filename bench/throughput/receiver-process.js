/**
 * The client's end of the scenarios `throughput` and `estimates`, in a process of its own: it reads
 * all that comes, notes when, and drops it.
 *
 * @typedef {object} Received  a segment, on a stream of its own
 * @property {{ atMs: number, bytes: number }[]} chunks  its bytes as they were read
 * @property {boolean} isWhole  true if its end has come
 */

import { Endpoint } from '@aloud/native';
import { serve, sharedMs } from '../../testkit/participants/child.js';

const chunk = new Uint8Array(64 * 1024);

/** @type {Endpoint | null} */
let endpoint = null;
/** @type {import('@aloud/native').NativeSession | null} */
let session = null;
/** Segments in the order of their first bytes, if they are noted. @type {Received[]} */
let segments = [];

serve(
  {
    /**
     * Connects again.
     * @param {{ url: string, hash: string, notes?: boolean }} options notes: notes when each
     *   segment's bytes come
     */
    async connect({ url, hash, notes = false }) {
      segments = [];
      session?.close();
      endpoint ??= new Endpoint({ maxStreams: 128, streamBufferBytes: 1 << 20 });
      session = await endpoint.connect(url, { certificateHashes: [hash] });
      session.onStream = (stream) => {
        /** @type {Received | null} */
        let received = null;
        stream.onReadable = () => {
          let [bytes, count] = [0, stream.read(chunk)];
          for (; count; count = stream.read(chunk)) bytes += count;
          if (!notes) return;
          if (received === null) segments.push((received = { chunks: [], isWhole: false }));
          if (bytes > 0) received.chunks.push({ atMs: sharedMs(performance.now()), bytes });
          received.isWhole = count === null;
        };
      };
      session.onDatagram = () => {};
    },
    /** The noted segments since the connection began. */
    take: () => segments,
  },
  () => endpoint?.close(),
);
