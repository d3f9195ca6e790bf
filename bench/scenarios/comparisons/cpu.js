/**
 * Every way of carrying a packet, with a receiver or a sender that gets less and less of a
 * processor.
 * @import { Quantity } from '../../report/result.js'
 * @import { Condition } from './grid.js'
 * @import { Swept } from './grid-scenario.js'
 */

import { Quota } from '../../participants/processor-time.js';
import { factors } from './grid.js';
import { gridScenario } from './grid-scenario.js';
import { GRID_NOTES } from './grid-result.js';

/**
 * The paper's shares, and less: a sender and a receiver of sound need some hundredths of a
 * processor.
 */
const SHARES = [100, 80, 60, 40, 20, 10, 5, 3, 2, 1];

/** @type {Quantity} */
const stopped = {
  name: 'stopped',
  label: 'Periods in which the process was stopped',
  unit: '%',
  factors,
};

/**
 * Holds one process of each lane, in its own control group.
 * @param {number} place    of the process in its path: 0 is the sender's, -1 the receiver's
 * @param {number} percent  of a processor
 * @returns {NonNullable<Condition['disturb']>}
 */
const hold = (place, percent) => async (lanes) => {
  /** @type {Quota[]} */
  const quotas = [];
  const release = () => quotas.forEach((quota) => quota.close());
  try {
    for (const { path } of lanes) {
      const quota = new Quota(percent / 100);
      quotas.push(quota);
      quota.add([Number(path.pids.at(place))]);
    }
  } catch (error) {
    release();
    throw error;
  }
  return async () => {
    const figures = quotas.map((quota) => ({ [stopped.name]: quota.stoppedPercent() }));
    release();
    return figures;
  };
};

/** Each leg's, so that a call has the delay of one on the network. */
const leg = { delayMs: 10 };

const both = {
  unit: '%',
  values: SHARES,
  isLogarithmic: true,
  stands: 'figures 6.12 and 6.13 and tables A.13 to A.15 of Paterson (2022)',
  more: [{ of: stopped, label: 'Stopped', unit: '%', digits: 0 }],
};

/** @type {readonly Swept[]} */
const SWEEPS = Object.freeze([
  {
    ...both,
    name: 'receiver',
    label: "The receiver's share of a processor",
    condition: (percent) => ({ leg, disturb: hold(-1, percent) }),
  },
  {
    ...both,
    name: 'sender',
    label: "The sender's share of a processor",
    condition: (percent) => ({ leg, disturb: hold(0, percent), holdsSender: true }),
  },
]);

export const cpu = gridScenario({
  name: 'cpu',
  title: 'Ways of carrying a packet, by processor time',
  description:
    "every way with less and less of a processor for the receiver's process, and for the " +
    "sender's (Paterson 2022, its experiment 5)",
  sweeps: SWEEPS,
  check: () => new Quota(1).close(),
  notes: [
    'The process at one end of each way has a control group of its own, from after it was ' +
      "connected until the block's end: of each 100 ms it may run for its share, on all " +
      'processors together, and is stopped for the rest. Every other process has all the ' +
      'time that the machine has.',
    'Stopped: of the periods of 100 ms in which the process had something to do, those in ' +
      'which its share was used up.',
    'Where the sender is held, ages count from when a packet was due, not from when it was ' +
      'sent: what the sender is late is part of them.',
    'A process here carries packets and nothing else: no sound is encoded, decoded or ' +
      "played in it. The paper gave each client's host its share, with a whole browser on it.",
    ...GRID_NOTES,
  ],
});
