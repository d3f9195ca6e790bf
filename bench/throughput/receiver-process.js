/**
 * The client's end of the scenario `throughput`, in a process of its own: it reads all that comes,
 * and drops it.
 */

import { Endpoint } from '@aloud/native';
import { serve } from '../../testkit/participants/child.js';

const chunk = new Uint8Array(64 * 1024);

/** @type {Endpoint | null} */
let endpoint = null;
/** @type {import('@aloud/native').NativeSession | null} */
let session = null;

serve(
  {
    /** Connects again. @param {{ url: string, hash: string }} options */
    async connect({ url, hash }) {
      session?.close();
      endpoint ??= new Endpoint({ maxStreams: 128, streamBufferBytes: 1 << 20 });
      session = await endpoint.connect(url, { certificateHashes: [hash] });
      session.onStream = (stream) => {
        stream.onReadable = () => {
          while (stream.read(chunk));
        };
      };
      session.onDatagram = () => {};
    },
  },
  () => endpoint?.close(),
);
