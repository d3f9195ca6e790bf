/**
 * Sockets of the participants through a run, as `netstat` shows them: open connections, and the
 * bytes in their send queues.
 * @import { Lab } from './lab.js'
 * @import { Samples } from './scenario.js'
 * @import { Quantity, Sample, Table } from '../report/result.js'
 */

import { protocolLabel } from '../report/palette.js';
import { protocolsOf } from '../report/quantity-views.js';
import { mean, quantile, sorted } from '../../testkit/statistics.js';

/** @type {Record<string, Quantity>} */
export const SOCKETS = {
  opened: { name: 'connectionsOpened', label: 'Connections opened', unit: '/s' },
  open: { name: 'connectionsOpen', label: 'Open connections', unit: '' },
  queue: { name: 'sendQueue', label: 'Send queue of all connections', unit: 'B' },
};

/**
 * Records the sockets of a block.
 * @param {Lab} lab
 * @param {ReturnType<import('../../testkit/participants/own-sockets.js').SocketNotes['take']>
 *   | null} sockets  null where they can't be seen
 * @param {{ protocol: string, repetition: number, startMs: number, seconds: number }} block
 *   startMs: of the run
 */
export function recordSockets(lab, sockets, { protocol, repetition, startMs, seconds }) {
  if (!sockets) return;
  const common = { protocol, repetition, client: '' };
  lab.folder.record(SOCKETS.opened.name, {
    ...common,
    atMs: startMs,
    value: sockets.opened / seconds,
  });
  const firstMs = sockets.looks[0]?.atMs ?? 0;
  for (const { atMs, connections, sendQueueBytes } of sockets.looks) {
    const at = { ...common, atMs: startMs + atMs - firstMs };
    lab.folder.record(SOCKETS.open.name, { ...at, value: connections });
    lab.folder.record(SOCKETS.queue.name, { ...at, value: sendQueueBytes });
  }
}

/** @param {Samples} folder @returns {Table[]} none where nothing was seen */
export function socketTables(folder) {
  const [opened, open, queues] = ['opened', 'open', 'queue'].map((name) =>
    folder.samples(SOCKETS[name].name),
  );
  if (open.length === 0) return [];
  const rows = protocolsOf(open).map((protocol) => {
    const of = (/** @type {readonly Sample[]} */ samples) =>
      samples.filter((sample) => sample.protocol === protocol).map(({ value }) => value);
    const [connections, bytes] = [of(open), sorted(of(queues))];
    return [
      protocolLabel(protocol),
      mean(of(opened)),
      mean(connections),
      Math.max(...connections),
      (100 * bytes.filter((count) => count > 0).length) / bytes.length,
      quantile(bytes, 0.99),
      bytes.at(-1) ?? NaN,
    ];
  });
  return [
    {
      name: 'sockets',
      title: 'Connections and send queues',
      caption:
        "Of the participants together, a look each 20 ms; beside the thesis's chapter 3. Send " +
        'queue: bytes that the kernel has neither sent nor had acknowledged, of TCP and of the ' +
        "sockets of UDP. QUIC's own connections aren't the kernel's: they are counted as none.",
      columns: [
        { label: 'Protocol' },
        { label: 'Opened', unit: '/s', digits: 1 },
        { label: 'Open, mean', digits: 1 },
        { label: 'Most', digits: 0 },
        { label: 'Send queue above 0', unit: '% of looks', digits: 1 },
        { label: 'Send queue, p99', unit: 'B', digits: 0 },
        { label: 'Most', unit: 'B', digits: 0 },
      ],
      rows,
    },
  ];
}
