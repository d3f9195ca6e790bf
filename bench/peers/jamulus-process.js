/**
 * Jamulus's server and its clients. This process only starts them, reads the server's CPU and
 * memory, and ends them, also when the lab was killed.
 */

import { serve } from '../../testkit/participants/child.js';
import { JamulusHall } from './jamulus.js';

/** @type {Promise<JamulusHall> | null} */
let starting = null;
let cpuMs = 0;
let clientsCpuMs = 0;
let atMs = 0;

async function running() {
  if (!starting) throw new Error('start() comes first');
  return starting;
}

serve(
  {
    /** @param {{ people: number }} options */
    async start(options) {
      await (starting = JamulusHall.start(options));
    },
    async begin() {
      ({ cpuMs, clientsCpuMs } = await running());
      atMs = performance.now();
    },
    /**
     * @returns {Promise<{ cpuPercent: number, clientsPercent: number, rssBytes: number }>} CPU of
     *   a core since begin(): the server's, and that of the clients with JACK
     */
    async collect() {
      const hall = await running();
      const percent = (/** @type {number} */ ms) => (100 * ms) / (performance.now() - atMs);
      return {
        cpuPercent: percent(hall.cpuMs - cpuMs),
        clientsPercent: percent(hall.clientsCpuMs - clientsCpuMs),
        rssBytes: hall.residentBytes,
      };
    },
  },
  async () => {
    const hall = await starting?.catch(() => null);
    await hall?.close();
  },
);
