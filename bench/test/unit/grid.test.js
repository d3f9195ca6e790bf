import { describe, expect, it } from 'vitest';
import { cpu } from '../../scenarios/comparisons/cpu.js';
import { faultOf, wrongDelay, wrongWith } from '../../scenarios/comparisons/faults.js';
import { conditionsOf } from '../../scenarios/comparisons/grid-scenario.js';
import { groupsOf, measureBlock, TRIES, triesOf } from '../../scenarios/comparisons/grid.js';
import { readVoices } from '../../scenarios/comparisons/heard.js';
import { loaded, SWEEPS as LOADED_SWEEPS, waysAtOnce } from '../../scenarios/comparisons/loaded.js';
import { gridViews, sentencesOf } from '../../scenarios/comparisons/grid-result.js';
import { orderInWords, orderOf } from '../../scenarios/comparisons/order.js';
import { mixed } from '../../scenarios/comparisons/mixed.js';
import { controllers } from '../../scenarios/comparisons/controllers.js';
import { mesh } from '../../scenarios/comparisons/mesh.js';
import { parallel } from '../../scenarios/comparisons/parallel.js';
import { sweep } from '../../scenarios/comparisons/sweep.js';
import { Lab } from '../../scenarios/lab.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';
import { checkResult } from '../../report/result.js';
import { seededRandom } from '../../../testkit/random.js';

const voiceOf = await readVoices();
const random = () => seededRandom(1);

/**
 * A way's values, one in each of five repetitions.
 * @param {string} way
 * @param {number} around
 * @param {number} [apart]
 */
const set = (way, around, apart = 1) => ({
  way,
  values: [0, 1, -1, 0.5, -0.5].map((off) => [around + off * apart]),
});

/**
 * Samples of R.
 * @param {Record<string, (value: number) => number>} ratings
 * @param {number[]} values
 * @param {number} [repetitions]
 */
const samples = (ratings, values, repetitions = 5) =>
  Object.entries(ratings).flatMap(([protocol, ratingAt]) =>
    values.flatMap((value) =>
      Array.from({ length: repetitions }, (_, repetition) => ({
        protocol,
        repetition,
        client: '',
        atMs: repetition,
        value: ratingAt(value) + (repetition % 3) / 10,
        factors: { sweep: 'loss', at: value },
      })),
    ),
  );

const LOSS = { name: 'loss', label: 'Loss', unit: '%', stands: 'nothing' };

describe('the order of ways', () => {
  it('has those together of which no difference from the first of them is shown', () => {
    expect(
      orderOf([set('stream', 80), set('datagrams', 100.1), set('websocket', 100, -1)], random()),
    ).toEqual([['datagrams', 'websocket'], ['stream']]);
    expect(orderOf([set('stream', 99, 30), set('datagrams', 100, 1)], random())).toEqual([
      ['datagrams', 'stream'],
    ]);
    expect(orderOf([], random())).toEqual([]);
  });

  it('is that of pairs: what disturbed a repetition disturbed all', () => {
    const [a, b] = [set('datagrams', 100, 20), set('stream', 99, 20)];
    expect(orderOf([b, a], random())).toEqual([['datagrams'], ['stream']]);
  });
});

it('the order in words has each way’s mean and interval', () => {
  const words = orderInWords([set('stream', 80, 0), set('datagrams', 100)], (way) => way, random());
  expect(words).toMatch(
    /^1\. datagrams 100\.0 \[\d+\.\d, \d+\.\d\]; 2\. stream 80\.0 \[80\.0, 80\.0\]$/,
  );
});

it('conditions are those of each sweep in turn, at its own values or at given ones', () => {
  const lab = /** @type {any} */ ({});
  const sweeps = [
    {
      ...LOSS,
      values: [1, 2],
      condition: (/** @type {number} */ lossPercent) => ({ leg: { lossPercent } }),
    },
  ];
  expect(conditionsOf(lab, sweeps)).toEqual(
    [1, 2].map((value) => ({ sweep: 'loss', value, leg: { lossPercent: value } })),
  );
  expect(conditionsOf(lab, sweeps, [7]).map(({ value }) => value)).toEqual([7]);
});

it('ways run in as few groups as may be, of about the same size, each the first as often', () => {
  const ways = [...'abcdefghi'];
  const words = (/** @type {string[][]} */ groups) => groups.map((group) => group.join(''));
  expect(words(groupsOf(ways))).toEqual(['abcdefghi']);
  expect(words(groupsOf(ways, 20, 3))).toEqual(['abcdefghi']);
  // Not four, four and one.
  expect(words(groupsOf(ways, 4))).toEqual(['abc', 'def', 'ghi']);
  expect(words(groupsOf(ways, 4, 1))).toEqual(['def', 'ghi', 'abc']);
  expect(words(groupsOf(ways.slice(0, 5), 4, 2))).toEqual(['ab', 'cde']);
  expect(words(groupsOf(ways, 1, 9))).toEqual(ways);
});

it('no more ways run at once than the processors carry loads', () => {
  // Nine of 4 Mbit/s on two processors, and four of 10; one way runs on any machine.
  expect(waysAtOnce(4e6, 2)).toBeGreaterThanOrEqual(9);
  expect(waysAtOnce(10e6, 2)).toBe(4);
  expect(waysAtOnce(10e6, 8)).toBe(16);
  expect(waysAtOnce(100e6, 2)).toBe(1);
});

it('a load of TCP counts with the rate of the leg that it fills, one of UDP with its own', () => {
  const lab = /** @type {any} */ ({ options: { rate: 2000 }, blockSeconds: 5 });
  const atOnce = (/** @type {string} */ name) =>
    LOADED_SWEEPS.find((one) => one.name === name)?.condition(60, lab).atOnce;
  expect(atOnce('tcp-100-10')).toBe(waysAtOnce(10e6));
  expect(atOnce('udp-100-10')).toBe(waysAtOnce(10e6));
  expect(atOnce('tcp-20-4')).toBe(waysAtOnce(4e6));
  expect(atOnce('udp-20-4')).toBe(waysAtOnce(2e6));
  expect(atOnce('tcp3')).toBe(waysAtOnce(2e6));
  expect(atOnce('tcp-long')).toBe(waysAtOnce(1e6));
  expect(atOnce('alone')).toBeUndefined();
});

it('a block waits once for a way that had all its tries for nothing in the same sweep', () => {
  const lane = { spentIn: new Set(['udp-100-10']) };
  expect(triesOf(lane, 'udp-100-10')).toBe(1);
  expect(triesOf(lane, 'tcp-100-10')).toBe(TRIES);
});

describe('the blocks of a run', () => {
  const direction = {
    arrived: { packets: 150, bytes: 15_000 },
    delivered: { packets: 150, bytes: 15_000 },
    lostRandom: { packets: 0, bytes: 0 },
    lateness: { p99Us: 100 },
  };
  const leg = {
    reset: async () => {},
    stats: async () => ({ up: direction, down: direction, seconds: 3 }),
  };
  /** Lab whose waits take their time on its folder's clock, and nothing else does. */
  class PlannedLab extends Lab {
    /** @override @param {number} seconds */
    async wait(seconds) {
      /** @type {any} */ (this.folder).elapsedMs += 1000 * seconds;
    }
  }

  /**
   * Measures blocks of two ways, of which one is late in some tries.
   * @param {{ blocks: number, toldSeconds: number, isLate: (tries: number) => boolean }} run
   *   isLate: in that try of a block
   */
  async function measured({ blocks, toldSeconds, isLate }) {
    /** @type {string[]} */
    const warnings = [];
    /** @type {any[]} */
    const ratings = [];
    const folder = {
      elapsedMs: 0,
      warn: (/** @type {string} */ warning) => warnings.push(warning),
      record: (/** @type {string} */ name, /** @type {any} */ sample) =>
        name === 'rating' && ratings.push(sample),
      setGenerator: () => {},
    };
    const lab = new PlannedLab(
      /** @type {any} */ ({
        options: { seed: 1, duration: blocks, repetitions: blocks },
        folder,
        signal: new AbortController().signal,
      }),
    );
    lab.toldSeconds = toldSeconds;
    let tries = 0;
    const laneOf = (/** @type {string} */ way, /** @type {() => boolean} */ isLateNow) => ({
      way,
      legs: [leg, leg],
      spentIn: new Set(),
      path: {
        connect: async () => {},
        hangUp: async () => {},
        carry: async (/** @type {{ count: number }} */ { count }) => ({
          ages: new Array(count).fill(10),
          latenessMs: new Array(count).fill(isLateNow() ? 50 : 0),
          messageAges: [],
          estimates: [],
          cpuPercent: 1,
          damaged: 0,
          repeated: 0,
        }),
      },
    });
    const lanes = [laneOf('stream', () => false), laneOf('http1', () => isLate(++tries))];
    const star = {
      legs: [leg, leg, leg, leg],
      set: async () => {},
      seedAnew: async () => {},
      clear: async () => {},
    };
    for (let block = 0; block < blocks; block++) {
      tries = 0;
      await measureBlock(
        lab,
        /** @type {any} */ ({ star, lanes, frames: null, ...voiceOf(0) }),
        { sweep: 'loss', value: 0, leg: {} },
        block,
      );
    }
    const missing = warnings.filter((warning) => warning.includes('is missing'));
    return { seconds: folder.elapsedMs / 1000, ratings, missing, warnings };
  }

  // Two seconds to settle, one that counts, and the lead.
  const BLOCK_SECONDS = 3.05;
  const toldSeconds = 10 * BLOCK_SECONDS;

  it('end in time though a way is late in each of them, and name what is missing', async () => {
    const { seconds, ratings, missing } = await measured({
      blocks: 10,
      toldSeconds,
      // A moment of the machine, each time: the third try would count.
      isLate: (tries) => tries < TRIES,
    });
    expect(seconds / toldSeconds).toBeGreaterThan(1);
    expect(seconds / toldSeconds).toBeLessThan(1.15);
    expect(ratings.filter(({ protocol }) => protocol === 'stream')).toHaveLength(10);
    const late = ratings.filter(({ protocol }) => protocol === 'http1');
    expect(late.length + missing.length).toBe(10);
    expect(missing.at(-1)).toBe('http1, loss 0, repetition 10, is missing: no try of it counts.');
  });

  it('are measured again while there is time for it', async () => {
    const { seconds, ratings, warnings } = await measured({
      blocks: 2,
      toldSeconds: 10 * toldSeconds,
      isLate: (tries) => tries < TRIES,
    });
    expect(seconds).toBeCloseTo(2 * TRIES * BLOCK_SECONDS);
    expect(ratings).toHaveLength(4);
    expect(warnings.map((warning) => warning.replace(/: .*/, ''))).toEqual([
      "http1, loss 0, repetition 1, try 1 doesn't count",
      "http1, loss 0, repetition 1, try 2 doesn't count",
      "http1, loss 0, repetition 2, try 1 doesn't count",
      "http1, loss 0, repetition 2, try 2 doesn't count",
    ]);
  });

  it('wait once for a way that had all its tries for nothing before', async () => {
    const { seconds, missing } = await measured({
      blocks: 5,
      toldSeconds: 10 * toldSeconds,
      isLate: () => true,
    });
    expect(seconds).toBeCloseTo((TRIES + 4) * BLOCK_SECONDS);
    expect(missing).toHaveLength(5);
  });
});

describe('sentences of a sweep', () => {
  it('say where a way is rated otherwise than the first, and by how much', () => {
    const found = sentencesOf(
      samples(
        {
          datagrams: (loss) => 120 - 3 * loss,
          stream: (loss) => (loss < 5 ? 120 - 3 * loss : 60),
          websocket: (loss) => 120 - 3 * loss,
        },
        [0, 5, 10],
      ),
      LOSS,
      random(),
    );
    expect(found).toEqual([
      'Loss: from 5 % on WebTransport on one stream is rated lower than WebTransport ' +
        'datagrams, by 45.0 [45.0, 45.0] at most, at 5 %.',
      'Loss: no difference in R between WebSocket and WebTransport datagrams is shown ' +
        'at any value.',
    ]);
  });

  it('are of each way beside the same sound without messages, where that was measured', () => {
    const found = sentencesOf(
      samples(
        {
          datagrams: () => 120,
          stream: () => 100,
          'datagrams+stream': () => 119,
          'stream+same': () => 90,
        },
        [0],
      ),
      LOSS,
      random(),
    );
    expect(found).toEqual([
      expect.stringContaining(
        'Loss: at 0 % WebTransport on one stream is rated lower than WebTransport ' +
          'datagrams, by 20.0',
      ),
      expect.stringContaining(
        'messages on a stream of their own is rated lower than WebTransport datagrams, by 1.0',
      ),
      expect.stringContaining(
        'messages on the same stream is rated lower than WebTransport on one stream, by 10.0',
      ),
    ]);
  });

  it('tell of other quantities in words of their own', () => {
    const words = { verb: 'gets', lower: 'less', higher: 'more', what: 'nothing', unit: 'ms' };
    const found = sentencesOf(
      samples(
        {
          'datagrams+stream': () => 100,
          'datagrams+datagrams': () => 90,
          'stream+same': () => 100,
        },
        [5],
      ),
      LOSS,
      random(),
      words,
    );
    const [first, ...names] = [
      'datagrams, messages on a stream of their own',
      'datagrams, messages in datagrams',
      'on one stream, messages on the same stream',
    ].map((name) => `WebTransport ${name}`);
    expect(found).toEqual([
      `Loss: at 5 % ${names[0]} gets less than ${first}, by 10.0 [10.0, 10.0] ms.`,
      `Loss: no difference in nothing between ${names[1]} and ${first} is shown at any value.`,
    ]);
  });

  it('tell of no difference that figures don’t show', () => {
    const found = sentencesOf(
      samples({ datagrams: () => 120, stream: () => 119.96 }, [0]),
      LOSS,
      random(),
    );
    expect(found).toEqual([expect.stringContaining('no difference in R')]);
  });

  it('are withheld where there are too few repetitions', () => {
    expect(
      sentencesOf(samples({ datagrams: () => 1, stream: () => 2 }, [0], 4), LOSS, random()),
    ).toEqual(['5 repetitions are needed for sentences; the fewest here are 4.']);
  });
});

it('a share’s interval ends at 100 %', () => {
  const rows = [100, 100, 100, 99, 100].map((value, repetition) => ({
    ...samples({ datagrams: () => 0 }, [1], 1)[0],
    value,
    repetition,
  }));
  const { tables } = gridViews({ samples: () => rows }, [LOSS], random());
  const {
    columns,
    rows: [row],
  } = tables[1];
  const cell = /** @type {any} */ (row[columns.findIndex(({ label: name }) => name === 'Present')]);
  expect(cell).toEqual({ value: 99.8, interval: [expect.any(Number), 100] });
});

it('a sweep of which only a part was measured has a result all the same', () => {
  const folder = {
    samples: (/** @type {string} */ name) =>
      name === 'rating' ? samples({ datagrams: () => 100, stream: () => 90 }, [20, 1], 2) : [],
  };
  const { tables, plots } = gridViews(folder, [LOSS, { ...LOSS, name: 'rate' }], random());
  expect(tables.map(({ name }) => name)).toEqual(['lossOrder', 'lossFigures', 'lossSentences']);
  expect(tables[0].rows).toEqual([
    [1, 'fewer than 5 repetitions'],
    [20, 'fewer than 5 repetitions'],
  ]);
  expect(plots[0].series.map(({ points }) => points.map(([x]) => x))).toEqual([
    [1, 20],
    [1, 20],
  ]);
  checkResult(sweep.result(folder, { sweeps: ['loss', 'rate'], through: 'relay', seed: 1 }));
  checkResult(
    mixed.result(folder, { sweeps: ['chat', 'loss', 'rate', 'long'], through: 'relay', seed: 1 }),
  );
  checkResult(controllers.result(folder, { sweeps: ['loss', 'steps'], stepSeconds: 10, seed: 1 }));
});

it.each(LOADED_SWEEPS.map(({ name }) => name))('a sweep has valid tables: %s', (name) => {
  const rows = samples({ datagrams: () => 40, stream: () => 30 }, [60], 5).map((sample) => ({
    ...sample,
    factors: { sweep: name, at: 60 },
  }));
  const result = loaded.result(
    { samples: () => rows },
    { sweeps: [name], through: 'relay', seed: 1 },
  );
  expect(checkResult(result).tables).toHaveLength(3);
});

it.each([
  [cpu, 'sender', "The sender's share of a processor", ['Stopped']],
  [loaded, 'tcp3', 'Queue of the leg up, beside three TCP flows', ['Load']],
  [loaded, 'alone', 'Queue of the leg up, without a load', []],
  [
    mixed,
    'loss',
    'Loss on each leg, with chat',
    ['Age, p50', 'Age, p99', 'Messages that came', 'Their age, p50', 'p99'],
  ],
])('a sweep has columns of its own beside those of all: %#', (scenario, name, label, own) => {
  const rows = samples({ datagrams: () => 40 }, [1], 5).map((sample) => ({
    ...sample,
    factors: { sweep: name, at: 1 },
  }));
  const { tables } = scenario.result(
    { samples: () => rows },
    { sweeps: [name], through: 'relay', seed: 1 },
  );
  const figures = tables.find((table) => table.name === `${name}Figures`);
  expect(figures?.columns.map((column) => column.label)).toEqual([
    label,
    'Way',
    'R',
    'Present',
    'Mouth to ear',
    'Mean age',
    'Jitter',
    'Never came',
    'ViSQOL',
    'ESTOI',
    'R by ViSQOL',
    'Sent, up',
    ...own,
  ]);
  expect(figures?.rows.map((row) => row.length)).toEqual([12 + own.length]);
});

it.each([sweep, mixed, controllers, cpu, loaded, parallel, mesh])(
  'a report says what holds per leg and what end to end: $name',
  (scenario) => {
    const { notes } = scenario.result(
      { samples: () => [] },
      { sweeps: [], people: [], through: 'relay', seed: 1 },
    );
    expect(notes.filter((note) => /^Per leg: .* End to end /.test(note))).toHaveLength(1);
  },
);

it('what messages are beside is plotted, with what becomes of them', () => {
  const rows = samples({ 'datagrams+stream': () => 40 }, [1]);
  const { plots } = mixed.result(
    { samples: () => rows },
    { sweeps: ['loss'], through: 'relay', seed: 1 },
  );
  expect(plots.map(({ name }) => name)).toEqual([
    'lossRating',
    'lossPresent',
    'lossMouthToEar',
    'lossMessagesCame',
    'lossMessageAge',
  ]);
});

describe('a block is not to be trusted', () => {
  const direction = {
    arrived: { packets: 1000, bytes: 0 },
    delivered: { packets: 950, bytes: 0 },
    lostRandom: { packets: 50, bytes: 0 },
    lateness: { count: 1, p50Us: 1, p90Us: 1, p99Us: 100, p999Us: 1, maxUs: 1 },
  };
  const stats = (/** @type {object} */ changes) =>
    /** @type {any} */ ({ seconds: 10, up: direction, down: { ...direction, ...changes } });
  const payloads = [new Uint8Array(125)];
  const run = { latenessMs: [0, 1, 2], damaged: 0, repeated: 0, ages: [Infinity, 50, 60] };

  it.each([
    ['never, where all is as it should be', run, stats({}), null],
    [
      'where a leg was late',
      run,
      stats({ lateness: { ...direction.lateness, p99Us: 1500 } }),
      "the receiver's leg was 1.5 ms late down",
    ],
    [
      'where a leg lost nothing',
      run,
      stats({ lostRandom: { packets: 0, bytes: 0 } }),
      "the receiver's leg lost 0 of 1000 packets down",
    ],
    [
      'where the sender was late',
      { ...run, latenessMs: [0, 50] },
      stats({}),
      'packets were sent 49.5 ms late (p99)',
    ],
    [
      'where the delay wasn’t there',
      { ...run, ages: [50, 39.4, 60] },
      stats({}),
      'packets came 0.6 ms sooner than the delay and rate of the legs allow',
    ],
    [
      'where the delay was longer',
      { ...run, ages: [130, 120] },
      stats({}),
      'packets came 80.0 ms later than the delay of the legs, all of them',
    ],
    [
      'where packets came damaged',
      { ...run, damaged: 2 },
      stats({}),
      '2 packets came damaged, 0 came twice',
    ],
  ])('%s', (_what, ofRun, ofLeg, fault) => {
    expect(
      faultOf(ofRun, [stats({}), ofLeg], { leg: { lossPercent: 5, delayMs: 20 } }, payloads),
    ).toBe(fault);
  });

  it('where the sender was late, unless it is held to find what that does', () => {
    const late = { ...run, latenessMs: [0, 500] };
    expect(
      faultOf(late, [stats({}), stats({})], { leg: {}, holdsSender: true }, payloads),
    ).toBeNull();
    expect(
      faultOf(
        { ...late, damaged: 1 },
        [stats({}), stats({})],
        { leg: {}, holdsSender: true },
        payloads,
      ),
    ).toBe('1 packets came damaged, 0 came twice');
  });

  it('for its loss only where the loss was the same all the time', () => {
    const { up, down } = stats({ lostRandom: { packets: 0, bytes: 0 } });
    expect(
      wrongWith(
        { up, down, .../** @type {any} */ ({}) },
        { leg: { lossPercent: 5 }, steps: [{ atMs: 0, changes: {} }] },
      ),
    ).toBeNull();
    expect(wrongWith({ up, down, .../** @type {any} */ ({}) }, { leg: {} })).toBeNull();
  });

  it('where a rate wasn’t there: packets that came sooner than its bits take', () => {
    const leg = { delayMs: 10, rateBits: 100_000 };
    // 1 000 bits take 10 ms on each leg.
    expect(wrongDelay([39.6, 300], { leg }, payloads)).toBeNull();
    expect(wrongDelay([39.4, 300], { leg }, payloads)).toMatch('0.6 ms sooner');
    expect(
      wrongDelay([29.6], { leg: { delayMs: 10, up: { rateBits: 100_000 } } }, payloads),
    ).toBeNull();
    expect(
      wrongDelay([29.4], { leg: { delayMs: 10, up: { rateBits: 100_000 } } }, payloads),
    ).toMatch('sooner');
  });

  describe('where the rate changes by steps', () => {
    // A packet takes 2 ms on both legs, and 40 ms while they are narrow.
    const leg = { delayMs: 10, rateBits: 1_000_000 };
    const steps = [
      { atMs: 10_000, changes: { rateBits: 50_000 } },
      { atMs: 20_000, changes: { rateBits: 1_000_000 } },
    ];
    /** @param {(sentMs: number) => number} age */
    const agesBy = (age) => Array.from({ length: 1500 }, (_, packet) => age(20 * packet));
    const isNarrow = (/** @type {number} */ sentMs) => sentMs >= 10_000 && sentMs < 20_000;

    it.each([
      [
        'by a step that was never made',
        () => 22,
        'packets came 38.0 ms sooner than the delay and rate of the legs allow after the ' +
          'step at 10 s',
      ],
      [
        'by a step that one of the legs made',
        (/** @type {number} */ sentMs) => (isNarrow(sentMs) ? 41 : 22),
        'packets came 19.0 ms sooner than the delay and rate of the legs allow after the ' +
          'step at 10 s',
      ],
      [
        'by too much rate at the beginning',
        (/** @type {number} */ sentMs) => (isNarrow(sentMs) ? 60 : 21),
        'packets came 1.0 ms sooner than the delay and rate of the legs allow',
      ],
      [
        'not by steps that were made',
        (/** @type {number} */ sentMs) => (isNarrow(sentMs) ? 60 : 22),
        null,
      ],
      [
        'not by steps that began before the first packet',
        (/** @type {number} */ sentMs) => (isNarrow(sentMs + 300) ? 60 : 22),
        null,
      ],
      [
        'not by what waited until the legs were wide again',
        (/** @type {number} */ sentMs) => (isNarrow(sentMs) ? Math.min(300, 20_022 - sentMs) : 22),
        null,
      ],
    ])('%s', (_what, age, fault) => {
      expect(wrongDelay(agesBy(age), { leg, steps }, payloads)).toBe(fault);
    });

    it('of one direction', () => {
      const up = steps.map(({ atMs, changes }) => ({ atMs, changes: { up: changes } }));
      expect(
        wrongDelay(
          agesBy((sentMs) => (isNarrow(sentMs) ? 41 : 22)),
          { leg, steps: up },
          payloads,
        ),
      ).toBeNull();
      expect(
        wrongDelay(
          agesBy(() => 22),
          { leg, steps: up },
          payloads,
        ),
      ).toMatch('19.0 ms sooner');
    });
  });

  it('for coming late only where nothing but the legs holds packets up', () => {
    const ages = [200];
    expect(wrongDelay(ages, { leg: { delayMs: 10 } }, payloads)).toMatch('180.0 ms later');
    for (const more of [
      { holdsSender: true },
      { disturb: async () => async () => [] },
      { steps: [] },
      { messages: [] },
    ]) {
      expect(wrongDelay(ages, { leg: { delayMs: 10 }, ...more }, payloads)).toBeNull();
    }
    expect(wrongDelay([Infinity], { leg: { delayMs: 10 } }, payloads)).toBeNull();
  });

  it.each([
    ['no more than the rate, and what its queue held', 125_000 * 1.02, 125_000, null],
    ['more than the rate', 125_000 * 1.2, 125_000 * 1.2, 'carried 120 kbit/s of 100 up'],
    ['less, though more arrived', 65_000, 200_000, 'carried 52 kbit/s of 100 up'],
    ['less, since less arrived', 50_000, 50_000, null],
  ])('by what a leg carried: %s', (_what, delivered, arrived, fault) => {
    const up = {
      ...direction,
      delivered: { packets: 1, bytes: delivered },
      arrived: { packets: 1, bytes: arrived },
      lostRandom: { packets: 0, bytes: 0 },
    };
    expect(
      wrongWith(/** @type {any} */ ({ seconds: 10, up, down: direction }), {
        leg: { up: { rateBits: 100_000, queueMs: 100 } },
      }),
    ).toBe(fault);
  });
});

it('loaded has the asymmetric links only when they are named', () => {
  const lab = /** @type {any} */ ({ options: { rate: 2000 }, blockSeconds: 5 });
  const parse = (/** @type {string[]} */ ...argv) =>
    scenarioCommand(loaded).parse(argv, { from: 'user' }).opts();
  expect(parse().sweeps).toEqual(['alone', 'tcp', 'tcp3', 'udp']);
  const { sweeps } = parse('--sweeps', 'tcp-100-10,udp-20-4');
  expect(sweeps).toEqual(['tcp-100-10', 'udp-20-4']);
  const legs = LOADED_SWEEPS.filter(({ name }) => sweeps.includes(name)).map(
    ({ condition }) => condition(60, lab).leg,
  );
  expect(legs).toEqual([
    {
      delayMs: 10,
      up: { rateBits: 10e6, queueMs: 60 },
      down: { rateBits: 100e6, queueMs: 60 },
    },
    { delayMs: 10, up: { rateBits: 4e6, queueMs: 60 }, down: { rateBits: 20e6, queueMs: 60 } },
  ]);
});
