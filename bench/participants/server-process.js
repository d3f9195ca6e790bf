/**
 * The server under test, in its own process at its end of the link, with a notebook of received
 * and mixed frames.
 * @import { RunningServer } from '../../server/server.js'
 */

import { performance } from 'node:perf_hooks';
import { fileURLToPath } from 'node:url';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { FrameState } from '../../server/source/pcm-ring.js';
import { loadConfig } from '../../server/config/config.js';
import { audioFormatOf } from '../../server/config/readers.js';
import { limitYoungGeneration } from '../../server/heap.js';
import { createLog } from '../../server/log.js';
import { loadPlugin } from '../../server/plugin.js';
import { createServer } from '../../server/server.js';
import { CpuMeter, serve, sharedMs } from '../../testkit/participants/child.js';
import { watched } from '../plugin/watched-session.js';
import { MixStates } from './mix-states.js';
import { ServerProfile } from './server-profile.js';

const plugin = await loadPlugin(fileURLToPath(new URL('../plugin/index.js', import.meta.url)));
/** @type {RunningServer | null} */
let server = null;
/** @type {import('../../public/shared/sound/audio-format.js').AudioFormat | null} */
let format = null;
const cpu = new CpuMeter();
/** @type {ServerProfile | null} */
let profile = null;
let loop = performance.eventLoopUtilization();

// As `npm start` does.
limitYoungGeneration();
setFlagsFromString('--expose-gc');
const collectGarbage = /** @type {() => void} */ (runInNewContext('gc'));

/** Notes since `begin`. */
let notes = emptyNotes();

function emptyNotes() {
  return {
    /**
     * Packets as they came: who, for which frame, when.
     * @type {{ name: string, frame: number, atMs: number }[]}
     */
    arrivals: [],
    /** The lateness of each tick, in milliseconds. @type {number[]} */
    tickLatenessMs: [],
    /**
     * For `reply`: by listener and speaker, how many samples of each of the speaker's frames were
     * in the mixes for the listener.
     * @type {Map<string, Map<number, number>>}
     */
    heard: new Map(),
    /** For `tick`. @type {import('./mix-states.js').MixState[]} */
    states: [],
    /** When each frame was due to be mixed. @type {{ frame: number, atMs: number }[]} */
    due: [],
    /**
     * Looks at the paths of all sessions, if asked for.
     * @type {(import('../plugin/watched-session.js').PathLook & { atMs: number })[]}
     */
    looks: [],
  };
}

/** @type {NodeJS.Timeout | undefined} */
let looking;

function lookAtPaths() {
  const atMs = sharedMs(performance.now());
  for (const session of watched) {
    const look = session.look();
    if (look) notes.looks.push({ ...look, atMs });
  }
}

/** Names by id. @type {Map<string, string>} */
const names = new Map();

/** Time of 0 on the sample clock, in milliseconds of the machine's monotonic clock. */
let originMs = NaN;

/** @type {import('../../server/room/room-config.js').Observer} */
const observer = {
  received({ id, name, source }, frame, arrivalMs) {
    names.set(id, name);
    originMs = sharedMs(source?.sampleClock.msAt(0) ?? NaN);
    notes.arrivals.push({ name, frame, atMs: sharedMs(arrivalMs) });
  },
  ticked: (_frame, latenessMs) => void notes.tickLatenessMs.push(latenessMs),
  mixed(listener, source, start, samples) {
    const key = `${names.get(listener.id)}<${names.get(source.id)}`;
    let heard = notes.heard.get(key);
    if (!heard) notes.heard.set(key, (heard = new Map()));
    const size = source.format.frameSamples;
    for (let at = start; at < start + samples;) {
      const frame = Math.floor(at / size);
      const end = Math.min((frame + 1) * size, start + samples);
      if (frame >= 0 && source.ring.state(frame) === FrameState.received) {
        heard.set(frame, (heard.get(frame) ?? 0) + end - at);
      }
      at = end;
    }
  },
};

const states = new MixStates();

/**
 * For `tick`: notes the state of each speaker's frames when they were mixed, and when each was due.
 * @type {typeof observer}
 */
const mixObserver = {
  received(member, frame, arrivalMs) {
    states.add(member);
    originMs = sharedMs(member.source?.sampleClock.msAt(0) ?? NaN);
    notes.arrivals.push({ name: member.name, frame, atMs: sharedMs(arrivalMs) });
  },
  ticked(frame, latenessMs) {
    notes.tickLatenessMs.push(latenessMs);
    notes.due.push({ frame, atMs: sharedMs(performance.now() - latenessMs) });
    // The frame before has just been mixed.
    states.mixed(frame - 1, notes.states);
  },
  mixed() {},
};

/**
 * Notes only when each tick began: the packets of many people would fill the memory.
 * @type {typeof observer}
 */
const tickObserver = {
  received() {},
  ticked(frame, latenessMs) {
    notes.tickLatenessMs.push(latenessMs);
    notes.due.push({ frame, atMs: sharedMs(performance.now() - latenessMs) });
  },
  mixed() {},
};

const OBSERVERS = {
  packets: observer,
  mixes: mixObserver,
  ticks: tickObserver,
  nothing: undefined,
};

serve(
  {
    /** @param {{ argv: string[], observe?: keyof typeof OBSERVERS }} options */
    async start({ argv, observe = 'packets' }) {
      // All participants of a scenario are behind one address.
      const config = loadConfig({
        argv: [
          '--port',
          '0',
          '--h3-port',
          '0',
          '--max-network-joins',
          '100000',
          '--workers',
          '0',
          ...argv,
        ],
        env: {},
        more: plugin.options,
      });
      format = audioFormatOf({ ...config, channels: 1 });
      server = await createServer(config, {
        observer: OBSERVERS[observe],
        plugin,
        log: createLog({ level: 'error' }),
      });
      return { port: server.port, h3Port: server.h3Port, report: server.report };
    },
    format: () => format,
    /**
     * @param {{ profile?: boolean, lookMs?: number }} [options] lookMs: interval of looks at the
     *   paths, with --watch-paths
     */
    async begin({ profile: isProfiled = false, lookMs } = {}) {
      profile = isProfiled ? new ServerProfile() : null;
      await profile?.start();
      notes = emptyNotes();
      clearInterval(looking);
      if (lookMs !== undefined) looking = setInterval(lookAtPaths, lookMs);
      cpu.take();
      loop = performance.eventLoopUtilization();
    },
    /** The notes since `begin`, with the CPU and memory that the server took. */
    async collect() {
      clearInterval(looking);
      const shares = (await profile?.stop()) ?? null;
      const { rss, heapUsed } = process.memoryUsage();
      return {
        ...notes,
        profile: shares,
        originMs,
        cpuPercent: cpu.take(),
        loopPercent: 100 * performance.eventLoopUtilization(loop).utilization,
        rssBytes: rss,
        heapBytes: heapUsed,
      };
    },
    /** @param {{ collect?: boolean }} options collect: after garbage has been collected, wholly */
    memory({ collect = false }) {
      if (collect) for (let i = 0; i < 3; i++) collectGarbage();
      const { rss, heapUsed, external, arrayBuffers } = process.memoryUsage();
      return { rss, heapUsed, external, arrayBuffers };
    },
    /** @param {{ room: string }} options */
    async room({ room }) {
      const found = await server?.roomsByThread.inRoom(room, 'describe');
      return found === 'not-found' ? null : (found ?? null);
    },
    /** State of each thread's rooms, the main thread's first. */
    states: async () => (await server?.roomsByThread.states()) ?? [],
  },
  () => server?.close(),
);
