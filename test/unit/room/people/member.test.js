import { describe, expect, it } from 'vitest';
import {
  CLOCK_REPLY_BYTES,
  packetType,
  PacketType,
  writeClockRequest,
} from '../../../../public/shared/wire/packet.js';
import { OPEN_GRANT } from '../../../../server/state/grant.js';
import { Member } from '../../../../server/room/people/member.js';
import { FakeSession } from '../../../fakes/fake-session.js';

/**
 * A member of a room that records its messages.
 * @param {Partial<ConstructorParameters<typeof Member>[0]>} [options]
 */
function create(options = {}) {
  /** @type {any[]} */
  const told = [];
  let now = 1000;
  const sound = {
    received: (/** @type {Member} */ _, /** @type {number} */ frame) =>
      void told.push(['received', frame]),
    serverDelayMs: () => 60,
    delayWithoutMs: () => 40,
    stallBefore: () => 0,
    mixedThrough: -1,
    frameMs: 20,
    clockNow: () => now,
    sampleAt: (/** @type {number} */ ms) => ms * 48,
  };
  const room = {
    command: (/** @type {Member} */ _, /** @type {unknown} */ message) =>
      told.push(['command', message]) > 0,
    gone: (/** @type {Member} */ _, /** @type {boolean} */ left) => void told.push(['gone', left]),
    ended: () => void told.push(['ended']),
    find: () => null,
  };
  /** @type {string[]} */
  const dropped = [];
  /** @type {any} */
  const source = {
    receive: () => 5,
    drop: (/** @type {string} */ reason) => dropped.push(reason),
    stats: () => ({ received: 1 }),
  };
  const session = new FakeSession();
  const given = {
    id: '1',
    name: 'Ann',
    label: 'Ann',
    session,
    grant: OPEN_GRANT,
    source,
    listener: null,
    sound,
    room,
  };
  const member = new Member({ ...given, ...options });
  session.handler = member;
  return {
    member,
    session,
    told,
    dropped,
    sound,
    room,
    wait: (/** @type {number} */ ms) => void (now += ms),
  };
}

/** @param {number} [id] */
function clockRequest(id = 9) {
  const bytes = new Uint8Array(4);
  return bytes.subarray(0, writeClockRequest(bytes, id));
}

describe('a member', () => {
  it('is a session’s handler: reads packets, answers clocks, and counts what is neither', () => {
    const { member, session, dropped } = create();
    member.packet(clockRequest(), 2000);
    expect(session.packets).toHaveLength(1);
    expect([session.packets[0].length, packetType(session.packets[0])]).toEqual([
      CLOCK_REPLY_BYTES,
      PacketType.clockReply,
    ]);
    member.packet(new Uint8Array(0), 2000);
    member.packet(new Uint8Array(3000), 2000);
    expect(dropped).toEqual(['empty', 'oversized']);
    expect(member.lastHeardMs).toBe(2000);
  });

  it('may have no source: it is answered clocks, and its audio is dropped', () => {
    const { member, session, told } = create({ source: null });
    member.packet(clockRequest(), 2000);
    expect(session.packets).toHaveLength(1);
    member.packet(Uint8Array.of(0x11, 0, 0, 0, 0, 0, 0, 0, 0), 2000);
    expect(told).toEqual([]);
    expect(member.figures.stats()).toMatchObject({ downLostPercent: null, serverDelayMs: 60 });
  });

  it('drops floods unread, and obeys none but the end of a flood of messages', () => {
    const { member, dropped, told, wait } = create();
    for (let i = 0; i < 2000; i++) member.packet(clockRequest(), 2000);
    expect(dropped.filter((reason) => reason === 'flood').length).toBeGreaterThan(1900);
    for (let i = 0; i < 50; i++) member.control({ type: 'mute', muted: true });
    member.control({ type: 'leave' });
    expect(told.map(([what, message]) => `${what} ${message.type}`).slice(19)).toEqual([
      'command mute',
      'command leave',
    ]);
    wait(1000);
    member.control({ type: 'hand', raised: true });
    expect(told.at(-1)).toEqual(['command', { type: 'hand', raised: true }]);
  });

  it('may do what its grant says', () => {
    expect(create().member.standing.permissions.has('record')).toBe(true);
    expect(
      create({
        grant: { ...OPEN_GRANT, withheld: new Set(['speak']) },
      }).member.standing.permissions.has('speak'),
    ).toBe(false);
  });

  it('keeps mute and hand for the session that comes after, and ends once', () => {
    const { member, session, told, sound, room } = create();
    expect([member.standing.mute(true), member.standing.mute(true)]).toEqual([true, false]);
    member.hand = 3;
    member.end('idle-timeout');
    member.close();
    expect(told).toEqual([['gone', false], ['ended']]);
    expect(session.told('closing')).toMatchObject([{ code: 'idle-timeout' }]);
    const next = new Member({
      id: '1',
      name: 'Ann',
      label: 'Ann',
      session: new FakeSession(),
      grant: OPEN_GRANT,
      source: null,
      listener: null,
      sound,
      room,
      past: member.state(),
    });
    expect(next.describe()).toMatchObject({ muted: true, hand: 3, away: false, recorded: false });
  });

  it('is heard no more after its end', () => {
    const { member, session, told } = create();
    member.close();
    member.packet(clockRequest(), 5000);
    expect(session.packets).toEqual([]);
    expect(told).toEqual([['ended']]);
  });
});
