import { adapt } from './adapt.js';
import { call } from './call.js';
import { carry } from './comparisons/carry.js';
import { controllers } from './comparisons/controllers.js';
import { cpu } from './comparisons/cpu.js';
import { interplay } from './comparisons/interplay.js';
import { loaded } from './comparisons/loaded.js';
import { mesh } from './comparisons/mesh.js';
import { mixed } from './comparisons/mixed.js';
import { parallel } from './comparisons/parallel.js';
import { setup } from './comparisons/setup.js';
import { shipped } from './comparisons/shipped.js';
import { sweep } from './comparisons/sweep.js';
import { switching } from './comparisons/switching.js';
import { ways } from './comparisons/ways.js';
import { crowd } from './crowd.js';
import { datagrams } from './datagrams.js';
import { delay } from './delay.js';
import { estimates } from './estimates.js';
import { failover } from './failover.js';
import { forward } from './forward.js';
import { latency } from './latency.js';
import { listeners } from './listeners.js';
import { load } from './load.js';
import { loss } from './loss.js';
import { memory } from './memory.js';
import { mouthToEar } from './mouth-to-ear.js';
import { nearness } from './nearness.js';
import { nodes } from './nodes.js';
import { plan } from './plan.js';
import { rtt } from './rtt.js';
import { soak } from './soak.js';
import { startup } from './startup.js';
import { starved } from './starved.js';
import { stragglers } from './stragglers.js';
import { throughput } from './throughput.js';

/** All scenarios, in the order of --help. @type {readonly import('./scenario.js').Scenario[]} */
export const scenarios = Object.freeze([
  call,
  loss,
  carry,
  ways,
  sweep,
  cpu,
  loaded,
  parallel,
  controllers,
  interplay,
  mixed,
  switching,
  mesh,
  shipped,
  setup,
  startup,
  mouthToEar,
  stragglers,
  starved,
  delay,
  rtt,
  latency,
  datagrams,
  load,
  crowd,
  listeners,
  nearness,
  adapt,
  forward,
  throughput,
  estimates,
  plan,
  nodes,
  memory,
  failover,
  soak,
]);
