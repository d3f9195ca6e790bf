import { describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';
import { CONCEALED } from '../../fakes/pcm-codec.js';
import { random } from '../../fakes/random.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/**
 * The amplitude of a square wave of a level in dBov, relative to full scale.
 * @param {number} level
 */
const amplitude = (level) => 10 ** (-level / 20);

/** @param {...number} levels */
const sum = (...levels) =>
  Math.round(levels.reduce((all, level) => all + amplitude(level), 0) * 1000) / 1000;

/**
 * The value that a frame ends with.
 * @param {Map<number, Float32Array | null>} heard
 * @param {number} frame
 */
const end = (heard, frame) => Math.round((heard.get(frame)?.at(-1) ?? 0) * 1000) / 1000;

/** Frames between a packet and the sound that it is answered with. */
const DELAY_FRAMES = 2;

/**
 * @param {string[]} names
 * @param {object} [options]
 */
async function roomOf(names, options = {}) {
  const conference = new Conference({
    delivery: 'reply',
    serverDelayMs: DELAY_FRAMES * 20,
    idleTimeoutMs: 1e6,
    ...options,
  });
  const people = [];
  for (const name of names) people.push(await conference.join(name));
  return { conference, people };
}

/**
 * Everybody sends a packet for each frame, in turn: sound of a level in -dBov, or silence.
 * @param {Conference} conference
 * @param {number} from
 * @param {number} to the first that isn't sent
 * @param {[Person, number | null][]} levels
 */
async function talk(conference, from, to, levels) {
  for (let frame = from; frame < to; frame++) {
    conference.pass(1);
    for (const [person, level] of levels) {
      if (level === null) await person.speak(frame, null);
      else await person.speak(frame, amplitude(level), { level, voice: true });
    }
  }
}

/** @param {Map<number, Float32Array | null>} heard */
function largestStep(heard) {
  const samples = [...heard.values()].flatMap((pcm) => [...(pcm ?? new Float32Array(960))]);
  let largest = 0;
  for (let i = 1; i < samples.length; i++)
    largest = Math.max(largest, Math.abs(samples[i] - samples[i - 1]));
  return largest;
}

describe('answers', () => {
  it('contain the loudest speakers from their first sample, never the one answered', async () => {
    const { conference, people } = await roomOf(['Ear', 'Ann', 'Bob', 'Cid'], { maxSpeakers: 2 });
    const [ear, ann, bob, cid] = people;
    // The speakers don't depend on the listener who is answered first.
    await talk(conference, 0, 1, [
      [ear, null],
      [ann, null],
      [bob, null],
      [cid, null],
    ]);
    await talk(conference, 1, 40, [
      [ear, null],
      [ann, 30],
      [bob, 20],
      [cid, 25],
    ]);
    const [atEar, atAnn, atBob, atCid] = await Promise.all(people.map((person) => person.heard()));
    expect(end(atEar, DELAY_FRAMES)).toBe(0);
    for (let frame = 1 + DELAY_FRAMES; frame < 40; frame++) {
      expect(atEar.get(frame)?.[0]).toBeCloseTo(amplitude(20) + amplitude(25), 3);
      expect(end(atEar, frame)).toBe(sum(20, 25));
      expect(end(atAnn, frame)).toBe(sum(20, 25));
      expect(end(atBob, frame)).toBe(sum(25));
      expect(end(atCid, frame)).toBe(sum(20));
    }
    expect(ann.stats()).toMatchObject({
      unmixed: 39 - DELAY_FRAMES,
      late: 0,
      lost: 0,
      concealed: 0,
      receivedPercent: 100,
    });
    expect(bob.stats()).toMatchObject({ unmixed: 0 });
    expect(ear.stats()).toMatchObject({ heardPercent: 100 });
    expect(
      [...ear.listed().values()]
        .at(-1)
        ?.map(({ id }) => id)
        .sort(),
    ).toEqual([bob.id, cid.id].sort());
  });

  it('keep a speaker until a short pause after speech; then the next joins smoothly', async () => {
    const {
      conference,
      people: [ear, ann, bob],
    } = await roomOf(['Ear', 'Ann', 'Bob'], { maxSpeakers: 1 });
    await talk(conference, 0, 10, [
      [ear, null],
      [ann, 30],
      [bob, null],
    ]);
    await talk(conference, 10, 50, [
      [ear, null],
      [ann, 30],
      [bob, 14],
    ]);
    await talk(conference, 50, 100, [
      [ear, null],
      [ann, null],
      [bob, 14],
    ]);
    const heard = await ear.heard();
    for (let frame = DELAY_FRAMES; frame < 50 + DELAY_FRAMES; frame++)
      expect(end(heard, frame)).toBe(sum(30));
    const first = [...heard.keys()].find((frame) => end(heard, frame) === sum(14)) ?? 0;
    expect(first - DELAY_FRAMES).toBeGreaterThanOrEqual(50 + 20 - 1);
    expect(first - DELAY_FRAMES).toBeLessThanOrEqual(50 + 21);
    for (let frame = first; frame < 100; frame++) expect(end(heard, frame)).toBe(sum(14));
    // Ann's own beginning and end are the largest steps there are.
    expect(largestStep(heard)).toBeLessThan(amplitude(30) + 0.001);
    // A speaker who makes room hears the one who comes in as everybody does, and that one nothing
    // of their own.
    expect(end(await ann.heard(), 99)).toBe(sum(14));
    for (const pcm of (await bob.heard()).values()) {
      if (pcm) expect(Math.max(...pcm)).toBeLessThan(amplitude(30) + 0.001);
    }
    expect(end(await bob.heard(), 99)).toBe(0);
  });

  it('fade out who has to make room in the middle of sound', async () => {
    const {
      conference,
      people: [ear, ann, bob],
    } = await roomOf(['Ear', 'Ann', 'Bob'], { maxSpeakers: 1 });
    await talk(conference, 0, 640, [
      [ear, null],
      [ann, 20],
      [bob, 26],
    ]);
    const heard = await ear.heard();
    const changes = [...heard.keys()].filter(
      (frame) => frame > DELAY_FRAMES && Math.abs(end(heard, frame) - end(heard, frame - 1)) > 0.01,
    );
    expect(changes).toEqual([500 + DELAY_FRAMES]);
    for (const frame of [...heard.keys()].slice(0, DELAY_FRAMES + 1)) heard.delete(frame);
    expect(largestStep(heard)).toBeLessThan(0.002);
    expect(end(await ann.heard(), 639)).toBe(sum(26));
  });

  it('hold no more speakers when delays differ, or when the room ticks for others', async () => {
    for (const delivery of /** @type {const} */ (['reply', 'tick'])) {
      const {
        conference,
        people: [first, ann, bob, cid],
      } = await roomOf(['First', 'Ann', 'Bob', 'Cid'], { maxSpeakers: 2, delivery });
      const near = await conference.join('Near', { delivery: 'reply', serverDelayMs: 40 });
      const far = await conference.join('Far', { delivery: 'reply', serverDelayMs: 200 });
      await talk(conference, 0, 60, [
        [near, null],
        [first, null],
        [ann, 30],
        [bob, 20],
        [cid, 25],
        [far, null],
      ]);
      const [atNear, atFar, atFirst] = [await near.heard(), await far.heard(), await first.heard()];
      for (let frame = 20; frame < 55; frame++) {
        expect(end(atNear, frame)).toBe(sum(20, 25));
        expect(end(atFar, frame)).toBe(sum(20, 25));
        expect(end(atFirst, frame)).toBe(sum(20, 25));
      }
      expect(ann.stats()?.late).toBe(0);
    }
  });

  it('hold the heard talkers as loud as the listener wants', async () => {
    const {
      conference,
      people: [ear, ann, bob, cid],
    } = await roomOf(['Ear', 'Ann', 'Bob', 'Cid'], { maxSpeakers: 2 });
    ear.session.handler?.control({ type: 'volume', person: bob.id, gain: 0.5 });
    ear.session.handler?.control({ type: 'volume', person: ann.id, gain: 2 });
    await talk(conference, 0, 20, [
      [ear, null],
      [ann, 30],
      [bob, 20],
      [cid, 25],
    ]);
    expect(end(await ear.heard(), 19)).toBeCloseTo(amplitude(20) / 2 + amplitude(25), 3);
    expect(end(await ann.heard(), 19)).toBe(sum(20, 25));
  });

  it('are silent for who alone speaks', async () => {
    const {
      conference,
      people: [ann, bob],
    } = await roomOf(['Ann', 'Bob']);
    await talk(conference, 0, 10, [
      [ann, 20],
      [bob, null],
    ]);
    expect((await ann.heard()).get(9)).toBeNull();
    expect(end(await bob.heard(), 9)).toBe(sum(20));
  });

  it('conceal a missing frame when it is due, even if somebody asked for it earlier', async () => {
    const {
      conference,
      people: [hasty, ann, bob],
    } = await roomOf(['Hasty', 'Ann', 'Bob']);
    await talk(conference, 0, 10, [
      [ann, 20],
      [bob, null],
    ]);
    await ann.lose(10, amplitude(20));
    conference.pass(1);
    await bob.speak(10, null);
    await hasty.speak(10 + DELAY_FRAMES, null);
    await talk(conference, 11, 20, [
      [ann, 20],
      [bob, null],
    ]);
    expect((await hasty.heard()).get(10 + DELAY_FRAMES)).toBeNull();
    expect(end(await bob.heard(), 10 + DELAY_FRAMES)).toBe(CONCEALED);
  });

  it('are all that has come of everybody else, in whatever order packets come', async () => {
    const names = ['A', 'B', 'C', 'D', 'E', 'F'];
    // Any two sums differ.
    const value = names.map((_, i) => 2 ** i / 100);
    for (let seed = 1; seed <= 20; seed++) {
      const any = random(seed);
      const { conference, people } = await roomOf(names);
      const speaks = Array.from({ length: 40 }, () => names.map(() => any() < 0.7));
      for (let frame = 0; frame < 40; frame++) {
        conference.pass(1);
        const order = people.map((_, i) => i).sort(() => any() - 0.5);
        for (const i of order) await people[i].speak(frame, speaks[frame][i] ? value[i] : null);
      }
      for (let i = 0; i < people.length; i++) {
        const heard = await people[i].heard();
        for (let frame = DELAY_FRAMES; frame < 40; frame++) {
          const expected = value.reduce(
            (all, one, other) =>
              all + (other !== i && speaks[frame - DELAY_FRAMES][other] ? one : 0),
            0,
          );
          expect(heard.get(frame)?.[0] ?? 0).toBeCloseTo(expected, 3);
          expect(heard.get(frame)?.at(-1) ?? 0).toBeCloseTo(expected, 3);
        }
      }
    }
  });
});
