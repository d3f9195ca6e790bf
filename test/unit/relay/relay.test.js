import { describe, expect, it, onTestFinished, vi } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import {
  Packet,
  PacketType,
  readPacket,
  writeClockRequest,
} from '../../../public/shared/wire/packet.js';
import { RelayedMix } from '../../../server/relay/relayed-mix.js';
import { OPERATOR } from '../../../server/state/grant.js';
import { FakeSession } from '../../fakes/fake-session.js';
import { RelayingNodes } from '../../fakes/relaying-nodes.js';

/** @import { Person } from '../../fakes/conference.js' */

const last = (/** @type {Person} */ { session }, /** @type {string} */ type) =>
  session.told(type).at(-1);
const send = (/** @type {Person} */ { session }, /** @type {object} */ message) =>
  session.handler?.control(message);

/** Two nodes, one of which is a room's owner. @param {object} [options] */
async function createNodes(options) {
  const nodes = new RelayingNodes();
  return { nodes, ...(await nodes.addTwo(options)) };
}

/**
 * A room at one node with somebody who speaks and one listener there, so that others are relayed.
 * @param {object} [options]
 */
async function create(options) {
  const { nodes, home, other } = await createNodes(options);
  const ann = await nodes.join(home, 'Ann');
  const near = await nodes.join(home, 'Near', { listen: true });
  return {
    nodes,
    home,
    other,
    ann,
    near,
    room: () => /** @type {any} */ (home.conference.rooms.get('lab')),
  };
}

/**
 * Somebody who listens at the other node.
 * @param {Awaited<ReturnType<typeof create>>} call
 * @param {string} [name]
 * @param {object} [wishes]
 */
const relayed = ({ nodes, other }, name = 'Far', wishes = {}) =>
  nodes.join(other, name, { listen: true, ...wishes });

/** The packets of sound of a session. @param {Person} person */
function packetsOf(person) {
  const packets = person.session.packets.map((bytes) => {
    const packet = new Packet();
    return readPacket(bytes, packet) === null && packet.type === PacketType.audio ? packet : null;
  });
  return packets.filter((packet) => packet !== null);
}

/** The frames whose sound a session's packets hold. @param {Person} person */
function framesOf(person) {
  /** @type {Set<number>} */
  const frames = new Set();
  const packets = packetsOf(person);
  for (const packet of packets)
    for (let r = packet.redundancy; r >= 0; r--)
      if (packet.payloadBytes[r] > 0) frames.add(packet.frame - r);
  return { frames: [...frames].sort((x, y) => x - y), packets: packets.length };
}

describe('a room that another node relays', () => {
  it('sends further listeners there, and takes nobody else for one', async () => {
    const call = await create();
    const { nodes, home, other } = call;
    const sent = await nodes.join(home, 'Far', { listen: true });
    expect(last(sent, 'moved').node.id).toBe(other.id);
    const far = await relayed(call);
    expect(last(far, 'welcome')).toMatchObject({ role: 'listener', stride: 3, listeners: 2 });
    const speaker = await nodes.join(other, 'Bob');
    expect(last(speaker, 'moved').node.id).toBe(home.id);
    expect([
      call.room().publicView,
      other.relays.out.listeners,
      home.relays.home.size,
    ]).toMatchObject([{ room: 'lab', present: 3, listeners: 2 }, 1, 1]);
    // Listeners elsewhere take no place of this node.
    expect(home.conference.rooms.people).toBe(2);
  });

  it('is left when a timer of the relay fails, and can be heard there again', async () => {
    const call = await create();
    const { nodes, other } = call;
    const far = await relayed(call);
    const tell = vi.spyOn(RelayedMix.prototype, 'tell');
    onTestFinished(() => tell.mockRestore());
    tell.mockImplementationOnce(() => {
      throw new Error('on purpose');
    });
    await nodes.pass(1100);
    expect(far.session.closed?.code).toBe(errors['room-reopened'].close);
    expect(other.errors.map(([fields]) => fields)).toMatchObject([
      { event: 'relay-failed', room: 'lab' },
    ]);
    expect(last(await relayed(call, 'Again'), 'welcome')).toMatchObject({ role: 'listener' });
  });

  it('is told there in order, however much comes at once', async () => {
    const call = await create();
    const far = await relayed(call);
    const { session } = call.room().people.find(far.id);
    const [from, name, text, at] = ['1', 'Ann', 'x'.repeat(1000), new Date(0).toISOString()];
    const numbers = Array.from({ length: 200 }, (_, i) => i + 1);
    for (const number of numbers)
      session.sendControl({ type: 'chat', message: { number, from, name, text, at } });
    await call.nodes.pass(50);
    expect(far.session.told('chat').map(({ message }) => message.number)).toEqual(numbers);
  });

  it('is told all that comes there, though thousands of other relays come and go', async () => {
    const call = await create();
    const { nodes, home, ann } = call;
    const far = await relayed(call);
    const stranger = nodes.network.join('stranger');
    const about = { version: 2, from: 'x', epoch: 1, stream: 1, number: 1, links: [] };
    for (let i = 0; i < 4200; i++)
      stranger.publish(home.cluster.wire.subjects.relayUp(home.id), { ...about, room: `r${i}` });
    // In this time each listener is reported as present once.
    await nodes.pass(6000);
    send(ann, { type: 'chat', text: 'still there' });
    await nodes.pass(400);
    expect(last(far, 'chat')?.message.text).toBe('still there');
  });

  it('stays when a timer of its own node fails', async () => {
    const call = await create();
    const { nodes, home } = call;
    const far = await relayed(call);
    const publish = home.bus.publish.bind(home.bus);
    home.bus.publish = (subject, message) => {
      if ('again' in message) throw new Error('on purpose');
      publish(subject, message);
    };
    home.bus.change();
    await nodes.pass(200);
    const failed = { event: 'cluster-message-failed' };
    expect(home.errors.map(([fields]) => fields)).toMatchObject([failed, failed, failed]);
    expect(far.session.closed).toBe(null);
  });

  it('is heard there in the same frames and packets, sent once for all listeners', async () => {
    const call = await create();
    const { nodes, home, ann, near } = call;
    const far = [await relayed(call, 'Far'), await relayed(call, 'Farther')];
    await nodes.pass(100);
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    const sent = home.bus.sentBytes;
    await nodes.talk(ann, first, first + 50);
    await nodes.pass(200);
    const heard = framesOf(near);
    expect(heard.frames.length).toBeGreaterThan(40);
    for (const person of far) {
      expect(framesOf(person).frames).toEqual(heard.frames);
      // Each third packet, as at the owner.
      expect(framesOf(person).packets).toBeLessThan(heard.packets + 4);
    }
    const bytes = home.bus.sentBytes - sent;
    await far[1].session.close(0, 'left');
    const again = home.bus.sentBytes;
    await nodes.talk(ann, first + 60, first + 110);
    await nodes.pass(200);
    expect((home.bus.sentBytes - again) / bytes).toBeCloseTo(1, 0);
  });

  it('is heard whole there where the bus has lost what was on its way, at either end', async () => {
    const call = await create();
    const { nodes, home, other, ann, near } = call;
    const far = await relayed(call);
    await nodes.pass(100);
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    await nodes.talk(ann, first, first + 10);
    for (const [i, { bus }] of [home, other].entries()) {
      home.bus.part = 1;
      await nodes.talk(ann, first + 10 + i * 30, first + 20 + i * 30);
      home.bus.part = 0;
      bus.change();
      await nodes.talk(ann, first + 20 + i * 30, first + 40 + i * 30);
    }
    // On a long way the next frame overtakes what is sent again, whichever of a packet's three was
    // lost.
    nodes.network.delayMs = () => 25;
    for (let from = first + 70; from < first + 130; from += 10) {
      home.bus.part = 1;
      await nodes.talk(ann, from, from + 1);
      home.bus.part = 0;
      other.bus.change();
      await nodes.talk(ann, from + 1, from + 10);
    }
    await nodes.pass(200);
    expect(framesOf(near).frames.length).toBeGreaterThan(60);
    expect(framesOf(far).frames).toEqual(framesOf(near).frames);
    const sent = home.bus.sentBytes;
    other.bus.change();
    await nodes.pass(60);
    expect(home.bus.sentBytes).toBeGreaterThan(sent + 1000);
    // Nothing that a listener has had comes twice.
    const numbers = packetsOf(far).map(({ frame }) => frame);
    expect(numbers).toEqual([...new Set(numbers)].sort((x, y) => x - y));
  });

  it('sends what waits for the rest of its packet when a packet of the home is lost', async () => {
    const call = await create();
    const { nodes, home, ann, near } = call;
    const far = await relayed(call);
    await nodes.pass(100);
    const first = Math.ceil(home.conference.sampleClock.now() / 960 / 3) * 3;
    await nodes.talk(ann, first, first + 20);
    for (let i = 0; i < 6; i++) {
      // One in four, and so each place in a packet of three.
      home.bus.part = 1;
      await nodes.talk(ann, first + 20 + i * 4, first + 21 + i * 4);
      home.bus.part = 0;
      await nodes.talk(ann, first + 21 + i * 4, first + 24 + i * 4);
    }
    await nodes.talk(ann, first + 44, first + 60);
    await nodes.pass(200);
    const heard = new Set(framesOf(far).frames);
    expect(framesOf(near).frames.filter((frame) => !heard.has(frame)).length).toBeLessThan(3);
  });

  it('is sent over by nobody when the last listener has gone', async () => {
    const call = await create();
    const { nodes, home, other, ann } = call;
    const far = await relayed(call);
    far.session.close(0, 'left');
    await nodes.pass(50);
    const sent = home.bus.sentBytes;
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    await nodes.talk(ann, first, first + 10);
    expect([home.bus.sentBytes, other.relays.out.size, call.room().publicView.listeners]).toEqual([
      sent,
      0,
      1,
    ]);
  });

  it('has its own clock there, within a millisecond', async () => {
    const call = await create();
    const { nodes, home } = call;
    nodes.network.delayMs = () => 3;
    const far = await relayed(call);
    for (let i = 0; i < 3000; i++) await nodes.pass(1);
    const request = new Uint8Array(4);
    writeClockRequest(request, 7);
    far.session.handler?.packet(request, nodes.clock.now());
    const packet = new Packet();
    expect(readPacket(/** @type {Uint8Array} */ (far.session.packets.at(-1)), packet)).toBe(null);
    const expected = call.room().sound.sampleAt(nodes.clock.now());
    expect([packet.type, packet.id]).toEqual([PacketType.clockReply, 7]);
    expect(Math.abs(packet.clock - expected)).toBeLessThan(
      home.conference.format.sampleRate / 1000,
    );
  });

  it('has chat, hands and rules there as at home', async () => {
    const call = await create();
    const { nodes, ann } = call;
    const far = await relayed(call);
    send(far, { type: 'chat', text: 'hello' });
    send(far, { type: 'hand', raised: true });
    await nodes.pass(700);
    expect(last(ann, 'chat').message).toMatchObject({ text: 'hello', name: 'Far' });
    expect(last(ann, 'hands')).toMatchObject({ count: 1, people: [{ label: 'Far' }] });
    send(ann, { type: 'chat', text: 'and you' });
    send(ann, { type: 'moderate', action: 'lock', on: true });
    await nodes.pass(200);
    expect([last(far, 'chat').message.text, last(far, 'room').locked]).toEqual(['and you', true]);
    const late = await relayed(call, 'Late');
    expect(last(late, 'refused').code).toBe('room-locked');
    expect(late.session.closed?.code).toBe(errors['room-locked'].close);
  });

  it('has them in order though the bus lost what was on its way, at either end', async () => {
    const call = await create();
    const { nodes, home, other, ann } = call;
    const far = await relayed(call);
    await nodes.pass(500);
    for (const [i, { bus }] of [home, other].entries()) {
      home.bus.part = 1;
      send(ann, { type: 'chat', text: `one ${i}` });
      send(ann, { type: 'moderate', action: 'lock', on: i === 0 });
      send(far, { type: 'chat', text: `far ${i}` });
      await nodes.pass(100);
      home.bus.part = 0;
      send(ann, { type: 'chat', text: `two ${i}` });
      await nodes.pass(20);
      bus.change();
      await nodes.pass(300);
      expect(last(far, 'room').locked).toBe(i === 0);
    }
    const texts = (/** @type {Person} */ { session }) =>
      session.told('chat').map(({ message }) => message.text);
    // Each once, and those of one sender in their order.
    const own = ['one 0', 'two 0', 'one 1', 'two 1'];
    for (const person of [ann, far]) {
      const told = texts(person);
      expect(told.filter((text) => !text.startsWith('far'))).toEqual(own);
      expect(told.filter((text) => text.startsWith('far'))).toEqual(['far 0', 'far 1']);
    }
    expect([home.errors, other.errors]).toEqual([[], []]);
  });

  it('sends no sound to a person in the lobby, and does so once they are admitted', async () => {
    const call = await create();
    const { nodes, ann, home } = call;
    send(ann, { type: 'moderate', action: 'lobby', on: true });
    const far = await relayed(call);
    expect(last(far, 'lobby')).toBeDefined();
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    await nodes.talk(ann, first, first + 20);
    expect(framesOf(far).packets).toBe(0);
    const knock = last(ann, 'knocks').people[0].id;
    send(ann, { type: 'moderate', action: 'admit', knock });
    await nodes.pass(100);
    await nodes.talk(ann, first + 25, first + 45);
    expect(framesOf(far).packets).toBeGreaterThan(3);
  });

  it('has nobody in its lobby whose node has died', async () => {
    const call = await create({ idleTimeoutMs: 7000 });
    const { nodes, ann, near, other } = call;
    const stay = setStay(nodes, [ann, near]);
    send(ann, { type: 'moderate', action: 'lobby', on: true });
    await relayed(call);
    // Its relay reports it every 5 s.
    await nodes.pass(15_000);
    expect(last(ann, 'knocks').people).toMatchObject([{ name: 'Far' }]);
    other.bus.dead = true;
    await nodes.pass(13_000);
    expect(last(ann, 'knocks').people).toEqual([]);
    stay();
  });

  it('keeps people in its lobby though the home stands still for long', async () => {
    const call = await create({ idleTimeoutMs: 7000 });
    const { nodes, ann, near } = call;
    const stay = setStay(nodes, [ann, near]);
    send(ann, { type: 'moderate', action: 'lobby', on: true });
    const far = await relayed(call);
    await nodes.pass(2000);
    nodes.clock.stall(20_000);
    await nodes.pass(2000);
    expect(far.session.closed).toBe(null);
    expect(last(ann, 'knocks').people).toMatchObject([{ name: 'Far' }]);
    stay();
  });

  it('removes somebody who listens there, for a time where they are banned', async () => {
    const call = await create();
    const { nodes } = call;
    const far = await relayed(call);
    expect(
      call.room().rules.moderation.remove(last(far, 'welcome').you, { banMs: 0 }, OPERATOR),
    ).toBe(null);
    await nodes.pass(20);
    expect(far.session.closed?.code).toBe(errors.removed.close);
    expect(call.room().publicView.listeners).toBe(1);
  });

  it('moves a new speaker home to their place, and is heard at the relay until then', async () => {
    const call = await create();
    const { nodes, home, ann } = call;
    const far = await relayed(call);
    const { you, resume } = last(far, 'welcome');
    expect(call.room().rules.moderation.setRole(you, 'speaker', OPERATOR)).toBe(null);
    await nodes.pass(20);
    expect(last(far, 'moderated')).toMatchObject({ action: 'role', role: 'speaker', muted: true });
    expect(last(far, 'moved').node.id).toBe(home.id);
    const back = await nodes.join(home, 'Far', { listen: true, resume });
    expect(last(back, 'welcome')).toMatchObject({ you, role: 'speaker', stride: 1 });
    const before = framesOf(far).packets;
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    await nodes.talk(ann, first, first + 20);
    expect(framesOf(far).packets).toBeGreaterThan(before);
    await nodes.pass(1000);
    expect(far.session.closed?.code).toBe(errors['resumed-elsewhere'].close);
    const heard = framesOf(back).frames.length;
    await nodes.talk(ann, first + 75, first + 95);
    expect(framesOf(back).frames.length - heard).toBeGreaterThan(8);
    // The way by the other node is none for one who speaks.
    const lost = await nodes.join(call.other, 'Far', { listen: true, resume });
    expect(last(lost, 'moved').node.id).toBe(home.id);
  });

  it('brings a listener home who chooses an interpreter, while there is room', async () => {
    const call = await create({ idleTimeoutMs: 600_000 });
    const { nodes, home, other, ann } = call;
    const ida = await nodes.join(home, 'Ida');
    send(ann, { type: 'moderate', action: 'broadcast', on: true });
    send(ann, { type: 'moderate', action: 'interpret', person: ida.id, language: 'es' });
    const far = await relayed(call);
    const { you, resume, rules } = last(far, 'welcome');
    expect(rules.languages).toEqual(['es']);
    send(far, { type: 'language', language: 'fr' });
    await nodes.pass(20);
    expect(last(far, 'refused')).toMatchObject({ of: 'language', code: 'language-unknown' });
    send(far, { type: 'language', language: 'es' });
    await nodes.pass(20);
    expect(last(far, 'moved').node.id).toBe(home.id);
    const back = await nodes.join(home, 'Far', { listen: true, resume });
    expect(last(back, 'welcome')).toMatchObject({ you, role: 'listener' });
    send(back, { type: 'language', language: 'es' });
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    const before = [far, back].map((person) => framesOf(person).frames.length);
    await nodes.talk(ida, first, first + 25);
    await nodes.pass(200);
    // The floor is silent.
    const after = [far, back].map((person) => framesOf(person).frames.length);
    expect([after[0] - before[0], after[1] - before[1] > 15]).toEqual([0, true]);
    // After a lost connection there is no way round by the other node.
    await nodes.pass(1000);
    back.session.close(19, 'lost');
    const wishes = { listen: true, resume: last(back, 'welcome').resume };
    expect(last(await nodes.join(home, 'Far', wishes), 'welcome')).toMatchObject({ you });
    expect(other.relays.out.listeners).toBe(0);
  });

  it('sends a listener away for one of a language if the home is nearly full', async () => {
    const call = await create({ maxSessions: 4 });
    const { nodes, home, other, ann, near } = call;
    const ida = await nodes.join(home, 'Ida');
    send(ann, { type: 'moderate', action: 'broadcast', on: true });
    send(ann, { type: 'moderate', action: 'interpret', person: ida.id, language: 'es' });
    const far = await relayed(call);
    await nodes.join(home, 'Bob', { stage: last(ann, 'stage').key });
    send(far, { type: 'language', language: 'es' });
    await nodes.pass(20);
    expect([near, far].map((person) => last(person, 'moved').node.id)).toEqual([other.id, home.id]);
    const { you, resume } = last(near, 'welcome');
    const there = await nodes.join(other, 'Near', { listen: true, resume });
    expect(last(there, 'welcome')).toMatchObject({ you, role: 'listener' });
    // Nobody else can go.
    await nodes.join(home, 'Cid', { stage: last(ann, 'stage').key });
    send(there, { type: 'language', language: 'es' });
    await nodes.pass(20);
    expect(last(there, 'refused')).toMatchObject({ of: 'language', code: 'language-relay' });
    expect(there.session.told('moved')).toEqual([]);
    send(there, { type: 'language', language: null });
    await nodes.pass(20);
    expect(there.session.told('refused')).toHaveLength(1);
  });

  it('sends its listeners on when the home dies, and drops them when their node dies', async () => {
    const call = await create();
    const { nodes, home, other } = call;
    const far = await relayed(call);
    const stay = setStay(nodes, [call.ann, call.near]);
    home.bus.dead = true;
    await nodes.pass(1300);
    expect([far.session.closed?.code, other.relays.out.size]).toEqual([
      errors['room-reopened'].close,
      0,
    ]);
    // Listeners that a relay no longer reports are dropped.
    await nodes.pass(11_000);
    expect([call.room().publicView.listeners, home.relays.home.size]).toEqual([1, 0]);
    stay();
  });

  it('keeps its listeners when their node stands still for longer than a dead one', async () => {
    const call = await create();
    const { nodes, other } = call;
    const far = await relayed(call);
    other.bus.stand(true);
    nodes.clock.stall(1500);
    // Node.js runs the timers that are due before it reads messages.
    await nodes.pass(5);
    other.bus.stand(false);
    await nodes.pass(500);
    expect([far.session.closed, other.relays.out.size]).toEqual([null, 1]);
  });

  it('has its listeners back at once, though their network asks for many rooms', async () => {
    const call = await create({ idleTimeoutMs: 600_000 });
    const { nodes, other } = call;
    nodes.peer = '192.0.2.7:1';
    const far = await relayed(call);
    const { you, resume } = last(far, 'welcome');
    far.session.close(19, 'lost');
    for (let i = 0; i < 250; i++) {
      const session = new FakeSession(other.conference.transport);
      session.peer = nodes.peer;
      other.conference.arrivals.accept(session);
      const join = { type: 'join', version: 1, room: `r${i}`, name: 'x', streamKey: 'k' };
      session.handler?.control(join);
    }
    expect(last(await relayed(call, 'New'), 'refused').code).toBe('join-flood');
    expect(last(await relayed(call, 'Far', { resume }), 'welcome')).toMatchObject({ you });
  });

  it('takes its listeners itself when the nodes reach each other no more', async () => {
    const call = await create();
    const { nodes, home, other, ann, near } = call;
    const far = await relayed(call);
    const { resume } = last(far, 'welcome');
    const stay = setStay(nodes, [ann, near]);
    home.bus.state = 'lost';
    other.bus.state = 'lost';
    await nodes.pass(1300);
    expect(far.session.closed?.code).toBe(errors['room-reopened'].close);
    expect(last(await relayed(call, 'Far', { resume }), 'refused').code).toBe(
      'cluster-unreachable',
    );
    expect(last(await nodes.join(home, 'Far', { listen: true, resume }), 'welcome')).toMatchObject({
      role: 'listener',
      listeners: 2,
    });
    stay();
  });

  it('has its listeners go elsewhere when their node drains', async () => {
    const call = await create();
    const { nodes, home, other } = call;
    const third = nodes.add('c');
    await nodes.pass(300);
    const far = await relayed(call);
    other.conference.rooms.drain(30);
    other.relays.out.drain(other.cluster.nodes());
    const moved = last(far, 'moved');
    expect([moved.node, moved.nodes.length]).toEqual([null, 3]);
    await other.cluster.drain();
    await nodes.pass(300);
    const { resume } = last(far, 'welcome');
    expect(last(await nodes.join(home, 'Far', { listen: true, resume }), 'moved').node.id).toBe(
      third.id,
    );
    expect(last(await nodes.join(third, 'Far', { listen: true, resume }), 'welcome').you).toBe(
      last(far, 'welcome').you,
    );
  });

  it('mends what was lost on the way: an end, and a whole relay', async () => {
    const call = await create({ idleTimeoutMs: 6000 });
    const { nodes, home, other, near } = call;
    const stay = setStay(nodes, [near, call.ann]);
    const far = await relayed(call);
    other.bus.state = 'lost';
    far.session.close(0, 'left');
    await nodes.pass(5);
    other.bus.state = 'connected';
    expect(call.room().publicView.listeners).toBe(2);
    await nodes.pass(8000);
    expect(call.room().publicView.listeners).toBe(1);
    const again = await relayed(call, 'Again');
    home.bus.state = 'lost';
    call.room().rules.moderation.remove(last(again, 'welcome').you, {}, OPERATOR);
    await nodes.pass(5);
    home.bus.state = 'connected';
    expect(again.session.closed).toBe(null);
    await nodes.pass(6500);
    expect(again.session.closed?.code).toBe(errors['room-reopened'].close);
    stay();
  });

  it('learns that a listener has left behind a lost message, when another one comes', async () => {
    const call = await create();
    const { nodes, home, other } = call;
    const far = await relayed(call);
    other.bus.state = 'lost';
    send(far, { type: 'chat', text: 'lost' });
    await nodes.pass(5);
    other.bus.state = 'connected';
    far.session.close(0, 'left');
    await relayed(call, 'Again');
    expect([home.relays.home.size, call.room().publicView.listeners]).toEqual([1, 2]);
  });

  it('is relayed to uninvited people in a broadcast, to nobody with the stage’s key', async () => {
    const call = await create();
    const { nodes, home, other, ann } = call;
    send(ann, { type: 'moderate', action: 'broadcast', on: true });
    const { key } = last(ann, 'stage');
    const uninvited = await nodes.join(home, 'Guest');
    expect(last(uninvited, 'moved').node.id).toBe(other.id);
    const guest = await nodes.join(other, 'Guest');
    expect(last(guest, 'welcome')).toMatchObject({ role: 'listener', stride: 3 });
    const invited = await nodes.join(other, 'Bob', { stage: key });
    expect(last(invited, 'moved').node.id).toBe(home.id);
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    await nodes.talk(ann, first, first + 20);
    expect(framesOf(guest).frames.length).toBeGreaterThan(10);
  });

  it('begins as a broadcast with the first speaker, even through the other node', async () => {
    const { nodes, home, other } = await createNodes({ broadcast: true });
    const near = await nodes.join(home, 'Near', { listen: true });
    expect(last(await nodes.join(other, 'Ann'), 'moved').node.id).toBe(home.id);
    expect(near.session.told('room')).toEqual([]);
    expect(last(await nodes.join(home, 'Ann'), 'welcome')).toMatchObject({
      role: 'moderator',
      rules: { liveSeconds: 0 },
    });
    expect(last(near, 'room')).toMatchObject({ liveSeconds: 0 });
  });

  it("gives each frame's packet to one who reports loss", async () => {
    const call = await create();
    const { nodes, home, ann } = call;
    const far = await relayed(call);
    send(far, { type: 'report', lostPercent: 10 });
    await nodes.pass(50);
    expect(last(far, 'stride')).toEqual({ type: 'stride', stride: 1 });
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    const before = framesOf(far).packets;
    await nodes.talk(ann, first, first + 30);
    expect(framesOf(far).packets - before).toBeGreaterThan(25);
  });

  it('is as near there as a listener asks for', async () => {
    const call = await create();
    const { nodes, home, ann } = call;
    const far = await relayed(call, 'Far', { nearness: 'near' });
    const first = Math.floor(home.conference.sampleClock.now() / 960);
    const packets = async (/** @type {number} */ from) => {
      const before = framesOf(far).packets;
      await nodes.talk(ann, from, from + 30);
      return framesOf(far).packets - before;
    };
    // Each packet comes three times.
    expect(await packets(first)).toBeGreaterThan(22);
    send(far, { type: 'nearness', nearness: 'conversation' });
    expect(await packets(first + 40)).toBeLessThan(14);
    send(far, { type: 'nearness', nearness: 'far' });
    expect(far.session.closed).toBe(null);
  });

  it('drops what is no message of a home, and counts it', async () => {
    const call = await create();
    const { nodes, home, other } = call;
    const far = await relayed(call);
    await nodes.pass(200);
    const before = far.session.packets.length;
    const mix = 'aloud.test.room.lab.mix';
    home.bus.publishBytes(mix, new Uint8Array(0));
    home.bus.publishBytes(mix, new Uint8Array(400).fill(7));
    home.bus.publish(`aloud.test.node.${other.id}.relay-down`, {
      version: 2,
      room: 'lab',
      epoch: -1,
      answers: [],
    });
    home.bus.publish(`aloud.test.node.${other.id}.relay-down`, {
      version: 2,
      room: 'lab',
      epoch: 1,
      answers: [{ type: 'close', id: 1, code: 1, reason: '' }],
    });
    await nodes.pass(5);
    expect([
      other.relays.out.dropped,
      other.cluster.status.droppedMessages,
      far.session.closed,
    ]).toEqual([2, 3, null]);
    expect(far.session.packets.length).toBeLessThanOrEqual(before + 1);
  });

  it('is refused by a node that is full, which sends them to the home', async () => {
    const call = await create({ maxSessions: 5 });
    const far = [];
    for (let i = 0; i < 5; i++) far.push(await relayed(call, `F${i}`));
    expect(far.every((one) => last(one, 'welcome'))).toBe(true);
    const over = await relayed(call, 'Over');
    expect(last(over, 'moved').node.id).toBe(call.home.id);
    // There is no other node for them now: the owner admits them.
    await call.nodes.pass(400);
    const taken = await call.nodes.join(call.home, 'Over', { listen: true });
    expect(last(taken, 'welcome')).toBeDefined();
    expect(call.home.errors.concat(call.other.errors)).toEqual([]);
  });
});

/**
 * Keeps people there, who else would be lost for saying nothing.
 * @param {RelayingNodes} nodes
 * @param {Person[]} people
 */
function setStay(nodes, people) {
  let isOver = false;
  const request = new Uint8Array(4);
  writeClockRequest(request, 1);
  const next = () => {
    if (isOver) return;
    for (const { session } of people) session.handler?.packet(request, nodes.clock.now());
    nodes.clock.setTimeout(next, 500);
  };
  next();
  return () => void (isOver = true);
}

describe('a node that drains', () => {
  it('hands on the chat and the raised hands; hands raised later are behind them', async () => {
    const { nodes, home, other } = await createNodes();
    const people = [
      await nodes.join(home, 'Ann'),
      await nodes.join(home, 'Bob'),
      await nodes.join(home, 'Lea', { listen: true }),
    ];
    const [ann, bob, lea] = people;
    send(bob, { type: 'chat', text: 'hello' });
    send(ann, { type: 'chat', text: 'good day' });
    send(lea, { type: 'hand', raised: true });
    send(bob, { type: 'hand', raised: true });
    send(ann, { type: 'hand', raised: true });
    send(ann, { type: 'hand', raised: false });
    await nodes.pass(600);
    void home.cluster.drain();
    await nodes.pass(300);
    expect(other.cluster.isHere('lab')).toBe(true);
    const moved = [];
    for (const person of people) {
      const { resume } = last(person, 'resume') ?? last(person, 'welcome');
      moved.push(await nodes.join(other, 'anybody', { resume }));
    }
    await nodes.pass(600);
    for (const person of moved)
      expect(last(person, 'welcome').chat).toMatchObject([
        { number: 1, name: 'Bob', text: 'hello' },
        { number: 2, name: 'Ann', text: 'good day' },
      ]);
    expect(last(moved[0], 'hands')).toMatchObject({ count: 1, people: [{ label: 'Lea' }] });
    const handOf = (/** @type {string} */ name) =>
      /** @type {any} */ (other.conference.rooms.get('lab'))
        .describe()
        .people.find((/** @type {any} */ one) => one.name === name)?.hand;
    send(moved[0], { type: 'hand', raised: true });
    expect(handOf('Bob')).toBeGreaterThan(0);
    expect(handOf('Ann')).toBeGreaterThan(handOf('Bob'));
    send(moved[0], { type: 'chat', text: 'here' });
    expect(last(moved[0], 'chat').message.number).toBe(3);
  });
});
