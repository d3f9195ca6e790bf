/**
 * The participants of a scenario without a browser, in a process of their own at their end of the
 * link.
 */

import { Endpoint, isBuilt } from '@aloud/native';
import { loadCodec } from '../../server/codec/codec.js';
import { Headless } from './headless.js';
import { CpuMeter, serve, sharedMs } from './child.js';
import { fetchOnce, openConnection } from './connection.js';
import { functionsOf, Participants } from './participants.js';
import { SocketNotes } from './own-sockets.js';
import { encodeSpeech, readSpeech } from './speech.js';
import { WireNotes } from './wire-notes.js';

/**
 * Serves participants to the parent of this process: see Child.
 * @param {Pick<ConstructorParameters<typeof Headless>[0], 'wrapWebTransport'>} [options] of all
 *   listeners
 */
export function serveParticipants({ wrapWebTransport } = {}) {
  const endpoint = isBuilt() ? new Endpoint({ ioThreads: 1, maxConnections: 4000 }) : null;
  const cpu = new CpuMeter();

  /** @type {import('./participants.js').World['createListener']} */
  const createListener = async ({
    speaks,
    recordSeconds,
    sampleRate,
    periodMs,
    connectsPerRequest,
  }) => {
    const speech = speaks ? await readSpeech(sampleRate) : undefined;
    const wire = new WireNotes(() => performance.now());
    const codec = wire.observe(await loadCodec());
    const headless = new Headless({
      codec,
      speech,
      recordSeconds,
      periodMs,
      tap: wire,
      wrapWebTransport,
      ...(connectsPerRequest && { fetch: fetchOnce }),
    });
    return {
      wire,
      join: (options) => headless.join(options),
      recording: () => ({
        samples: headless.recording.slice(0, headless.recorded),
        startMs: headless.startMs,
        sampleRate,
        stats: headless.stats(),
      }),
      get stats() {
        return headless.stats();
      },
      close: () => headless.close(),
    };
  };

  const participants = new Participants({
    openConnection: (transport, server) => openConnection(transport, { ...server, endpoint }),
    encodeSpeech,
    createListener,
    sharedMs,
    takeCpu: () => cpu.take(),
    sockets: new SocketNotes(),
  });
  serve(functionsOf(participants), async () => {
    await participants.close();
    await endpoint?.close();
  });
}
