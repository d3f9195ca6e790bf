import { describe, expect, it } from 'vitest';
import { agesOf, setupsOf } from '../../mesh/notes.js';
import { checkResult } from '../../report/result.js';
import { mesh } from '../../scenarios/comparisons/mesh.js';
import {
  CONDITIONS,
  markOf,
  MESH_QUANTITIES,
  meshViews,
  sentencesOf,
} from '../../scenarios/comparisons/mesh-result.js';
import { seededRandom } from '../../../testkit/random.js';
import { payloadOf, readRtp, rtpPacket } from '../../ways/rtp.js';
import { FrameState } from '../../../server/source/pcm-ring.js';

/**
 * @param {string} name
 * @param {number[]} sentMs
 * @param {{ speaker?: string, frame: number, atMs: number }[]} received
 */
const person = (name, sentMs, received) => ({
  name,
  sent: sentMs.map((atMs, frame) => ({ frame, atMs })),
  received,
  cpuPercent: 0,
  rssBytes: 0,
  latenessMs: [],
});

const ALWAYS = { fromMs: -Infinity, toMs: Infinity };

describe('notes of a call', () => {
  const a = person('1', [100, 120, 140], []);
  const b = person(
    '2',
    [110],
    [
      { speaker: '1', frame: 1, atMs: 165 },
      { speaker: '1', frame: 0, atMs: 150 },
      { speaker: '1', frame: 0, atMs: 151 },
      { speaker: '3', frame: 2, atMs: 1 },
    ],
  );

  it('give the age of each frame at a listener, by its first arrival', () => {
    const notes = { people: [a, b], hub: null };
    expect(agesOf(notes, a, b, ALWAYS)).toEqual([50, 45, Infinity]);
    expect(agesOf(notes, a, b, { fromMs: 120, toMs: 140 })).toEqual([45]);
    expect(agesOf(notes, b, a, ALWAYS)).toEqual([Infinity]);
  });

  it('give the time until each pair heard each other', () => {
    expect(setupsOf({ people: [a, b], hub: { cpuPercent: 1, rssBytes: 0 } }, 90)).toEqual([
      Infinity,
      60,
    ]);
  });

  it('of a mix: a frame came with the mix that had it in time', () => {
    const states = [
      { name: '1', frame: 0, state: FrameState.received, mix: 7 },
      { name: '1', frame: 1, state: FrameState.concealed, mix: 8 },
      { name: '1', frame: 2, state: FrameState.received, mix: 9 },
      { name: '2', frame: 0, state: FrameState.received, mix: 8 },
    ];
    const listener = person(
      '2',
      [110],
      [
        { frame: 7, atMs: 170 },
        { frame: 8, atMs: 190 },
      ],
    );
    const notes = { people: [a, listener], hub: { cpuPercent: 1, rssBytes: 0, states } };
    expect(agesOf(notes, a, listener, ALWAYS)).toEqual([70, Infinity, Infinity]);
    expect(setupsOf(notes, 100)).toEqual([Infinity, 70]);
  });
});

it('an RTP packet says whose it is, and its number beyond 16 bits', () => {
  const packet = rtpPacket(Uint8Array.of(1, 2), 70_000, 5);
  expect(readRtp(packet)).toEqual({ ssrc: 5, sequence: 70_000 });
  expect(payloadOf(packet)).toEqual(Buffer.from([1, 2]));
  expect(readRtp(Buffer.from([0x80, 200, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0]))).toBeNull();
});

it('a row is marked by what was so in half of the repetitions', () => {
  expect(
    markOf({
      late: [1, 2, 300],
      ticks: [],
      leftOut: [0, 0, 4],
      busy: [50, 60, 99],
      legs: [0, 0, 2],
    }),
  ).toBe('');
  expect(
    markOf({
      late: [11, 12, 1],
      ticks: [20, 30, 40],
      leftOut: [0, 4, 4],
      busy: [99, 98, 50],
      legs: [0, 1, 1],
    }),
  ).toBe('sent 11 ms late, mixed 30 ms late, people left out, processors busy, legs disturbed');
});

/**
 * Samples of a quantity.
 * @param {Record<string, (people: number) => number>} values
 * @param {number[]} counts
 * @param {number} [repetitions]
 */
const samples = (values, counts, repetitions = 5) =>
  Object.entries(values).flatMap(([protocol, valueOf]) =>
    counts.flatMap((people) =>
      Array.from({ length: repetitions }, (_, repetition) => ({
        protocol,
        repetition,
        client: '1',
        atMs: repetition,
        value: valueOf(people) + (repetition % 3) / 10,
        factors: { condition: 'clear', people },
      })),
    ),
  );

it('each condition says what its legs lose, whatever they lost while people connected', () => {
  expect(CONDITIONS.map(({ leg }) => leg.lossPercent)).toEqual([0, 2]);
});

describe('sentences', () => {
  const CPU = { label: 'CPU', unit: '%', condition: 'Legs' };
  const rising = samples(
    { mixed: () => 3, mesh: (people) => people, forwarded: () => 3 },
    [2, 3, 4, 8],
  );
  const unmarked = () => '';

  it('say with how many people a topology has more or less than the mix', () => {
    expect(sentencesOf(CPU, rising, unmarked, seededRandom(1))).toEqual([
      'CPU, legs: mesh is higher than mixed from 4 people on, by 5.0 [5.0, 5.0] % with 8, ' +
        'and lower than mixed with 2 people, by 1.0 [1.0, 1.0] %.',
      'CPU, legs: no difference between forwarded and mixed is shown.',
    ]);
  });

  it('leave out marked rows, and few repetitions', () => {
    const mark = (/** @type {string} */ topology, /** @type {number} */ people) =>
      topology === 'mesh' && people > 2 ? 'processors busy' : '';
    expect(sentencesOf(CPU, rising, mark, seededRandom(1))[0]).toBe(
      'CPU, legs: mesh is lower than mixed with 2 people, by 1.0 [1.0, 1.0] %.',
    );
    expect(
      sentencesOf(
        CPU,
        samples({ mixed: () => 3, mesh: () => 5 }, [2], 4),
        unmarked,
        seededRandom(1),
      ),
    ).toEqual([]);
  });
});

it('setup counts calls that did not come to be, and figures have memory and jitter', () => {
  const measured = new Map([
    [MESH_QUANTITIES.success.name, samples({ mixed: () => 100, mesh: () => 0 }, [3], 1)],
    [MESH_QUANTITIES.setup.name, samples({ mixed: () => 40 }, [3], 1)],
    [MESH_QUANTITIES.setupAll.name, samples({ mixed: () => 60 }, [3], 1)],
    [MESH_QUANTITIES.cpu.name, samples({ mixed: () => 3 }, [3], 1)],
    [MESH_QUANTITIES.memory.name, samples({ mixed: () => 80 }, [3], 1)],
    [MESH_QUANTITIES.jitter.name, samples({ mixed: () => 2 }, [3], 1)],
  ]);
  const folder = { samples: (/** @type {string} */ name) => measured.get(name) ?? [] };
  const { tables } = meshViews(folder, seededRandom(1));
  const [figures, setup] = ['clearFigures', 'setup'].map((name) =>
    tables.find((table) => table.name === name),
  );
  expect(setup?.rows).toEqual([
    [3, 'mesh', null, null, null, { value: 0 }],
    [3, 'mixed', 40, { value: 60 }, 60, { value: 100 }],
  ]);
  const cellOf = (/** @type {string} */ label) =>
    figures?.rows[0][figures.columns.findIndex((column) => column.label === label)];
  expect(cellOf('Memory, person')).toMatchObject({ value: 80 });
  expect(cellOf('Jitter')).toMatchObject({ value: 2 });
});

it('a part of a run has a result all the same', () => {
  const measured = new Map([
    [MESH_QUANTITIES.cpu.name, samples({ mixed: () => 3, mesh: () => 5 }, [4, 2], 2)],
  ]);
  const folder = { samples: (/** @type {string} */ name) => measured.get(name) ?? [] };
  const { tables, plots } = meshViews(folder, seededRandom(1));
  expect(tables.map(({ name, rows }) => [name, rows.length])).toEqual([
    ['clearOrder', 0],
    ['clearFigures', 4],
    ['setup', 0],
    ['sentences', 1],
  ]);
  expect(tables[1].rows.map(([people, topology]) => `${people} ${topology}`)).toEqual([
    '2 mesh',
    '2 mixed',
    '4 mesh',
    '4 mixed',
  ]);
  expect(plots[0].series.map(({ name, points }) => [name, points.map(([x]) => x)])).toEqual([
    ['mesh', [2, 4]],
    ['mixed', [2, 4]],
  ]);
  checkResult(mesh.result(folder, { seed: 1 }));
});
