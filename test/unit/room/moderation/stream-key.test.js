import { describe, expect, it } from 'vitest';
import { STREAM_GRANT } from '../../../../server/state/grant.js';
import { knownState } from '../../../../server/state/portable-state.js';
import { Conference } from '../../../fakes/conference.js';

/** @typedef {import('../../../fakes/conference.js').Person} Person */

/** @param {Person} person @param {string} type */
const last = (person, type) => person.session.told(type).at(-1);
/** @param {Person} person @param {object} message */
const send = (person, message) => person.session.handler?.control(message);
const setKey = (/** @type {Person} */ person, on = true) =>
  send(person, { type: 'moderate', action: 'stream-key', on });
const codeOf = (/** @type {Person} */ person) => last(person, 'refused')?.code;

async function begin(options = {}) {
  const conference = new Conference({ idleTimeoutMs: 1_000_000, ...options });
  const ann = await conference.join('Ann');
  setKey(ann);
  const { key } = last(ann, 'stream-key');
  return { conference, ann, key };
}

describe('a room’s stream key', () => {
  it('is a moderator’s to make, and shown to moderators only', async () => {
    const { conference, ann, key } = await begin();
    expect(key).toMatch(/^[\w-]{22}$/);
    const bob = await conference.join('Bob');
    expect(bob.session.told('stream-key')).toEqual([]);
    setKey(bob);
    expect(codeOf(bob)).toBe('not-allowed');
    send(ann, { type: 'moderate', action: 'role', person: bob.id, role: 'moderator' });
    expect(last(bob, 'stream-key')).toEqual({ type: 'stream-key', key });
    setKey(bob, false);
    expect(last(ann, 'stream-key')).toEqual({ type: 'stream-key', key: null });
  });

  it('lets one program in that only speaks, past lock, lobby, password and stage', async () => {
    const { conference, ann, key } = await begin();
    for (const act of [
      { action: 'lock', on: true },
      { action: 'lobby', on: true },
      { action: 'broadcast', on: true },
      { action: 'password', password: 'open sesame' },
    ])
      send(ann, { type: 'moderate', ...act });
    const radio = await conference.join('Radio', { streamKey: key });
    expect(last(radio, 'welcome')).toMatchObject({ role: 'speaker', may: ['speak'] });
    const second = await conference.join('Second', { streamKey: key });
    expect(codeOf(second)).toBe('stream-taken');
    radio.session.close(0, 'left');
    expect(last(await conference.join('Third', { streamKey: key }), 'welcome')).toBeDefined();
  });

  it('is refused when it is wrong, revoked or not there', async () => {
    const { conference, ann, key } = await begin();
    const wrong = await conference.join('x', { streamKey: `${key.slice(0, -1)}~` });
    expect(codeOf(wrong)).toBe('stream-key');
    const radio = await conference.join('Radio', { streamKey: key });
    setKey(ann, false);
    expect(last(radio, 'closing')).toMatchObject({ code: 'removed' });
    expect(codeOf(await conference.join('Radio', { streamKey: key }))).toBe('stream-key');
    expect(codeOf(await conference.join('Radio', { streamKey: '' }))).toBe('stream-key');
    const elsewhere = await conference.join('Radio', { room: 'nobody', streamKey: key });
    expect(codeOf(elsewhere)).toBe('not-found');
  });

  it('makes no moderator, and keeps no place for a program that is gone', async () => {
    const { conference, ann, key } = await begin({ awayTimeoutMs: 60_000 });
    const radio = await conference.join('Radio', { streamKey: key });
    conference.clock.advance(10_000);
    ann.session.close(0, 'left');
    expect(radio.session.told('moderated')).toEqual([]);
    expect(last(await conference.join('Bob'), 'welcome').role).toBe('moderator');
    radio.session.close(19, 'lost');
    expect(conference.rooms.get('lab')?.size).toBe(1);
    expect(STREAM_GRANT.isStream).toBe(true);
  });

  it('travels with the room, and its program doesn’t', async () => {
    const { conference, key } = await begin();
    await conference.join('Radio', { streamKey: key });
    const state = /** @type {any} */ (conference.rooms.get('lab')).state();
    expect(knownState.parse(JSON.parse(JSON.stringify(state.told))).streamKey).toBe(key);
    expect(state.people.map((/** @type {any} */ { name }) => name)).toEqual(['Ann']);
    const other = new Conference();
    other.rooms.restore(state);
    expect(other.rooms.get('lab')?.rules.streams.key).toBe(key);
  });
});

describe('a title', () => {
  it('is shown to everybody, cleaned and cut, until it is empty', async () => {
    const { conference, ann } = await begin();
    const bob = await conference.join('Bob');
    const titleOf = () => {
      conference.clock.advance(2000);
      return last(ann, 'changed').person.title;
    };
    send(bob, { type: 'title', title: ' Some\u0000\nsong \u202e' });
    expect(titleOf()).toBe('Some song');
    send(bob, { type: 'title', title: 'x'.repeat(500) });
    expect(titleOf()).toBe('x'.repeat(200));
    send(bob, { type: 'title', title: '' });
    expect(titleOf()).toBe(undefined);
    expect(last(await conference.join('Cid'), 'welcome').people[1]).not.toHaveProperty('title');
  });
});
