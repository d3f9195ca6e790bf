import { describe, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { awaitJoin, WorkerLinks } from '../../../server/host/linker.js';
import { createRing, RingReader, RingWriter } from '../../../server/host/ring.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { FakeSession } from '../../fakes/fake-session.js';

const transport = () => ({
  name: /** @type {const} */ ('websocket'),
  replyOnly: false,
  sendMany: (/** @type {any[]} */ sessions, /** @type {Uint8Array} */ bytes) =>
    sessions.forEach((session) => session.send(bytes)),
  close: async () => {},
});

/**
 * The main thread's links, and what a worker would see of them.
 * @param {number} [bytes] of each ring
 */
function open(bytes = 4096) {
  const rings = { toWorker: createRing(bytes), toFront: createRing(bytes) };
  const clock = new FakeClock();
  const posted = /** @type {any[]} */ ([]);
  const links = new WorkerLinks({ rings, clock, post: (message) => void posted.push(message) });
  const seen = /** @type {string[]} */ ([]);
  const reader = new RingReader(rings.toWorker, {
    packet: (ids, _count, packet) => void seen.push(`${ids[0]} ${Buffer.from(packet)}`),
    mark: (id) => void seen.push(`mark ${id}`),
  });
  const session = new FakeSession(transport());
  links.link(session, { type: 'join' });
  return {
    clock,
    posted,
    links,
    seen,
    session,
    poll: () => reader.poll(),
    writer: new RingWriter(rings.toFront),
  };
}

const turn = () => new Promise((resolve) => void setImmediate(resolve));

describe('a session that waits to be linked', () => {
  it('is linked to its room on its first message, and refused if none comes in time', () => {
    const clock = new FakeClock();
    const brought = /** @type {unknown[]} */ ([]);
    const lines = /** @type {unknown[]} */ ([]);
    const log = {
      error: () => {},
      info: (/** @type {unknown} */ fields) => void lines.push(fields),
    };
    const [first, silent] = [new FakeSession(transport(), log), new FakeSession(transport(), log)];
    for (const session of [first, silent])
      awaitJoin(session, clock, (_session, message) => void brought.push(message));
    first.handler?.packet(Uint8Array.of(1), 0);
    first.handler?.control({ type: 'join', room: 'tea' });
    clock.advance(10_000);
    expect(brought).toEqual([{ type: 'join', room: 'tea' }]);
    expect([first.closed, silent.closed?.code]).toEqual([null, errors['join-timeout'].close]);
    expect(lines).toEqual([
      { event: 'join-refused', code: 'join-timeout', room: undefined, peer: silent.peer },
    ]);
  });
});

describe('linked sessions', () => {
  it('have packets go through the ring, and the rest as messages, in order', () => {
    const { posted, session, seen, poll, links } = open();
    session.handler?.packet(Buffer.from('sound'), 5);
    session.handler?.control({ type: 'chat', text: 'hello' });
    session.handler?.settle?.(() => seen.push('settled'));
    poll();
    expect(seen).toEqual(['1 sound', 'mark 1']);
    links.take([{ type: 'mark', id: 1 }]);
    expect(seen.at(-1)).toBe('settled');
    session.handler?.closed(0, 'left');
    expect(posted.map(({ type }) => type)).toEqual(['link', 'control', 'unlink']);
    links.close('server-closing');
  });

  it('are sent what the worker writes, alone or together, and told what it tells', async () => {
    const { links, session, writer } = open();
    const other = new FakeSession(session.transport);
    links.link(other, { type: 'join' });
    writer.write(1, Buffer.from('one'), 0);
    writer.writeFor(Uint32Array.of(1, 2, 77), 3, Buffer.from('all'), 0);
    await turn();
    await turn();
    expect(
      [session, other].map(({ packets }) =>
        packets.map((/** @type {Uint8Array} */ bytes) => Buffer.from(bytes).toString()),
      ),
    ).toEqual([['one', 'all'], ['all']]);
    links.take([
      { type: 'tell', ids: [1, 2], message: { type: 'draining', seconds: 9 } },
      { type: 'close', id: 2, code: 3, reason: 'bye' },
      { type: 'tell', ids: [2, 9], message: { type: 'late' } },
    ]);
    expect(session.messages.at(-1)).toEqual({ type: 'draining', seconds: 9 });
    expect(other.closed).toEqual({ code: 3, reason: 'bye' });
    links.close('server-closing');
  });

  it('count a full ring’s drops, and report them to the worker', () => {
    const { clock, posted, session, links } = open(256);
    for (let i = 0; i < 100; i++) session.handler?.packet(new Uint8Array(50), 0);
    clock.advance(1000);
    const { stats } = posted.findLast(({ type }) => type === 'link-stats');
    expect(stats.droppedIn).toBeGreaterThan(90);
    links.close('server-closing');
  });

  it('are asked to return when the worker has ended, and nobody waits', () => {
    const { clock, session, links } = open();
    let settled = 0;
    session.handler?.settle?.(() => (settled += 1));
    links.close('room-reopened');
    expect([session.closed?.code, settled, clock.waiting]).toEqual([
      errors['room-reopened'].close,
      1,
      0,
    ]);
  });
});
