import { describe, expect, it } from 'vitest';
import { ROOM_ACTS } from '../../../server/host/room-acts.js';
import * as schemas from '../../../server/operator/schemas.js';
import { OPERATOR } from '../../../server/state/grant.js';
import { Conference } from '../../fakes/conference.js';

/** @typedef {import('../../../server/room/room.js').Room} Room */

/** @param {Conference} conference @returns {Room} */
const roomOf = (conference) => /** @type {Room} */ (conference.rooms.get('lab'));

describe('the description of a room', () => {
  it('has the rules that the operator’s API promises, with groups and with languages', async () => {
    const conference = new Conference();
    await conference.join('Ann');
    const ida = await conference.join('Ida');
    const { rules } = roomOf(conference);
    const faults = () => schemas.room.shape.rules.safeParse(rules.told).error?.issues ?? [];
    rules.groups.open(2, { evenly: true, choose: false });
    expect(faults()).toEqual([]);
    rules.groups.callBack(0);
    rules.moderation.setBroadcast(true, OPERATOR);
    rules.moderation.interpret(ida.id, 'es', OPERATOR);
    expect(rules.told.languages).toEqual(['es']);
    expect(faults()).toEqual([]);
  });
});

describe('a change of a room', () => {
  it.each([
    [
      'a mode that a broadcast can’t have',
      { broadcast: true, mode: 'forward', locked: true },
      'broadcast-mix',
    ],
    [
      'a mode that one of the people can’t have',
      { broadcast: false, mode: 'forward', password: 'tea for two' },
      'forward-reply',
    ],
  ])('is refused whole for %s', async (_what, change, code) => {
    const conference = new Conference();
    const ann = await conference.join('Ann');
    if (code === 'forward-reply') await conference.join('Bob', { replyOnly: true });
    const room = roomOf(conference);
    if (code === 'forward-reply') room.rules.moderation.setBroadcast(true, OPERATOR);
    const before = room.rules.told;
    const told = ann.session.told('room').length;
    expect(ROOM_ACTS.change(room, /** @type {any} */ (change), OPERATOR)).toBe(code);
    expect(room.rules.told).toEqual(before);
    expect(room.rules.policy.password).toBe(null);
    expect(ann.session.told('room').length).toBe(told);
  });

  it('is refused whole for a broadcast of a room with groups', async () => {
    const conference = new Conference();
    await conference.join('Ann');
    const room = roomOf(conference);
    room.rules.groups.open(2, { evenly: false, choose: false });
    const before = room.rules.told;
    const change = { broadcast: true, locked: true, password: 'tea for two' };
    expect(ROOM_ACTS.change(room, change, OPERATOR)).toBe('groups-broadcast');
    expect(room.rules.told).toEqual(before);
  });

  it('is refused whole for a password too many', async () => {
    const conference = new Conference();
    await conference.join('Ann');
    const room = roomOf(conference);
    for (let i = 0; i < 5; i++) ROOM_ACTS.change(room, { password: `tea for ${i}` }, OPERATOR);
    expect(
      ROOM_ACTS.change(room, { password: 'tea for six', broadcast: true, mode: 'auto' }, OPERATOR),
    ).toBe('too-many-requests');
    expect(room.rules.told).toMatchObject({ broadcast: false, mode: 'mix' });
  });

  it('has a broadcast end before another mode begins, and begin after it', async () => {
    const conference = new Conference();
    await conference.join('Ann');
    const room = roomOf(conference);
    expect(ROOM_ACTS.change(room, { broadcast: false, mode: 'forward' }, OPERATOR)).toMatchObject({
      rules: { broadcast: false, mode: 'forward' },
    });
    expect(
      ROOM_ACTS.change(room, { broadcast: true, mode: 'mix', locked: true }, OPERATOR),
    ).toMatchObject({ rules: { broadcast: true, mode: 'mix', locked: true } });
    expect(ROOM_ACTS.change(room, { broadcast: false, mode: 'forward' }, OPERATOR)).toMatchObject({
      rules: { broadcast: false, mode: 'forward', locked: true },
    });
  });
});

it('a change of a person is refused whole for a role that can’t be theirs', async () => {
  const conference = new Conference();
  await conference.join('Ann');
  const lea = await conference.join('Lea', { listen: true });
  Object.assign(conference.codec, { maxInstances: 1 });
  conference.codec.createDecoder = () => {
    throw Object.assign(new Error('no more decoders'), { code: 'codec-instances' });
  };
  expect(
    ROOM_ACTS.changePerson(roomOf(conference), lea.id, { role: 'speaker', muted: true }, OPERATOR),
  ).toBe('server-full');
  expect(lea.session.told('moderated')).toEqual([]);
});
