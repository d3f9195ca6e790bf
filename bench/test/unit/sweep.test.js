import { expect, it } from 'vitest';
import { explainedAges, sweep } from '../../scenarios/comparisons/sweep.js';

/**
 * Samples of a way, one in each of five repetitions.
 * @param {string} protocol
 * @param {number} at rate of each leg
 * @param {number} value
 */
const samples = (protocol, at, value) =>
  Array.from({ length: 5 }, (_, repetition) => ({
    protocol,
    repetition,
    client: '',
    atMs: 0,
    value: value + repetition / 10,
    factors: { sweep: 'rate', at },
  }));

/** Samples of 200 bytes a frame, and of 400 over HTTP/1, at any rate. */
const recorded = {
  meanAge: [
    ...samples('datagrams', 1000, 4.2),
    ...samples('datagrams', 250, 14),
    ...samples('datagrams', 60, 300),
    ...samples('http1', 250, 40),
    ...samples('http1', 1000, 10),
  ],
  rateUp: [1000, 250, 60].flatMap((at) =>
    [...samples('datagrams', at, 80), ...samples('http1', at, 160)].map((sample) => ({
      ...sample,
      value: Math.floor(sample.value),
    })),
  ),
};
const samplesOf = (/** @type {{ name: string }} */ { name }) =>
  recorded[/** @type {keyof typeof recorded} */ (name)] ?? [];

it('bytes explain the age at the highest rate, plus what the rate adds on two legs', () => {
  const explained = explainedAges(samplesOf);
  // 1 600 bits take 6.4 ms at 250 kbit/s and 1.6 at 1 000, on each of two legs; 3 200 twice as
  // long.
  const of = (/** @type {string} */ way) =>
    explained
      .filter(({ protocol }) => protocol === way)
      .map(({ factors, value }) => [factors?.at, Number(value.toFixed(3))]);
  expect(of('datagrams')).toEqual(
    [4.2, 4.3, 4.4, 4.5, 4.6].map((age) => [250, Number((age + 9.6).toFixed(3))]),
  );
  expect(of('http1')[0]).toEqual([250, 10 + 19.2]);
});

it('it is a column by rate, empty where the rate doesn’t carry what is sent', () => {
  const rating = recorded.meanAge.map((sample) => ({ ...sample, value: 100 }));
  const { tables } = sweep.result(
    { samples: (name) => (name === 'rating' ? rating : samplesOf({ name })) },
    { sweeps: ['rate'], through: 'relay', seed: 1 },
  );
  const figures = tables.find(({ name }) => name === 'rateFigures');
  const column = figures?.columns.findIndex(({ label }) => label === 'Explained') ?? -1;
  const cells = Object.fromEntries(
    figures?.rows
      .filter(([, way]) => way === 'WebTransport datagrams')
      .map((row) => [String(row[0]), row[column]]) ?? [],
  );
  expect(cells).toEqual({
    60: null,
    250: { value: expect.closeTo(14), interval: [expect.any(Number), expect.any(Number)] },
    1000: null,
  });
  expect(sweep.quantities.map(({ name }) => name)).not.toContain('explainedAge');
});
