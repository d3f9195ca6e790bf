import { describe, expect, it } from 'vitest';
import { Crowd, StreamCount } from '../../participants/crowd.js';
import {
  addedMs,
  busiestPercent,
  latenessOf,
  parseCase,
  receivedShares,
} from '../../stats/crowd-figures.js';
import { Connection } from '../../../public/client/connection/connection.js';
import {
  Packet,
  readPacket,
  unwrapFrame,
  writeAudioHeader,
  writeClockReply,
  writeVoiceHeader,
} from '../../../public/shared/wire/packet.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

const RATE = 48000;

/** Rooms with clocks of their own, in milliseconds ahead. @type {Record<string, number>} */
const AHEAD_MS = { ahead: 7, 'far ahead': 1013 };

/** Number that the next one who joins gets. */
let nextNumber = 0;

/** A server's end: answers clock requests at once, and keeps what audio came. */
class FakeConnection extends Connection {
  /** @type {{ frame: number, bytes: number, sequence: number, atMs: number }[]} */
  audio = [];
  /** @type {any[]} */
  controls = [];
  /** Time by which its room's clock is ahead, in milliseconds. */
  aheadMs = 0;
  /** A join's part of each packet. */
  number = NaN;

  /** @param {FakeClock} clock */
  constructor(clock) {
    super('webtransport');
    this.clock = clock;
  }

  /** @override @param {Uint8Array} bytes */
  send(bytes) {
    const packet = new Packet();
    expect(readPacket(bytes, packet)).toBeNull();
    if (packet.type === 1) {
      const { frame, sequence } = packet;
      this.audio.push({ frame, sequence, bytes: packet.payloadBytes[0], atMs: this.clock.now() });
      return true;
    }
    const out = new Uint8Array(12);
    writeClockReply(out, packet.id, ((this.clock.now() + this.aheadMs) * RATE) / 1000);
    this.received(out, this.clock.now());
    return true;
  }

  /** @override @param {object} message */
  sendControl(message) {
    this.controls.push(message);
    const { type, room } = /** @type {any} */ (message);
    if (type !== 'join') return;
    this.aheadMs = AHEAD_MS[room] ?? 0;
    this.number = nextNumber++;
    this.control({
      type: 'welcome',
      format: { sampleRate: RATE, frameMs: 20, opusFrames: 1 },
      bitrate: 32000,
      you: String(this.number),
    });
  }
}

async function createCrowd() {
  const clock = new FakeClock();
  /** @type {FakeConnection[]} */
  const connections = [];
  const crowd = new Crowd({
    clock,
    open: async () => {
      const connection = new FakeConnection(clock);
      connections.push(connection);
      return connection;
    },
    encode: async () => [Uint8Array.of(1, 2, 3), Uint8Array.of(4, 5)],
  });
  /** @param {import('../../participants/crowd.js').Person} person */
  const join = async (person) => {
    const joined = crowd.join(person);
    for (let i = 0; i < 400; i++) {
      await Promise.resolve();
      clock.advance(1);
    }
    await joined;
  };
  return { clock, connections, crowd, join };
}

describe('a crowd', () => {
  it('sends a packet after each frame of a talker, and one per 200 ms of silence', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    await join({ id: 'A', room: 'r', talks: true });
    await join({ id: 'B', room: 'r' });
    for (const connection of connections) connection.audio = [];
    for (let i = 0; i < 2000; i++) clock.advance(1);
    const [a, b] = connections.map(({ audio }) => audio);
    expect(a.length).toBeGreaterThanOrEqual(99);
    expect(a.length).toBeLessThanOrEqual(101);
    expect(a.map(({ frame }) => frame - a[0].frame)).toEqual(a.map((_, i) => i));
    for (const { frame, atMs } of a) {
      expect(atMs - (frame + 1) * 20).toBeGreaterThanOrEqual(-0.01);
      expect(atMs - (frame + 1) * 20).toBeLessThan(20);
    }
    expect(a.every(({ bytes }) => bytes === 2 || bytes === 3)).toBe(true);
    expect(b.length).toBe(10);
    expect(b.every(({ bytes }) => bytes === 0)).toBe(true);
    expect(b.map(({ sequence }) => sequence - b[0].sequence)).toEqual(b.map((_, i) => i));
    crowd.close();
  });

  it('sends both silent frames after a word, and then as silence is', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    await join({ id: 'A', room: 'r', talks: true });
    crowd.talk('A', false);
    const [{ audio }] = connections;
    audio.length = 0;
    for (let i = 0; i < 1000; i++) clock.advance(1);
    expect(audio[1].frame - audio[0].frame).toBe(1);
    expect(audio.length).toBeLessThanOrEqual(7);
    expect(audio.every(({ bytes }) => bytes === 0)).toBe(true);
    crowd.close();
  });

  it('counts what comes by stream, and says what never came', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    await join({ id: 'A', room: 'r', watched: true });
    crowd.note();
    const bytes = new Uint8Array(20);
    const packet = new Packet();
    for (let i = 0; i < 10; i++) {
      packet.sequence = (0xfffe + i) & 0xffff;
      packet.frame = 100 + i;
      packet.stream = i === 9 ? 1 : 0;
      if (i !== 4)
        connections[0].received(
          bytes.subarray(0, writeAudioHeader(bytes, packet) + 3),
          clock.now(),
        );
    }
    const [{ streams, arrivals }] = crowd.take();
    expect(streams).toEqual([
      { received: 8, sent: 9 },
      { received: 1, sent: 1 },
    ]);
    expect(arrivals.map(({ frame }) => unwrapFrame(frame, 100))).toEqual([
      100, 101, 102, 103, 105, 106, 107, 108, 109,
    ]);
    crowd.close();
  });

  it('has the mean time from each talker’s frame to its mix, at the watched', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    await join({ id: 'A', room: 'r', talks: true, watched: true });
    await join({ id: 'B', room: 'r', talks: true });
    await join({ id: 'C', room: 'r' });
    for (let i = 0; i < 200; i++) clock.advance(1);
    crowd.note();
    const bytes = new Uint8Array(20);
    const packet = new Packet();
    for (const [back, afterMs] of [
      [2, 7],
      [1, 9],
    ]) {
      const sent = connections[1].audio.at(-back);
      packet.frame = sent?.frame ?? NaN;
      const mix = bytes.subarray(0, writeAudioHeader(bytes, packet) + 3);
      connections[0].received(mix, (sent?.atMs ?? NaN) + afterMs);
      connections[1].received(mix, clock.now());
    }
    const through = crowd.take().map(({ throughMs }) => throughMs);
    expect(through).toEqual([[expect.closeTo(8, 6)], [], []]);
    crowd.close();
  });

  it('has the time that a forwarded packet took, unless it was sent long ago', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    await join({ id: 'A', room: 'r', watched: true });
    await join({ id: 'B', room: 'r', talks: true });
    for (let i = 0; i < 6000; i++) clock.advance(1);
    crowd.note();
    const [a, b] = connections;
    const bytes = new Uint8Array(20);
    const packet = new Packet();
    packet.number = b.number;
    for (const [back, afterMs] of [
      [1, 9],
      [260, 5209],
    ]) {
      const { frame = NaN, atMs = NaN } = b.audio.at(-back) ?? {};
      packet.frame = frame;
      a.received(bytes.subarray(0, writeVoiceHeader(bytes, packet) + 3), atMs + afterMs);
    }
    expect(crowd.take()[0].passedMs).toEqual([expect.closeTo(9, 6)]);
    crowd.close();
  });

  it('sends the packets of all at once, where their frames end together', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    for (const id of ['A', 'B', 'C']) await join({ id, room: 'r', talks: true, together: true });
    for (const connection of connections) connection.audio = [];
    for (let i = 0; i < 1000; i++) clock.advance(1);
    const [first, ...others] = connections.map(({ audio }) =>
      audio.map(({ frame, atMs }) => [frame, atMs]),
    );
    expect(first.length).toBeGreaterThanOrEqual(49);
    for (const other of others) expect(other).toEqual(first);
    crowd.close();
  });

  it('keeps to the clock of each room', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    const rooms = ['r', 'ahead', 'far ahead'];
    for (const room of rooms) await join({ id: room, room, talks: true });
    for (const connection of connections) connection.audio = [];
    for (let i = 0; i < 1000; i++) clock.advance(1);
    for (const { audio, aheadMs } of connections) {
      expect(audio.length).toBeGreaterThanOrEqual(49);
      for (const { frame, atMs } of audio) {
        expect(atMs + aheadMs - (frame + 1) * 20).toBeGreaterThanOrEqual(-0.01);
        expect(atMs + aheadMs - (frame + 1) * 20).toBeLessThan(2);
      }
    }
    crowd.close();
  });

  it('lets go of who leaves, with a word or without, and of a room with the last', async () => {
    const { clock, connections, crowd, join } = await createCrowd();
    for (const id of ['A', 'B', 'C', 'D'])
      await join({ id, room: id === 'D' ? 'ahead' : 'r', talks: true });
    crowd.leave('B');
    crowd.leave('A', { silently: true });
    expect(crowd.size).toBe(2);
    expect(connections.map(({ closed }) => closed)).toEqual([true, true, false, false]);
    expect(connections[1].controls.at(-1)).toEqual({ type: 'leave' });
    expect(connections[0].controls.at(-1).type).toBe('join');
    crowd.leave('D');
    for (const connection of connections) connection.audio = [];
    for (let i = 0; i < 10_000; i++) clock.advance(1);
    expect(connections.map(({ audio }) => audio.length > 499)).toEqual([false, false, true, false]);
    crowd.leave('C');
    const { waiting } = clock;
    for (let i = 0; i < 100; i++) clock.advance(1);
    expect(clock.waiting).toBe(waiting);
    expect(crowd.size).toBe(0);
    await join({ id: 'E', room: 'ahead', talks: true });
    expect(connections[4].audio.length).toBeGreaterThan(0);
    crowd.close();
  });
});

describe('the count of a stream', () => {
  it('takes packets that overtake each other, and knows of none before the first', () => {
    const count = new StreamCount();
    expect(count.sent).toBe(0);
    for (const sequence of [65535, 1, 0, 2]) count.add(sequence);
    expect(count).toMatchObject({ received: 4, sent: 4 });
  });
});

describe('a case of a crowd', () => {
  it('is read from its name', () => {
    expect(parseCase('500/3')).toEqual({
      rooms: 1,
      people: 500,
      talking: 3,
      mixed: null,
      complexity: null,
      frameMs: null,
      together: false,
    });
    expect(parseCase('50x10/2c10')).toEqual({
      rooms: 50,
      people: 10,
      talking: 2,
      mixed: null,
      complexity: '10',
      frameMs: null,
      together: false,
    });
    expect(parseCase('50/50k20cauto')).toEqual({
      rooms: 1,
      people: 50,
      talking: 50,
      mixed: 20,
      complexity: 'auto',
      frameMs: null,
      together: false,
    });
    expect(parseCase('25/25k25f2.5')).toEqual({
      rooms: 1,
      people: 25,
      talking: 25,
      mixed: 25,
      complexity: null,
      frameMs: 2.5,
      together: false,
    });
    expect(parseCase('50/50k50t')).toMatchObject({ mixed: 50, frameMs: null, together: true });
    expect(parseCase('10/10c8f10t')).toMatchObject({ frameMs: 10, together: true });
  });

  it.each([
    '',
    '500',
    '0x5/1',
    '5/6',
    '3000/1',
    '100x100/1',
    '5/1k',
    'x5/1',
    '5/1c',
    '5/1c11',
    '5/1c8k3',
    '5/1f',
    '5/1f3',
    '5/1f2.5c8',
    '5/1tf5',
  ])('is none as %j', (name) => {
    expect(() => parseCase(name)).toThrow(TypeError);
  });
});

describe("the figures of a crowd's notes", () => {
  it('hold of the received those who talked, between the two counts, recovered ones too', () => {
    const before = [{ name: 'A', stats: { received: 100, late: 5, lost: 5, recovered: 2 } }];
    const after = [
      { name: 'A', stats: { received: 280, late: 5, lost: 25, recovered: 12 } },
      { name: 'silent', stats: { received: 10, late: 0, lost: 0, recovered: 0 } },
      { name: 'B', stats: { received: 200, late: 0, lost: 0, recovered: 0 } },
    ];
    expect(receivedShares(before, after)).toEqual([
      { id: 'A', percent: 95 },
      { id: 'B', percent: 100 },
    ]);
    expect(receivedShares([], [])).toEqual([]);
  });

  it('have the lateness of all workers from their histograms, and the busiest of them', () => {
    const state = (/** @type {number} */ mixCpuMs, /** @type {number[]} */ counts) => ({
      mixCpuMs,
      ticks: { count: counts[1], bins: [{ upToMs: 1, count: counts[0] }] },
    });
    const before = [state(0, [0, 0]), state(100, [2, 2]), state(100, [5, 6])];
    const after = [state(0, [0, 0]), state(900, [4, 4]), state(300, [5, 8])];
    // Two up to 1 ms, spread evenly, and two above it.
    expect(latenessOf(before, after)).toEqual([0.25, 0.75, 1.25, 1.75]);
    expect(busiestPercent(before, after, 2)).toBe(40);
  });

  it('match arrivals with when their frames were due, also past 2^32 frames', () => {
    const due = [
      { frame: 2 ** 32 + 7, atMs: 1000 },
      { frame: 2 ** 32 + 8, atMs: 1020 },
    ];
    const people = [
      {
        arrivals: [
          { frame: 7, atMs: 1003 },
          { frame: 9, atMs: 1 },
        ],
      },
      { arrivals: [{ frame: 8, atMs: 1021.5 }] },
    ];
    expect(addedMs(due, people)).toEqual([3, 1.5]);
  });
});
