import { describe, expect, it } from 'vitest';
import { checkResult } from '../../report/result.js';
import { carry } from '../../scenarios/comparisons/carry.js';
import { mesh } from '../../scenarios/comparisons/mesh.js';
import {
  LOWEST_MEAN,
  LOWEST_MEDIAN,
  orderInWords,
  orderOf,
} from '../../scenarios/comparisons/order.js';
import { setup } from '../../scenarios/comparisons/setup.js';
import { ways } from '../../scenarios/comparisons/ways.js';
import { seededRandom } from '../../../testkit/random.js';

const random = () => seededRandom(1);

/**
 * A way's values: in each of five repetitions one that is around the mean, and in the last an
 * outlier.
 * @param {string} way
 * @param {number} around
 * @param {number} [outlier]
 */
const set = (way, around, outlier = around) => ({
  way,
  values: [0, 1, -1, 0].map((off) => [around + off]).concat([[outlier]]),
});

describe('an order by delay', () => {
  it('has the lowest first, with those together of which no difference from it is shown', () => {
    expect(
      orderOf([set('slow', 80), set('quick', 20), set('alike', 20, 23)], random(), LOWEST_MEAN),
    ).toEqual([['quick', 'alike'], ['slow']]);
    expect(
      orderInWords([set('slow', 80), set('quick', 20)], (way) => way, random(), LOWEST_MEAN),
    ).toMatch(/^1\. quick 20 \[\d+, \d+\]; 2\. slow 80 \[\d+, \d+\]$/);
  });

  it('may be that of medians, which one outlier doesn’t move', () => {
    const sets = [set('quick, but for once', 20, 2000), set('slow', 80)];
    expect(orderOf(sets, random(), LOWEST_MEAN)[0]).toContain('slow');
    expect(orderOf(sets, random(), LOWEST_MEDIAN)[0][0]).toBe('quick, but for once');
    expect(orderInWords(sets, (way) => way, random(), LOWEST_MEDIAN)).toMatch(
      /^1\. quick, but for once 20 \[/,
    );
  });
});

/**
 * Samples of a quantity, five repetitions of one value each.
 * @param {string} protocol
 * @param {number} around
 * @param {object} [factors]
 * @returns {import('../../report/result.js').Sample[]}
 */
const samples = (protocol, around, factors) =>
  set(protocol, around).values.map(([value], repetition) => ({
    protocol,
    repetition,
    client: '',
    atMs: repetition,
    value,
    ...(factors && { factors: /** @type {any} */ (factors) }),
  }));

/**
 * @param {import('../../scenarios/scenario.js').Scenario} scenario
 * @param {Record<string, object[]>} recorded
 * @param {object} options
 */
function tablesOf(scenario, recorded, options) {
  const result = checkResult(
    scenario.result(
      { samples: (name) => /** @type {any} */ (recorded[name] ?? []) },
      { seed: 1, ...options },
    ),
  );
  return {
    ...result,
    rowsOf: (/** @type {string} */ name) =>
      result.tables.find((table) => table.name === name)?.rows,
  };
}

describe('a report ranks', () => {
  it('ways of carrying a packet, by R', () => {
    const recorded = {
      age: [...samples('datagrams', 20), ...samples('stream', 30)],
      rating: [...samples('datagrams', 80), ...samples('stream', 120)],
    };
    const { rowsOf } = tablesOf(ways, recorded, { ways: ['datagrams', 'stream'] });
    expect(rowsOf('order')).toEqual([
      [
        expect.stringMatching(
          /^1\. WebTransport on one stream 120\.0 \[.*\]; 2\. WebTransport datagrams 80\.0 \[/,
        ),
      ],
    ]);
    expect(
      tablesOf(ways, { age: recorded.age }, { ways: ['datagrams'] }).rowsOf('order'),
    ).toBeUndefined();
  });

  it('what sound is first heard over, by the median under each condition', () => {
    const at = (/** @type {number} */ roundTripMs) => ({
      roundTripMs,
      lossPercent: 0,
      rateKbits: 0,
      connection: 'new',
    });
    const firstSound = [0, 50].flatMap((ms) => [
      ...samples('webtransport', 100 + 4 * ms, at(ms)),
      ...samples('http1', 200 + 4 * ms, at(ms)),
    ]);
    const why = [{ ...firstSound[0], factors: { ...at(0), why: 'the link lost nothing' } }];
    const { rowsOf } = tablesOf(setup, { firstSound, fault: why }, {});
    expect(rowsOf('roundTripOrder')).toEqual([
      [0, 'withheld, since the link lost nothing'],
      [50, expect.stringMatching(/^1\. WebTransport 300 \[.*\]; 2\. HTTP\/1 400 \[/)],
    ]);
  });

  it('topologies by mouth to ear per number of people, except those the machine disturbed', () => {
    const at = (/** @type {number} */ people) => ({ condition: 'clear', people });
    const mouthToEar = [2, 4].flatMap((people) => [
      ...samples('mesh', 90, at(people)),
      ...samples('mixed', 120, at(people)),
    ]);
    const recorded = { personCpu: mouthToEar, mouthToEar, busy: samples('mesh', 99, at(4)) };
    expect(tablesOf(mesh, recorded, {}).rowsOf('clearOrder')).toEqual([
      [2, expect.stringMatching(/^1\. mesh 90 \[.*\]; 2\. mixed 120 \[/)],
      [4, expect.stringMatching(/^1\. mixed 120 \[[^;]*$/)],
    ]);
  });

  it('what carries a call, by R, and says in words and in a plot how old its frames came', () => {
    const both = (/** @type {number} */ datagrams, /** @type {number} */ stream) => [
      ...samples('webtransport', datagrams, { carry: 'datagrams' }),
      ...samples('webtransport', stream, { carry: 'stream' }),
    ];
    const { rowsOf, plots } = tablesOf(
      carry,
      { age: both(20, 50), rating: both(100, 90) },
      { carries: ['datagrams', 'stream', 'streams'] },
    );
    expect(rowsOf('order')).toEqual([
      [expect.stringMatching(/^1\. datagrams 100\.0 \[.*\]; 2\. one stream each way 90\.0 \[/)],
    ]);
    expect(rowsOf('sentences')?.[0]).toEqual([
      'On this link packets by one stream each way arrived 30.0 [30.0, 30.0] ms later on ' +
        'average than by datagrams.',
    ]);
    expect(plots[0].series.map(({ name }) => name)).toEqual([
      'WebTransport datagrams',
      'WebTransport on one stream',
    ]);
  });
});
