import { describe, expect, it } from 'vitest';
import { Packet, PacketType, readPacket, Stream } from '../../../public/shared/wire/packet.js';
import { OPERATOR } from '../../../server/state/grant.js';
import { RelayingNodes } from '../../fakes/relaying-nodes.js';

/** @import { Person } from '../../fakes/conference.js' */

const last = (/** @type {Person} */ { session }, /** @type {string} */ type) =>
  session.told(type).at(-1);
const send = (/** @type {Person} */ { session }, /** @type {object} */ message) =>
  session.handler?.control(message);

/**
 * A broadcast at one node with somebody who speaks and one listener there, so that others are
 * relayed.
 * @param {object} [options]
 */
async function create(options) {
  const nodes = new RelayingNodes();
  const all = {
    listenerRule: 'basic',
    listenerBitrate: 128_000,
    idleTimeoutMs: 600_000,
    ...options,
  };
  const { home, other } = await nodes.addTwo(all);
  const ann = await nodes.join(home, 'Ann');
  const room = /** @type {any} */ (home.conference.rooms.get('lab'));
  expect(room.rules.moderation.setBroadcast(true, OPERATOR)).toBe(null);
  const near = await nodes.join(home, 'Near', { listen: true });
  let frame = Math.floor(home.conference.sampleClock.now() / 960);
  const talk = async (/** @type {number} */ frames) => {
    await nodes.talk(ann, frame, frame + frames);
    frame += frames;
  };
  await talk(5);
  return { nodes, home, other, near, room, talk };
}

/** @param {Awaited<ReturnType<typeof create>>} call @param {string} name */
const relayed = ({ nodes, other }, name) => nodes.join(other, name, { listen: true });

/**
 * The packets of sound that a session was sent.
 * @param {Person} person
 * @param {number} [from] the first's place among all
 */
function packetsOf({ session }, from = 0) {
  /** @type {{ stream: number, frame: number, repeats: number }[]} */
  const found = [];
  const packet = new Packet();
  for (const bytes of session.packets.slice(from)) {
    if (
      readPacket(bytes, packet) === null &&
      packet.type === PacketType.audio &&
      packet.payloadBytes[0] > 0
    )
      found.push({ stream: packet.stream, frame: packet.frame, repeats: packet.redundancy });
  }
  return found;
}

/**
 * @param {{ stream: number }[]} packets
 * @returns {number[]} the rates' numbers, in the order in which they came first
 */
const ratesOf = (packets) => [...new Set(packets.map(({ stream }) => stream - Stream.layers))];

/**
 * @param {{ frame: number, repeats: number }[]} packets
 * @returns {number[]} the frames between the first and the last that never came
 */
function missing(packets) {
  const frames = new Set(
    packets.flatMap(({ frame, repeats }) =>
      Array.from({ length: repeats + 1 }, (_, r) => frame - r),
    ),
  );
  const [least, most] = [Math.min(...frames), Math.max(...frames)];
  return Array.from({ length: most - least + 1 }, (_, i) => least + i).filter(
    (frame) => !frames.has(frame),
  );
}

describe('a broadcast that another node relays', () => {
  it('is heard at each listener’s rate, each sent over once in one message per frame', async () => {
    const call = await create();
    const people = [
      await relayed(call, 'Far'),
      await relayed(call, 'Farther'),
      await relayed(call, 'Third'),
    ];
    send(people[1], { type: 'rate', bitsPerSecond: 16_000 });
    await call.talk(60);
    const from = people.map(({ session }) => session.packets.length);
    const { sent } = call.home.bus;
    await call.talk(50);
    const messages = call.home.bus.sent - sent;
    const packets = people.map((person, i) => packetsOf(person, from[i]));
    expect(packets.map(ratesOf)).toEqual([[4], [0], [4]]);
    // A packet of a high rate holds one frame, there as well.
    expect(packets.map((all) => Math.max(...all.map(({ repeats }) => repeats)))).toEqual([0, 2, 0]);
    // With beats, and all messages about people.
    expect(messages).toBeLessThan(70);
    for (const person of people) expect(missing(packetsOf(person))).toEqual([]);
    expect(people.map(({ session }) => session.told('welcome')[0].atRelay)).toEqual([
      undefined,
      undefined,
      undefined,
    ]);
  });

  it('has no gaps or repeats when somebody changes to a rate that is new there', async () => {
    const call = await create();
    call.nodes.network.delayMs = () => 15;
    const far = await relayed(call, 'Far');
    await call.talk(40);
    for (const bitsPerSecond of [32_000, 96_000, 16_000, 'auto']) {
      send(far, { type: 'rate', bitsPerSecond });
      await call.talk(80);
    }
    const packets = packetsOf(far);
    expect(ratesOf(packets).filter((rate) => rate >= 0)).toEqual([4, 1, 3, 0]);
    expect(missing(packets)).toEqual([]);
  });

  it('is encoded at a rate while any node wants it, and for some seconds more', async () => {
    const call = await create();
    const far = await relayed(call, 'Far');
    await call.talk(40);
    const before = call.home.conference.codec.open;
    const other = await relayed(call, 'Other');
    send(other, { type: 'rate', bitsPerSecond: 16_000 });
    send(call.near, { type: 'rate', bitsPerSecond: 128_000 });
    await call.talk(60);
    expect(call.home.conference.codec.open - before).toBe(1);
    other.session.close(0, 'left');
    await call.talk(250);
    expect(call.home.conference.codec.open - before).toBe(1);
    // Kept for five seconds at the relay, and as long at the owner.
    await call.talk(300);
    expect(call.home.conference.codec.open - before).toBe(0);
    far.session.close(0, 'left');
    await call.nodes.pass(50);
    const sent = call.home.bus.sentBytes;
    await call.talk(20);
    expect(call.home.bus.sentBytes).toBe(sent);
  });

  it('goes on at the room’s own rate for those whose rate the home can’t encode', async () => {
    const call = await create();
    const { codec } = call.home.conference;
    const open = codec.createEncoder;
    const { bitrate } = last(call.near, 'welcome');
    codec.maxInstances = 10;
    codec.createEncoder = (shape) => {
      if ('bitrate' in shape && shape.bitrate !== bitrate)
        throw Object.assign(new Error('no more'), { code: 'codec-instances' });
      return open(shape);
    };
    const far = await relayed(call, 'Far');
    send(far, { type: 'rate', bitsPerSecond: 16_000 });
    await call.talk(60);
    expect(ratesOf(packetsOf(far))).toEqual([-Stream.layers]);
    expect(missing(packetsOf(far))).toEqual([]);
    codec.createEncoder = open;
    await call.talk(80);
    expect(ratesOf(packetsOf(far))).toEqual([-Stream.layers, 0]);
  });

  it('begins and ends for its present listeners, who miss nothing', async () => {
    const call = await create();
    expect(call.room.rules.moderation.setBroadcast(false, OPERATOR)).toBe(null);
    const far = await relayed(call, 'Far');
    await call.talk(40);
    expect(ratesOf(packetsOf(far))).toEqual([-Stream.layers]);
    for (const [on, rate] of /** @type {const} */ ([
      [true, 4],
      [false, -Stream.layers],
    ])) {
      expect(call.room.rules.moderation.setBroadcast(on, OPERATOR)).toBe(null);
      await call.talk(60);
      expect(packetsOf(far).at(-1)?.stream).toBe(rate + Stream.layers);
    }
    expect(missing(packetsOf(far))).toEqual([]);
  });

  it('drops a wish that is none, and counts it', async () => {
    const call = await create();
    const far = await relayed(call, 'Far');
    for (const bitsPerSecond of [0, -1, 1e9, '32000', null, 2.5])
      send(far, { type: 'rate', bitsPerSecond });
    expect(call.other.conference.rooms.figures().traffic.dropped.control).toBe(6);
  });
});
