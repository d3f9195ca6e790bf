import { describe, expect, it } from 'vitest';
import { joinPackets } from '../../../public/shared/wire/piece-packets.js';
import { PIECE_PACKETS } from '../../../public/shared/wire/track-piece.js';
import { Conference } from '../../fakes/conference.js';

/** @param {any} person @param {object} wish */
const ask = ({ session }, wish) => session.handler?.control({ type: 'track', ...wish });

/** @param {any} person @param {string} [type] messages to them */
const told = ({ session }, type = 'track') => session.told(type);

/** A piece of packets that say they are one CELT frame of 20 ms. */
const PIECE = Buffer.from(
  joinPackets(Array.from({ length: PIECE_PACKETS }, (_, i) => Uint8Array.of(31 << 3, i))),
);

async function room(name = 'lab', conference = new Conference({ idleTimeoutMs: 600_000 })) {
  const [ann, bob] = [
    await conference.join('Ann', { room: name }),
    await conference.join('Bob', { room: name }),
  ];
  return { conference, tracks: conference.rooms.tracks, ann, bob };
}

/**
 * @param {Awaited<ReturnType<typeof room>>} world
 * @param {number} [seconds]
 * @returns {string} the id of Ann's track
 */
function putIn({ tracks, ann }, seconds = 25) {
  ask(ann, { action: 'offer', name: 'Blue', seconds });
  const { id } = told(ann, 'track-place').at(-1);
  for (let number = 0; number < Math.ceil(seconds / 10); number++)
    expect(tracks.put(id, number, PIECE)).toBe(null);
  return id;
}

describe("a room's backing track", () => {
  it('is announced to everybody, even latecomers, once all its pieces are there', async () => {
    const world = await room();
    const { conference, tracks, ann, bob } = world;
    ask(ann, { action: 'offer', name: 'Blue', seconds: 25 });
    expect(told(bob, 'track-place')).toEqual([]);
    const [{ id }] = told(ann, 'track-place');
    for (const number of [0, 1]) tracks.put(id, number, PIECE);
    expect(told(bob)).toEqual([]);
    tracks.put(id, 2, PIECE);
    const track = { id, name: 'Blue', seconds: 25, from: null, by: 'Ann' };
    for (const person of [ann, bob])
      expect(told(person)).toEqual([{ type: 'track', track, by: 'Ann' }]);
    expect((await conference.join('Cem')).session.told('welcome')[0].track).toEqual(track);
    expect(told(ann, 'welcome')[0].track).toBe(null);
    expect(tracks.piece(id, 2)).toEqual(PIECE);
  });

  it('starts half a second later for all by sample clock, stops, and ends on its own', async () => {
    const world = await room();
    const { conference, bob } = world;
    putIn(world);
    conference.clock.advance(1000);
    ask(bob, { action: 'play' });
    expect(told(bob).at(-1)).toMatchObject({ track: { from: 1500 * 48 }, by: 'Bob' });
    ask(bob, { action: 'stop' });
    expect(told(bob).at(-1)).toMatchObject({ track: { from: null }, by: 'Bob' });
    conference.clock.advance(60_000);
    expect(told(bob)).toHaveLength(3);
    ask(bob, { action: 'play' });
    conference.clock.advance(25_400);
    expect(told(bob)).toHaveLength(4);
    conference.clock.advance(200);
    expect(told(bob).at(-1)).toMatchObject({
      track: { name: 'Blue', from: null, by: 'Ann' },
      by: null,
    });
  });

  it('begins with a bar of the metronome, after a whole bar, and ends in time', async () => {
    const world = await room();
    const { conference, ann, bob } = world;
    putIn(world);
    // 100 beats a minute, 3 a bar: a bar is 1.8 s. The first beat is at 0.5 s.
    ann.session.handler?.control({ type: 'metronome', bpm: 100, beats: 3 });
    ask(bob, { action: 'play' });
    expect(told(bob).at(-1).track.from).toBe((500 + 1800) * 48);
    conference.clock.advance(1000);
    ask(bob, { action: 'play' });
    expect(told(bob).at(-1).track.from).toBe((500 + 2 * 1800) * 48);
    const begun = told(bob).length;
    conference.clock.advance(3100 + 25_000 - 1);
    expect(told(bob)).toHaveLength(begun);
    conference.clock.advance(1);
    expect(told(bob).at(-1)).toMatchObject({ track: { from: null }, by: null });
    ann.session.handler?.control({ type: 'metronome', bpm: null });
    ask(bob, { action: 'play' });
    expect(told(bob).at(-1).track.from).toBe((29_100 + 500) * 48);
  });

  it('is replaced once another is complete, can be removed, and goes with the room', async () => {
    const world = await room();
    const { conference, tracks, ann, bob } = world;
    const first = putIn(world);
    ask(bob, { action: 'offer', name: 'Red', seconds: 9 });
    expect(tracks.piece(first, 0)).toBeDefined();
    const [{ id }] = told(bob, 'track-place');
    tracks.put(id, 0, PIECE);
    expect([tracks.piece(first, 0), told(ann).at(-1)]).toEqual([
      undefined,
      expect.objectContaining({ track: expect.objectContaining({ name: 'Red' }), by: 'Bob' }),
    ]);
    ask(ann, { action: 'remove' });
    expect([tracks.bytes(), told(bob).at(-1)]).toEqual([
      0,
      { type: 'track', track: null, by: 'Ann' },
    ]);
    putIn(world);
    for (const person of [ann, bob]) person.session.handler?.control({ type: 'leave' });
    conference.clock.advance(60_000);
    expect(tracks.bytes()).toBe(0);
  });

  it('is given up where its pieces come no longer, or another one is offered', async () => {
    const { conference, tracks, ann, bob } = await room();
    ask(ann, { action: 'offer', name: 'Blue', seconds: 25 });
    const [{ id }] = told(ann, 'track-place');
    conference.clock.advance(59_000);
    tracks.put(id, 0, PIECE);
    conference.clock.advance(59_000);
    expect(tracks.put(id, 1, PIECE)).toBe(null);
    ask(bob, { action: 'offer', name: 'Red', seconds: 25 });
    expect(tracks.put(id, 2, PIECE)).toBe('not-found');
    conference.clock.advance(61_000);
    expect(tracks.bytes()).toBe(0);
  });

  it('is refused to listeners and for invalid requests', async () => {
    const { ann, bob } = await room();
    ann.session.handler?.control({
      type: 'moderate',
      action: 'role',
      person: bob.id,
      role: 'listener',
    });
    ask(bob, { action: 'offer', name: 'Blue', seconds: 25 });
    expect(told(bob, 'refused')).toMatchObject([{ of: 'track', code: 'not-allowed' }]);
    for (const bad of [
      { seconds: 901 },
      { seconds: 0 },
      { seconds: 1 / 0 },
      { name: '' },
      { name: 7 },
      { action: 'play' },
      { action: 'eat' },
    ]) {
      ask(ann, { action: 'offer', name: 'Blue', seconds: 5, ...bad });
    }
    expect([told(ann, 'track-place'), told(ann)]).toEqual([[], []]);
  });
});

describe("all rooms' backing tracks", () => {
  it('take pieces in their order, whole, and again where one came twice', async () => {
    const { tracks, ann } = await room();
    ask(ann, { action: 'offer', name: 'Blue', seconds: 25 });
    const [{ id }] = told(ann, 'track-place');
    expect(tracks.put(id, 1, PIECE)).toBe('bad-request');
    expect(tracks.put(id, 0, PIECE.subarray(1))).toBe('bad-request');
    expect(tracks.put('another', 0, PIECE)).toBe('not-found');
    for (const number of [0, 0, 1, 2, 1]) expect(tracks.put(id, number, PIECE)).toBe(null);
    expect([tracks.put(id, 3, PIECE), tracks.piece(id, 3)]).toEqual(['bad-request', undefined]);
    expect(tracks.bytes()).toBe(3 * PIECE.length);
  });

  it('have no more room than they may have, each network half of it', async () => {
    const conference = new Conference();
    const refused = [];
    for (let i = 0; i < 3; i++) {
      const { ann } = await room(`room-${i}`, conference);
      ask(ann, { action: 'offer', name: 'Blue', seconds: 900 });
      refused.push(
        told(ann, 'refused')
          .map((/** @type {any} */ { code }) => code)
          .join(),
      );
    }
    expect(refused).toEqual(['', '', 'tracks-full']);
    const { tracks } = conference.rooms;
    const on = { came: () => {}, whole: () => {} };
    expect(
      ['b', 'b', 'b', 'c', null].map((network) => tracks.open(900, network, on) !== null),
    ).toEqual([true, true, false, false, false]);
    expect(tracks.open(20, 'c', on)).not.toBe(null);
  });
});
