import { describe, expect, it } from 'vitest';
import { Conference } from '../../fakes/conference.js';
import { random } from '../../fakes/random.js';

/**
 * People who come, go, are lost, come back and turn each other up and down, in any order.
 * @param {number} seed
 */
async function live(seed) {
  const next = random(seed);
  const pick = (/** @type {any[]} */ of) => of[Math.floor(next() * of.length)];
  const conference = new Conference({
    awayTimeoutMs: 3000,
    idleTimeoutMs: 1e9,
    maxParticipants: 5,
  });
  const tokens = /** @type {string[]} */ (['none']);
  /** @type {import('../../fakes/conference.js').Person[]} */
  let people = [];
  const join = async () => {
    const delivery = pick(['tick', 'reply']);
    const wishes = {
      delivery,
      resume: next() < 0.6 ? pick(tokens) : undefined,
      mirror: next() < 0.1,
    };
    const person = await conference.join(pick(['Ann', 'Bob', 'Cid']), {
      ...wishes,
      replyOnly: next() < 0.2,
    });
    const token = person.session.told('welcome')[0]?.resume;
    if (token) tokens.push(token);
    people.push(person);
  };
  const actions = [
    join,
    () => pick(people)?.session.close(pick([0, 0, 11, 19]), 'gone'),
    () => {
      const volume = {
        type: 'volume',
        person: String(1 + Math.floor(next() * 9)),
        gain: pick([0, 0.5, 1, 2]),
      };
      pick(people)?.session.handler?.control(volume);
    },
    () => pick(people)?.session.handler?.control({ type: 'leave' }),
    () => conference.clock.advance(pick([7, 20, 100, 1500, 4000])),
    async () => {
      const frame = Math.floor(conference.sampleClock.now() / conference.format.frameSamples);
      for (const person of people) await person.speak(frame, next() < 0.5 ? 0.1 : null);
      conference.pass(1);
    },
  ];
  for (let i = 0; i < 120; i++) {
    await pick([...actions, actions[0], actions[5], actions[5]])();
    people = people.filter(({ session }) => session.closed === null);
    const room = conference.rooms.get('lab');
    const ids = room?.describe().people.map(({ id }) => id) ?? [];
    expect(new Set(ids).size).toBe(ids.length);
    expect(room?.size ?? 0).toBeLessThanOrEqual(5);
  }
  for (const { session } of people) session.close(0, 'left');
  conference.clock.advance(10_000);
  const { rooms, codec, clock } = conference;
  expect([rooms.size, rooms.people, codec.open, clock.waiting]).toEqual([0, 0, 0, 0]);
  expect(conference.logged).toEqual([]);
}

describe('a person who comes, goes, is lost and returns', () => {
  for (let seed = 1; seed <= 12; seed++) {
    it(`leaves nothing of them in a room (seed ${seed})`, () => live(seed));
  }
});
