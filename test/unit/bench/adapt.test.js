import { expect, it } from 'vitest';
import { adapt } from '../../../bench/scenarios/adapt.js';
import { soundingMixes } from '../../../bench/stats/call-figures.js';
import { FrameState } from '../../../server/source/pcm-ring.js';

const OPTIONS = { rules: ['probe'], trajectory: [], queueMs: 300, choice: 'conversation' };

/** Whether each target is met. @param {Record<string, number[]>} values of the rule `probe`, one for each repetition */
function targets(values) {
  const samples = (/** @type {string} */ name) => (values[name] ?? []).map((value, repetition) => ({ protocol: '', client: '', atMs: 0, repetition, value, factors: { rule: 'probe' } }));
  const { tables } = adapt.result({ samples }, OPTIONS);
  return tables[0].rows.map((row) => row[3]);
}

it('targets of a rate for each way hold in each repetition', () => {
  expect(targets({ gap: [20, 59], fall: [300, 200], back: [4, 15] })).toEqual(['met', 'met']);
  expect(targets({ gap: [20, 61], fall: [300, 200], back: [4, 16] })).toEqual(['not met', 'not met']);
  expect(targets({ gap: [20, 30], fall: [300, 200], back: [4] })).toEqual(['met', 'not met']);
});

it('what was not measured meets no target', () => {
  expect(targets({})).toEqual(['not measured', 'not measured']);
});

it('a mix with sound is one in which somebody was there, or was made up', () => {
  const states = [FrameState.received, FrameState.concealed, FrameState.absent].map((state, mix) => ({ state, mix }));
  expect(soundingMixes(states)).toEqual(new Set([0, 1]));
});
