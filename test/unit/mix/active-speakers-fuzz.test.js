import { describe, expect, it } from 'vitest';
import { createAudioFormat } from '../../../public/shared/sound/audio-format.js';
import { VOICE_BIT } from '../../../public/shared/wire/packet.js';
import { FrameState } from '../../../server/source/pcm-ring.js';
import { ActiveSpeakers } from '../../../server/mix/active-speakers.js';
import { random } from '../../fakes/random.js';

const format = createAudioFormat();
const PLACES = 3;
const FRAMES = 4000;

/**
 * The source of somebody who says words of any length with pauses of any length, at a level of its
 * own.
 * @param {number} id
 * @param {() => number} next
 */
function talker(id, next) {
  const level = 15 + Math.floor(30 * next());
  const sound = new Float32Array(format.frameSamples).fill(0.01);
  let left = 0;
  const source = {
    id: String(id),
    number: id,
    format,
    speaks: false,
    wasHeard: false,
    unmixed: 0,
    level,
    soundThrough: -1,
    /** @param {number} frame */
    has: (frame) => frame <= source.soundThrough,
    sentLevel: () => level | VOICE_BIT,
    ring: { frame: () => sound },
    skipTo() {},
    prime() {},
    isOver: () => false,
    /** @param {number} frame */
    hasSound: (frame) => source.has(frame) && source.speaks,
    /** @param {number} frame */
    continuesIn: (frame) => frame > 0 && source.hasSound(frame - 1),
    /** @param {number} frame */
    leaveOut: (frame) => void (source.unmixed += Number(source.hasSound(frame))),
    prepare: () => {},
    pull: () => (source.speaks ? FrameState.received : FrameState.silent),
    /** @param {number} frame */
    step(frame) {
      if (left === 0) {
        source.speaks = !source.speaks;
        left = 5 + Math.floor((source.speaks ? 85 : 100) * next() ** 2);
      }
      left -= 1;
      if (source.speaks) source.soundThrough = frame;
    },
  };
  return /** @type {any} */ (source);
}

/** @param {any[]} sources */
function speakersOf(sources) {
  const speakers = new ActiveSpeakers(format, PLACES);
  for (const source of sources) speakers.add(source);
  return speakers;
}

describe('the places of speakers, for any talkers and lengths of talk', () => {
  it.each([1, 2, 3, 4, 5])('are never too many, and nobody is cut in a word (seed %i)', (seed) => {
    const next = random(seed);
    const people = Array.from({ length: 8 }, (_, id) => talker(id, next));
    const speakers = speakersOf(people);
    const mix = new Float32Array(format.frameSamples);
    let mostAtOnce = 0;
    for (let frame = 0; frame < FRAMES; frame++) {
      const spoke = people.map((person) => person.speaks);
      for (const person of people) person.step(frame);
      for (const person of people) if (person.speaks) speakers.notice(person);
      const count = speakers.mix(frame, mix);
      mostAtOnce = Math.max(mostAtOnce, count);
      const talking = people.filter((person) => person.speaks).length;
      people.forEach((person, i) => {
        const heard = speakers.heard.includes(speakers.of(person) ?? expect.unreachable());
        // No word is so long here that one would have to be cut.
        if (person.wasHeard && spoke[i] && person.speaks && !heard)
          throw new Error(`${i} was cut at ${frame}`);
        person.wasHeard = heard;
      });
      expect(count).toBeLessThanOrEqual(Math.min(PLACES, talking));
    }
    expect(mostAtOnce).toBe(PLACES);
    // All had their turn, and what they said unheard was counted.
    for (const person of people) expect(speakers.of(person)?.heardFrame).toBeGreaterThan(0);
    expect(people.reduce((all, person) => all + person.unmixed, 0)).toBeGreaterThan(0);
  });

  it.each([1, 2, 3, 4, 5])('are given away alike where nothing ticks (seed %i)', (seed) => {
    const next = random(seed);
    const mix = new Float32Array(format.frameSamples);
    // The same people twice: a speaker is of one room.
    const [said, again] = [seed, seed].map((start) => {
      const words = random(start);
      return Array.from({ length: 8 }, (_, id) => talker(id, words));
    });
    const [ticking, answering] = [speakersOf(said), speakersOf(again)];
    for (let frame = 0; frame < FRAMES; frame++) {
      const late = again.filter(() => next() < 0.05);
      for (const person of [...said, ...again]) person.step(frame);
      for (const person of said) if (person.speaks) ticking.notice(person);
      for (const person of again) if (person.speaks) answering.notice(person);
      const has = again.map((person) => person.has);
      // Packets that come after the first answer for their frame.
      for (const source of late)
        source.has = (/** @type {number} */ at) => at < frame && at <= source.soundThrough;
      ticking.mix(frame, mix);
      answering.choose(frame);
      answering.measure(frame);
      again.forEach((source, i) => void (source.has = has[i]));
      const heard = again.filter((source) => source.speaks && !answering.isLeftOut(source));
      expect(heard.length).toBeLessThanOrEqual(PLACES);
    }
    const unmixed = (/** @type {any[]} */ people) =>
      people.reduce((all, { unmixed: own }) => all + own, 0);
    expect(unmixed(again)).toBeGreaterThan(0.8 * unmixed(said));
    expect(unmixed(again)).toBeLessThan(1.2 * unmixed(said));
  });
});
