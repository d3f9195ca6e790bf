/**
 * The size of packets, against what the path carries (thesis, section 2.6.2; figure 2.7, table
 * 2.1).
 * @import { Scenario } from './scenario.js'
 */

import { MAX_SENT_BYTES } from '../../public/shared/wire/packet.js';
import { randomFor, worldNotes } from './scenario.js';
import {
  distributionPlot,
  meanHeadlines,
  summaryTable,
  timePlot,
} from '../report/quantity-views.js';

/** @type {import('../report/result.js').Quantity} */
const packetBytes = { name: 'packetBytes', label: 'Size of packets', unit: 'bytes' };

/** The thesis's mean and largest datagram, in bytes (table 2.1), of 80 ms at 8 kHz. */
const THESIS_MEAN_BYTES = 901.74;
const THESIS_MAX_BYTES = 1167;

/** @type {Scenario} */
export const datagrams = {
  name: 'datagrams',
  title: 'Size of packets',
  description: "size of the packets that clients send, against the path's limit",
  quantities: [packetBytes],
  defaults: { duration: 60, repetitions: 2, format: 'thesis', transports: ['webtransport'] },

  async measure(lab) {
    const { repetitions, transports } = lab.options;
    await lab.startServer(['--delivery', 'reply']);
    for (let repetition = 0; repetition < repetitions; repetition++) {
      for (const transport of transports) {
        lab.progress(transport, repetition / repetitions);
        const person = { id: 'A', transport, room: transport };
        await lab.join([person]);
        const startMs = lab.folder.elapsedMs;
        const { people } = await lab.measure(lab.blockSeconds);
        await lab.leave([person]);
        const { sent } = people[0].notes;
        for (const { atMs, bytes } of sent) {
          const sample = {
            protocol: transport,
            repetition,
            client: 'A',
            atMs: startMs + atMs - sent[0].atMs,
            value: bytes,
          };
          lab.folder.record(packetBytes.name, sample);
        }
      }
    }
  },

  result(folder, options) {
    const random = randomFor(options);
    const samples = folder.samples(packetBytes.name);
    const largest = samples.reduce((most, { value }) => Math.max(most, value), 0);
    const limit = {
      label: `limit: ${MAX_SENT_BYTES}`,
      axis: /** @type {const} */ ('y'),
      value: MAX_SENT_BYTES,
    };
    const thesis = new Map(
      options.transports.map((/** @type {string} */ transport) => [transport, THESIS_MEAN_BYTES]),
    );
    return {
      title: datagrams.title,
      summary: 'What one packet holds: the header, and one frame of the grid in Opus.',
      headlines: [
        ...meanHeadlines(
          'Size, mean',
          packetBytes,
          samples,
          random,
          options.format === 'thesis' ? thesis : undefined,
        ),
        {
          label: 'Largest',
          unit: 'bytes',
          protocol: '',
          value: largest,
          digits: 0,
          ...(options.format === 'thesis' && { thesis: THESIS_MAX_BYTES }),
        },
      ],
      tables: [
        summaryTable(packetBytes, samples, random, { caption: 'Beside table 2.1 of the thesis.' }),
      ],
      plots: [
        { ...timePlot(packetBytes, samples), references: [limit] },
        distributionPlot(packetBytes, samples),
      ],
      notes: [
        'Packets as the client hands them to the transport: header and payloads, without ' +
          'what HTTP/3, QUIC, UDP and IP add.',
        `No packet may have more than ${MAX_SENT_BYTES} bytes, so that it fits a QUIC ` +
          'datagram on every path (RFC 9000, section 14).',
        'The thesis put its samples through an encoder of text (listing 2.2); here they are bytes.',
        ...worldNotes(options),
      ],
    };
  },
};
