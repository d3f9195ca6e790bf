import { describe, expect, it } from 'vitest';
import { Conference } from '../../../fakes/conference.js';

/** @typedef {import('../../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);
/** @param {Person} person @param {object} message */
const send = (person, message) => person.session.handler?.control(message);
const tokenOf = (/** @type {Person} */ person) => last(person, 'welcome').resume;
const codeOf = (/** @type {Person} */ person) => last(person, 'refused')?.code;
const endOf = (/** @type {Person} */ person) => last(person, 'closing')?.code;

async function begin(options = {}) {
  const conference = new Conference({ idleTimeoutMs: 1_000_000, ...options });
  const [ann, bob] = [await conference.join('Ann'), await conference.join('Bob')];
  const share = (/** @type {Person} */ owner, name = 'Sound') =>
    conference.join(name, { owner: tokenOf(owner) });
  return { conference, ann, bob, share };
}

/** Value of the samples that somebody heard in a frame, to two digits. */
const heard = async (/** @type {Person} */ person, /** @type {number} */ frame) =>
  Number(((await person.heard()).get(frame)?.[0] ?? 0).toFixed(2));

describe('a person’s shared sound', () => {
  it('is announced with its owner, only speaks, and is heard by everybody', async () => {
    const { conference, ann, bob, share } = await begin();
    const sound = await share(ann);
    expect(last(sound, 'welcome')).toMatchObject({ role: 'speaker', may: ['speak'] });
    expect(last(bob, 'joined').person).toMatchObject({ name: 'Sound', owner: ann.id });
    conference.pass(10);
    for (let frame = 10; frame < 20; frame++) {
      await Promise.all([sound.speak(frame, 0.25), ann.speak(frame, 0.125)]);
      conference.pass(1);
    }
    conference.pass(10);
    expect(await heard(bob, 15)).toBe(0.38);
    expect(await heard(ann, 15)).toBe(0.25);
    send(bob, { type: 'volume', person: sound.id, gain: 0 });
    for (let frame = 30; frame < 40; frame++) {
      await Promise.all([sound.speak(frame, 0.25), ann.speak(frame, 0.125)]);
      conference.pass(1);
    }
    conference.pass(10);
    expect(await heard(bob, 35)).toBe(0.13);
  });

  it('needs its owner’s token only, past lock, lobby, password and stage', async () => {
    const { ann, bob, share, conference } = await begin();
    for (const act of [
      { action: 'lock', on: true },
      { action: 'lobby', on: true },
      { action: 'broadcast', on: true },
      { action: 'password', password: 'open sesame' },
    ])
      send(ann, { type: 'moderate', ...act });
    expect(last(await share(bob), 'welcome')).toMatchObject({ may: ['speak'] });
    const stranger = await conference.join('x', { owner: `${tokenOf(bob)}x` });
    expect(codeOf(stranger)).toBe('not-found');
    const sound = await share(ann);
    expect(codeOf(await conference.join('x', { owner: tokenOf(sound) }))).toBe('not-allowed');
    send(ann, { type: 'moderate', action: 'role', person: bob.id, role: 'listener' });
    expect(codeOf(await share(bob))).toBe('not-allowed');
    const elsewhere = await conference.join('x', { room: 'nobody', owner: tokenOf(ann) });
    expect(codeOf(elsewhere)).toBe('not-found');
  });

  it('doesn’t count as a participant, and is one for each owner', async () => {
    const { conference, ann, bob, share } = await begin({ maxParticipants: 3 });
    const first = await share(ann);
    const second = await share(ann);
    expect(endOf(first)).toBe('resumed-elsewhere');
    await share(bob);
    expect(conference.rooms.get('lab')?.publicView.present).toBe(2);
    expect(last(await conference.join('Cleo'), 'welcome')).toBeDefined();
    expect(codeOf(await conference.join('Dan'))).toBe('room-full');
    expect(endOf(second)).toBeUndefined();
  });

  it('ends when its owner’s place is free, and keeps no place itself', async () => {
    const { conference, ann, bob, share } = await begin({ awayTimeoutMs: 60_000 });
    const [anns, bobs] = [await share(ann), await share(bob)];
    conference.clock.advance(10_000);
    ann.session.close(19, 'lost');
    expect(endOf(anns)).toBeUndefined();
    conference.clock.advance(60_001);
    expect(endOf(anns)).toBe('removed');
    expect(last(bob, 'moderated')).toMatchObject({ role: 'moderator' });
    bobs.session.close(19, 'lost');
    expect(conference.rooms.get('lab')?.size).toBe(1);
    bob.session.close(0, 'left');
    expect(conference.rooms.get('lab')).toBeUndefined();
  });

  it('is silent while its owner may not speak', async () => {
    const { conference, ann, bob, share } = await begin();
    const sound = await share(bob);
    send(ann, { type: 'moderate', action: 'mute', person: bob.id, muted: true });
    for (let frame = 2; frame < 12; frame++) {
      await sound.speak(frame, 0.25);
      conference.pass(1);
    }
    conference.pass(10);
    expect(await heard(ann, 8)).toBe(0);
  });

  it('isn’t part of the room’s portable state', async () => {
    const { conference, ann, share } = await begin();
    await share(ann);
    const state = /** @type {any} */ (conference.rooms.get('lab')).state();
    expect(state.people.map((/** @type {any} */ { name }) => name)).toEqual(['Ann', 'Bob']);
  });
});
