/**
 * Time until a call is heard again whose node was killed, and the effect of a NATS server's death.
 * @import { Scenario } from './scenario.js'
 * @import { Lab } from './lab.js'
 */

import { findNats, NATS_MISSING } from '../../deploy/cluster-processes.js';
import { loadCodec } from '../../server/codec/codec.js';
import {
  heardAgain,
  LocalCluster,
  longestGapMs,
  withoutPauses,
} from '../../testkit/local-cluster.js';
import { Headless } from '../../testkit/participants/headless.js';
import { readSpeech } from '../../testkit/participants/speech.js';
import { leastCovering } from '../../testkit/statistics.js';
import { wholeNumber } from '../options.js';
import { targetsTable } from './targets.js';

/** Targets, in milliseconds. */
const MEDIAN_MS = 2000;
const P95_MS = 3000;
const GAP_MS = 200;

/** The room of the call. */
const ROOM = 'failover';

/** Faults of the cluster. */
const ENDS = Object.freeze(['node killed', 'node stopped', 'NATS server killed']);

const factors = [{ name: 'end', label: 'What ended', unit: '' }];
const again = { name: 'again', label: 'Until heard again', unit: 'ms', factors };

/** @type {Scenario} */
export const failover = {
  name: 'failover',
  title: 'A node of a cluster is killed',
  description:
    'three nodes and three NATS servers on this machine: the node of a call is killed ' +
    'again and again',
  quantities: [again],
  isOnce: true,
  lacks: ['duration', 'warmUp', 'browser'],
  defaults: { duration: 1, repetitions: 1, transports: ['webtransport'] },
  addOptions: (command) =>
    void command.option(
      '--kills <count>',
      'how often the node is killed',
      wholeNumber(1, 1000),
      20,
    ),

  async measure(lab) {
    const { transports, kills, server } =
      /** @type {Lab['options'] & { kills: number, server: string[] }} */ (lab.options);
    const program = findNats();
    if (program === null) throw new Error(NATS_MISSING);
    for (const [i, transport] of transports.entries()) {
      const cluster = new LocalCluster({ argv: server });
      try {
        await cluster.start(program, { natsServers: 3 });
        await measureOver(lab, cluster, transport, kills, i / transports.length);
      } finally {
        await cluster.close();
      }
    }
  },

  result(folder) {
    const samples = folder.samples('again');
    const of = (/** @type {string} */ protocol, /** @type {string} */ end) =>
      samples
        .filter((sample) => sample.protocol === protocol && sample.factors?.end === end)
        .map(({ value }) => value)
        .sort((a, b) => a - b);
    const protocols = [...new Set(samples.map(({ protocol }) => protocol))];
    const rows = protocols
      .flatMap((protocol) => ENDS.map((end) => ({ protocol, end, values: of(protocol, end) })))
      .filter(({ values }) => values.length > 0);
    const figures = (/** @type {number[]} */ values) => [
      leastCovering(values, 0.5),
      leastCovering(values, 0.95),
      values[values.length - 1],
    ];
    const targets = protocols.flatMap((protocol) =>
      targetsOf(protocol, of(protocol, 'node killed'), of(protocol, 'NATS server killed')),
    );
    return {
      title: failover.title,
      summary:
        'One speaks without pauses, one listens, on three nodes. From the kill until 20 ms ' +
        'of the speaker’s sound came over another node.',
      headlines: protocols.map((protocol) => ({
        label: 'Heard again after a kill',
        unit: 'ms',
        protocol,
        digits: 0,
        value: leastCovering(of(protocol, 'node killed'), 0.5),
      })),
      tables: [
        targetsTable(targets),
        {
          name: 'again',
          title: 'Until heard again',
          columns: [
            { label: 'Protocol' },
            { label: 'What ended' },
            { label: 'Times' },
            ...['Median', '95 %', 'Longest'].map((label) => ({ label, unit: 'ms', digits: 0 })),
          ],
          rows: rows.map(({ protocol, end, values }) => [
            protocol,
            end,
            values.length,
            ...figures(values),
          ]),
        },
      ],
      plots: [],
      notes: [
        'A killed node is ended by SIGKILL, and restarted before the next kill. A ' +
          'stopped one (SIGSTOP) holds its sockets and says nothing, as a machine that hangs.',
        'Everything is on one machine, so that a network’s round trips are left out: a call ' +
          'makes some five of them on its way back.',
      ],
    };
  },
};

/**
 * @param {string} protocol
 * @param {number[]} killed  times until heard again after a node was killed, ascending, in
 *   milliseconds
 * @param {number[]} nats    longest gaps while a NATS server was killed, ascending, in milliseconds
 */
function targetsOf(protocol, killed, nats) {
  const shared = { unit: 'ms', digits: 0, why: `${killed.length} kills, ${protocol}` };
  return [
    {
      ...shared,
      what: 'A killed node’s call heard again, median',
      limit: MEDIAN_MS,
      reached: leastCovering(killed, 0.5),
    },
    {
      ...shared,
      what: 'A killed node’s call heard again, 95th percentile',
      limit: P95_MS,
      reached: leastCovering(killed, 0.95),
    },
    {
      ...shared,
      what: 'Longest gap while a NATS server is killed',
      limit: GAP_MS,
      reached: nats.at(-1) ?? NaN,
      why: `a local room, ${protocol}; speech's own pauses left out`,
    },
  ];
}

/**
 * @param {Lab} lab
 * @param {LocalCluster} cluster
 * @param {any} transport
 * @param {number} kills
 * @param {number} share
 */
async function measureOver(lab, cluster, transport, kills, share) {
  const speech = withoutPauses(await readSpeech(48_000));
  const codec = await loadCodec('libopus-wasm');
  const [one] = cluster.nodes.values();
  const record = (/** @type {string} */ end, /** @type {number} */ value) =>
    lab.folder.record('again', {
      protocol: transport,
      repetition: 0,
      client: 'A',
      atMs: lab.folder.elapsedMs,
      value,
      factors: { end },
    });
  const people = [
    new Headless({ codec, speech, lasting: true }),
    new Headless({ codec, lasting: true, recordSeconds: 600 }),
  ];
  const [speaker, listener] = people;
  try {
    await speaker.join({ origin: one.url, room: ROOM, name: 'Speaker', transport });
    await listener.join({ origin: one.url, room: ROOM, name: 'Listener', transport });
    await lab.wait(2);
    const from = listener.recorded;
    cluster.natsServers[0].kill('SIGKILL');
    await lab.wait(2);
    record(
      'NATS server killed',
      longestGapMs(listener.recording.subarray(from, listener.recorded)),
    );
    const stops = Math.ceil(kills / 5);
    for (let i = 0; i < kills + stops; i++) {
      lab.progress(
        i < kills ? `kill ${i + 1} of ${kills}` : `stop ${i + 1 - kills} of ${stops}`,
        share + i / (kills + stops),
      );
      const owner = await cluster.ownerOf(ROOM);
      const isStopped = i >= kills;
      const tookMs = await heardAgain(listener, () =>
        isStopped ? owner.child.kill('SIGSTOP') : cluster.kill(owner),
      );
      // Ctrl-C ends the nodes too: a call that is never heard again then is no finding.
      lab.signal.throwIfAborted();
      record(isStopped ? 'node stopped' : 'node killed', tookMs);
      await cluster.kill(owner);
      await cluster.startNode(owner.number);
      await cluster.settle(3);
      await lab.wait(0.3);
    }
  } finally {
    await Promise.all(people.map((person) => person.close()));
  }
}
