import { describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';

/** @param {any} person @param {object} wish */
const set = ({ session }, wish) => session.handler?.control({ type: 'metronome', ...wish });

/** @param {any} person messages to them about the metronome */
const told = ({ session }) => session.told('metronome');

async function room() {
  const conference = new Conference();
  const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
  conference.clock.advance(1234);
  return { conference, ann, bob };
}

describe("a room's metronome", () => {
  it('starts half a second later for all by the sample clock, and reaches newcomers', async () => {
    const { conference, ann, bob } = await room();
    set(bob, { bpm: 120, beats: 3 });
    const beat = { bpm: 120, beats: 3, from: ((1234 + 500) * 48_000) / 1000, by: 'Bob' };
    for (const person of [ann, bob])
      expect(told(person)).toEqual([{ type: 'metronome', beat, by: 'Bob' }]);
    conference.clock.advance(5000);
    const cem = await conference.join('Cem');
    expect(cem.session.told('welcome')[0].metronome).toEqual(beat);
    expect(ann.session.told('welcome')[0].metronome).toBe(null);
  });

  it('is stopped by anybody who may speak, and is told once', async () => {
    const { ann, bob } = await room();
    set(ann, { bpm: null });
    expect(told(bob)).toEqual([]);
    set(ann, { bpm: 60.5 });
    set(bob, { bpm: null });
    set(ann, { bpm: null });
    expect(
      told(ann).map((/** @type {any} */ { beat, by }) => [beat?.bpm, beat?.beats, by]),
    ).toEqual([
      [60.5, 4, 'Ann'],
      [undefined, undefined, 'Bob'],
    ]);
  });

  it("isn't for listeners, who are told so", async () => {
    const { ann, bob } = await room();
    ann.session.handler?.control({
      type: 'moderate',
      action: 'role',
      person: bob.id,
      role: 'listener',
    });
    set(bob, { bpm: 120 });
    expect(bob.session.told('refused')).toMatchObject([{ of: 'metronome', code: 'not-allowed' }]);
    expect(told(ann)).toEqual([]);
  });

  it.each([
    {},
    { bpm: 19 },
    { bpm: 301 },
    { bpm: '120' },
    { bpm: 120, beats: 0 },
    { bpm: 120, beats: 17 },
    { bpm: 120, beats: 1.5 },
  ])('takes nothing of %j', async (wish) => {
    const { ann, bob } = await room();
    set(bob, wish);
    expect(told(ann)).toEqual([]);
    expect(bob.session.closed).toBe(null);
  });
});
