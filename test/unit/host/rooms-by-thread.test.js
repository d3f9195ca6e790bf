import { describe, expect, it } from 'vitest';
import { RoomsByThread, HostGoneError, LocalHandle } from '../../../server/host/rooms-by-thread.js';
import { addUp } from '../../../server/operator/status.js';
import { Conference } from '../../fakes/conference.js';

/** A main thread without rooms, and two hosts in place of workers; the room lab is the first's. */
async function open() {
  const [own, first, second] = [new Conference(), new Conference(), new Conference()];
  await first.join('Ann');
  await second.join('Bob', { room: 'tea' });
  await second.join('Cid', { room: 'tea' });
  const handles = [first, second].map((conference) => new LocalHandle(conference));
  const find = (/** @type {string} */ room) => ({ lab: handles[0], tea: handles[1] })[room] ?? null;
  return { roomsByThread: new RoomsByThread(own, { handles, find }), handles, first, second };
}

describe('rooms by thread', () => {
  it('does what is asked of a room where the room is', async () => {
    const { roomsByThread } = await open();
    expect(await roomsByThread.inRoom('lab', 'count')).toEqual({
      room: 'lab',
      present: 1,
      listeners: 0,
      liveSeconds: null,
    });
    expect(await roomsByThread.inRoom('tea', 'describe')).toMatchObject({
      room: 'tea',
      people: [{ name: 'Bob' }, { name: 'Cid' }],
    });
    expect(await roomsByThread.inRoom('tea', 'clock')).toMatchObject({ sampleRate: 48_000 });
    expect(await roomsByThread.inRoom('nothing', 'describe')).toBe('not-found');
    expect(await roomsByThread.inRoom('tea', /** @type {any} */ ('toString'))).toBe('not-found');
  });

  it('answers with plain data alone, which can go to another thread', async () => {
    const { roomsByThread } = await open();
    for (const answer of [
      await roomsByThread.inRoom('tea', 'describe'),
      await roomsByThread.rooms(),
      await roomsByThread.states(),
    ]) {
      expect(structuredClone(answer)).toEqual(answer);
    }
  });

  it('adds up what all hosts have', async () => {
    const { roomsByThread } = await open();
    expect(await roomsByThread.people()).toBe(3);
    expect(
      (await roomsByThread.rooms()).map((/** @type {any} */ { room, present }) => [room, present]),
    ).toEqual([
      ['lab', 1],
      ['tea', 2],
    ]);
    const sums = addUp(await roomsByThread.states());
    expect(sums).toMatchObject({
      rooms: 2,
      people: 3,
      away: 0,
      sessions: { webtransport: 3 },
      busy: false,
    });
    expect(sums.ticks.bins).toHaveLength(10);
  });

  it('has every host let nobody new in', async () => {
    const { roomsByThread, first, second } = await open();
    await roomsByThread.drain(5);
    expect([first, second].map(({ rooms }) => rooms.draining)).toEqual([true, true]);
  });

  it('finds a backing track wherever it is', async () => {
    const { roomsByThread, second } = await open();
    const id = second.rooms.tracks.open(15, null, { came: () => {}, whole: () => {} });
    expect(await roomsByThread.putTrackPiece(String(id), 0, Uint8Array.of(0))).toBe('bad-request');
    expect(await roomsByThread.putTrackPiece('another', 0, Uint8Array.of(0))).toBe('not-found');
    expect(await roomsByThread.trackPiece(String(id), 0)).toBe(undefined);
  });

  it('does without a worker that has ended, and hides no other fault', async () => {
    const { roomsByThread, handles } = await open();
    handles[1].call = () => Promise.reject(new HostGoneError());
    expect(await roomsByThread.people()).toBe(1);
    expect(await roomsByThread.inRoom('tea', 'count')).toBe('not-found');
    handles[1].call = () => Promise.reject(new Error('a mistake'));
    await expect(roomsByThread.people()).rejects.toThrow('a mistake');
    await expect(roomsByThread.inRoom('tea', 'count')).rejects.toThrow('a mistake');
  });
});
