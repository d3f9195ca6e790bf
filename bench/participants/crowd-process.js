/** A crowd of participants (crowd.js) over WebTransport, in its own process. */

import { setTimeout } from 'node:timers/promises';
import { Endpoint } from '@aloud/native';
import { systemClock } from '../../public/shared/clock.js';
import { fetchConfig } from '../../public/client/connection/join.js';
import { CpuMeter, serve, sharedMs } from '../../testkit/participants/child.js';
import { openConnection } from '../../testkit/participants/connection.js';
import { Crowd } from './crowd.js';
import { encodeSpeech } from '../../testkit/participants/speech.js';

const endpoint = new Endpoint({ ioThreads: 1, maxConnections: 4000 });
const cpu = new CpuMeter();

/** Number of members that join at a time. */
const AT_ONCE = 8;

/** Most attempts to join a busy server, and the time between them in milliseconds. */
const TRIES = 20;
const BUSY_MS = 1000;

/** @type {Crowd | null} */
let crowd = null;

function theCrowd() {
  if (!crowd) throw new Error('open() comes first');
  return crowd;
}

/**
 * Joins, after a while where many who have just come are more than the server can let in at a time.
 * @param {import('./crowd.js').Person} person
 */
async function join(person) {
  for (let tries = 1; ; tries++) {
    try {
      return await theCrowd().join(person);
    } catch (error) {
      if (/** @type {any} */ (error).code !== 'server-busy' || tries === TRIES) throw error;
      await setTimeout(BUSY_MS);
    }
  }
}

serve(
  {
    /** @param {{ origin: string }} options */
    async open({ origin }) {
      crowd?.close();
      const config = await fetchConfig(origin);
      const open = () => openConnection('webtransport', { origin, config, endpoint });
      crowd = new Crowd({ clock: systemClock, open, encode: encodeSpeech });
      return config;
    },
    join,
    /**
     * Joins some at a time, the first one alone.
     * @param {{ people: import('./crowd.js').Person[] }} options
     */
    async joinAll({ people: [first, ...others] }) {
      await join(first);
      const joining = Array.from({ length: AT_ONCE }, async () => {
        for (let next = others.shift(); next; next = others.shift()) await join(next);
      });
      await Promise.all(joining);
    },
    /** @param {{ id: string, silently?: boolean }} options */
    leave: ({ id, silently }) => theCrowd().leave(id, { silently }),
    /** @param {{ id: string, talks: boolean }} options */
    talk: ({ id, talks }) => theCrowd().talk(id, talks),
    /** @param {{ id: string, message: object }} options */
    say: ({ id, message }) => theCrowd().say(id, message),
    note() {
      theCrowd().note();
      cpu.take();
    },
    take() {
      const { latenessMs, sent, roundTripMs, format } = theCrowd();
      const cpuPercent = cpu.take();
      const people = theCrowd()
        .take()
        .map(({ arrivals, ...person }) => ({
          ...person,
          arrivals: arrivals.map(({ frame, atMs }) => ({ frame, atMs: sharedMs(atMs) })),
        }));
      return { people, latenessMs, sent, roundTripMs, frameMs: format?.frameMs, cpuPercent };
    },
  },
  async () => {
    crowd?.close();
    await endpoint.close();
  },
);
