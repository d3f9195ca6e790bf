import { describe, expect, it } from 'vitest';
import { adapt, availableCases } from '../../scenarios/adapt.js';
import { call } from '../../scenarios/call.js';
import { crowd } from '../../scenarios/crowd.js';
import { datagrams } from '../../scenarios/datagrams.js';
import { delay } from '../../scenarios/delay.js';
import { forward } from '../../scenarios/forward.js';
import { scenarios } from '../../scenarios/index.js';
import { listeners } from '../../scenarios/listeners.js';
import { load } from '../../scenarios/load.js';
import { memory } from '../../scenarios/memory.js';
import { plan } from '../../scenarios/plan.js';
import { rtt } from '../../scenarios/rtt.js';
import { scenarioCommand } from '../../scenarios/scenario-command.js';
import { loaded, waysAtOnce } from '../../scenarios/comparisons/loaded.js';
import { setup } from '../../scenarios/comparisons/setup.js';
import { mesh, quickCallSeconds } from '../../scenarios/comparisons/mesh.js';
import {
  MEASURED,
  PART,
  QUICK_SECONDS,
  hasTimeFor,
  overrunOf,
  secondsOf,
} from '../../scenarios/durations.js';
import {
  disturbanceIn,
  disturbanceWarning,
  disturbanceWords,
  disturbedResult,
  quickResult,
  warningOfEarlier,
  wasDisturbed,
} from '../../report/marks.js';

/**
 * The options of a scenario's command.
 * @param {any} scenario
 * @param {string[]} [argv]
 * @returns {any}
 */
const optionsOf = (scenario, argv = []) =>
  scenarioCommand(scenario).exitOverride().parse(argv, { from: 'user' }).opts();

/**
 * A lab whose waits, servers and people take their time on a clock of its own, and nothing else.
 * @param {any} options
 */
function plannedLab(options) {
  let seconds = 0;
  const take = async (/** @type {number} */ more) => void (seconds += more);
  /** @type {{ id: string }[]} */
  let there = [];
  const notes = { sent: [], received: [] };
  const calls = /** @type {Record<string, (options: any) => unknown>} */ ({
    joinAll: ({ people }) => take(PART.member * people.length),
    join: () => take(0.02),
    take: () => ({ people: [], latenessMs: [], cpuPercent: 0, roundTripMs: 0 }),
    collect: () => ({
      ...{ cpuPercent: 1, loopPercent: 1, rssBytes: 1, tickLatenessMs: [], due: [] },
      profile: null,
    }),
    states: () => [],
    memory: () => ({ heapUsed: 0 }),
    room: () => ({ people: [] }),
  });
  const child = {
    call: async (/** @type {string} */ name, /** @type {object} */ given) => calls[name]?.(given),
  };
  const lab = {
    options,
    signal: new AbortController().signal,
    link: { isEmulated: false },
    progress: () => {},
    folder: {
      warn: () => {},
      record: () => {},
      get elapsedMs() {
        return 1000 * seconds;
      },
    },
    server: child,
    blockSeconds: options.duration / options.repetitions,
    turns: () => options.transports,
    startServer: () => take(PART.server),
    startCrowd: async () => {
      await take(PART.server);
      return child;
    },
    startSecondCrowd: async () => child,
    join: (/** @type {{ id: string }[]} */ people) => {
      there = people;
      return take(PART.participant * people.length);
    },
    leave: async () => void (there = []),
    format: async () => ({ frameMs: 80, frameSamples: 640 }),
    measure: async (/** @type {number} */ more) => {
      await take(options.warmUp + more);
      return {
        server: { arrivals: [], heard: new Map(), tickLatenessMs: [], cpuPercent: 1, rssBytes: 1 },
        people: there.map(({ id }) => ({ id, notes })),
      };
    },
    wait: take,
    tellGenerator: () => {},
    close: async () => {},
  };
  return { lab: /** @type {any} */ (lab), seconds: () => seconds };
}

/** Ways of the experiments that don't take all. */
const LOADED = 'datagrams,redundant-datagrams,stream,websocket,rtp';
const PARALLEL = 'datagrams,stream,rtp';

describe('the time that a run takes', () => {
  it.each([
    ['delay', delay, ['--duration', '16']],
    ['delay, by default', delay, []],
    ['rtt', rtt, ['--duration', '40', '--repetitions', '5']],
    ['datagrams', datagrams, []],
    ['crowd', crowd, []],
    ['crowd against another', crowd, ['--against', new URL('../../..', import.meta.url).pathname]],
    ['forward', forward, ['--ways', 'mix,bundle', '--repetitions', '2']],
    ['listeners', listeners, ['--repetitions', '3', '--rates']],
    ['load', load, ['--participants', '4,8', '--duration', '30', '--repetitions', '3']],
    ['load of one process', load, ['--participants', '4,80', '--at-most', '10']],
    ['plan', plan, []],
    ['memory', memory, []],
  ])('is said beforehand as the plan has it: %s', async (_, scenario, argv) => {
    const options = { ...optionsOf(scenario, argv), jamulus: false };
    const { lab, seconds } = plannedLab(options);
    await scenario.measure(lab);
    const told = MEASURED[scenario.name](options);
    expect(seconds()).toBeGreaterThan(1);
    expect(Math.abs(told - seconds()) / seconds()).toBeLessThan(0.1);
  });

  it.each([
    // Three steps of 90 s each, for datagrams and streams one after another, five times.
    ['controllers', ['--sweeps', 'steps'], 3 * 90 * 2 * 5],
    // Three ways one after another, the last of three calls 30 s after the first.
    ['parallel', ['--sweeps', 'apart', '--at', '15', '--ways', 'datagrams,stream,rtp'], 3 * 35 * 5],
    ['sweep', ['--sweeps', 'loss', '--at', '0,5', '--duration', '50'], 2 * 50],
    ['switching', ['--at', '5', '--phase-seconds', '12'], 48 * 5],
  ])('is, on a grid, that of all blocks of all ways: %s', (name, argv, measuredSeconds) => {
    const scenario = /** @type {any} */ (scenarios.find((one) => one.name === name));
    const told = secondsOf(scenario, optionsOf(scenario, argv));
    expect(told).toBeGreaterThan(measuredSeconds);
    expect(told).toBeLessThan(1.2 * measuredSeconds + 100);
  });

  // As `papers` took on two quiet cores (2026-11-30), without the blocks that were repeated.
  it.each([
    ['sweep', ['--sweeps', 'delay', '--at', '0,50,100,150,250', '--duration', '20'], 284],
    ['sweep', ['--sweeps', 'loss', '--at', '0,1,3,5,10,14.3,20', '--duration', '20'], 316],
    ['sweep', ['--sweeps', 'rate', '--at', '1000,250,120,90,70,60,50', '--duration', '20'], 355],
    ['mixed', ['--sweeps', 'rate', '--at', '250,110', '--duration', '40'], 140],
    ['cpu', ['--sweeps', 'receiver', '--at', '100,40,20,10,5', '--duration', '20'], 196],
    ['setup', ['--losses', '0,1,3', '--rates', '500,1000,2000,4000'], 447],
    ['throughput', [], 250],
    ['sweep', ['--sweeps', 'all', '--at', '0,2,4,6,8,10', '--duration', '20'], 346],
    ['mesh', ['--people', '4,8', '--duration', '20'], 775],
    [
      'loaded',
      ['--sweeps', 'tcp', '--at', '50,200,1000', '--ways', LOADED, '--duration', '25'],
      164,
    ],
    ['parallel', ['--sweeps', 'all', '--at', '3', '--ways', PARALLEL, '--duration', '25'], 141],
    ['controllers', ['--sweeps', 'loss', '--at', '0,3,10', '--duration', '20'], 288],
    [
      'shipped',
      ['--ways', 'aloud,webrtc', '--conditions', 'clear,loss-5', '--duration', '100'],
      988,
    ],
  ])('of %s %j holds what delay, loss and thin legs add to each block', (name, argv, took) => {
    const scenario = /** @type {any} */ (scenarios.find((one) => one.name === name));
    const told = secondsOf(scenario, optionsOf(scenario, argv));
    expect(Math.abs(told - took) / took).toBeLessThan(0.1);
  });

  it('of ways that run in groups is that of all groups', () => {
    // Each way has a load of 100 Mbit/s: few processors carry one of them.
    const told = (/** @type {string} */ ways) =>
      secondsOf(
        loaded,
        optionsOf(loaded, ['--sweeps', 'tcp', '--at', '50', '--rate', '100000', '--ways', ways]),
      );
    const groups = Math.ceil(3 / waysAtOnce(100e6));
    expect(told('stream,streams,websocket') / told('stream')).toBeGreaterThan(0.95 * groups);
  });

  it('of setups is that of their kinds of connection, and of one condition on loopback', () => {
    const told = (/** @type {string[]} */ ...argv) =>
      MEASURED.setup(optionsOf(setup, ['--losses', 'none', '--rates', 'none', ...argv]));
    const oneOf = (/** @type {string} */ transports) =>
      told('--transports', transports, '--round-trips', '200') -
      told('--round-trips', 'none') -
      1.6;
    expect(oneOf('websocket')).toBeCloseTo(2 * oneOf('webtransport'));
    expect(oneOf('http1')).toBeCloseTo(3 * oneOf('webtransport'));
    const alone = told('--link', 'loopback');
    expect(alone).toBe(told('--link', 'loopback', '--as-is'));
    expect(alone).toBeLessThan(told() / 3);
    expect(told('--link', 'satellite', '--as-is')).toBeGreaterThan(2 * alone);
  });

  it('of a call has round trips in it without a link alone', () => {
    const told = (/** @type {string} */ link) => MEASURED.call(optionsOf(call, ['--link', link]));
    expect(told('loopback') - told('thesis')).toBeGreaterThan(10);
  });

  it('of adapt has the marks in it, and no player that this machine lacks', () => {
    const told = (/** @type {string[]} */ ...argv) =>
      MEASURED.adapt(optionsOf(adapt, ['--players', 'aloud', '--rules', 'probe', ...argv]));
    const [plain, marked] = [told(), told('--marks')];
    expect(marked / plain).toBeGreaterThan(1.1);
    const { cases, lacks } = availableCases(optionsOf(adapt, ['--controllers', 'cubic,bbr3']));
    expect(cases.some(({ controller }) => controller === 'bbr3')).toBe(
      !lacks.some((lack) => lack.startsWith('bbr3')),
    );
  });

  it('is said by every scenario, from seconds to three hours', () => {
    for (const scenario of scenarios) {
      const told = secondsOf(scenario, optionsOf(scenario));
      expect(told, scenario.name).toBeGreaterThan(5);
      expect(told, scenario.name).toBeLessThan(10_800);
    }
  });

  it('is told of a run that was off it by more than a fifth', () => {
    expect(overrunOf(119_000, 100)).toBe('');
    expect(overrunOf(82_000, 100)).toBe('');
    expect(overrunOf(121_000, 100)).toMatch(/^The run took 2 min 01 s, and said 1 min 40 s/);
    expect(overrunOf(79_000, 100)).toMatch(/^The run took 1 min 19 s/);
    // Starts of processes are a large part of a short run.
    expect(overrunOf(19_000, 10)).toBe('');
  });
});

describe('a quick run', () => {
  it.each([setup, mesh])('has a plan of less than a minute: $name', (scenario) => {
    const options = optionsOf(scenario, ['--quick']);
    expect(PART.run + PART.link + MEASURED[scenario.name](options)).toBeLessThan(QUICK_SECONDS);
    expect(options.repetitions).toBeLessThan(5);
    expect(secondsOf(scenario, { ...options, repetitions: 100 })).toBe(QUICK_SECONDS);
  });

  it('begins nothing that a minute has no room for, as whole runs do', () => {
    const at = (/** @type {number} */ elapsedMs, quick = true) =>
      hasTimeFor({ options: { quick }, folder: { elapsedMs } }, 10);
    expect([at(44_000), at(46_000), at(46_000, false)]).toEqual([true, false, true]);
  });

  it('begins no call that would take longer than is left, whatever its options', () => {
    const callOf = (/** @type {string[]} */ ...argv) => {
      const options = optionsOf(mesh, ['--quick', ...argv]);
      const blockSeconds = options.duration / options.repetitions;
      return quickCallSeconds(/** @type {any} */ ({ options, blockSeconds }));
    };
    // Three topologies of the default have room in it.
    expect(3 * callOf()).toBeLessThan(QUICK_SECONDS - PART.run);
    expect(callOf('--settle', '30') - callOf()).toBeCloseTo(28);
    expect(callOf('--duration', '20') - callOf()).toBeCloseTo(2 * 19);
  });

  it('is marked in its title, its headlines and each line', () => {
    const marked = quickResult(RESULT);
    expect(marked.title).toBe('Setup (quick)');
    expect(marked.headlines[0].label).toBe('First sound, quick');
    expect(marked.tables[0].columns[0]).toEqual({ label: 'Run' });
    expect(marked.tables[0].rows).toEqual([
      ['quick', 'a', 1],
      ['quick', 'b', 2],
    ]);
  });
});

describe('a run that was disturbed', () => {
  /** Seen on a quiet machine. */
  const seen = {
    othersShare: 0.2,
    stolenShare: 0.01,
    longestMs: 30,
    worst: { othersShare: 0.4, stolenShare: 0.05 },
  };

  it('is one from whose machine others took a third of a processor', () => {
    expect(disturbanceWords(seen)).toBe('');
    expect(disturbanceWords({ ...seen, othersShare: 0.44, stolenShare: 0.03 })).toBe(
      "other programs took 0.4 processors, the machine's host took 0.03 processors",
    );
  });

  it('is one that was disturbed for some seconds, which the mean of ten minutes hides', () => {
    const inWindow = (/** @type {object} */ worst) =>
      disturbanceWords({ ...seen, worst: { ...seen.worst, ...worst } });
    // Two seconds of a processor in a window, or in two of them.
    expect(inWindow({ stolenShare: 0.4 })).toBe("the machine's host took 0.40 processors for 5 s");
    expect(inWindow({ stolenShare: 0.2 })).toMatch(/^the machine's host took 0\.20 processors/);
    expect(inWindow({ othersShare: 0.8 })).toBe('other programs took 0.8 processors for 5 s');
    expect(disturbanceWords({ ...seen, longestMs: 700 })).toBe('the machine stood still for 0.7 s');
    // The mean says more of a run that was disturbed throughout.
    expect(
      disturbanceWords({ ...seen, othersShare: 0.44, worst: { ...seen.worst, othersShare: 0.9 } }),
    ).toBe('other programs took 0.4 processors');
  });

  it('stays disturbed when another run takes its values over', () => {
    const disturbed = disturbanceWarning('other programs took 0.4 processors');
    expect(disturbanceIn(['Slow.', disturbed])).toBe('other programs took 0.4 processors');
    expect(disturbanceIn(['Slow.'])).toBe('');
    const warnings = ['Slow.', disturbed].map(warningOfEarlier);
    expect(warnings[0]).toBe('Of the earlier run: Slow.');
    expect(wasDisturbed(warnings)).toBe(true);
    expect(disturbanceIn(warnings)).toBe(
      'of the earlier run, during the run other programs took 0.4 processors',
    );
  });

  it('says so in its title and its headlines', () => {
    const { title, headlines, tables } = disturbedResult(RESULT, 'others took 0.4 processors');
    expect(title).toBe('Setup (disturbed: others took 0.4 processors)');
    expect(headlines.map(({ label }) => label)).toEqual(['First sound, disturbed']);
    expect(tables).toEqual(RESULT.tables);
    expect(disturbedResult(RESULT, '')).toBe(RESULT);
  });
});

/** @type {import('../../report/result.js').Result} */
const RESULT = {
  title: 'Setup',
  summary: '',
  headlines: [{ label: 'First sound', unit: 'ms', protocol: '', value: 1 }],
  tables: [
    {
      name: 'heard',
      title: 'Heard',
      columns: [{ label: 'Over' }, { label: 'p50' }],
      rows: [
        ['a', 1],
        ['b', 2],
      ],
    },
  ],
  plots: [],
  notes: [],
};
