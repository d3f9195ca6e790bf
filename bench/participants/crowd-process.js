/** A crowd of participants (crowd.js) over WebTransport, in its own process. */

import { Endpoint } from '@aloud/native';
import { systemClock } from '../../public/shared/clock.js';
import { fetchConfig } from '../../public/client/connection/join.js';
import { CpuMeter, serve, sharedMs } from '../../testkit/participants/child.js';
import { openConnection } from '../../testkit/participants/connection.js';
import { Crowd } from './crowd.js';
import { joinAll } from './joining.js';
import { encodeSpeech } from '../../testkit/participants/speech.js';

const endpoint = new Endpoint({ ioThreads: 1, maxConnections: 4000 });
const cpu = new CpuMeter();

/** @type {Crowd | null} */
let crowd = null;

function theCrowd() {
  if (!crowd) throw new Error('open() comes first');
  return crowd;
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
    /** @param {import('./crowd.js').Person} person */
    join: (person) => joinAll([person], (one) => theCrowd().join(one), systemClock),
    /** @param {{ people: import('./crowd.js').Person[] }} options */
    joinAll: ({ people }) => joinAll(people, (person) => theCrowd().join(person), systemClock),
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
