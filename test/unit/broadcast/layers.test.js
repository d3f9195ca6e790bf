import { describe, expect, it } from 'vitest';
import { LENGTH_BYTES } from '../../../public/shared/wire/stream-packets.js';
import { Packet, readPacket, Stream } from '../../../public/shared/wire/packet.js';
import { Conference } from '../../fakes/conference.js';

/** @import { Person } from '../../fakes/conference.js' */

const create = (/** @type {object} */ options = {}) =>
  new Conference({
    maxParticipants: 500,
    maxPeople: 500,
    idleTimeoutMs: 600_000,
    silenceSuppression: true,
    broadcast: true,
    listenerBitrate: 128_000,
    ...options,
  });

const listen = (/** @type {Conference} */ conference) => conference.join('Lea', { listen: true });
const ask = (/** @type {Person} */ { session }, /** @type {unknown} */ bitsPerSecond) =>
  session.handler?.control({ type: 'rate', bitsPerSecond });
const roomOf = (/** @type {Conference} */ conference) =>
  /** @type {NonNullable<ReturnType<Conference['rooms']['get']>>} */ (conference.rooms.get('lab'));

/** Contents of a session's packets. @param {Person} person */
function packetsOf({ session }) {
  /** @type {{ stream: number, frame: number, repeats: number }[]} */
  const found = [];
  const packet = new Packet();
  for (const bytes of session.packets) {
    if (readPacket(bytes, packet) === null && packet.type === 1 && packet.payloadBytes[0] > 0)
      found.push({ stream: packet.stream, frame: packet.frame, repeats: packet.redundancy });
  }
  return found;
}

/** @param {Person} person @returns {number[]} the frames that came, each as often as it came */
const framesOf = (person) =>
  packetsOf(person).flatMap(({ frame, repeats }) =>
    Array.from({ length: repeats + 1 }, (_, r) => frame - repeats + r),
  );

/**
 * @param {Person} person
 * @param {number} count
 * @returns {number[]} frames at the beginning that never came
 */
function missing(person, count) {
  const frames = new Set(framesOf(person));
  return [...Array(count).keys()].filter((frame) => !frames.has(frame));
}

/**
 * Limits the codec's encoders of the server from now on.
 * @param {Conference} conference
 * @param {number} left
 */
function bound({ codec }, left) {
  const open = codec.createEncoder;
  codec.maxInstances = 10;
  codec.createEncoder = (shape) => {
    if ('bitrate' in shape && left-- <= 0)
      throw Object.assign(new Error('no more'), { code: 'codec-instances' });
    return open(shape);
  };
}

describe('the layers of a broadcast', () => {
  it('have an encoder while somebody wants them, and some seconds more', async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    await conference.talk(ann, 0, 10);
    const before = conference.codec.open;
    const all = [await listen(conference), await listen(conference), await listen(conference)];
    ask(all[1], 16_000);
    ask(all[2], 40_000);
    await conference.talk(ann, 10, 60);
    // The shared stream has only the speakers as listeners.
    expect(conference.codec.open).toBe(before + 3);
    expect(roomOf(conference).describe().listenersByRate).toEqual({
      16000: 1,
      32000: 1,
      64000: 0,
      96000: 0,
      128000: 1,
    });
    ask(all[1], 'auto');
    await conference.talk(ann, 60, 200);
    expect(conference.codec.open).toBe(before + 3);
    await conference.talk(ann, 200, 400);
    expect(conference.codec.open).toBe(before + 2);
    for (const { session } of all) session.close(0, 'left');
    conference.pass(300);
    expect(conference.codec.open).toBe(before);
    conference.rooms.close();
    expect([conference.codec.open, conference.clock.waiting]).toEqual([0, 0]);
  });

  it('change once pending frames are sent: none is lost; the first packet repeats 2', async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    const lea = await listen(conference);
    await conference.talk(ann, 0, 31);
    for (const [frame, rate] of [
      [31, 16_000],
      [80, 64_000],
      [130, 128_000],
    ]) {
      ask(lea, rate);
      await conference.talk(ann, frame, frame + 49);
      if (frame < 130) await conference.talk(ann, frame + 49, frame === 31 ? 80 : 130);
    }
    conference.pass(10);
    const packets = packetsOf(lea);
    expect(missing(lea, 170)).toEqual([]);
    const firsts = packets.filter(({ stream }, i) => i > 0 && stream !== packets[i - 1].stream);
    expect(firsts.map(({ stream, repeats }) => [stream - Stream.layers, repeats])).toEqual([
      [0, 2],
      [2, 2],
      [4, 2],
    ]);
    for (const { frame } of firsts)
      expect(packets.find((one) => one.frame === frame - 1)?.stream).not.toBe(
        packets.find((one) => one.frame === frame)?.stream,
      );
  });

  it('change to a lower rate with the next frame, whatever the longer stride is', async () => {
    const places = new Set();
    for (const start of [6, 7, 8]) {
      const conference = create({ listenerRule: 'basic', listenerStride: 'auto' });
      const ann = await conference.join('Ann');
      await conference.talk(ann, 0, start);
      const lea = await listen(conference);
      await conference.talk(ann, start, 30);
      ask(lea, 16_000);
      await conference.talk(ann, 30, 60);
      const first = /** @type {ReturnType<typeof packetsOf>[number]} */ (
        packetsOf(lea).find(({ stream }) => stream === Stream.layers)
      );
      expect([
        first.repeats,
        packetsOf(lea).some(
          ({ stream, frame }) => stream === Stream.layers + 4 && frame === first.frame - 1,
        ),
      ]).toEqual([2, true]);
      places.add(first.frame % 3);
      conference.rooms.close();
    }
    expect(places.size).toBe(3);
  });

  it('keep the usual form except for an unannounced probe, and follow their rule', async () => {
    const conference = create();
    const ann = await conference.join('Ann');
    const lea = await listen(conference);
    const stats = { rttMs: 20, sentPackets: 0, lostPackets: 0, droppedOut: 0, droppedIn: 0 };
    /** @type {any} */ (lea.session).stats = () => ({
      ...stats,
      sentPackets: lea.session.packets.length,
    });
    await conference.talk(ann, 0, 40);
    expect(packetsOf(lea).at(-1)?.stream).toBe(Stream.layers + 2);
    await conference.talk(ann, 40, 600);
    expect(packetsOf(lea).at(-1)?.stream).toBe(Stream.layers + 4);
    expect(lea.session.told('stride')).toEqual([]);
    const frames = framesOf(lea);
    const [probed, usual] = [
      frames.filter((frame) => frame > 70 && frame < 120).length,
      frames.filter((frame) => frame > 540 && frame < 590).length,
    ];
    expect([probed > 70, usual < 55]).toEqual([true, true]);
    stats.rttMs = 400;
    await conference.talk(ann, 600, 720);
    expect(packetsOf(lea).at(-1)?.stream).toBeLessThan(Stream.layers + 2);
    conference.pass(10);
    expect(missing(lea, 720)).toEqual([]);
    expect(conference.rooms.figures()).toMatchObject({
      listeners: 1,
      rateChanges: { up: 2, failed: 0 },
    });
    expect(conference.rooms.figures().rateChanges.down).toBeGreaterThan(1);
  });

  it("send loss's repeats, but not where the way is too narrow", async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    const lea = await listen(conference);
    lea.session.handler?.control({ type: 'report', lostPercent: 5 });
    await conference.talk(ann, 0, 100);
    expect(framesOf(lea).filter((frame) => frame === 80)).toHaveLength(3);
    conference.pass(10);
    expect(missing(lea, 100)).toEqual([]);
    expect(lea.session.told('stride')).toEqual([]);
  });

  it('are one where the codec has encoders for no more, and none where it has none', async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    bound(conference, 1);
    const [lea, max] = [await listen(conference), await listen(conference)];
    ask(max, 16_000);
    await conference.talk(ann, 0, 120);
    conference.pass(10);
    expect(new Set([lea, max].flatMap(packetsOf).map(({ stream }) => stream))).toEqual(
      new Set([Stream.layers + 4]),
    );
    expect(missing(max, 120)).toEqual([]);
    const other = create({ listenerRule: 'basic' });
    // The shared stream's, and Bob's own.
    bound(other, 2);
    const bob = await other.join('Bob');
    const mia = await listen(other);
    await other.talk(bob, 0, 60);
    expect(new Set(packetsOf(mia).map(({ stream }) => stream))).toEqual(new Set([Stream.fullMix]));
  });

  it('let one speak and listen again, who misses no frame', async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    const lea = await listen(conference);
    const role = (/** @type {string} */ name) =>
      roomOf(conference).rules.moderation.setRole(
        lea.id,
        /** @type {any} */ (name),
        /** @type {any} */ ({ label: 'operator', id: null }),
      );
    await conference.talk(ann, 0, 40);
    role('speaker');
    await conference.talk(ann, 40, 80);
    role('listener');
    await conference.talk(ann, 80, 120);
    conference.pass(10);
    expect([
      missing(lea, 120),
      packetsOf(lea)
        .map(({ stream }) => stream)
        .filter((stream, i, all) => stream !== all[i - 1]),
    ]).toEqual([[], [7, 0, 7]]);
  });

  it('go repeatedly to near and reliably to steady listeners, at the rate of each', async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    const [near, steady] = [await listen(conference), await listen(conference)];
    /** @type {number[][]} */
    const sure = [];
    const packet = new Packet();
    Object.assign(steady.session, {
      surely: {
        send: (/** @type {Uint8Array} */ framed) =>
          readPacket(framed.subarray(LENGTH_BYTES), packet) === null &&
          sure.push([packet.stream, packet.frame]),
        end: () => {},
        restart: () => 0,
      },
    });
    near.session.handler?.control({ type: 'nearness', nearness: 'near' });
    steady.session.handler?.control({ type: 'nearness', nearness: 'steady' });
    await conference.talk(ann, 0, 120);
    ask(steady, 16_000);
    await conference.talk(ann, 120, 240);
    expect(framesOf(near).filter((frame) => frame === 90)).toHaveLength(3);
    expect(missing(near, 230)).toEqual([]);
    const streams = sure
      .filter(([, frame]) => frame > 60)
      .map(([stream]) => stream - Stream.layers);
    expect(streams.filter((stream, i) => stream !== streams[i - 1])).toEqual([4, 0]);
    expect(packetsOf(steady).filter(({ frame }) => frame > 60)).toEqual([]);
    // Recent packets of the rate fill a buffer that has just become longer.
    const count = sure.length;
    steady.session.handler?.control({ type: 'nearness', nearness: 'steady', fill: true });
    expect(sure.length).toBeGreaterThan(count + 20);
    expect(new Set(sure.slice(count).map(([stream]) => stream))).toEqual(new Set([Stream.layers]));
  });

  it('serve earlier listeners once the room is live, end with it, and lose no frame', async () => {
    const conference = create({ broadcast: false, listenerRule: 'basic', listenerStride: 3 });
    const ann = await conference.join('Ann');
    const [lea, near] = [await listen(conference), await listen(conference)];
    near.session.handler?.control({ type: 'nearness', nearness: 'near' });
    const live = (/** @type {boolean} */ on) =>
      ann.session.handler?.control({ type: 'moderate', action: 'broadcast', on });
    // Not at the end of a packet.
    await conference.talk(ann, 0, 61);
    live(true);
    await conference.talk(ann, 61, 122);
    expect(roomOf(conference).describe().listenersByRate).toMatchObject({ 128000: 2 });
    ask(lea, 16_000);
    await conference.talk(ann, 122, 180);
    live(false);
    await conference.talk(ann, 180, 240);
    conference.pass(10);
    const streamsOf = (/** @type {Person} */ person) =>
      packetsOf(person)
        .map(({ stream }) => stream)
        .filter((stream, i, all) => stream !== all[i - 1]);
    expect(streamsOf(lea)).toEqual([
      Stream.fullMix,
      Stream.layers + 4,
      Stream.layers,
      Stream.fullMix,
    ]);
    expect(streamsOf(near)).toEqual([Stream.fullMix, Stream.layers + 4, Stream.fullMix]);
    expect([missing(lea, 235), missing(near, 235)]).toEqual([[], []]);
    expect(ann.session.told('refused')).toEqual([]);
    ask(lea, 16_000);
    expect(conference.rooms.figures().traffic.dropped.control).toBe(1);
  });

  it('resend pending reliable frames at the lowest rate once the path is too narrow', async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    const steady = await listen(conference);
    /** @type {[number, number][]} */
    const sure = [];
    const packet = new Packet();
    const send = (/** @type {Uint8Array} */ framed) =>
      readPacket(framed.subarray(LENGTH_BYTES), packet) === null &&
      sure.push([packet.stream - Stream.layers, packet.frame]);
    let restarts = 0;
    // Half a second hasn't arrived.
    const restart = () => ((restarts += 1), sure.splice(-8), 480);
    Object.assign(steady.session, { surely: { send, end: () => {}, restart } });
    steady.session.handler?.control({ type: 'nearness', nearness: 'steady' });
    await conference.talk(ann, 0, 120);
    ask(steady, 64_000);
    await conference.talk(ann, 120, 240);
    expect(restarts).toBe(1);
    const streams = sure.filter(([, frame]) => frame > 60).map(([stream]) => stream);
    expect(streams.filter((stream, i) => stream !== streams[i - 1])).toEqual([4, 0, 2]);
    expect(streams.filter((stream) => stream === 0).length).toBeGreaterThanOrEqual(8);
    const frames = sure.map(([, frame]) => frame).filter((frame) => frame > 60);
    expect(
      Math.max(...frames.map((frame, i) => (i === 0 ? 0 : frame - frames[i - 1]))),
    ).toBeLessThanOrEqual(3);
    // A rate that goes up leaves what waits alone.
    ask(steady, 'auto');
    await conference.talk(ann, 240, 300);
    expect([restarts, sure.at(-1)?.[0]]).toEqual([1, 4]);
  });

  it('refuse what is no rate', async () => {
    const conference = create();
    await conference.join('Ann');
    const lea = await listen(conference);
    for (const wrong of ['much', 0, -1, NaN, 1e9, null, 20_000.5]) ask(lea, wrong);
    expect(conference.rooms.figures().traffic.dropped.control).toBe(7);
  });

  it('are heard near, and filled, too', async () => {
    const conference = create({ listenerRule: 'basic' });
    const ann = await conference.join('Ann');
    const [lea, max] = [await listen(conference), await listen(conference)];
    await conference.talk(ann, 0, 60);
    lea.session.handler?.control({ type: 'nearness', nearness: 'near' });
    await conference.talk(ann, 60, 150);
    expect(framesOf(lea).filter((frame) => frame === 90)).toHaveLength(3);
    expect(framesOf(max).filter((frame) => frame === 90)).toHaveLength(1);
    expect(missing(lea, 130)).toEqual([]);
    const before = packetsOf(max).length;
    max.session.handler?.control({ type: 'nearness', nearness: 'near', fill: true });
    expect(
      packetsOf(max)
        .slice(before)
        .map(({ stream }) => stream),
    ).toEqual(Array(5).fill(packetsOf(max)[0].stream));
  });
});
