import { describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/**
 * The amplitude of a square wave of a level in dBov, relative to full scale.
 * @param {number} level
 */
const amplitude = (level) => 10 ** (-level / 20);

/**
 * @param {Conference} conference
 * @param {string[]} names
 */
async function joinAll(conference, names) {
  const people = [];
  for (const name of names) people.push(await conference.join(name));
  return people;
}

/**
 * Lets people speak for some frames.
 * @param {Conference} conference
 * @param {number} from
 * @param {number} to the first that isn't spoken
 * @param {[Person, number, boolean?][]} talkers with their level in -dBov, and whether it is no
 *   voice
 */
async function talk(conference, from, to, talkers) {
  for (let frame = from; frame < to; frame++) {
    conference.pass(1);
    for (const [person, level, noise] of talkers)
      await person.speak(frame, amplitude(level), { level, voice: !noise });
  }
}

/**
 * The value that a frame has throughout, or that it ends with.
 * @param {Map<number, Float32Array | null>} heard
 * @param {number} frame
 */
const end = (heard, frame) => Math.round((heard.get(frame)?.at(-1) ?? 0) * 1000) / 1000;

/** @param {...number} levels */
const sum = (...levels) =>
  Math.round(levels.reduce((all, level) => all + amplitude(level), 0) * 1000) / 1000;

describe('the loudest speakers', () => {
  it('are mixed from their first sample; the rest is neither decoded nor called late', async () => {
    const conference = new Conference({ maxSpeakers: 2 });
    const [ear, ann, bob, cid] = await joinAll(conference, ['Ear', 'Ann', 'Bob', 'Cid']);
    await talk(conference, 0, 20, [
      [ann, 30],
      [bob, 20],
      [cid, 25],
    ]);
    conference.pass(5);
    const heard = await ear.heard();
    for (let frame = 0; frame < 20; frame++) {
      expect(heard.get(frame)?.[0]).toBeCloseTo(amplitude(20) + amplitude(25), 3);
      expect(end(heard, frame)).toBe(sum(20, 25));
    }
    expect(ann.stats()).toMatchObject({ unmixed: 20, late: 0, lost: 0, receivedPercent: 100 });
    expect(bob.stats()).toMatchObject({ unmixed: 0 });
    // People without a place hear the common mix, which doesn't have them; people with a place are
    // left out of theirs.
    expect(end(await ann.heard(), 10)).toBe(sum(20, 25));
    expect(end(await bob.heard(), 10)).toBe(sum(25));
  });

  it('keep their place until a short pause after speech; then the next one fades in', async () => {
    const conference = new Conference({ maxSpeakers: 1 });
    const [ear, ann, bob] = await joinAll(conference, ['Ear', 'Ann', 'Bob']);
    await talk(conference, 0, 10, [[ann, 30]]);
    await talk(conference, 10, 50, [
      [ann, 30],
      [bob, 10],
    ]);
    await talk(conference, 50, 100, [[bob, 10]]);
    conference.pass(5);
    const heard = await ear.heard();
    for (let frame = 0; frame < 50; frame++) expect(end(heard, frame)).toBe(sum(30));
    const first = [...heard.keys()].find((frame) => end(heard, frame) === sum(10)) ?? 0;
    expect(first).toBeGreaterThanOrEqual(50 + 20 - 1);
    expect(first).toBeLessThanOrEqual(50 + 21);
    const pcm = heard.get(first) ?? [];
    expect(pcm[0]).toBeLessThan(0.02);
    expect(pcm[120]).toBeCloseTo(amplitude(10) / 2, 1);
    expect(pcm[241]).toBeCloseTo(amplitude(10), 3);
    for (let frame = first; frame < 100; frame++) expect(end(heard, frame)).toBe(sum(10));
  });

  it('lose their place at once to voice where theirs is none', async () => {
    const conference = new Conference({ maxSpeakers: 1 });
    const [ear, fan, bob] = await joinAll(conference, ['Ear', 'Fan', 'Bob']);
    await talk(conference, 0, 50, [[fan, 20, true]]);
    await talk(conference, 50, 60, [
      [fan, 20, true],
      [bob, 30],
    ]);
    conference.pass(5);
    const heard = await ear.heard();
    for (let frame = 0; frame < 50; frame++) expect(end(heard, frame)).toBe(sum(20));
    for (let frame = 51; frame < 60; frame++) expect(end(heard, frame)).toBe(sum(30));
    // The fan is faded out within the frame in which Bob's first word begins, at its first sample.
    expect(heard.get(50)?.[0]).toBeCloseTo(amplitude(20) + amplitude(30), 2);
    expect(end(heard, 50)).toBe(sum(30));
  });

  it('make room after ten seconds without a pause, one for another', async () => {
    const conference = new Conference({ maxSpeakers: 1, idleTimeoutMs: 1e6 });
    const [ear, ann, bob] = await joinAll(conference, ['Ear', 'Ann', 'Bob']);
    await talk(conference, 0, 1600, [
      [ann, 10],
      [bob, 30],
    ]);
    const heard = await ear.heard();
    const changes = [...heard.keys()].filter(
      (frame) => Math.abs(end(heard, frame) - end(heard, frame - 1)) > 0.01 && frame > 0,
    );
    expect(changes).toEqual([500, 1000, 1500]);
    const steps = [...heard.values()].flatMap((pcm) => [...(pcm ?? [])]);
    let largest = 0;
    for (let i = 1; i < steps.length; i++)
      largest = Math.max(largest, Math.abs(steps[i] - steps[i - 1]));
    expect(largest).toBeLessThan(0.011);
  });

  it('don’t hold or regain a place by reporting voice that isn’t there', async () => {
    const conference = new Conference({ maxSpeakers: 1 });
    const [ear, liar, bob] = await joinAll(conference, ['Ear', 'Liar', 'Bob']);
    const lie = (/** @type {number} */ frame) => liar.speak(frame, 0, { level: 0, voice: true });
    for (let frame = 0; frame < 300; frame++) {
      conference.pass(1);
      await lie(frame);
      // Words of a second, and pauses of as long.
      if (frame >= 20 && frame % 100 < 50)
        await bob.speak(frame, amplitude(40), { level: 40, voice: true });
    }
    conference.pass(5);
    const heard = await ear.heard();
    for (let frame = 45; frame < 300; frame++) {
      if (frame % 100 < 50) expect(end(heard, frame)).toBe(sum(40));
    }
    expect(heard.get(100)?.[0]).toBeCloseTo(amplitude(40), 3);
  });

  it('are heard from the first sample on after a long silence', async () => {
    const conference = new Conference({ maxSpeakers: 1 });
    const [ear, ann] = await joinAll(conference, ['Ear', 'Ann']);
    await talk(conference, 0, 5, [[ann, 20]]);
    conference.pass(60);
    await talk(conference, 65, 70, [[ann, 20]]);
    conference.pass(5);
    const heard = await ear.heard();
    expect(heard.get(65)?.[0]).toBeCloseTo(amplitude(20), 3);
    expect(ann.stats()).toMatchObject({ unmixed: 0, late: 0 });
  });

  it('are forgotten when they leave', async () => {
    const conference = new Conference({ maxSpeakers: 1 });
    const [ear, ann, bob] = await joinAll(conference, ['Ear', 'Ann', 'Bob']);
    await talk(conference, 0, 10, [
      [ann, 10],
      [bob, 30],
    ]);
    ann.session.close(0, '');
    await talk(conference, 10, 25, [[bob, 30]]);
    conference.pass(5);
    const heard = await ear.heard();
    // Six frames of the one who is gone are concealed, and fade.
    for (let frame = 17; frame < 25; frame++) expect(end(heard, frame)).toBe(sum(30));
  });

  it('are listed in both streams regularly and on changes, with the decoded level', async () => {
    const conference = new Conference();
    const [ear, ann, bob] = await joinAll(conference, ['Ear', 'Ann', 'Bob']);
    await talk(conference, 0, 20, [[ann, 20]]);
    for (let frame = 20; frame < 23; frame++) {
      conference.pass(1);
      await ann.speak(frame, amplitude(20), { level: 20, voice: true });
      await bob.speak(frame, amplitude(40), { level: 3, voice: true });
    }
    conference.pass(5);
    const one = { id: ann.id, level: 20, voice: true };
    const other = { id: bob.id, level: 40, voice: true };
    const lists = ear.listed();
    expect(lists.get(0)).toEqual([one]);
    expect(lists.get(5)).toEqual([one]);
    expect(lists.has(1)).toBe(false);
    expect(lists.get(20)).toEqual([one, other]);
    expect(ann.listed().get(20)).toEqual([one, other]);
    expect(bob.listed().get(20)).toEqual([one, other]);
  });

  it('are listed in answers too', async () => {
    const conference = new Conference({ delivery: 'reply', serverDelayMs: 40 });
    const [ear, ann] = await joinAll(conference, ['Ear', 'Ann']);
    for (let frame = 0; frame < 20; frame++) {
      conference.pass(1);
      await ann.speak(frame, amplitude(20), { level: 20, voice: true });
      await ear.speak(frame, null);
    }
    const lists = ear.listed();
    expect(lists.get(2)).toEqual([{ id: ann.id, level: 20, voice: true }]);
    expect(lists.size).toBe(4);
  });
});
