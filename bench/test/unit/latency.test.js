import { expect, it } from 'vitest';
import { latency, roundTripsOf } from '../../scenarios/latency.js';
import { rtt } from '../../scenarios/rtt.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';
import { scenarios } from '../../scenarios/index.js';

/** @param {Record<string, any[]>} samples by quantity @returns {any} */
const folderOf = (samples) => ({ samples: (/** @type {string} */ name) => samples[name] ?? [] });

/**
 * @param {string} protocol
 * @param {number[]} values of each of five repetitions
 */
const repeated = (protocol, values) =>
  Array.from({ length: 5 }, (_, repetition) =>
    values.map((value, i) => ({ protocol, repetition, client: 'A', atMs: i, value })),
  ).flat();

const options = /** @type {any} */ ({ seed: 1 });

it("says of each protocol whether its sound keeps to the thesis's 300 ms", () => {
  const { tables, plots } = latency.result(
    folderOf({
      addedUp: [
        ...repeated('webtransport', [180, 200, 220, 310]),
        ...repeated('http1', [440, 450]),
        ...repeated('websocket', [100, 500]),
      ],
    }),
    options,
  );
  const { rows = [] } = tables.find(({ name }) => name === 'realTime') ?? {};
  expect(rows.map(([protocol, , , within, verdict]) => [protocol, within, verdict])).toEqual([
    ['WebTransport', { value: 75, interval: [75, 75] }, 'real time'],
    ['HTTP/1', { value: 0, interval: [0, 0] }, 'not real time'],
    ['WebSocket', { value: 50, interval: [50, 50] }, 'real time'],
  ]);
  for (const { references } of plots) expect(references).toMatchObject([{ value: 300 }]);
});

it('what never came is within no limit', () => {
  const trips = roundTripsOf(
    [0, 80, 160, 240, 1100].map((atMs, frame) => ({ frame, atMs: 1000 + atMs })),
    [
      { frame: 0, atMs: 1030 },
      { frame: 2, atMs: 1190 },
      { frame: 3, atMs: 1300 },
      { frame: 9, atMs: 1300 },
    ],
    1,
  );
  expect(trips).toEqual([
    { atMs: 0, roundTripMs: 30 },
    { atMs: 80, roundTripMs: Infinity },
    { atMs: 160, roundTripMs: 30 },
    { atMs: 240, roundTripMs: 60 },
  ]);
  expect(roundTripsOf([], [], 1)).toEqual([]);
  const addedUp = repeated(
    'webtransport',
    trips.map(({ roundTripMs }) => 150 + roundTripMs),
  );
  const { tables } = latency.result(folderOf({ addedUp }), options);
  const { rows = [] } = tables.find(({ name }) => name === 'realTime') ?? {};
  expect(rows[0].slice(2)).toEqual([
    { value: 190, interval: [190, 190] },
    { value: 75, interval: [75, 75] },
    'real time',
  ]);
});

it('shows no verdict of fewer than five repetitions', () => {
  const few = repeated('http1', [440]).slice(0, 4);
  const { tables } = latency.result(folderOf({ addedUp: few }), options);
  const { rows = [] } = tables.find(({ name }) => name === 'realTime') ?? {};
  expect(rows[0].at(-1)).toBe('not shown');
});

it('rtt has the connections and their send queues, where they could be seen', () => {
  const roundTrip = repeated('http1-per-request', [60]);
  const none = rtt.result(folderOf({ roundTrip }), options);
  expect(none.tables.map(({ name }) => name)).not.toContain('sockets');
  expect(none.plots).toHaveLength(3);
  const { tables, plots } = rtt.result(
    folderOf({
      roundTrip,
      connectionsOpened: repeated('http1-per-request', [25]),
      connectionsOpen: repeated('http1-per-request', [0, 2]),
      sendQueue: repeated('http1-per-request', [0, 0, 0, 400]),
    }),
    options,
  );
  const { rows = [] } = tables.find(({ name }) => name === 'sockets') ?? {};
  expect(rows).toEqual([['HTTP/1, a connection for each request', 25, 1, 2, 25, 400, 400]]);
  expect(plots.slice(3).map(({ name }) => name)).toEqual(['connectionsOpenTime', 'sendQueueTime']);
});

it('--connection-per-request measures HTTP/1 both ways, without a browser', () => {
  const parse = (/** @type {string[]} */ ...argv) =>
    scenarioCommand(rtt).exitOverride().parse(argv, { from: 'user' }).opts();
  expect(parse('--connection-per-request').transports).toEqual([
    'webtransport',
    'http1',
    'http1-per-request',
  ]);
  expect(parse('--connection-per-request', '--transports', 'http1-per-request').transports).toEqual(
    ['http1-per-request'],
  );
  expect(parse().transports).toEqual(['webtransport', 'http1']);
  const able = scenarios.filter(({ hasPerRequest }) => hasPerRequest).map(({ name }) => name);
  expect(able.toSorted()).toEqual(['delay', 'latency', 'rtt']);
});
