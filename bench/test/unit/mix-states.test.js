import { expect, it } from 'vitest';
import { MixStates } from '../../participants/mix-states.js';
import { soundingMixes } from '../../stats/call-figures.js';
import { FrameState } from '../../../server/source/pcm-ring.js';

/**
 * A speaker whose frames are sound, silent or missing, and who is heard later at first.
 * @param {Record<number, 'sound' | 'silent'>} frames
 */
function speakerOf(frames) {
  const source = {
    offsetMs: 60,
    format: { frameMs: 20 },
    packets: {
      has: (/** @type {number} */ frame) => frame in frames,
      hasSound: (/** @type {number} */ frame) => frames[frame] === 'sound',
    },
    ring: {
      state: (/** @type {number} */ mix) =>
        frames[mix - source.offsetMs / 20] === 'sound' ? FrameState.received : FrameState.silent,
    },
  };
  return /** @type {any} */ ({ name: 'A', source });
}

it('distinguishes silence skipped to catch up from sound without a mix frame of its own', () => {
  const speaker = speakerOf({
    0: 'sound',
    1: 'silent',
    2: 'silent',
    3: 'silent',
    4: 'sound',
    5: 'sound',
    6: 'sound',
  });
  const states = new MixStates();
  states.add(speaker);
  /** @type {import('../../participants/mix-states.js').MixState[]} */
  const notes = [];
  states.mixed(3, notes);
  speaker.source.offsetMs = 20;
  states.mixed(4, notes);
  states.mixed(5, notes);
  speaker.source.offsetMs = 0;
  states.mixed(6, notes);
  const { silent, received } = FrameState;
  expect(notes.map(({ frame, state, mix }) => [frame, state, mix])).toEqual([
    [0, received, 3],
    [1, silent, 4],
    [2, silent, 4],
    [3, silent, 4],
    [4, received, 5],
    [5, received, 6],
    [6, received, 6],
  ]);
  expect([...soundingMixes(notes)]).toEqual([3, 5, 6]);
});
