import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import { Stream } from '../../../public/shared/wire/packet.js';
import { disturbanceWarning, wasDisturbed } from '../../report/marks.js';
import { checkQuantity, checkResult } from '../../report/result.js';
import { secondsOf, QUICK_SECONDS } from '../../scenarios/durations.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';
import {
  blockFigures,
  deciderOf,
  decisionsOf,
} from '../../scenarios/comparisons/interplay-figures.js';
import { doneIn, interplay, takeOver } from '../../scenarios/comparisons/interplay.js';
import {
  conditionsOf,
  keyOf,
  lackOf,
  planSeconds,
} from '../../scenarios/comparisons/interplay-plan.js';

/** @param {string[]} [argv] @returns {any} */
const optionsOf = (argv = []) =>
  scenarioCommand(interplay).exitOverride().parse(argv, { from: 'user' }).opts();

/** Ten seconds at 160 kbit/s, and ten at 40. */
const LEVELS = [
  { label: 'wide', rateBits: 160_000, isFall: false, fromMs: 0, toMs: 10_000 },
  { label: 'narrow', rateBits: 40_000, isFall: true, fromMs: 10_000, toMs: 20_000 },
];

/** A packet of 169 bytes each 20 ms, 200 with QUIC's header: 80 kbit/s. */
const PACKETS = { everyMs: 20, bytes: 169 };

/**
 * Looks 50 ms apart from a second before the first level on.
 * @param {(atMs: number) => { windowBytes?: number, rttMs?: number }} at
 */
const looksOf = (at) =>
  Array.from({ length: 421 }, (_, i) => {
    const atMs = 50 * i - 1000;
    const packets = Math.floor((atMs + 1000) / PACKETS.everyMs);
    return {
      ...{ atMs, peer: '', packets, bytes: PACKETS.bytes * packets, held: 0, cuts: 0 },
      ...{ sentPackets: packets, lostPackets: packets / 10, sentBytes: 200 * packets },
      ...{ windowBytes: 10_000, inFlight: 1000, rttMs: 100, ...at(atMs) },
    };
  });

describe('who decides', () => {
  it('is told by the lower of the two rates', () => {
    // 10 000 bytes of window in 100 ms are 800 kbit/s; in 1 000 ms, 80.
    const wide = decisionsOf(
      looksOf(() => ({})),
      LEVELS,
    );
    expect(wide.every(({ isApplication }) => isApplication)).toBe(true);
    expect(wide[0].applicationBps).toBeCloseTo(80_000, -1);
    expect(wide[0].controllerBps).toBe(800_000);
    const held = decisionsOf(
      looksOf(() => ({ windowBytes: 900 })),
      LEVELS,
    );
    expect(held.some(({ isApplication }) => isApplication)).toBe(false);
    const none = decisionsOf(
      looksOf(() => ({ windowBytes: Infinity })),
      LEVELS,
    );
    expect(none.every(({ isApplication }) => isApplication)).toBe(true);
  });

  it('counts headers of IP against the path, and neither rate above the lower one', () => {
    const isAbove = (/** @type {number} */ windowBytes) =>
      decisionsOf(
        looksOf(() => ({ windowBytes })),
        LEVELS,
      ).map(({ isAbove: above }) => above);
    // 80 kbit/s and 91 with IP's headers: below 160 and above 40.
    expect(isAbove(10_000).filter(Boolean)).toHaveLength(200);
    // 40 kbit/s of QUIC's packets are more than 40 of IP's; 32 aren't.
    expect(isAbove(500).filter(Boolean)).toHaveLength(200);
    expect(isAbove(400).filter(Boolean)).toHaveLength(0);
  });

  it('has words for each share, and for a rule that never yields', () => {
    expect(deciderOf(90, true)).toBe('the application');
    expect(deciderOf(89, true)).toBe('by turns, the application more often');
    expect(deciderOf(11, true)).toBe('by turns, the controller more often');
    expect(deciderOf(10, true)).toBe('the controller');
    expect(deciderOf(95, false)).toBe('nobody');
    expect(deciderOf(10, false)).toBe('the controller');
    expect(deciderOf(NaN, true)).toBe('not known');
  });
});

/** Frames of 20 ms at 32 kb/s, and from 12 s on at 16; those from 15 s to 16 never come. */
const frames = Array.from({ length: 1000 }, (_, frame) => frame);
const came = frames.filter((frame) => frame < 750 || frame >= 800);
const notes = {
  sounding: new Set(frames),
  received: came.map((frame) => ({
    frame,
    sounding: [frame],
    stream: Stream.layers + (frame < 600 ? 1 : 0),
    atMs: 20 * (frame + 1) + (frame % 10 === 0 ? 80 : 30),
  })),
  played: came.map((frame) => ({ frame, atMs: 20 * frame + 150 })),
  originMs: 0,
  frameMs: 20,
  impairments: new Map([
    [16, 50],
    [32, 20],
  ]),
};

describe('figures of a block', () => {
  it('tell what the lower rate, the queue and the lost frames cost', () => {
    const figures = blockFigures({
      looks: looksOf((atMs) => ({ windowBytes: atMs < 10_000 || atMs >= 12_500 ? 10_000 : 900 })),
      levels: LEVELS,
      ...notes,
    });
    expect(figures.application).toBeCloseTo(87.5, 0);
    expect(figures.afterFall).toBe(50);
    expect(figures.above).toBe(50);
    // A window of 900 bytes, of which 1 000 are under way, in 2.5 of 20 s.
    expect(figures.full).toBeCloseTo(12.5, 0);
    expect([figures.waitP50, figures.waitP95]).toEqual([0, 50]);
    // One change in twenty seconds, between the first look of them and the last.
    expect(figures.changes).toBeCloseTo(3, 1);
    expect(figures.never).toBe(5);
    expect(figures.said).toBe(100);
    const [wide, narrow] = figures.levels;
    expect([wide.soundKbits, wide.never]).toEqual([32, 0]);
    // 2 s at 32, 7 at 16, and nothing for a second.
    expect(narrow.soundKbits).toBeCloseTo(17.6, 6);
    expect(narrow.never).toBe(10);
    expect(narrow.quicKbits).toBeCloseTo(80, 0);
    expect(narrow.quicLoss).toBeCloseTo(10, 6);
    expect(wide.rating - narrow.rating).toBeGreaterThan(25);
    expect(figures.rating).toBeLessThan(wide.rating);
  });

  it('count a change of the rate once, in whatever order its packets come', () => {
    const received = notes.received
      .map((packet) => ({
        ...packet,
        atMs: packet.atMs + (packet.frame > 580 && packet.frame % 2 > 0 ? 500 : 0),
      }))
      .sort((a, b) => a.atMs - b.atMs);
    const { changes } = blockFigures({
      looks: looksOf(() => ({})),
      levels: LEVELS,
      ...notes,
      received,
    });
    expect(changes).toBeCloseTo(3, 1);
  });

  it('tell how much of the time the server had the sound itself', () => {
    const { said } = blockFigures({
      looks: looksOf(() => ({})),
      levels: LEVELS,
      ...notes,
      sounding: new Set(frames.filter((frame) => frame < 900)),
    });
    expect(said).toBe(90);
  });

  it('give no R to a level in which nothing was heard', () => {
    const { levels } = blockFigures({
      looks: looksOf(() => ({})),
      levels: LEVELS,
      ...notes,
      played: notes.played.filter(({ frame }) => frame < 500),
      received: notes.received.filter(({ frame }) => frame < 500),
    });
    expect([levels[1].never, levels[1].rating, levels[1].soundKbits]).toEqual([100, NaN, 0]);
  });
});

describe('the plan', () => {
  it('has the capacities of the paper in proportion, up and down again', () => {
    const [{ steps }] = conditionsOf({ sweeps: ['steps'] });
    expect(steps.map(({ rateBits }) => rateBits / 1000)).toEqual([
      40, 80, 120, 160, 200, 160, 120, 80, 40,
    ]);
    expect(steps.filter(({ isFall }) => isFall)).toHaveLength(4);
    expect(conditionsOf({ sweeps: ['loss', 'delay'] })).toHaveLength(5);
  });

  it('tells its time, and a quick run that of quick runs', () => {
    const rule = ['--rules', 'probe', '--controllers', 'cubic'];
    const options = optionsOf(['--sweeps', 'steps', ...rule, '--at-once', '1']);
    const seconds = secondsOf(interplay, { ...options, link: 'clear' });
    expect(seconds).toBeGreaterThan(2 * 9 * 30);
    expect(seconds).toBeLessThan(2 * 9 * 30 + 2 * 60);
    const quick = secondsOf(interplay, { ...optionsOf(['--quick']), link: 'clear' });
    expect(quick).toBeLessThanOrEqual(QUICK_SECONDS);
    expect(quick).toBeGreaterThan(35);
  });

  it('tells the time of what can be measured here, and is left of an earlier run', () => {
    const options = optionsOf(['--sweeps', 'steps', '--rules', 'probe', '--carries', 'datagrams']);
    const controllers = ['cubic', 'copa', 'none', 'bbr3'];
    const all = { ...options, controllers, atOnce: 1 };
    const isHere = ({ controller = '' }) => (controller === 'bbr3' ? 'not built' : null);
    const whole = planSeconds(all, new Set(), () => null);
    expect(planSeconds(all, new Set(), isHere)).toBeCloseTo((3 / 4) * whole);
    const keyOfCase = (/** @type {string} */ controller) =>
      keyOf({
        ...{ rule: 'probe', controller, carry: 'datagrams' },
        ...{ sweep: 'steps', at: '', repetition: 0 },
      });
    const done = new Set(['copa', 'none'].map(keyOfCase));
    expect(planSeconds(all, done, isHere)).toBeCloseTo(whole / 4);
    expect(planSeconds(all, new Set(controllers.map(keyOfCase)), () => null)).toBe(0);
    // A run of which nothing can be measured tells its plan, and then why it ends.
    expect(planSeconds(all, new Set(), () => 'not built')).toBe(whole);
  });

  it('goes on with a run of the same steps and seed, and with no other', () => {
    const options = optionsOf();
    const run = /** @type {any} */ ({ scenario: 'interplay', options: { ...options } });
    expect(lackOf({ run }, options)).toBe(null);
    expect(lackOf({ run: { ...run, scenario: 'adapt' } }, options)).toBe('it is of adapt');
    expect(lackOf({ run }, { ...options, stepSeconds: 10 })).toBe('it has another --step-seconds');
    const more = { ...options, controllers: ['copa'], rules: ['static'], repetitions: 5 };
    expect(lackOf({ run }, more)).toBe(null);
  });
});

describe('an earlier run', () => {
  const OPTIONS = optionsOf();
  const FACTORS = { rule: 'probe', controller: 'copa', carry: 'streams', sweep: 'steps', at: '' };
  const RUN = {
    version: 1,
    scenario: 'interplay',
    options: OPTIONS,
    environment: { machine: {}, versions: {}, git: { commit: 'c1' } },
    warnings: [],
    quantities: interplay.quantities,
  };

  /**
   * Goes on with a run.
   * @param {object} run  its run.json
   * @param {string[]} lines  of its blocks, in samples-measured.csv
   */
  async function takenOver(run, lines = []) {
    const path = await mkdtemp(join(tmpdir(), 'aloud-interplay-'));
    onTestFinished(() => rm(path, { recursive: true }));
    await writeFile(join(path, 'run.json'), JSON.stringify(run));
    const header = 'protocol,repetition,client,atMs,value,rule,controller,carry,sweep,at,level';
    await writeFile(join(path, 'samples-measured.csv'), `${[header, ...lines].join('\n')}\n`);
    /** @type {string[]} */
    const warnings = [];
    const recorded = /** @type {any[]} */ ([]);
    const folder = /** @type {any} */ ({
      run: { environment: { git: { commit: 'c1' } } },
      warn: (/** @type {string} */ warning) => warnings.push(warning),
      record: (/** @type {string} */ _, /** @type {object} */ sample) => recorded.push(sample),
    });
    const done = await takeOver({ folder }, { ...OPTIONS, continue: path });
    // Its time is that of the same blocks.
    expect(doneIn(path)).toEqual(done);
    return { done: [...done], warnings, recorded };
  }

  it('gives its blocks, and what was said of it: disturbed, or short of time', async () => {
    const taken = await takenOver(
      {
        ...RUN,
        warnings: ['Slow.', disturbanceWarning('other programs took 0.4 processors')],
        generator: { cpuPercent: 99, latenessMs: {}, bottleneck: true },
      },
      ['webtransport,0,,5,1,probe,copa,streams,steps,,'],
    );
    expect(taken.done).toEqual([keyOf({ ...FACTORS, repetition: 0 })]);
    expect(taken.recorded).toEqual([
      expect.objectContaining({ repetition: 0, value: 1, factors: { ...FACTORS, level: '' } }),
    ]);
    expect(wasDisturbed(taken.warnings)).toBe(true);
    expect(taken.warnings).toEqual([
      expect.stringMatching(/^Of the earlier run: The load generator was itself short/),
      'Of the earlier run: Slow.',
      expect.stringContaining('other programs took 0.4 processors'),
    ]);
  });

  it.each([
    ['no options', { options: undefined }, [], "isn't one of the lab's"],
    ['warnings that are none', { warnings: [{}] }, [], "isn't one of the lab's"],
    ['another version', { version: 2 }, [], 'another version'],
    ['no machine', { environment: {} }, [], "isn't one of the lab's"],
    ['markup in its name', { scenario: 'x"><b>' }, [], "isn't one of the lab's"],
    ['a file elsewhere', { quantities: [{ name: '../x' }] }, [], 'camelCase'],
    ['a repetition beyond any', {}, ['w,1000000000,,5,1,probe,copa,streams,steps,,'], 'line 2'],
    ['a repetition below 0', {}, ['w,-1,,5,1,probe,copa,streams,steps,,'], 'line 2'],
    ['a line without a value', {}, ['w,0,,5,,probe,copa,streams,steps,,'], 'line 2'],
    ['a value that is no number', {}, ['w,0,,5,much,probe,copa,streams,steps,,'], 'line 2'],
  ])('with %s is refused', async (_, changes, lines, words) => {
    await expect(takenOver({ ...RUN, ...changes }, lines)).rejects.toThrow(words);
    await expect(takenOver({ ...RUN, ...changes }, lines)).rejects.toThrow(
      "can't be read as a run",
    );
  });
});

it('has quantities that a folder of runs can keep', () => {
  for (const quantity of interplay.quantities) expect(() => checkQuantity(quantity)).not.toThrow();
});

it('the result names who decides, in each condition that was measured', () => {
  const factors = {
    rule: 'probe',
    controller: 'copa',
    carry: 'streams',
    sweep: 'steps',
    at: '',
  };
  const sample = { protocol: 'webtransport', repetition: 0, client: '', atMs: 0 };
  const values = /** @type {Record<string, [number, string][]>} */ ({
    application: [[95, '']],
    afterFall: [[40, '']],
    soundKbits: [
      [30, '40 kbit/s'],
      [60, '80 kbit/s'],
    ],
  });
  const folder = {
    samples: (/** @type {string} */ name) =>
      (values[name] ?? []).map(([value, level]) => ({
        ...sample,
        value,
        factors: { ...factors, level },
      })),
  };
  const { tables } = checkResult(interplay.result(folder, optionsOf()));
  expect(tables.map(({ name }) => name)).toEqual(['decisions', 'stepsSoundKbits']);
  // A run that goes on with another one shows its cases too.
  const others = optionsOf(['--rules', 'static', '--sweeps', 'loss']);
  expect(interplay.result(folder, others).tables).toEqual(tables);
  expect(tables[0].rows).toHaveLength(1);
  expect(tables[0].rows[0].slice(0, 7)).toEqual([
    ...['steps', 'probe', 'Copa', 'streams', 'the application'],
    ...[{ value: 95 }, { value: 40 }],
  ]);
  expect(tables[1].rows[0].slice(3, 6)).toEqual([{ value: 30 }, { value: 60 }, null]);
  expect(keyOf({ ...factors, repetition: 2 })).toBe('probe copa streams steps  2');
});

it.each([
  ['the mean alone, of fewer than five blocks', [84, 88, 92, 100], 'the application'],
  [
    'the mean, and an end of its interval that says otherwise',
    [84, 88, 92, 96, 100],
    'the application or by turns, the application more often',
  ],
  ['one name, where all of the interval says so', [96, 97, 98, 99, 100], 'the application'],
])('who decides is named by %s', (_, shares, expected) => {
  const factors = { rule: 'probe', controller: 'copa', carry: 'streams', sweep: 'steps', at: '' };
  const folder = {
    samples: (/** @type {string} */ name) =>
      (name === 'application' ? shares : []).map((value, repetition) => ({
        ...{ protocol: 'webtransport', repetition, client: '', atMs: 0, value },
        factors: { ...factors, level: '' },
      })),
  };
  const [decisions] = interplay.result(folder, optionsOf()).tables;
  expect(decisions.rows[0][4]).toBe(expected);
});
