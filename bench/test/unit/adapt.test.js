import { expect, it } from 'vitest';
import { addFrames, addLooks } from '../../scenarios/adapt-figures.js';
import { adapt, casesOf } from '../../scenarios/adapt.js';
import { soundingMixes } from '../../stats/call-figures.js';
import { RATES } from '../../../public/shared/sound/audio-format.js';
import { Stream } from '../../../public/shared/wire/packet.js';
import { FrameState } from '../../../server/source/pcm-ring.js';

const OPTIONS = {
  rules: ['probe'],
  trajectory: [],
  queueMs: 300,
  most: '64000',
  choices: ['conversation'],
  players: ['aloud'],
  controllers: ['cubic'],
};

/**
 * True when each target is met.
 * @param {Record<string, number[]>} values of the rule `probe`, one for each repetition
 */
function targets(values) {
  const samples = (/** @type {string} */ name) =>
    (values[name] ?? []).map((value, repetition) => ({
      protocol: '',
      client: '',
      atMs: 0,
      repetition,
      value,
      factors: { rule: 'probe', choice: 'conversation', controller: 'cubic' },
    }));
  const { tables } = adapt.result({ samples }, OPTIONS);
  return tables[0].rows.map((row) => row[3]);
}

it('rate targets of each way hold in every repetition, as the link narrows and otherwise', () => {
  expect(targets({ gap: [20, 59], fall: [30, 59], back: [4, 15] })).toEqual(['met', 'met']);
  expect(targets({ gap: [20, 61], fall: [30, 20], back: [4, 16] })).toEqual(['not met', 'not met']);
  expect(targets({ gap: [20, 30], fall: [20, 61], back: [4] })).toEqual(['not met', 'not met']);
});

it.each([
  [1, undefined],
  [4, undefined],
  [5, [0.4, 2]],
])('the share never heard, of %i repetitions, has the interval %j', (repetitions, interval) => {
  const shares = [0.4, 0.6, 0.5, 0.5, 2].slice(0, repetitions);
  const samples = (/** @type {string} */ name) =>
    (name === 'missed' ? shares : name === 'gap' ? [1] : []).map((value, repetition) => ({
      ...{ protocol: '', client: '', atMs: 0, repetition, value },
      factors: { rule: 'probe', choice: 'conversation', controller: 'cubic' },
    }));
  const { tables } = adapt.result({ samples }, { ...OPTIONS, seed: 1 });
  const at = tables[1].columns.findIndex(({ label }) => label === 'Never heard');
  const cell = /** @type {{ value: number, interval?: number[] }} */ (tables[1].rows[0][at]);
  expect(cell.value).toBeCloseTo(shares.reduce((a, b) => a + b) / repetitions, 12);
  if (interval === undefined) expect(cell.interval).toBe(undefined);
  else {
    const [low, high] = cell.interval ?? [];
    expect(low).toBeGreaterThanOrEqual(interval[0]);
    expect(high).toBeLessThanOrEqual(interval[1]);
    expect(high - low).toBeGreaterThan(0.3);
  }
});

it('a player that stalls and jumps has a gap, and what it skipped was never heard', () => {
  /** @type {Record<string, number[]>} */
  const values = {};
  const looks = [];
  // From 4 s on it stands still for a second; at 8 s it jumps by two.
  for (let atMs = 1000; atMs < 11_000; atMs += 10)
    looks.push({
      atMs,
      mediaMs: atMs - 500 - Math.min(Math.max(0, atMs - 4000), 1000) + (atMs >= 8000 ? 2000 : 0),
      level: atMs < 5000 ? 4 : atMs < 9000 ? 0 : 4,
    });
  addLooks(({ name }, value) => void (values[name] ??= []).push(value), looks, {
    originMs: 0,
    narrowMs: 3900,
    againMs: 7000,
  });
  expect([values.fall[0], values.gap[0]]).toEqual([1000, 0]);
  expect(values.changes).toEqual([2]);
  expect(values.back).toEqual([2]);
  expect(values.missed[0]).toBeCloseTo((100 * 1990) / 10_990, 0);
  expect([values.behind[0], values.behind.at(-1)]).toEqual([500, -500]);
  expect(values.rate.filter((rate) => rate === 16).length).toBe(400);
});

it('of a listener who hears nothing, all was missed, and the run goes on', () => {
  /** @type {Record<string, number>} */
  const values = {};
  const notes = { played: [], received: [] };
  addFrames(({ name }, value) => void (values[name] = value), notes, {
    ...{ sounding: new Set([1, 2, 3]), originMs: 0, frameMs: 20, narrowMs: 900, againMs: 1900 },
  });
  expect(values).toEqual({ changes: 0, fall: Infinity, gap: Infinity, missed: 100 });
  expect(targets({ gap: [20, Infinity], fall: [20, Infinity] })[0]).toBe('not met');
});

it('a frame that comes again, or late, is no more sound and no change of the rate', () => {
  const frames = [0, 1, 2, 3, 4, 5];
  const received = frames.flatMap((frame) =>
    [frame, frame - 2]
      .filter((one) => one >= 0)
      .map((one) => ({
        frame: one,
        stream: Stream.layers + RATES.indexOf(one < 3 ? 64_000 : 16_000),
        sounding: [one],
        atMs: 50 + 20 * frame,
      })),
  );
  const played = frames.map((frame) => ({ frame, atMs: 100 + 20 * frame }));
  /** @type {Record<string, number[]>} */
  const values = {};
  addFrames(
    ({ name }, value) => void (values[name] ??= []).push(value),
    { received, played },
    { sounding: new Set(frames), originMs: 0, frameMs: 20, narrowMs: 100, againMs: 140 },
  );
  expect(values.rate).toEqual([64, 64, 64, 16, 16, 16]);
  expect(values.changes).toEqual([1]);
  expect(values.back).toEqual([Infinity]);
});

it('a player that stands still until the end has a gap', () => {
  /** @type {Record<string, number>} */
  const values = {};
  const looks = Array.from({ length: 1000 }, (_, i) => ({
    ...{ atMs: 10 * i, mediaMs: 10 * Math.min(i, 600), level: 4 },
  }));
  addLooks(({ name }, value) => void (values[name] = value), looks, {
    ...{ originMs: 0, narrowMs: 5900, againMs: 9000 },
  });
  expect([values.fall, values.gap]).toEqual([3990, 0]);
});

it('a rate that never comes back has no time, and no mean is made without it', () => {
  /** @type {number[]} */
  const back = [];
  const looks = Array.from({ length: 1000 }, (_, i) => ({
    ...{ atMs: 10 * i, mediaMs: 10 * i },
    level: i < 300 ? 4 : 0,
  }));
  const add = (/** @type {any} */ { name }, /** @type {number} */ value) =>
    void (name === 'back' && back.push(value));
  addLooks(add, looks, { originMs: 0, narrowMs: 2900, againMs: 7000 });
  expect(back).toEqual([Infinity]);
  const samples = (/** @type {string} */ name) =>
    (name === 'back' ? [3, ...back] : name === 'gap' ? [1, 1] : []).map((value, repetition) => ({
      ...{ protocol: '', client: '', atMs: 0, repetition, value },
      factors: { rule: 'probe', choice: 'conversation', controller: 'cubic' },
    }));
  const { tables } = adapt.result({ samples }, { ...OPTIONS, seed: 1 });
  const at = tables[1].columns.findIndex(({ label }) => label === 'Back after');
  expect(tables[1].rows[0][at]).toBe(Infinity);
});

it('rules and controllers other than the product’s are measured in the first choice alone', () => {
  const cases = casesOf({
    rules: ['probe', 'simple'],
    choices: ['conversation', 'near'],
    players: ['aloud', 'll-hls'],
    controllers: ['cubic', 'bbr'],
  });
  expect(cases.map((one) => Object.values(one).join(' '))).toEqual([
    'probe conversation cubic',
    'probe near cubic',
    'probe conversation bbr',
    'simple conversation cubic',
    'simple conversation bbr',
    'hls.js ll-hls ',
  ]);
});

it('a run without the product’s controller has no targets', () => {
  const tables = adapt.result({ samples: () => [] }, { ...OPTIONS, controllers: ['copa'] }).tables;
  expect(tables.map(({ name }) => name)).toEqual(['adapt']);
});

it('what was not measured meets no target', () => {
  expect(targets({})).toEqual(['not measured', 'not measured']);
});

it('a mix with sound is one in which somebody was there, or was made up', () => {
  const states = [FrameState.received, FrameState.concealed, FrameState.absent].map(
    (state, mix) => ({ state, mix }),
  );
  expect(soundingMixes(states)).toEqual(new Set([0, 1]));
});
