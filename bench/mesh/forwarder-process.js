/**
 * A forwarder (an SFU) in a process of its own: each packet of RTP goes to everybody but its
 * speaker, as it is.
 */

import { CpuMeter, serve } from '../participants/child.js';
import { Peers } from './peers.js';

/** @type {Peers} */
const peers = new Peers((packet, from) => peers.send(packet, from));
const cpu = new CpuMeter();

serve(
  {
    /** @param {{ from: string, host: string, offer: string }} options */
    answer: (options) => peers.answer(options),
    begin: () => void cpu.take(),
    collect: () => ({ cpuPercent: cpu.take() }),
  },
  () => peers.close(),
);
