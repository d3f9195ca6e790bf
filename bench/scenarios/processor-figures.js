/**
 * The shares of the machine's processors that the server, the generator and other programs had, for
 * scenarios that ask for a server's cost.
 * @import { Factor, Quantity } from '../report/result.js'
 */

/** @param {Factor[]} factors  that distinguish the values */
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
