import { describe, expect, it } from 'vitest';
import {
  BEFORE,
  HERE,
  againstOption,
  blocksInTurn,
  inTurn,
  ratioOf,
  ratioTables,
  samplesOf,
  verdictOf,
} from '../../scenarios/against.js';
import { crowd, blocksOf as crowdBlocks } from '../../scenarios/crowd.js';
import { forward, blocksOf as forwardBlocks } from '../../scenarios/forward.js';
import { listeners, blocksOf as listenersBlocks } from '../../scenarios/listeners.js';
import { measureBlocks } from '../../scenarios/scenario.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';
import { seededRandom } from '../../../testkit/random.js';

const quantity = { name: 'serverCpu', label: 'CPU', unit: '%' };

/**
 * A folder with one sample of CPU in each repetition and server.
 * @param {Record<string, number[]>} byServer
 * @param {Record<string, string>} [factors]
 */
const folderOf = (byServer, factors = {}) => ({
  samples: (/** @type {string} */ name) =>
    name === quantity.name
      ? Object.entries(byServer).flatMap(([server, values]) =>
          values.map((value, repetition) => ({
            ...{ protocol: '', client: '', atMs: 0, repetition, value },
            factors: { server, ...factors },
          })),
        )
      : [],
});

const all = { quantity, belongs: () => true, server: BEFORE };

describe('a ratio beside another server', () => {
  it('is the median of those of blocks, in which a disturbance is in both', () => {
    const folder = folderOf({
      [HERE]: [6, 6.1, 12, 5.9, 6],
      [BEFORE]: [10, 10, 20, 10, 10],
    });
    const { estimate, low, high, here, there, blocks } = ratioOf(folder, all, seededRandom(1));
    expect(estimate).toBeCloseTo(0.6, 9);
    expect(low).toBeGreaterThanOrEqual(0.59);
    expect(high).toBeLessThanOrEqual(0.61);
    expect([here, there, blocks]).toEqual([7.2, 12, 5]);
  });

  it('has no interval and no verdict from four blocks, though a fifth has one side', () => {
    const folder = folderOf({ [HERE]: [5, 5, 5, 5, 5], [BEFORE]: [10, 10, 10, 10] });
    const ratio = ratioOf(folder, all, seededRandom(1));
    expect(ratio).toMatchObject({ estimate: 0.5, low: NaN, high: NaN, blocks: 4 });
    expect(verdictOf(ratio, 0.6)).toBe('no verdict: fewer than 5 blocks');
  });

  it.each([
    [0.5, 0.59, 'met'],
    [0.5, 0.6, 'met'],
    [0.55, 0.65, 'open: the interval holds the bar'],
    [0.61, 0.65, 'not met'],
  ])('with an interval from %f to %f against 0.6 is %s', (low, high, verdict) => {
    expect(verdictOf({ estimate: 0.58, low, high }, 0.6)).toBe(verdict);
    expect(verdictOf({ estimate: 0.58, low, high }, null)).toBe('');
  });

  it('has a row for each server that was measured, and no table without one', () => {
    const folder = folderOf({ [HERE]: [5, 5, 5, 5, 5], [BEFORE]: [10, 10, 10, 10, 10] });
    const bars = [
      { what: 'CPU', limit: 0.6, ...all },
      { what: 'CPU', limit: 0.5, ...all, server: 'jamulus' },
    ];
    const [{ rows }] = ratioTables(folder, bars, { seed: 1 });
    expect(rows).toEqual([['CPU', BEFORE, 5, 10, '0.500 [0.500, 0.500]', 5, '≤ 0.6 ×', 'met']]);
    expect(ratioTables(samplesOf(folder), bars, { seed: 1 })).toEqual([]);
  });
});

describe('the servers of a run', () => {
  const five = { repetitions: 5, duration: 50, against: '/before' };

  it('take turns, each first as often as the others', () => {
    expect([0, 1, 2].map((repetition) => inTurn(['a', 'b'], repetition))).toEqual([
      ['a', 'b'],
      ['b', 'a'],
      ['a', 'b'],
    ]);
    expect(
      blocksInTurn(['a', 'b', 'c'], 2)
        .map(({ name }) => name)
        .join(''),
    ).toBe('abcbca');
    const blocks = crowdBlocks({ ...five, cases: ['10/10', '50x10/2'], jamulus: true });
    const first = blocks.filter(({ repetition }) => repetition === 0);
    expect(first.map(({ name, server }) => `${name} ${server}`)).toEqual([
      ...['10/10 here', '10/10 before', '10/10 jamulus'],
      ...['50x10/2 here', '50x10/2 before'],
    ]);
    expect(blocks).toHaveLength(25);
    expect(blocks[5]).toEqual({ name: '10/10', server: BEFORE, repetition: 1, seconds: 10 });
  });

  it('are only those that the machine has, and that can have the case', () => {
    const cases = ['10/10', '50/50k20', '20x3/2'];
    const servers = (/** @type {{ server: string }[]} */ blocks) => [
      ...new Set(blocks.map(({ server }) => server)),
    ];
    expect(servers(crowdBlocks({ ...five, cases, jamulus: true }, false))).toEqual([HERE, BEFORE]);
    expect(servers(crowdBlocks({ ...five, against: undefined, cases }))).toEqual([HERE]);
    const forwarded = forwardBlocks({
      ...five,
      cases: ['50/5', '20x3/2'],
      ways: ['bundle', 'mumble'],
    });
    expect(forwarded.slice(0, 5).map(({ name, way, server }) => [name, way, server])).toEqual([
      ['50/5', 'bundle', HERE],
      ['50/5', 'bundle', BEFORE],
      ['50/5', 'mumble', HERE],
      ['20x3/2', 'bundle', HERE],
      ['20x3/2', 'bundle', BEFORE],
    ]);
    expect(listenersBlocks({ ...five, cases: ['1000s3'] })).toHaveLength(10);
  });
});

describe('a block that fails', () => {
  /** @param {AbortSignal} [signal] */
  const labOf = (signal = new AbortController().signal) => {
    const [warnings, closed] = [/** @type {string[]} */ ([]), { times: 0 }];
    const lab = /** @type {any} */ ({
      ...{ signal, progress: () => {} },
      folder: { warn: (/** @type {string} */ text) => warnings.push(text) },
      close: async () => void (closed.times += 1),
    });
    return { lab, warnings, closed };
  };
  const blocks = ['a', 'b', 'c'].map((name) => ({ name, server: HERE }));

  it('is left out and named, and the others are measured with new processes', async () => {
    const { lab, warnings, closed } = labOf();
    const measured = /** @type {string[]} */ ([]);
    await measureBlocks(lab, blocks, async ({ name }) => {
      if (name === 'b') throw new Error('busy');
      measured.push(name);
    });
    expect(measured).toEqual(['a', 'c']);
    expect(warnings).toEqual(['A block is left out (b, here): busy']);
    expect(closed.times).toBe(1);
  });

  it('ends the run where all fail, and where the run is broken off', async () => {
    const fail = async () => Promise.reject(new Error('busy'));
    await expect(measureBlocks(labOf().lab, blocks, fail)).rejects.toThrow('busy');
    const aborted = labOf(AbortSignal.abort(new Error('interrupted')));
    await expect(measureBlocks(aborted.lab, blocks, fail)).rejects.toThrow('interrupted');
    expect(aborted.warnings).toEqual([]);
  });
});

describe('--against', () => {
  const parsed = (/** @type {any} */ scenario, /** @type {string[]} */ argv) =>
    scenarioCommand(scenario)
      .exitOverride()
      .configureOutput({ writeErr: () => {} })
      .parse(argv, { from: 'user' })
      .opts();
  // This checkout is one, too.
  const checkout = new URL('../../..', import.meta.url).pathname;

  it('asks for at least five blocks, and for the cases with bars, unless told otherwise', () => {
    expect(parsed(crowd, ['--against', checkout])).toMatchObject({
      ...{ repetitions: 5, cases: ['50/50k50', '25/25k25', '10/10'], jamulus: true },
    });
    expect(parsed(crowd, ['--against', checkout, '--cases', '25/25']).cases).toEqual(['25/25']);
    expect(parsed(forward, ['--against', checkout])).toMatchObject({
      ...{ repetitions: 5, cases: ['50/5'], ways: ['bundle', 'mumble'], warmUp: 30 },
    });
    expect(parsed(listeners, ['--against', checkout])).toMatchObject({ repetitions: 5 });
    expect(parsed(listeners, []).against).toBeUndefined();
  });

  it('refuses a folder without a server that the lab can start', () => {
    expect(() => parsed(crowd, ['--against', '/'])).toThrow(
      'it has no bench/participants/server-process.js',
    );
    expect(againstOption({ repetitions: 5 }).description).toContain('repetitions 5');
  });

  it('has its own rows in a result, in which the other figures are this checkout’s', () => {
    const folder = folderOf(
      { [HERE]: [50, 50, 50, 50, 50], [BEFORE]: [100, 100, 100, 100, 100] },
      { rooms: '50/50k50' },
    );
    const options = { cases: ['50/50k50'], complexity: '8', seed: 1 };
    const { headlines, tables } = crowd.result(folder, options);
    expect(headlines[0].value).toBe(50);
    const ratios = tables.find(({ name }) => name === 'ratios');
    expect(ratios?.rows.map((row) => row.at(-1))).toEqual(['met']);
    const mumble = folderOf(
      { [HERE]: [5, 5, 5, 5, 5], [BEFORE]: [10, 10, 10, 10, 10] },
      { rooms: '50/5', way: 'bundle' },
    );
    const peer = folderOf({ [HERE]: [8, 8, 8, 8, 8] }, { rooms: '50/5', way: 'mumble' });
    const both = {
      samples: (/** @type {string} */ name) => [...mumble.samples(name), ...peer.samples(name)],
    };
    const result = forward.result(both, { cases: ['50/5'], ways: ['bundle', 'mumble'], seed: 1 });
    const rows = result.tables.find(({ name }) => name === 'ratios')?.rows ?? [];
    expect(rows.map((row) => [row[1], row[4], row.at(-1)])).toEqual([
      [BEFORE, '0.500 [0.500, 0.500]', 'met'],
      ['mumble', '0.625 [0.625, 0.625]', 'not met'],
    ]);
  });
});
