import { describe, expect, it } from 'vitest';
import { seededRandom } from '../../../testkit/random.js';
import { setup } from '../../scenarios/comparisons/setup.js';
import {
  AS_IS,
  conditionsOf,
  faultOfLoss,
  faultOfPing,
  settingsOf,
} from '../../setup/conditions.js';
import { labelOf, legsOf, productOf, sentencesAt, sweptOf } from '../../setup/figures.js';
import { PARTS, StepNotes } from '../../setup/steps.js';

/**
 * @import { Sample } from '../../report/result.js'
 * @import { Condition } from '../../setup/conditions.js'
 * @import { Leg } from '../../setup/joiner.js'
 */

const PLAIN = Object.freeze({ roundTripMs: 50, lossPercent: 0, rateKbits: 0 });

/** @type {Record<'quick' | 'slow' | 'kept', Leg>} */
const legs = {
  quick: { transport: 'webtransport', connection: 'new' },
  slow: { transport: 'http1', connection: 'new' },
  kept: { transport: 'http1', connection: 'kept' },
};

/**
 * Three values in each of five repetitions, around a median.
 * @param {Leg} leg @param {number} median @param {Condition} [condition]
 * @returns {Sample[]}
 */
const samplesOf = ({ transport, connection }, median, condition = PLAIN) =>
  Array.from({ length: 15 }, (_, i) => ({
    protocol: transport,
    repetition: i % 5,
    client: '',
    atMs: i,
    value: median + (Math.floor(i / 5) - 1),
    factors: { ...condition, connection },
  }));

describe('the steps of a setup', () => {
  it('end parts of the time, and together the whole', () => {
    const notes = new StepNotes();
    notes.reach('connected', 1010);
    notes.reach('connected', 1011);
    notes.reach('opened', 1030);
    notes.reach('welcomed', 1060);
    notes.reach('packet', 1100);
    notes.reach('heard', 1150);
    expect(notes.parts(1000)).toEqual({
      connect: 10,
      session: 20,
      join: 30,
      firstPacket: 40,
      firstSample: 50,
      total: 150,
    });
  });

  it('that were not reached never came, nor did what follows', () => {
    const notes = new StepNotes();
    notes.reach('connected', 1010);
    notes.reach('opened', 1030);
    expect(notes.parts(1000)).toEqual({
      connect: 10,
      session: 20,
      join: Infinity,
      firstPacket: Infinity,
      firstSample: Infinity,
      total: Infinity,
    });
  });

  it('can be waited for, before and after they are reached', async () => {
    const notes = new StepNotes();
    const waiting = notes.wait('heard');
    notes.reach('heard', 1);
    await waiting;
    await notes.wait('heard');
    expect(notes.parts(0).connect).toBe(Infinity);
  });
});

describe('conditions of a setup', () => {
  it('vary one figure at a time, each condition once', () => {
    const conditions = conditionsOf({ roundTrips: [0, 50], losses: [0, 3], rates: [500] });
    expect(conditions).toEqual([
      { ...PLAIN, roundTripMs: 0 },
      PLAIN,
      { ...PLAIN, lossPercent: 3 },
      { ...PLAIN, rateKbits: 500 },
    ]);
  });

  it('are set for each direction of the link, or leave it as it is', () => {
    expect(settingsOf({ roundTripMs: 50, lossPercent: 3, rateKbits: 500 })).toEqual({
      delayMs: 25,
      lossPercent: 3,
      rateBits: 500_000,
    });
    expect(settingsOf(AS_IS)).toBeNull();
  });

  it('show in the round trip of a large ping, rate included', () => {
    const slow = { ...PLAIN, rateKbits: 500 };
    expect(faultOfPing(PLAIN, { minMs: 50.4 })).toBeNull();
    expect(faultOfPing(slow, { minMs: 50 + 2 * 22.848 })).toBeNull();
    expect(faultOfPing(slow, { minMs: 50.4 })).toMatch(
      /took 50\.4 ms at least, where the link should make it 95\.7 ms/,
    );
    expect(faultOfPing(PLAIN, { minMs: 60 })).toMatch(/took 60\.0 ms/);
    expect(faultOfPing(PLAIN, { minMs: NaN })).not.toBeNull();
    expect(faultOfPing(AS_IS, { minMs: 123 })).toBeNull();
  });

  it('show in the count of what was lost, as far as chance allows', () => {
    const lossy = { ...PLAIN, lossPercent: 10 };
    expect(faultOfLoss(lossy, { arrived: 1000, lost: 130 })).toBeNull();
    expect(faultOfLoss(lossy, { arrived: 1000, lost: 150 })).toBe(
      'the link lost 150 of 1000 packets, where 10 % was asked for',
    );
    expect(faultOfLoss(lossy, { arrived: 1000, lost: 0 })).not.toBeNull();
    expect(faultOfLoss(PLAIN, { arrived: 1000, lost: 1 })).not.toBeNull();
    expect(faultOfLoss(PLAIN, { arrived: 1000, lost: 0 })).toBeNull();
  });
});

describe('figures of setups', () => {
  it('are of the sweeps that were made, and a condition may be in two of them', () => {
    const at = (/** @type {Partial<Condition>} */ change) =>
      samplesOf(legs.quick, 300, { ...PLAIN, ...change });
    const swept = sweptOf([
      ...at({ roundTripMs: 0 }),
      ...at({}),
      ...at({ lossPercent: 3 }),
      ...at({ rateKbits: 500 }),
    ]);
    expect(swept.map(({ sweep, points }) => [sweep.name, points.map((point) => point.at)])).toEqual(
      [
        ['roundTrip', [0, 50]],
        ['loss', [0, 3]],
        ['rate', [500]],
      ],
    );
    expect(sweptOf([...at({}), ...at({ rateKbits: 500 })]).map(({ sweep }) => sweep.name)).toEqual([
      'rate',
    ]);
    expect(sweptOf(at({}))).toHaveLength(1);
    expect(sweptOf(samplesOf(legs.quick, 300, AS_IS))[0].sweep.name).toBe('asIs');
    expect(sweptOf([])).toEqual([]);
  });

  it('name each leg by its transport and its connection', () => {
    expect(
      legsOf([
        ...samplesOf(legs.quick, 1),
        ...samplesOf(legs.kept, 1),
        ...samplesOf(legs.quick, 2),
      ]).map(labelOf),
    ).toEqual(['WebTransport', 'HTTP/1 with a connection kept open']);
  });

  it('are told by what the intervals of differences leave out', () => {
    const all = [
      ...samplesOf(legs.quick, 300),
      ...samplesOf(legs.slow, 510),
      ...samplesOf(legs.kept, 410),
    ];
    expect(sentencesAt('At 100 ms round trip', all, seededRandom(1))).toEqual([
      'At 100 ms round trip, sound is heard over WebTransport 210.0 [210.0, 210.0] ms ' +
        'sooner than over HTTP/1.',
      'At 100 ms round trip, sound is heard over HTTP/1 100.0 [100.0, 100.0] ms later than ' +
        'over HTTP/1 with a connection kept open.',
    ]);
    const alike = [...samplesOf(legs.quick, 300), ...samplesOf(legs.slow, 300)];
    expect(sentencesAt('At 0 ms round trip', alike, seededRandom(1))).toEqual([
      'At 0 ms round trip, no difference from WebTransport is shown in the time until the ' +
        'first sound for HTTP/1.',
    ]);
  });

  it('are in no sentence where there are too few repetitions, or one leg alone', () => {
    const few = [...samplesOf(legs.quick, 300), ...samplesOf(legs.slow, 300)].filter(
      ({ repetition }) => repetition < 4,
    );
    expect(sentencesAt('Here', few, seededRandom(1))).toEqual([
      '5 repetitions are needed for sentences; the fewest here are 4.',
    ]);
    expect(sentencesAt('Here', samplesOf(legs.quick, 300), seededRandom(1))).toEqual([]);
  });

  it('have a product with the rate that is the same for bytes, and grows for round trips', () => {
    /** @param {number} rate @param {number} ms that HTTP/1 takes longer */
    const productAt = (rate, ms) =>
      productOf(
        rate,
        [...samplesOf(legs.quick, 300), ...samplesOf(legs.slow, 300 + ms)],
        [...samplesOf(legs.quick, 5000), ...samplesOf(legs.slow, 15_000)],
        legs.slow,
        legs.quick,
        seededRandom(1),
      );
    const bytes = [500, 4000].map((rate) => productAt(rate, (80 / rate) * 1000));
    expect(bytes.map(({ product }) => product.estimate)).toEqual([80, 80]);
    expect(bytes[0].counted).toBe(80);
    expect([500, 4000].map((rate) => productAt(rate, 100).product.estimate)).toEqual([50, 400]);
  });
});

describe('the result of setup', () => {
  /** @param {Record<string, Sample[]>} recorded */
  const resultOf = (recorded) =>
    setup.result({ samples: (name) => recorded[name] ?? [] }, { seed: 1 });
  const firstSound = [...samplesOf(legs.quick, 300), ...samplesOf(legs.slow, 500)];

  it('has a headline for each transport, sentences, and unrecorded parts as unknown', () => {
    const { headlines, tables } = resultOf({ firstSound });
    expect(headlines.map(({ protocol, value }) => [protocol, value])).toEqual([
      ['webtransport', 300],
      ['http1', 500],
    ]);
    expect(tables.map(({ name }) => name)).toEqual([
      'roundTripOrder',
      'roundTripHeard',
      'roundTripParts',
      'sentences',
    ]);
    expect(tables[2].rows[0]).toEqual([50, 'WebTransport', ...PARTS.map(() => null)]);
    expect(tables[3].rows).toHaveLength(1);
  });

  it('withholds headline and sentence where the condition was not as asked', () => {
    const fault = [
      { ...firstSound[0], factors: { ...PLAIN, connection: '', why: 'the link lost nothing' } },
    ];
    const { headlines, tables } = resultOf({ firstSound, fault });
    expect(headlines).toEqual([]);
    expect(tables[3].rows).toEqual([
      ['At 50 ms round trip: withheld, since the link lost nothing.'],
    ]);
    expect(tables[1].rows).toHaveLength(2);
  });

  it('has the share that heard anything, and the product of differences and rate', () => {
    const rates = [500, 4000].flatMap((rateKbits) => [
      ...samplesOf(legs.quick, 300, { ...PLAIN, rateKbits }),
      ...samplesOf(legs.slow, 340, { ...PLAIN, rateKbits }),
    ]);
    rates[0].value = Infinity;
    const { tables, plots } = resultOf({ firstSound: rates });
    const share = { value: expect.closeTo(1400 / 15), interval: [expect.any(Number), 100] };
    expect(tables[1].rows[0].slice(0, 4)).toEqual([500, 'WebTransport', 15, share]);
    expect(
      tables
        .find(({ name }) => name === 'product')
        ?.rows.map((row) => [row[0], row[1], /** @type {any} */ (row[3]).value]),
    ).toEqual([
      [500, 'HTTP/1 − WebTransport', 20],
      [4000, 'HTTP/1 − WebTransport', 160],
    ]);
    expect(plots.map(({ name }) => name)).toEqual(['rateLine']);
  });

  it('is empty before anything was measured', () => {
    expect(resultOf({}).tables).toHaveLength(1);
  });
});
