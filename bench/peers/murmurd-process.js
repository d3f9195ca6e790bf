/**
 * Mumble's server at its end of the link. This process only starts it, reads its CPU, and ends it,
 * also when the lab was killed.
 */

import { serve } from '../../testkit/participants/child.js';
import { Murmurd } from './murmurd.js';

/** @type {Promise<Murmurd> | null} */
let starting = null;
let cpuMs = 0;
let atMs = 0;

async function running() {
  if (!starting) throw new Error('start() comes first');
  return starting;
}

serve(
  {
    /** @param {{ host: string, users: number }} options @returns {Promise<{ port: number }>} */
    async start(options) {
      const { port } = await (starting = Murmurd.start(options));
      return { port };
    },
    async begin() {
      cpuMs = (await running()).cpuMs;
      atMs = performance.now();
    },
    /** @returns {Promise<{ cpuPercent: number }>} share of a core, of all threads since begin() */
    async collect() {
      const usedMs = (await running()).cpuMs - cpuMs;
      return { cpuPercent: (100 * usedMs) / (performance.now() - atMs) };
    },
  },
  async () => {
    const murmurd = await starting?.catch(() => null);
    await murmurd?.stop();
  },
);
