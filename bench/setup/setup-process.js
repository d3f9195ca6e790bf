/**
 * An end of the scenario `setup` in a separate process: one who speaks without a pause, or one
 * who joins again and again.
 * @import { ServerConfig } from '../../public/client/connection/choose.js'
 * @import { TransportName } from '../../public/client/connection/connection.js'
 * @import { ConnectionKind } from './conditions.js'
 */

import { setTimeout as wait } from 'node:timers/promises';
import { fetchConfig } from '../../public/client/connection/join.js';
import { Pacer } from '../../public/lab/runs/pacer.js';
import { systemClock } from '../../public/shared/clock.js';
import { loadCodec } from '../../server/codec/codec.js';
import { CpuMeter, serve } from '../../testkit/participants/child.js';
import { openConnection } from '../../testkit/participants/connection.js';
import { Headless } from '../../testkit/participants/headless.js';
import { encodeSpeech } from '../../testkit/participants/speech.js';
import { Talker } from '../../testkit/participants/talker.js';
import { StepNotes } from './steps.js';
import { HttpsClient } from './timed-connections.js';

/**
 * A stretch of the speech without a pause, in milliseconds: who joins in a pause would wait for the
 * next word.
 */
const [SAID_FROM_MS, SAID_TO_MS] = [1900, 2900];

const codec = await loadCodec();
const cpu = new CpuMeter();
const pacer = new Pacer(systemClock);
/** @type {{ origin: string, config: ServerConfig }} */
let server;
/** @type {Talker | null} */
let talker = null;
let https = new HttpsClient();
/** @type {Headless | null} */
let headless = null;

serve(
  {
    /** @param {{ origin: string }} options */
    async open({ origin }) {
      server = { origin, config: await fetchConfig(origin) };
      return server.config;
    },

    /** Speaks from now on. @param {{ room: string }} options */
    async speak({ room }) {
      talker = new Talker({
        connection: await openConnection('websocket', { ...server, endpoint: null }),
      });
      await talker.join({ room, name: 'speaker' });
      const payloads = await encodeSpeech(talker.format, talker.welcome.bitrate);
      const [from, to] = [SAID_FROM_MS, SAID_TO_MS].map((ms) =>
        Math.round(ms / Number(talker?.format.frameMs)),
      );
      talker.speak(payloads.slice(from, to));
      pacer.add(talker);
    },

    /** Lateness of each packet sent since the last call, in milliseconds. */
    lateness: () => pacer.takeLateness(),

    /** The CPU since the last call, in percent of a core. */
    cpu: () => cpu.take(),

    /**
     * Has what a resumed or kept connection needs.
     * @param {{ connection: ConnectionKind }} options
     */
    async prepare({ connection }) {
      https = new HttpsClient();
      if (connection === 'new') return;
      await https.fetch(new URL('/api/config', server.origin).href);
      if (connection === 'resumed') https.disconnect();
    },

    /**
     * Joins, and listens until the first sound.
     * @param {{ transport: TransportName, room: string, listens: boolean, patienceMs: number }}
     *   options
     */
    async join({ transport, room, listens, patienceMs }) {
      const notes = new StepNotes();
      https.notes = notes;
      const { fetch, WebSocket } = https;
      const opened = (/** @type {{ connectedMs: number }} */ { connectedMs }) => {
        notes.reach('connected', connectedMs);
        notes.reach('opened');
      };
      headless = new Headless({
        codec,
        recordSeconds: 0,
        fetch,
        WebSocket,
        notes,
        tap: { sent() {}, received() {}, opened },
      });
      const startMs = performance.now();
      let joined = Infinity;
      try {
        await headless.join({ ...server, room, name: 'listener', transport, listen: listens });
        joined = performance.now() - startMs;
        const waiting = new AbortController();
        await Promise.race([
          notes.wait('heard'),
          wait(patienceMs, undefined, { signal: waiting.signal }).catch(() => {}),
        ]);
        waiting.abort();
      } catch {
        // A failed join shows as missing steps.
      }
      return { ...notes.parts(startMs), joined, isResumed: https.isResumed };
    },

    /** Leaves, and waits until the connections are closed. */
    async leave() {
      await headless?.close();
      await https.close();
    },
  },
  async () => {
    pacer.close();
    talker?.close();
    await headless?.close();
  },
);
