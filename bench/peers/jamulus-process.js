/**
 * Jamulus's server and its clients. This process only starts them, reads the server's CPU and
 * memory, and ends them, also when the lab was killed.
 */

import { serve } from '../../testkit/participants/child.js';
import { JamulusHall } from './jamulus.js';

/** @type {Promise<JamulusHall> | null} */
let starting = null;
let cpuMs = 0;
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
      cpuMs = (await running()).cpuMs;
      atMs = performance.now();
    },
    /** @returns {Promise<{ cpuPercent: number, rssBytes: number }>} CPU of a core since begin() */
    async collect() {
      const hall = await running();
      const cpuPercent = (100 * (hall.cpuMs - cpuMs)) / (performance.now() - atMs);
      return { cpuPercent, rssBytes: hall.residentBytes };
    },
  },
  async () => {
    const hall = await starting?.catch(() => null);
    await hall?.close();
  },
);
