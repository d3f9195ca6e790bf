import { describe, expect, it } from 'vitest';
import { Quality, Reports } from '../../../../server/room/record/reports.js';
import { FakeClock } from '../../../../testkit/fake-clock.js';

/** A member whose messages don't matter. @param {string} id @returns {any} */
const memberOf = (id) => ({
  id,
  /** @type {any[]} */
  told: [],
  figures: {
    quality: 0,
    microphoneMs: null,
    stats: () => ({
      receivedPercent10s: 100,
      downLostPercent: null,
      roundTripMs: null,
      latenessP99Ms: null,
    }),
  },
  tell(/** @type {any} */ message) {
    this.told.push(message);
  },
  source: { soundThrough: -1 },
  standing: { muted: false },
});

/** @param {number} count @param {number} [phase] */
function roomOf(count, phase) {
  const clock = new FakeClock();
  const members = new Map(
    Array.from({ length: count }, (_, i) => [String(i), memberOf(String(i))]),
  );
  /** @type {{ id: string, now: number }[]} */
  const visits = [];
  /** @type {number[]} */
  const rounds = [];
  /** @type {{ lateMs: number, now: number, visits: number }[]} */
  const stalls = [];
  const reports = new Reports({
    room: 'lab',
    clock,
    log: {},
    members,
    visit: (member, now) => {
      visits.push({ id: member.id, now });
      return true;
    },
    onRound: (now) => void rounds.push(now),
    onStall: (lateMs, now) => void stalls.push({ lateMs, now, visits: visits.length }),
    phase,
  });
  return { clock, members, visits, rounds, stalls, reports };
}

describe('the reports of a room', () => {
  it('visits a few people together, once a second', () => {
    const { clock, visits, rounds } = roomOf(3);
    clock.advance(3000);
    expect(visits.map(({ now }) => now)).toEqual([
      1000, 1000, 1000, 2000, 2000, 2000, 3000, 3000, 3000,
    ]);
    expect(rounds).toEqual([1000, 2000, 3000]);
  });

  it('say before their visits that the process stood still', () => {
    const { clock, visits, stalls } = roomOf(3);
    clock.advance(1000);
    clock.stall(3000);
    clock.advance(0);
    expect(stalls).toEqual([{ lateMs: 2000, now: 4000, visits: 3 }]);
    expect(visits.length).toBe(6);
    clock.advance(3000);
    expect(stalls.length).toBe(1);
  });

  it("tell everybody the median of the others' microphones", () => {
    const { clock, members } = roomOf(5);
    const all = /** @type {any[]} */ ([...members.values()]);
    const told = () => all.map(({ told: messages }) => messages.at(-1).microphoneMs);
    clock.advance(1000);
    expect(told()).toEqual([null, null, null, null, null]);
    [30, 10, 20, 90].forEach((ms, i) => (all[i].figures.microphoneMs = ms));
    // Nobody hears a muted microphone.
    all[3].standing.muted = true;
    clock.advance(1000);
    expect(told()).toEqual([10, 20, 10, 20, 20]);
    members.delete('0');
    members.delete('2');
    clock.advance(1000);
    expect(all[1].told.at(-1).microphoneMs).toBeNull();
    expect(all[4].told.at(-1).microphoneMs).toBe(10);
  });

  it('visits a thousand twenty at a time, each of them once a second', () => {
    const { clock, visits } = roomOf(1000);
    clock.advance(10_000);
    /** @type {Map<number, number>} */
    const together = new Map();
    for (const { now } of visits) together.set(now, (together.get(now) ?? 0) + 1);
    expect(Math.max(...together.values())).toBe(20);
    const times = visits.filter(({ id }) => id === '321').map(({ now }) => now);
    expect(times.length).toBeGreaterThanOrEqual(9);
    times.slice(1).forEach((now, i) => expect(now - times[i]).toBeCloseTo(1000, 6));
  });

  it("don't visit people who have left, or another person with the same id", () => {
    const { clock, members, visits } = roomOf(30);
    clock.advance(1000);
    members.delete('15');
    members.set('16', memberOf('16'));
    clock.advance(900);
    expect(visits.map(({ id }) => id)).not.toContain('15');
    expect(visits.map(({ id }) => id)).not.toContain('16');
    expect(visits.map(({ id }) => id)).toContain('17');
  });

  it('begins its rounds apart from those of other rooms', () => {
    const { clock, rounds } = roomOf(0, 0.25);
    clock.advance(3000);
    expect(rounds).toEqual([750, 1750, 2750]);
  });

  it('ends, even in a visit', () => {
    const { clock, visits, reports } = roomOf(30);
    clock.advance(1000);
    reports.stop();
    reports.stop();
    clock.advance(5000);
    expect(visits.length).toBe(12);
    expect(clock.waiting).toBe(0);
  });

  it.each([
    [1, 1],
    [20, 1],
    [21, 2],
    [50, 3],
    [1000, 5],
  ])(
    'tells each of %i silent people their figures every %i seconds, and as many in each',
    (count, seconds) => {
      const { clock, members } = roomOf(count);
      clock.advance(2000);
      /** @type {Map<number, number>} */
      const together = new Map();
      for (const [id, member] of members) {
        /** @type {number[]} */
        const times = [];
        member.tell = (/** @type {{ type: string }} */ { type }) => {
          const round = Math.floor(clock.now() / 1000);
          if (type !== 'stats') return;
          times.push(round);
          together.set(round, (together.get(round) ?? 0) + 1);
        };
        members.get(id).times = times;
      }
      clock.advance(20_000);
      for (const { times } of members.values()) {
        expect(times.length).toBeGreaterThanOrEqual(Math.floor(20 / seconds));
        for (let i = 1; i < times.length; i++) expect(times[i] - times[i - 1]).toBe(seconds);
      }
      for (const many of together.values())
        expect(many).toBeLessThanOrEqual(Math.ceil(count / seconds));
    },
  );

  it('tells who speaks once a second, in a room of any size', () => {
    const { clock, members } = roomOf(1000);
    const speaker = members.get('77');
    for (let second = 1; second <= 20; second++) {
      speaker.source.soundThrough = 50 * second;
      clock.advance(1000);
    }
    const count = (/** @type {any} */ { told }) =>
      told.filter((/** @type {any} */ { type }) => type === 'stats').length;
    // The first round has begun when a second is over.
    expect(count(speaker)).toBeGreaterThanOrEqual(18);
    expect(count(members.get('78'))).toBeLessThanOrEqual(6);
  });

  it('send their figures to the people who stay, whatever order others leave in', () => {
    const { clock, members } = roomOf(120);
    for (let second = 1; second <= 60; second++) {
      clock.advance(1000);
      members.delete(String(second - 1));
      members.set(String(119 + second), memberOf(String(119 + second)));
    }
    const { told } = members.get('119');
    expect(
      told.filter((/** @type {any} */ { type }) => type === 'stats').length,
    ).toBeGreaterThanOrEqual(11);
  });

  it('tell of the quality of many connections in parts, every two seconds', () => {
    const { clock, members } = roomOf(320);
    clock.advance(20_000);
    const told = members
      .get('0')
      .told.filter((/** @type {any} */ { type }) => type === 'qualities');
    expect(told.map((/** @type {any} */ { people }) => people.length)).toEqual([
      50, 50, 50, 50, 50, 50, 20,
    ]);
    expect([...members.values()].every(({ figures }) => figures.quality === Quality.good)).toBe(
      true,
    );
  });
});
