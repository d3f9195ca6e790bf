import { describe, expect, it } from 'vitest';
import { MAX_SENT_BYTES } from '../../../public/shared/wire/packet.js';
import { protocolLabel } from '../../report/palette.js';
import { figuresOf, jitterOf, sentencesOf } from '../../ways/figures.js';
import {
  contentOf,
  cutMessage,
  messageFigures,
  MessageParts,
  scheduleOf,
} from '../../ways/messages.js';
import { NumberedArrivals, readNumbered, writeNumbered } from '../../ways/numbered-packet.js';
import { payloadOf, rtpPacket } from '../../ways/rtp.js';
import { Path } from '../../ways/run.js';
import {
  BROWSER_WAYS,
  CHANGING_WAYS,
  CONTROLLED_WAYS,
  MIXED_WAYS,
  WAYS,
  ways,
  redundant,
} from '../../ways/way.js';
import { controllerFault } from '../../ways/webtransport.js';
import { seededRandom } from '../../../testkit/random.js';

const PAYLOADS = [Uint8Array.of(1, 2, 3), Uint8Array.of(4), Uint8Array.of()];

/** @param {number} number @param {number} sentMs */
const packet = (number, sentMs) =>
  writeNumbered(number, sentMs, PAYLOADS[number % PAYLOADS.length]);

describe('numbered packets', () => {
  it('are read as they were written, wherever in a buffer they are', () => {
    const bytes = writeNumbered(2 ** 32 - 1, 123456.789, PAYLOADS[0]);
    const inside = new Uint8Array(40);
    inside.set(bytes, 7);
    const expected = { number: 2 ** 32 - 1, sentMs: 123456.789, payload: PAYLOADS[0] };
    expect(readNumbered(inside.subarray(7, 7 + bytes.length))).toEqual(expected);
    expect(readNumbered(bytes.subarray(0, 11))).toBeNull();
  });

  it('have an age where they came, and Infinity where they never did', () => {
    const arrivals = new NumberedArrivals(PAYLOADS);
    expect(arrivals.firstMs).toBe(Infinity);
    arrivals.take(packet(4, 100), 130);
    arrivals.take(packet(2, 60), 140);
    expect(arrivals.ages(2, 4)).toEqual([80, Infinity, 30, Infinity]);
    expect(arrivals).toMatchObject({ firstMs: 130, damaged: 0, repeated: 0 });
  });

  it('count by their first arrival, and only whole', () => {
    const arrivals = new NumberedArrivals(PAYLOADS);
    arrivals.take(packet(0, 0), 10);
    arrivals.take(packet(0, 0), 20);
    arrivals.take(writeNumbered(1, 0, PAYLOADS[0]), 20);
    arrivals.take(Uint8Array.of(1), 20);
    expect(arrivals.ages(0, 2)).toEqual([10, Infinity]);
    expect(arrivals).toMatchObject({ damaged: 2, repeated: 1 });
  });
});

describe('a path', () => {
  /**
   * Places whose processes give prepared answers, by their number.
   * @param {(place: number, name: string) => any} answer
   */
  function pathOf(answer) {
    const hop = { client: { exec: [], address: '' }, server: { exec: [], address: '' } };
    let places = 0;
    return new Path([hop, hop, hop], new AbortController().signal, () => {
      const place = places++;
      return { pid: place, call: async (name) => answer(place, name), close: async () => {} };
    });
  }

  it('asks every place that passes packets on for its fault', async () => {
    const sent = { latenessMs: [0], cpuPercent: 1, messages: 0, estimates: [] };
    const arrived = { ages: [1], messageAges: [], firstMs: 1, damaged: 0, repeated: 0 };
    const asked = /** @type {number[]} */ ([]);
    const answers =
      (/** @type {number | null} */ wrong) =>
      (/** @type {number} */ place, /** @type {string} */ name) => {
        if (name === 'check') asked.push(place);
        if (name === 'check' && place === wrong)
          throw new Error(`at a relay, another controller at ${place}`);
        return name === 'send' ? sent : arrived;
      };
    const task = { payloads: PAYLOADS, settle: 0, count: 1 };
    expect(await pathOf(answers(null)).carry(task)).toMatchObject({ ages: [1] });
    expect(asked).toEqual([1, 2]);
    for (const wrong of [1, 2])
      await expect(pathOf(answers(wrong)).carry(task)).rejects.toThrow(
        `at a relay, another controller at ${wrong}`,
      );
  });

  it('connects once every place has what the way needs, for which it waits', async () => {
    const called = /** @type {string[]} */ ([]);
    let letGo = () => {};
    const last = new Promise((/** @type {(done: void) => void} */ resolve) => (letGo = resolve));
    const path = pathOf((place, name) => {
      called.push(`${name} ${place}`);
      if (name === 'prepare') return place === 3 ? last : null;
      return { startMs: 0, offer: null };
    });
    const connected = path.connect('datachannel-chromium', PAYLOADS);
    await new Promise((resolve) => setImmediate(resolve));
    expect(called).toEqual(['prepare 0', 'prepare 1', 'prepare 2', 'prepare 3']);
    letGo();
    await connected;
    expect(called[4]).toBe('receive 3');
  });

  it('says why a place does not get what the way needs', async () => {
    const path = pathOf((place, name) => {
      if (name === 'prepare' && place === 2) throw new Error('the browser does not start');
    });
    await expect(path.connect('datachannel-chromium', PAYLOADS)).rejects.toThrow(
      'the browser does not start',
    );
  });
});

describe('a path whose process has ended', () => {
  it('has another in its place for the next run', async () => {
    const hop = { client: { exec: ['a'], address: '' }, server: { exec: ['b'], address: '' } };
    const begun = /** @type {string[]} */ ([]);
    const closed = /** @type {number[]} */ ([]);
    const ended = new Set();
    const path = new Path([hop, hop], new AbortController().signal, ([exec]) => {
      const pid = begun.push(exec);
      return {
        pid,
        call: async () => {
          if (ended.has(pid)) throw new Error('a child process ended: SIGSEGV');
        },
        close: async () => void closed.push(pid),
      };
    });
    await path.ready();
    ended.add(2);
    await expect(path.ready()).rejects.toThrow('a child process ended: SIGSEGV');
    await path.hangUp();
    expect(path.pids).toEqual([1, 4, 3]);
    expect([begun, closed]).toEqual([['a', 'b', 'b', 'b'], [2]]);
    await path.ready();
  });
});

describe('RTP packets', () => {
  it('have the payload, the low bits of the sequence number, and 960 ticks each', () => {
    const bytes = rtpPacket(PAYLOADS[0], 2 ** 16 + 5);
    expect(payloadOf(bytes)).toEqual(Buffer.from(PAYLOADS[0]));
    expect([bytes.readUInt16BE(2), bytes.readUInt32BE(4)]).toEqual([5, (2 ** 16 + 5) * 960]);
  });

  it('are told from what else comes on a track', () => {
    expect(payloadOf(Uint8Array.of(0x80, 200, 0, 6, 0, 0, 0, 0, 0, 0, 0, 0))).toBeNull();
    expect(payloadOf(Uint8Array.of(0x80, 111))).toBeNull();
  });
});

describe('a way with redundancy', () => {
  /** A way whose packets are kept in `sent`, until a test lets them arrive. */
  function air() {
    /** @type {Uint8Array[]} */
    const sent = [];
    const path = () => ({ cwnd: 1000, rttMs: 20 });
    const fault = () => 'another controller';
    /** @type {(bytes: Uint8Array) => void} */
    let arrived = () => {};
    const way = redundant({
      missing: async () => null,
      receive: async ({ onPacket }) => {
        arrived = onPacket;
        return { fault, close: () => {} };
      },
      connect: async () => ({
        send: (bytes) => void sent.push(bytes),
        path,
        fault,
        close: () => {},
      }),
    });
    return { way, sent, path, fault, arrive: (/** @type {Uint8Array} */ bytes) => arrived(bytes) };
  }
  const ends = { host: '', peer: '', invitation: '', onMessage: () => {}, signal: async () => '' };

  it('tells the path and the fault of the connection below it', async () => {
    const { way, path, fault } = air();
    expect(await way.connect(ends)).toMatchObject({ path, fault });
    expect(await way.receive({ ...ends, onPacket: () => {} })).toMatchObject({ fault });
  });

  it('has each packet once, though one is lost', async () => {
    const { way, sent, arrive } = air();
    /** @type {(number | undefined)[]} */
    const numbers = [];
    await way.receive({
      ...ends,
      onPacket: (bytes) => void numbers.push(readNumbered(bytes)?.number),
    });
    const { send } = await way.connect(ends);
    for (let number = 0; number < 6; number++) send(packet(number, 0));
    sent.filter((_, i) => i !== 2).forEach(arrive);
    expect(numbers).toEqual([0, 1, 3, 2, 4, 5]);
  });
});

describe('ways with a congestion controller', () => {
  it('combine three carries with ten controllers, and are compared only when asked for', () => {
    expect(CONTROLLED_WAYS).toHaveLength(30);
    expect(CONTROLLED_WAYS).toContain('streams@newreno-bare');
    expect(Object.keys(ways)).toEqual([
      ...WAYS,
      ...CONTROLLED_WAYS,
      ...MIXED_WAYS,
      ...BROWSER_WAYS,
      ...CHANGING_WAYS,
    ]);
    expect(WAYS.filter((name) => name.includes('@'))).toEqual([]);
  });

  it('each have a label', () => {
    expect(protocolLabel('datagrams@copa')).toBe('WebTransport datagrams, Copa');
    const labels = CONTROLLED_WAYS.map(protocolLabel);
    expect(new Set(labels).size).toBe(30);
    expect(
      labels.filter(
        (label) => !/^WebTransport .*, (CUBIC|NewReno|BBR|Copa|no congestion control)/.test(label),
      ),
    ).toEqual([]);
  });

  it('have a fault where the connection has another', () => {
    expect(controllerFault('sender', 'copa', 'copa')).toBeNull();
    expect(controllerFault('sender', 'cubic', 'cubic-bare')).toBe(
      "the congestion controller of the sender's connection is cubic, not cubic-bare",
    );
    expect(controllerFault('receiver', undefined, 'none')).toBe(
      "the congestion controller of the receiver's connection is undefined, not none",
    );
  });
});

describe('messages beside the sound', () => {
  it('are sent at a random moment of an interval each, the same for each seed, by time', () => {
    const kinds = [
      { bytes: 500, everyMs: 100 },
      { bytes: 16_000, everyMs: 450 },
    ];
    const schedule = scheduleOf(kinds, 1000, 7);
    expect(schedule).toEqual(scheduleOf(kinds, 1000, 7));
    expect(schedule).not.toEqual(scheduleOf(kinds, 1000, 8));
    expect(schedule.map(({ atMs }) => atMs)).toEqual(
      schedule.map(({ atMs }) => atMs).toSorted((a, b) => a - b),
    );
    const timesOf = (/** @type {number} */ length) =>
      schedule.filter(({ bytes }) => bytes === length).map(({ atMs }) => atMs);
    expect(timesOf(500).map((atMs) => Math.floor(atMs / 100))).toEqual([
      0, 1, 2, 3, 4, 5, 6, 7, 8, 9,
    ]);
    expect(timesOf(16_000).map((atMs) => Math.floor(atMs / 450))).toEqual([0, 1]);
    expect(scheduleOf([], 1000, 7)).toEqual([]);
  });

  it('are as long as they should be, and come whole from their packets in any order', () => {
    const lengths = [500, 1140, 1141, 64 * 1024];
    const messages = lengths.map((bytes, number) =>
      writeNumbered(number, 1.5, contentOf({ bytes, atMs: 0 }, number)),
    );
    expect(messages.map(({ length }) => length)).toEqual(lengths);
    /** @type {Uint8Array[]} */
    const whole = [];
    const parts = new MessageParts((message) => void whole.push(message));
    const packets = messages.map(cutMessage);
    expect(packets.map(({ length }) => length)).toEqual([1, 1, 2, 58]);
    for (const part of packets.flat().toReversed()) {
      expect(part.length).toBeLessThan(MAX_SENT_BYTES);
      parts.take(part);
      part.fill(0);
    }
    expect(whole.toReversed().map((message, i) => Buffer.compare(message, messages[i]))).toEqual([
      0, 0, 0, 0,
    ]);
  });

  it('never come where a packet of theirs is lost', () => {
    /** @type {number[]} */
    const whole = [];
    const parts = new MessageParts(({ length }) => void whole.push(length));
    const [lost, ...others] = cutMessage(new Uint8Array(3000), 0);
    for (const part of [...others, ...cutMessage(new Uint8Array(2000), 1)]) parts.take(part);
    expect(whole).toEqual([2000]);
    parts.take(lost);
    expect(whole).toEqual([2000, 3000]);
  });

  it('have ages where they came, and a share that came', () => {
    expect(messageFigures([30, Infinity, 10, 20])).toEqual({
      messagesCame: 75,
      messageAge: 20,
      p99MessageAge: expect.closeTo(29.8, 6),
    });
    expect(messageFigures([Infinity])).toEqual({
      messagesCame: 0,
      messageAge: Infinity,
      p99MessageAge: Infinity,
    });
    expect(messageFigures([])).toEqual({});
  });

  it('are named with the way', () => {
    expect(MIXED_WAYS.map(protocolLabel)).toEqual([
      'WebTransport datagrams, messages on a stream of their own',
      'WebTransport datagrams, messages in datagrams',
      'WebTransport on one stream, messages on a stream of their own',
      'WebTransport on one stream, messages on the same stream',
      'WebTransport on one stream, messages in datagrams',
    ]);
  });
});

describe('figures of ways', () => {
  /** Five repetitions of 100 ages. @param {(i: number, repetition: number) => number} age */
  const ages = (age) =>
    Array.from({ length: 5 }, (_, repetition) =>
      Array.from({ length: 100 }, (__, i) => age(i, repetition)),
    );
  const quick = { label: 'quick', ages: ages((i, repetition) => 10 + (i % 5) + repetition / 10) };
  const slow = { label: 'slow', ages: ages((i, repetition) => 30 + (i % 5) + repetition / 10) };
  const lossy = {
    label: 'lossy',
    ages: ages((i, repetition) => (i % 10 === 0 ? Infinity : quick.ages[repetition][i])),
  };

  it('take ages of what came, and shares of everything', () => {
    const { quantiles, within, meanAge, neverPercent } = figuresOf(
      [[10, 60, 150, Infinity]],
      seededRandom(1),
    );
    expect(quantiles[0]).toBe(60);
    expect(within.map(({ estimate }) => estimate)).toEqual([25, 50, 75]);
    expect(within[0].low).toBeNaN();
    const [half] = figuresOf(
      [40, 60, 40, 60, 40, 60].map((age) => [age, age]),
      seededRandom(1),
    ).within;
    expect(half.estimate).toBe(50);
    expect([half.low, half.high].every((end) => end >= 0 && end <= 100)).toBe(true);
    expect(half.high - half.low).toBeGreaterThan(40);
    expect([meanAge.estimate, neverPercent.estimate]).toEqual([220 / 3, 25]);
  });

  it('have jitter, the mean difference of successive ages of what came', () => {
    expect(jitterOf([10, 10, 10])).toBe(0);
    expect(jitterOf([10, 14, 8])).toBe(5);
    expect(jitterOf([10, Infinity, 14])).toBe(4);
    expect(jitterOf([10, Infinity])).toBe(Infinity);
    expect(figuresOf([[10, 14], [10, 16], []], seededRandom(1)).jitter.estimate).toBe(5);
  });

  it('are told in a sentence each, by what the intervals leave out', () => {
    expect(sentencesOf([quick, slow, lossy], seededRandom(1))).toEqual([
      'On this link packets by slow arrived 20.0 [20.0, 20.0] ms later on average than by quick.',
      expect.stringMatching(
        /^On this link packets by lossy arrived 0\.22 .* ms later on average than by quick\.$/,
      ),
      'On this link 10.0 [10.0, 10.0] percentage points more of the packets never came by ' +
        'lossy than by quick.',
      'On this link no difference from quick in the share of packets that never came is ' +
        'shown for slow.',
    ]);
    expect(sentencesOf([slow, quick], seededRandom(1))[0]).toBe(
      'On this link packets by quick arrived 20.0 [20.0, 20.0] ms sooner on average than by slow.',
    );
  });

  it('name together those that are not shown to differ', () => {
    const sentences = sentencesOf(
      [quick, ...['one', 'two', 'three'].map((label) => ({ ...quick, label }))],
      seededRandom(1),
    );
    expect(sentences).toHaveLength(2);
    expect(sentences[0]).toBe(
      'On this link no difference from quick in the mean age is shown for one, two and three.',
    );
  });

  it('are none where there are too few repetitions', () => {
    const few = { label: 'few', ages: slow.ages.slice(0, 4) };
    expect(sentencesOf([quick, few], seededRandom(1))).toEqual([
      '5 repetitions of each way are needed for sentences; the fewest here are 4.',
    ]);
  });

  it('say nothing of one way alone, nor of a way of which nothing came', () => {
    expect(sentencesOf([quick], seededRandom(1))).toEqual([]);
    expect(sentencesOf([], seededRandom(1))).toEqual([]);
    const none = { label: 'none', ages: ages(() => Infinity) };
    expect(sentencesOf([quick, none], seededRandom(1))[0]).toBe(
      'On this link no difference from quick in the mean age is shown for none.',
    );
  });
});
