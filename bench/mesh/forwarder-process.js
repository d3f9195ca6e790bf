/**
 * A forwarder (an SFU) in its own process: each packet of RTP goes to everybody but its
 * speaker, as it is.
 */

import { CpuMeter, serve } from '../../testkit/participants/child.js';
import { MeshPeers } from './peers.js';

/** @type {MeshPeers} */
const peers = new MeshPeers((packet, from) => peers.send(packet, from));
const cpu = new CpuMeter();

serve(
  {
    /** @param {{ from: string, host: string, offer: string }} options */
    answer: (options) => peers.answer(options),
    begin: () => void cpu.take(),
    collect: () => ({ cpuPercent: cpu.take(), rssBytes: process.memoryUsage().rss }),
  },
  () => peers.close(),
);
