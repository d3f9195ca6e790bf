/**
 * The server under test, in a process of its own at its end of the link, with a notebook of what reached
 * it and what it mixed.
 * @import { RunningServer } from '../../server/server.js'
 */

import { createAudioFormat } from '../../public/shared/audio-format.js';
import { FrameState } from '../../server/audio/ring-buffer.js';
import { loadConfig } from '../../server/config.js';
import { createLog } from '../../server/log.js';
import { createServer } from '../../server/server.js';
import { CpuMeter, serve, sharedMs } from './child.js';

/** @type {RunningServer | null} */
let server = null;
/** @type {import('../../public/shared/audio-format.js').AudioFormat | null} */
let format = null;
const cpu = new CpuMeter();

/** What is written down from `begin` on. */
let notes = emptyNotes();

function emptyNotes() {
  return {
    /** Packets as they came: who, for which frame, when. @type {{ name: string, frame: number, atMs: number }[]} */
    arrivals: [],
    /** How long after its time each tick was mixed, in milliseconds. @type {number[]} */
    tickLatenessMs: [],
    /**
     * For `reply`: by listener and speaker, how many samples of each of the speaker's frames were in the
     * mixes for the listener.
     * @type {Map<string, Map<number, number>>}
     */
    heard: new Map(),
  };
}

/** @type {import('../../server/room/room.js').Observer} */
const observer = {
  received: ({ name }, frame, arrivalMs) => void notes.arrivals.push({ name, frame, atMs: sharedMs(arrivalMs) }),
  ticked: (_frame, latenessMs) => void notes.tickLatenessMs.push(latenessMs),
  mixed(listener, speaker, start, samples) {
    const key = `${listener.name}<${speaker.name}`;
    let heard = notes.heard.get(key);
    if (!heard) notes.heard.set(key, (heard = new Map()));
    const size = speaker.format.frameSamples;
    for (let at = start; at < start + samples; ) {
      const frame = Math.floor(at / size);
      const end = Math.min((frame + 1) * size, start + samples);
      if (frame >= 0 && speaker.ring.state(frame) === FrameState.received) {
        heard.set(frame, (heard.get(frame) ?? 0) + end - at);
      }
      at = end;
    }
  },
};

serve(
  {
    /** @param {{ argv: string[] }} options */
    async start({ argv }) {
      const config = loadConfig({ argv: ['--port', '0', '--h3-port', '0', ...argv], env: {} });
      format = createAudioFormat(config);
      server = await createServer(config, { observer, log: createLog({ level: 'error' }) });
      return { port: server.port, h3Port: server.h3Port, report: server.report };
    },
    format: () => format,
    begin() {
      notes = emptyNotes();
      cpu.take();
    },
    /** What was written down since `begin`, and what it took. */
    collect() {
      const { rss, heapUsed } = process.memoryUsage();
      return { ...notes, cpuPercent: cpu.take(), rssBytes: rss, heapBytes: heapUsed };
    },
    /** @param {{ room: string }} options */
    room: ({ room }) => server?.rooms.get(room)?.describe() ?? null,
  },
  () => server?.close(),
);
