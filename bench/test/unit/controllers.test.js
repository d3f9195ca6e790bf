import { expect, it } from 'vitest';
import { checkResult } from '../../report/result.js';
import { encodeSpeech, readSpeech } from '../../../testkit/participants/speech.js';
import { controllers } from '../../scenarios/comparisons/controllers.js';
import { figuresOf, phaseFigures } from '../../scenarios/comparisons/grid.js';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { loadCodec } from '../../../server/codec/codec.js';

const voice = {
  codec: await loadCodec('libopus-wasm'),
  speech: await readSpeech(48_000),
  payloads: await encodeSpeech(createAudioFormat({ frameMs: 20 }), 48_000),
};

/** The steps surround the middle third of nine seconds. */
const STEPS = [
  { atMs: 3000, changes: {} },
  { atMs: 6000, changes: {} },
];
const PHASES = ['before', 'meanwhile', 'after'].map((name) => ({ name, label: name, unit: '' }));

it('R is told of each phase between steps', () => {
  // Half of the packets are lost between the steps.
  const ages = Array.from({ length: 450 }, (_, i) =>
    i >= 150 && i < 300 && i % 2 === 0 ? Infinity : 30,
  );
  const { before, meanwhile, after } = phaseFigures(voice, ages, { steps: STEPS, phases: PHASES });
  expect(before).toBe(figuresOf(voice, ages.slice(0, 150), 100).rating);
  expect(before).toBeGreaterThan(120);
  expect(meanwhile).toBeLessThan(90);
  expect(after).toBeGreaterThan(110);
  expect(figuresOf(voice, ages, 100).rating).toBeLessThan(before);
  expect(phaseFigures(voice, ages, { steps: STEPS })).toEqual({});
});

it('steps of the rate have a column for each of their thirds', () => {
  const samples = [0, 1].map((repetition) => ({
    protocol: 'datagrams@cubic',
    repetition,
    client: '',
    atMs: 0,
    value: 90,
    factors: { sweep: 'steps', at: 60 },
  }));
  const recorded = ['rating', 'ratingBefore', 'ratingMeanwhile', 'ratingAfter'];
  const { tables } = checkResult(
    controllers.result(
      { samples: (name) => (recorded.includes(name) ? samples : []) },
      { sweeps: ['steps'], through: 'nothing', seed: 1 },
    ),
  );
  expect(
    tables
      .find(({ name }) => name === 'stepsFigures')
      ?.columns.map(({ label }) => label)
      .slice(2),
  ).toEqual(['R', 'R before', 'R meanwhile', 'R after']);
  expect(controllers.quantities.map(({ name }) => name)).toEqual(expect.arrayContaining(recorded));
});
