/**
 * A person of a call (callers.js), in a separate process.
 * @import { Caller } from './callers.js'
 */

import { Endpoint, isBuilt } from '@aloud/native';
import { fetchConfig } from '../../public/client/connection/join.js';
import { Pacer } from '../../public/lab/runs/pacer.js';
import { systemClock } from '../../public/shared/clock.js';
import { CpuMeter, serve, sharedMs } from '../../testkit/participants/child.js';
import { openConnection } from '../../testkit/participants/connection.js';
import { missing } from '../ways/webrtc.js';
import { PeerCaller, SessionCaller } from './callers.js';

const endpoint = isBuilt() ? new Endpoint({ ioThreads: 1 }) : null;
const pacer = new Pacer(systemClock);
const cpu = new CpuMeter();

/** @type {Uint8Array[]} */
let payloads = [];
/** @type {Caller | null} */
let caller = null;

/** @returns {import('./peers.js').MeshPeers} */
function peers() {
  if (caller instanceof PeerCaller) return caller.peers;
  throw new Error('talk() comes first');
}

const overWebRtc = {
  /**
   * Speaks from now on, to all connected peers.
   * @param {{ name: string, phaseMs: number }} options
   */
  talk(options) {
    caller = new PeerCaller({ ...options, payloads });
    pacer.add(caller);
  },
  /** @param {{ to: string, host: string }} options */
  offer: (options) => peers().offer(options),
  /** @param {{ from: string, host: string, offer: string }} options */
  answer: (options) => peers().answer(options),
  /** @param {{ to: string, answer: string }} options */
  answered: (options) => peers().answered(options),
};

/**
 * Joins at the server, and speaks from then on.
 * @param {{ origin: string, name: string }} options
 */
async function join({ origin, name }) {
  const session = new SessionCaller(
    await openConnection('webtransport', { origin, config: await fetchConfig(origin), endpoint }),
  );
  caller = session;
  await session.join({ name, payloads });
  pacer.add(session);
}

function begin() {
  caller?.begin();
  cpu.take();
  pacer.takeLateness();
}

/**
 * The notes since begin(), with the lateness and the processor time since then or the last time,
 * and the resident memory now.
 */
function collect() {
  const shared = (/** @type {any[]} */ notes) =>
    notes.map((note) => ({ ...note, atMs: sharedMs(note.atMs) }));
  const cpuPercent = cpu.take();
  const { sent = [], received = [] } = caller?.notes ?? {};
  return {
    sent: shared(sent),
    received: shared(received),
    cpuPercent,
    rssBytes: process.memoryUsage().rss,
    latenessMs: pacer.takeLateness(),
  };
}

serve(
  {
    /**
     * Loads everything before the first connection.
     * @param {{ payloads: Uint8Array[] }} options of the speech, sent in a loop
     */
    async ready(options) {
      ({ payloads } = options);
      await missing();
    },
    ...overWebRtc,
    join,
    begin,
    collect,
  },
  async () => {
    pacer.close();
    await caller?.close();
    await endpoint?.close();
  },
);
