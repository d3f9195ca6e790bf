/**
 * Round-trip latency, protocol against protocol (thesis, section 4.4; figures 4.4 to 4.6, tables
 * 4.4 and 4.5).
 * @import { Scenario } from './scenario.js'
 */

import { recordSockets, SOCKETS, socketTables } from './own-sockets.js';
import { randomFor, worldNotes } from './scenario.js';
import {
  cumulativePlot,
  differenceTable,
  distributionPlot,
  meanHeadlines,
  summaryTable,
  timePlot,
} from '../report/quantity-views.js';

/**
 * Time after the last packet in which its answer must come, in seconds; later ones count as lost.
 */
const GRACE_SECONDS = 1;

/** @type {import('../report/result.js').Quantity} */
const roundTrip = { name: 'roundTrip', label: 'Round-trip latency', unit: 'ms' };

/** The thesis's means, tables 4.4 and 4.5, in milliseconds. */
const THESIS_MEAN_MS = new Map([
  ['webtransport', 32.51],
  ['http1', 61.77],
  ['http1-per-request', 61.77],
]);

/** @type {Scenario} */
export const rtt = {
  name: 'rtt',
  title: 'Round-trip latency',
  description: 'round-trip latency over time, its distribution, and its summary, per protocol',
  quantities: [roundTrip, ...Object.values(SOCKETS)],
  hasPerRequest: true,
  defaults: { duration: 120, repetitions: 6, format: 'thesis' },

  async measure(lab) {
    const { repetitions } = lab.options;
    await lab.startServer(['--delivery', 'reply']);
    const blocks = repetitions * lab.options.transports.length;
    let done = 0;
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const transport of lab.turns(repetition)) {
        lab.progress(`${transport}, ${repetition + 1} of ${repetitions}`, done++ / blocks);
        await measureBlock(lab, transport, repetition);
      }
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const samples = folder.samples(roundTrip.name);
    const caption =
      "From a packet's sending to the arrival of the packet that answers it. Beside tables " +
      '4.4 and 4.5 of the thesis.';
    const difference = differenceTable(roundTrip, samples, random);
    return {
      title: rtt.title,
      summary:
        `Two people talk, packet by packet, and each packet's answer is waited for, protocol ` +
        'by protocol in turn.',
      headlines: meanHeadlines('Round trip, mean', roundTrip, samples, random, THESIS_MEAN_MS),
      tables: [
        summaryTable(roundTrip, samples, random, { caption }),
        ...(difference ? [difference] : []),
        ...socketTables(folder),
      ],
      plots: [
        timePlot(roundTrip, samples),
        distributionPlot(roundTrip, samples),
        cumulativePlot(roundTrip, samples),
        ...[SOCKETS.open, SOCKETS.queue]
          .map((quantity) => ({ quantity, looks: folder.samples(quantity.name) }))
          .filter(({ looks }) => looks.length > 0)
          .map(({ quantity, looks }) => timePlot(quantity, looks)),
      ],
      notes: [
        'Open loop: a packet is sent when its frame ends, whatever has been answered by then.',
        'A packet and its answer are matched by the frame index that both carry.',
        'Both times of a client are read in one process from one monotonic clock: just ' +
          'before the packet is handed to the transport, and when the answer is handed to ' +
          'the client.',
        `What wasn't answered ${GRACE_SECONDS} s after the last packet never came; it is ` +
          'counted, and in no mean.',
        ...worldNotes(options),
      ],
    };
  },
};

/**
 * @param {import('./lab.js').Lab} lab
 * @param {import('../../testkit/participants/connection.js').ParticipantTransport} transport
 * @param {number} repetition
 */
async function measureBlock(lab, transport, repetition) {
  const people = ['A', 'B'].map((client) => ({
    client,
    id: `${transport}-${client}`,
    transport,
    room: transport,
  }));
  await lab.join(people);
  const startMs = lab.folder.elapsedMs + lab.options.warmUp * 1000;
  const seconds = lab.blockSeconds + GRACE_SECONDS;
  const { people: notes, sockets } = await lab.measure(seconds, { sockets: true });
  await lab.leave(people);
  recordSockets(lab, sockets, { protocol: transport, repetition, startMs, seconds });
  for (const { client, id } of people) {
    const { sent, received } = notes.find((person) => person.id === id).notes;
    const answers = new Map(received.map((/** @type {any} */ { frame, atMs }) => [frame, atMs]));
    const firstMs = sent[0]?.atMs ?? 0;
    for (const { frame, atMs } of sent) {
      if (atMs - firstMs > lab.blockSeconds * 1000) break;
      const value = (answers.get(frame) ?? Infinity) - atMs;
      lab.folder.record(roundTrip.name, {
        protocol: transport,
        repetition,
        client,
        atMs: startMs + atMs - firstMs,
        value,
      });
    }
  }
}
