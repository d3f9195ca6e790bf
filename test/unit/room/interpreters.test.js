import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { MAX_LANGUAGES } from '../../../public/shared/limits.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);
/** @param {Person} person @param {object} message */
const act = (person, message) => person.session.handler?.control({ type: 'moderate', ...message });
/** @param {Person} person @param {string | null} language */
const listenTo = (person, language) =>
  person.session.handler?.control({ type: 'language', language });

/** Gain of the floor under an interpreter. */
const UNDER = 10 ** (-15 / 20);

/** A broadcast of Ann, who moderates, Bob, and Ida, who interprets; Lea and Max listen. */
async function begin() {
  const conference = new Conference({ idleTimeoutMs: 1_000_000, listenerRule: 'basic' });
  const ann = await conference.join('Ann');
  const bob = await conference.join('Bob');
  const ida = await conference.join('Ida');
  act(ann, { action: 'broadcast', on: true });
  const lea = await conference.join('Lea');
  const max = await conference.join('Max');
  act(ann, { action: 'interpret', person: ida.id, language: 'ES' });
  return { conference, ann, bob, ida, lea, max };
}

/**
 * Has people speak for a second, each with a value of their own.
 * @param {Conference} conference
 * @param {[Person, number][]} values
 * @param {Person[]} listeners
 * @returns {Promise<number[]>} value that each listener hears at the end
 */
async function heardBy(conference, values, listeners) {
  const first = Math.floor(conference.clock.now() / conference.format.frameMs);
  const frames = 50;
  for (let frame = first; frame < first + frames; frame++) {
    for (const [person, value] of values)
      await person.speak(frame, value, { level: 20, voice: true });
    conference.pass(1);
  }
  conference.pass(8);
  const heard = [];
  for (const listener of listeners) {
    const late = [...(await listener.heard())].filter(
      ([frame]) => frame > first + frames - 8 && frame < first + frames,
    );
    heard.push(Number((late.at(-1)?.[1]?.at(-1) ?? 0).toFixed(3)));
  }
  return heard;
}

describe('an interpreter', () => {
  it('is heard over the softer floor by who chose the language, and by nobody else', async () => {
    const { conference, ann, bob, ida, lea, max } = await begin();
    expect(last(lea, 'room').languages).toEqual(['es']);
    expect(last(lea, 'changed').person).toMatchObject({ name: 'Ida', language: 'es' });
    listenTo(lea, 'es');
    const floor = /** @type {[Person, number]} */ ([ann, 0.2]);
    const spoken = /** @type {[Person, number]} */ ([ida, 0.3]);
    const all = [bob, ida, lea, max];
    expect(await heardBy(conference, [floor, spoken], all)).toEqual([
      0.2,
      0.2,
      Number((0.3 + 0.2 * UNDER).toFixed(3)),
      0.2,
    ]);
    // The floor comes back while the interpreter has nothing to say.
    conference.pass(160);
    expect((await heardBy(conference, [floor], all))[2]).toBeCloseTo(0.2, 2);
    listenTo(lea, null);
    expect(await heardBy(conference, [floor, spoken], all)).toEqual([0.2, 0.2, 0.2, 0.2]);
  });

  it('speaks to everybody again at the end, and listeners of the language hear all', async () => {
    const { conference, ann, ida, lea, max } = await begin();
    listenTo(lea, 'es');
    act(ann, { action: 'interpret', person: ida.id, language: null });
    expect(last(lea, 'room')).not.toHaveProperty('languages');
    expect(await heardBy(conference, [[ida, 0.3]], [ann, lea, max])).toEqual([0.3, 0.3, 0.3]);
    act(ann, { action: 'interpret', person: ida.id, language: 'pt-br' });
    expect(last(lea, 'room').languages).toEqual(['pt-BR']);
    act(ann, { action: 'broadcast', on: false });
    expect(last(lea, 'room')).not.toHaveProperty('languages');
    expect(await heardBy(conference, [[ida, 0.3]], [ann, lea, max])).toEqual([0.3, 0.3, 0.3]);
  });

  it('leaves the floor to listeners on going, and interprets again once back', async () => {
    const { conference, ann, ida, lea } = await begin();
    listenTo(lea, 'es');
    const { resume } = last(ida, 'welcome');
    ida.session.close(19, 'lost');
    expect(last(lea, 'room')).not.toHaveProperty('languages');
    expect(await heardBy(conference, [[ann, 0.2]], [lea])).toEqual([0.2]);
    const again = await conference.join('Ida', { resume });
    expect(last(lea, 'room').languages).toEqual(['es']);
    listenTo(lea, 'es');
    expect(await heardBy(conference, [[again, 0.3]], [ann, lea])).toEqual([0, 0.3]);
    act(ann, { action: 'role', person: again.id, role: 'listener' });
    expect(last(lea, 'room')).not.toHaveProperty('languages');
  });

  it('is still heard by the listeners when another session takes the place', async () => {
    const { conference, ann, ida, lea } = await begin();
    listenTo(lea, 'es');
    const told = lea.session.told('room').length;
    const again = await conference.join('Ida', { resume: last(ida, 'welcome').resume });
    // There is no message of a change, so nobody asks again.
    expect(lea.session.told('room').length).toBe(told);
    expect(again.session.messages[0]).toMatchObject({
      type: 'welcome',
      rules: { languages: ['es'] },
      people: [{ name: 'Ann' }, { name: 'Bob' }, { name: 'Ida', language: 'es' }],
    });
    expect(await heardBy(conference, [[again, 0.3]], [ann, lea])).toEqual([0, 0.3]);
  });

  it('takes their shared sound with them, and back', async () => {
    const { conference, ann, bob, ida, lea, max } = await begin();
    listenTo(lea, 'es');
    const { resume } = last(ida, 'welcome');
    const share = () => conference.join('Film', { owner: resume });
    const early = await share();
    expect(last(ann, 'joined').person).toMatchObject({ name: 'Film', language: 'es' });
    expect(await heardBy(conference, [[early, 0.3]], [ann, ida, lea, max])).toEqual([0, 0, 0.3, 0]);
    act(ann, { action: 'interpret', person: ida.id, language: null });
    expect(last(bob, 'changed').person).toMatchObject({ name: 'Film' });
    expect(last(bob, 'changed').person).not.toHaveProperty('language');
    expect(await heardBy(conference, [[early, 0.3]], [ann, lea, max])).toEqual([0.3, 0.3, 0.3]);
    act(ann, { action: 'interpret', person: ida.id, language: 'fr' });
    listenTo(max, 'fr');
    expect(await heardBy(conference, [[early, 0.3]], [ann, lea, max])).toEqual([0, 0, 0.3]);
    // A language lasts as long as anything of it is heard.
    ida.session.close(19, 'lost');
    expect(last(lea, 'room').languages).toEqual(['fr']);
    act(ann, { action: 'interpret', person: ida.id, language: 'de' });
    expect(last(lea, 'room').languages).toEqual(['de']);
    const again = await conference.join('Ida', { resume });
    expect(again.session.messages[0]).toMatchObject({ type: 'welcome' });
    expect(await heardBy(conference, [[early, 0.3]], [ann, max])).toEqual([0, 0]);
    act(ann, { action: 'role', person: again.id, role: 'listener' });
    expect(last(lea, 'room')).not.toHaveProperty('languages');
    act(ann, { action: 'role', person: again.id, role: 'speaker' });
    expect(await heardBy(conference, [[early, 0.3]], [ann, lea, max])).toEqual([0.3, 0.3, 0.3]);
  });

  it('is made of somebody who is away, for when they are back', async () => {
    const { conference, ann, bob, lea } = await begin();
    const { resume } = last(bob, 'welcome');
    bob.session.close(19, 'lost');
    conference.pass(20);
    conference.codec.maxInstances = 1;
    const before = conference.codec.open;
    act(ann, { action: 'interpret', person: bob.id, language: 'fr' });
    expect(last(ann, 'changed').person).toMatchObject({ name: 'Bob', language: 'fr' });
    expect(conference.codec.open).toBe(before);
    const again = await conference.join('Bob', { resume });
    expect(last(lea, 'room').languages).toEqual(['es', 'fr']);
    listenTo(lea, 'fr');
    expect(await heardBy(conference, [[again, 0.3]], [ann, lea])).toEqual([0, 0.3]);
    again.session.close(19, 'lost');
    act(ann, { action: 'interpret', person: bob.id, language: null });
    const back = await conference.join('Bob', { resume });
    expect(await heardBy(conference, [[back, 0.3]], [ann, lea])).toEqual([0.3, 0.3]);
  });

  it('frees everything at the end of the room', async () => {
    const { conference, ann, bob, ida, lea, max } = await begin();
    listenTo(lea, 'es');
    await heardBy(
      conference,
      [
        [ann, 0.2],
        [ida, 0.3],
      ],
      [],
    );
    for (const { session } of [lea, max, ann, bob, ida]) session.close(0, 'left');
    conference.pass(100);
    expect([conference.codec.open, conference.rooms.size]).toEqual([0, 0]);
  });

  it.each(
    /** @type {[string, import('../../../public/shared/errors.js').ErrorCode][]} */ ([
      ['', 'language-tag'],
      ['español', 'language-tag'],
      ['e', 'language-tag'],
      ['../../etc', 'language-tag'],
      ['es_MX', 'language-tag'],
    ]),
  )('isn’t made with the malformed tag %j, which is %s', async (language, code) => {
    const { ann, bob, lea } = await begin();
    act(ann, { action: 'interpret', person: bob.id, language });
    expect(last(ann, 'refused')).toMatchObject({ code, message: errors[code].message });
    listenTo(lea, language);
    expect(last(lea, 'refused')).toMatchObject({ of: 'language', code: 'language-unknown' });
  });

  it('isn’t made by others, outside of broadcasts, or of listeners', async () => {
    const { conference, ann, bob, ida, lea } = await begin();
    act(bob, { action: 'interpret', person: ida.id, language: null });
    expect(last(bob, 'refused')).toMatchObject({ code: 'not-allowed' });
    act(ann, { action: 'interpret', person: lea.id, language: 'fr' });
    expect(last(ann, 'refused')).toMatchObject({ code: 'not-allowed' });
    act(ann, { action: 'interpret', person: '99', language: 'fr' });
    expect(last(ann, 'refused')).toMatchObject({ code: 'person-unknown' });
    listenTo(lea, 'fr');
    expect(last(lea, 'refused')).toMatchObject({ code: 'language-unknown' });
    listenTo(bob, 'es');
    expect(last(bob, 'refused')).toMatchObject({ of: 'language', code: 'not-allowed' });
    act(ann, { action: 'broadcast', on: false });
    act(ann, { action: 'interpret', person: ida.id, language: 'fr' });
    expect(last(ann, 'refused')).toMatchObject({ code: 'language-broadcast' });
    expect(await heardBy(conference, [[ann, 0.2]], [bob])).toEqual([0.2]);
  });

  it('may be of eight languages', async () => {
    const conference = new Conference({ idleTimeoutMs: 1_000_000, maxParticipants: 20 });
    const ann = await conference.join('Ann');
    const tags = ['ar', 'de', 'el', 'en', 'es', 'fr', 'it', 'ja', 'pt'];
    const people = [];
    for (const tag of tags) people.push(await conference.join(`In ${tag}`));
    act(ann, { action: 'broadcast', on: true });
    for (const [i, tag] of tags.entries())
      act(ann, { action: 'interpret', person: people[i].id, language: tag });
    expect(last(ann, 'room').languages).toEqual(tags.slice(0, MAX_LANGUAGES));
    expect(last(ann, 'refused')).toMatchObject({ code: 'languages-limit' });
    act(ann, { action: 'interpret', person: people[8].id, language: 'ar' });
    expect(last(ann, 'changed').person).toMatchObject({ language: 'ar' });
    // People who are away come back to their language.
    people[7].session.close(19, 'lost');
    act(ann, { action: 'interpret', person: people[8].id, language: 'pt' });
    expect(last(ann, 'refused')).toMatchObject({ code: 'languages-limit' });
    expect(ann.session.told('refused')).toHaveLength(2);
  });
});
