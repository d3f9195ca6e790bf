/**
 * A scenario is a file in bench/scenarios, named in bench/scenarios/index.js.
 *
 * @import { Command } from 'commander'
 * @import { Factor, Quantity, Result, Sample } from '../report/result.js'
 * @import { Lab, LabOptions } from './lab.js'
 *
 * @typedef {object} Samples recorded so far
 * @property {(quantity: string) => readonly Sample[]} samples
 *
 * @typedef {object} Scenario
 * @property {string} name          as on the command line
 * @property {string} title         subject of the measurement
 * @property {string} description   one line for --help
 * @property {Quantity[]} quantities
 * @property {Partial<LabOptions & { link: string }>} defaults
 * @property {readonly ('transports' | 'duration' | 'warmUp' | 'browser')[]} [lacks]  common options
 *   that would change nothing in it, and aren't offered; their values stay the defaults
 * @property {(command: Command) => void} [addOptions]  its own options
 * @property {(options: any) => number} [seconds]  duration of a run; by default from durations.js
 * @property {boolean} [isOnce] true if it has one repetition, whatever the duration
 * @property {boolean} [hasPerRequest] true if it can measure HTTP/1 with a connection for each
 *   request
 * @property {(lab: Lab) => Promise<void>} measure      records samples in the lab's folder
 * @property {(folder: Samples, options: any) => Result} result
 *   makes tables and plots of the samples, also of an incomplete run
 */

import { seededRandom } from '../../testkit/random.js';

/**
 * The random numbers of a run's statistics.
 * @param {{ seed: number }} options
 */
export const randomFor = ({ seed }) => seededRandom(seed);

/**
 * The notes of a report that are true only when the participants were in a browser.
 * @param {{ browser?: boolean }} options
 * @returns {string[]}
 */
export const worldNotes = ({ browser }) =>
  browser
    ? [
        'Participants ran in Chromium, with its own WebTransport, WebSocket and fetch. ' +
          "Those that only send and note packets share two pages, and run in a page's main " +
          "thread where the page's call has a worker; over HTTP/1 each has a page and " +
          'connections of its own.',
        "The generator's CPU is that of all of the browser's processes together.",
      ]
    : [];

/**
 * Measures a run's blocks. One that fails, such as since the server lets in nobody more, is left
 * out and named; the others go on, with new processes.
 * @template {{ name: string, server: string, way?: string }} Block
 * @param {Pick<Lab, 'signal' | 'folder' | 'progress' | 'close'>} lab
 * @param {readonly Block[]} blocks
 * @param {(block: Block) => Promise<void>} measure
 * @throws {Error} why the last failed, if all did
 */
export async function measureBlocks(lab, blocks, measure) {
  let left = 0;
  for (const [i, block] of blocks.entries()) {
    const what = [block.name, block.way, block.server].filter(Boolean).join(', ');
    lab.progress(what, i / blocks.length);
    try {
      await measure(block);
    } catch (error) {
      lab.signal.throwIfAborted();
      left += 1;
      if (left === blocks.length) throw error;
      lab.folder.warn(`A block is left out (${what}): ${/** @type {Error} */ (error).message}`);
      await lab.close();
    }
  }
}

/**
 * The shares of the machine's processors that the server, the generator and other programs had, for
 * scenarios that ask for a server's cost.
 * @param {Factor[]} factors  that distinguish the values
 */
export const processorQuantities = (factors) => ({
  cpu: { name: 'serverCpu', label: "The server's CPU", unit: '% of a core', factors },
  loop: {
    name: 'loopBusy',
    label: "Busy share of the server's JavaScript thread",
    unit: '%',
    factors,
  },
  generator: { name: 'generatorCpu', label: "The generator's CPU", unit: '% of a core', factors },
  others: { name: 'othersCpu', label: "Other programs' CPU", unit: '% of a core', factors },
  idle: { name: 'idleCpu', label: 'Left idle', unit: '% of a core', factors },
});

/**
 * Records the share of each program in the machine's cores.
 * @param {(quantity: Quantity, value: number) => void} add
 * @param {ReturnType<typeof processorQuantities>} quantities
 * @param {object} taken
 * @param {{ cpuPercent: number, loopPercent: number }} taken.server
 * @param {number} taken.generatorPercent  of all processes that make the load
 * @param {{ busyPercent: number, idlePercent: number }} taken.machine
 */
export function addProcessors(add, quantities, { server, generatorPercent, machine }) {
  add(quantities.cpu, server.cpuPercent);
  add(quantities.loop, server.loopPercent);
  add(quantities.generator, generatorPercent);
  add(quantities.others, Math.max(0, machine.busyPercent - server.cpuPercent - generatorPercent));
  add(quantities.idle, machine.idlePercent);
}
