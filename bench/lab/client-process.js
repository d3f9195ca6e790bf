/**
 * The participants of a scenario, in a process of their own at their end of the link.
 * @import { ServerConfig } from '../../public/client/connection/choose.js'
 */

import { Endpoint, isBuilt } from '@aloud/native';
import { fetchConfig } from '../../public/client/server-config.js';
import { loadCodec } from '../../server/audio/codec.js';
import { Headless } from '../headless.js';
import { CpuMeter, serve, sharedMs } from './child.js';
import { openConnection } from './connection.js';
import { encodeSpeech, readSpeech } from './speech.js';
import { Pacer, Talker } from './talker.js';

const endpoint = isBuilt() ? new Endpoint({ ioThreads: 1, maxConnections: 4000 }) : null;
const cpu = new CpuMeter();
const pacer = new Pacer();
/** @type {Map<string, Talker>} */
const talkers = new Map();
/** @type {Map<string, Headless>} */
const listeners = new Map();
/** @type {{ origin: string, config: ServerConfig } | null} */
let server = null;

/**
 * @param {object} options
 * @param {string} options.id
 * @param {'webtransport' | 'websocket' | 'http1'} options.transport
 * @param {string} options.room
 * @param {boolean} options.speaks
 * @param {number} [options.phaseMs]
 * @param {number} [options.startFrame] of the speech, so that people don't say the same at once
 */
async function join({ id, transport, room, speaks, phaseMs = 0, startFrame = 0 }) {
  if (!server) throw new Error('open() comes first');
  const connection = await openConnection(transport, { ...server, endpoint });
  const talker = new Talker({ connection, phaseMs });
  await talker.join({ room, name: id });
  const { bitrate } = talker.welcome;
  if (speaks) talker.speak(await encodeSpeech(talker.format, bitrate), startFrame);
  talkers.set(id, talker);
  pacer.add(talker);
  return talker.welcome;
}

/** @param {{ id: string }} options */
function leave({ id }) {
  const talker = talkers.get(id);
  if (!talker) return;
  pacer.remove(talker);
  talkers.delete(id);
  talker.close();
}

/** What was noted of each since note(), and how well the load was made. */
function take() {
  const people = [...talkers].map(([id, talker]) => ({
    id,
    notes: talker.takeNotes(),
    counters: talker.counters,
    connection: talker.stats(),
    serverStats: talker.serverStats,
    ended: talker.ended,
  }));
  return { people, cpuPercent: cpu.take(), latenessMs: pacer.latenessMs };
}

/**
 * Joins with the whole client, sound card and all, and times it.
 * @param {object} options
 * @param {string} options.id
 * @param {'webtransport' | 'websocket' | 'http1'} options.transport
 * @param {string} options.room
 * @param {boolean} options.speaks
 * @param {number} options.recordSeconds
 */
async function listen({ id, transport, room, speaks, recordSeconds }) {
  if (!server) throw new Error('open() comes first');
  const { sampleRate } = await audioFormat();
  const headless = new Headless({
    codec: await loadCodec(),
    speech: speaks ? await readSpeech(sampleRate) : undefined,
    recordSeconds,
  });
  const startMs = sharedMs(performance.now());
  await headless.join({ origin: server.origin, room, name: id, transport });
  listeners.set(id, headless);
  return { startMs, joinedMs: sharedMs(performance.now()) };
}

async function audioFormat() {
  const response = await fetch(new URL('/api/clock', server?.origin));
  return /** @type {Promise<{ sampleRate: number }>} */ (response.json());
}

/** @param {{ id: string }} options what came out of the speaker of one who listens, and went into the microphone */
function recording({ id }) {
  const headless = listeners.get(id);
  if (!headless) throw new Error(`nobody listens as ${id}`);
  return {
    samples: headless.recording.slice(0, headless.recorded),
    startMs: sharedMs(headless.startMs),
    sampleRate: headless.format?.sampleRate,
    stats: headless.stats(),
  };
}

/** @param {{ id: string }} options */
async function stopListening({ id }) {
  const headless = listeners.get(id);
  listeners.delete(id);
  await headless?.close();
}

serve(
  {
    /** @param {{ origin: string }} options */
    async open({ origin }) {
      server = { origin, config: await fetchConfig(origin) };
      return server.config;
    },
    join,
    leave,
    note() {
      for (const talker of talkers.values()) talker.note();
      pacer.latenessMs = [];
      cpu.take();
    },
    take,
    listen,
    recording,
    stopListening,
  },
  async () => {
    pacer.close();
    for (const talker of talkers.values()) talker.close();
    for (const headless of listeners.values()) await headless.close();
    await endpoint?.close();
  },
);
