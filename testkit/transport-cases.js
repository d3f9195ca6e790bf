/**
 * The cases that every transport is held to, over real sockets, and helpers of its tests.
 *
 * @import { Accept, Session, Transport } from '../server/session/session.js'
 *
 * @typedef {object} Heard
 * @property {Session} session
 * @property {Uint8Array[]} packets
 * @property {any[]} messages
 * @property {{ code: number, reason: string }[]} closed The other end of a session, as a test
 *   drives it. The number of an end is errors[code].close.
 * @typedef {object} Peer
 * @property {Uint8Array[]} packets
 * @property {any[]} messages
 * @property {Promise<number>} ended
 * @property {(...packets: Uint8Array[]) => void} send
 * @property {(message: object) => void} sendControl
 * @property {(code: number) => void} close
 * @property {() => void} vanish without closing
 * @typedef {object} Setup
 * @property {Transport} transport
 * @property {Heard[]} heard
 * @property {import('./fake-clock.js').FakeClock} clock
 * @property {string[]} errors  logged lines
 * @property {() => Promise<Peer>} connect
 * @property {() => Promise<void>} close
 * @typedef {object} Options
 * @property {number} [maxSessions]
 * @property {number} [idleTimeoutMs]
 * @property {(session: Session) => void} [onAccept]
 */

import { expect, it, onTestFinished } from 'vitest';
import { errors } from '../public/shared/errors.js';
import { MAX_PACKET_BYTES } from '../public/shared/wire/packet.js';
import { FakeClock } from './fake-clock.js';
import { prepareControl } from '../server/session/session.js';
import { seededRandom } from './random.js';
import { logTo } from './log-lines.js';

export const IDLE_TIMEOUT_MS = 10_000;

/**
 * @template {{ close: () => unknown }} T
 * @param {T} owner closed after the test
 */
export function closeAfter(owner) {
  onTestFinished(async () => void (await owner.close()));
  return owner;
}

/** @param {() => unknown} look @param {number} [limitMs] */
export async function until(look, limitMs = 15_000) {
  const end = performance.now() + limitMs;
  while (!look()) {
    if (performance.now() > end) throw new Error(`still not after ${limitMs} ms: ${look}`);
    await pause(2);
  }
}

/** @param {number} ms */
export const pause = (ms) => new Promise((resolve) => void setTimeout(resolve, ms));

/** @param {number} length @param {number} [seed] */
export function packetOf(length, seed = 1) {
  const next = seededRandom(seed * 7919 + length);
  return Uint8Array.from({ length }, () => next() * 256);
}

/**
 * An `accept` for a transport: it hears everything, answers each packet with the same, each message
 * with {type: 'echo', of: it}.
 * @param {Options} [options]
 */
export function script({ onAccept = () => {}, ...options } = {}) {
  /** @type {Heard[]} */
  const heard = [];
  /** @type {string[]} */
  const logged = [];
  const clock = new FakeClock();
  /** @type {Accept} */
  const accept = (session) => {
    /** @type {Heard} */
    const one = { session, packets: [], messages: [], closed: [] };
    heard.push(one);
    session.handler = {
      packet: (bytes) => {
        one.packets.push(Uint8Array.from(bytes));
        session.send(bytes);
      },
      control: (message) => {
        one.messages.push(message);
        session.sendControl(prepareControl({ type: 'echo', of: message }));
      },
      closed: (code, reason) => one.closed.push({ code, reason }),
    };
    onAccept(session);
  };
  return {
    heard,
    errors: logged,
    clock,
    options: {
      accept,
      clock,
      log: logTo(logged),
      maxSessions: 1000,
      idleTimeoutMs: IDLE_TIMEOUT_MS,
      ...options,
    },
  };
}

/**
 * The same assertions for every transport.
 * @param {(options?: Options) => Promise<Setup>} start
 */
export function sharedCases(start) {
  /** @param {Options} [options] */
  const connected = async (options) => {
    const setup = closeAfter(await start(options));
    const peer = await setup.connect();
    await until(() => setup.heard.length > 0);
    return { ...setup, peer, one: setup.heard[0] };
  };

  it('carries packets both ways, of every length', async () => {
    const { peer, one } = await connected();
    const sent = [1, 2, 125, 126, 127, 600, 1150].map((length) => packetOf(length));
    for (const [i, packet] of sent.entries()) {
      peer.send(packet);
      await until(() => peer.packets.length === i + 1);
    }
    expect(one.packets).toEqual(sent);
    expect(peer.packets.map((packet) => Uint8Array.from(packet))).toEqual(sent);
  });

  it('lets the bytes of a packet be used again at once', async () => {
    const { peer, one } = await connected();
    const bytes = new Uint8Array(8);
    /** @type {NonNullable<Session['handler']>} */ (one.session.handler).packet = () => {
      for (let i = 0; i < 4; i++) {
        bytes.fill(i);
        one.session.send(bytes);
      }
      bytes.fill(99);
    };
    peer.send(packetOf(3));
    await until(() => peer.packets.length === 4);
    expect(peer.packets.map(([first]) => first).sort()).toEqual([0, 1, 2, 3]);
  });

  it('carries control messages both ways, in order', async () => {
    const { peer, one } = await connected();
    const before = one.messages.length;
    const sent = Array.from({ length: 60 }, (_, i) => ({
      type: 'mute',
      i,
      text: 'é\n"'.repeat(i),
    }));
    for (const message of sent) peer.sendControl(message);
    await until(() => peer.messages.filter(({ of }) => of?.type === 'mute').length === 60);
    expect(one.messages.slice(before)).toEqual(sent);
    expect(peer.messages.map(({ of }) => of).filter((of) => of?.type === 'mute')).toEqual(sent);
  });

  it('carries one prepared control message to many sessions, in order with others', async () => {
    const { connect, heard } = closeAfter(await start());
    const peers = await Promise.all(Array.from({ length: 5 }, () => connect()));
    for (const peer of peers) peer.sendControl({ type: 'x' });
    await until(() => peers.every(({ messages }) => messages.some(({ of }) => of?.type === 'x')));
    const told = { type: 'told', text: 'é\n"' };
    let writings = 0;
    const prepared = prepareControl({ toJSON: () => ((writings += 1), told) });
    for (const { session } of heard) {
      for (const message of [{ type: 'before' }, prepared, prepared, { type: 'after' }])
        session.sendControl(prepareControl(message));
    }
    await until(() => peers.every(({ messages }) => messages.at(-1)?.type === 'after'));
    for (const { messages } of peers)
      expect(messages.slice(-4)).toEqual([{ type: 'before' }, told, told, { type: 'after' }]);
    expect(writings).toBe(1);
  });

  it('drops and counts a packet to the peer that is too long', async () => {
    const { one, peer } = await connected();
    /** @type {boolean[]} */
    const results = [];
    /** @type {NonNullable<Session['handler']>} */ (one.session.handler).packet = () => {
      results.push(one.session.send(packetOf(MAX_PACKET_BYTES + 1)), one.session.send(packetOf(5)));
    };
    peer.send(packetOf(1));
    await until(() => peer.packets.length === 1);
    expect(results).toEqual([false, true]);
    expect(one.session.stats().droppedOut).toBe(1);
    expect(peer.packets[0]).toHaveLength(5);
  });

  it('passes garbage on, and goes on', async () => {
    const { peer, one } = await connected();
    const sent = Array.from({ length: 40 }, (_, i) =>
      packetOf(1 + i * 7, i).fill(0xe0 + (i % 8), 0, 1),
    );
    for (const packet of sent) peer.send(packet);
    await until(() => one.packets.length === 40);
    expect(one.closed).toEqual([]);
  });

  it('tells the peer why the server closes, and the handler once', async () => {
    const { peer, one } = await connected();
    one.session.close(errors['room-full'].close, errors['room-full'].message);
    one.session.close(0, 'again');
    peer.send(packetOf(2));
    expect(await peer.ended).toBe(errors['room-full'].close);
    await pause(20);
    expect(one.closed).toEqual([
      { code: errors['room-full'].close, reason: errors['room-full'].message },
    ]);
    expect(one.session.send(packetOf(2))).toBe(false);
    one.session.sendControl(prepareControl({ type: 'late' }));
    expect(one.packets).toEqual([]);
  });

  it('tells the handler that the peer left', async () => {
    const { peer, one } = await connected();
    peer.close(0);
    await until(() => one.closed.length > 0);
    expect(one.closed).toEqual([{ code: 0, reason: expect.any(String) }]);
  });

  it('ends a session whose handler fails, and no other', async () => {
    const { peer, one, connect, heard, errors: logged } = await connected();
    const other = await connect();
    await until(() => heard.length === 2);
    /** @type {NonNullable<Session['handler']>} */ (one.session.handler).packet = () => {
      throw new Error('a mistake');
    };
    peer.send(packetOf(4));
    expect(await peer.ended).toBe(errors.internal.close);
    expect(logged.join()).toContain('a mistake');
    other.send(packetOf(4));
    await until(() => other.packets.length === 1);
  });

  it('refuses more sessions than it may have, until one ends', async () => {
    const { peer, one, connect, heard } = await connected({ maxSessions: 1 });
    const refused = await connect();
    expect(await refused.ended).toBe(errors['server-full'].close);
    expect(heard).toHaveLength(1);
    peer.close(0);
    await until(() => one.closed.length > 0);
    await connect();
    await until(() => heard.length === 2);
  });

  it('ends a session of which nothing is heard, within the idle timeout', async () => {
    const { connect, heard, clock } = closeAfter(await start());
    // Between two looks at it.
    clock.advance(100);
    await connect();
    await until(() => heard.length === 1);
    const [one] = heard;
    for (let i = 0; i < 5; i++) clock.advance(IDLE_TIMEOUT_MS / 10);
    expect(one.closed).toEqual([]);
    for (let i = 0; i < 5; i++) clock.advance(IDLE_TIMEOUT_MS / 10);
    expect(one.closed).toEqual([
      { code: errors['idle-timeout'].close, reason: errors['idle-timeout'].message },
    ]);
  });

  it('keeps a session while the server stands still, and ends it if it stays silent', async () => {
    const { connect, heard, clock } = closeAfter(await start());
    await connect();
    await until(() => heard.length === 1);
    const [one] = heard;
    clock.advance(IDLE_TIMEOUT_MS / 4);
    clock.stall(2 * IDLE_TIMEOUT_MS);
    clock.advance(IDLE_TIMEOUT_MS / 4);
    expect(one.closed).toEqual([]);
    clock.advance(IDLE_TIMEOUT_MS);
    expect(one.closed.map(({ code }) => code)).toEqual([errors['idle-timeout'].close]);
  });

  it('keeps a hundred sessions apart', async () => {
    const { connect, heard } = closeAfter(await start());
    const peers = await Promise.all(Array.from({ length: 100 }, () => connect()));
    for (let round = 0; round < 3; round++) {
      for (const [i, peer] of peers.entries()) peer.send(Uint8Array.of(1, i, round));
      await until(() => peers.every(({ packets }) => packets.length === round + 1));
    }
    for (const [i, peer] of peers.entries())
      expect(peer.packets.map((packet) => packet[1])).toEqual([i, i, i]);
    expect(heard).toHaveLength(100);
  });

  it('closes everything, twice if asked, and leaves nothing behind', async () => {
    const { transport, peer, one, clock, close } = await connected();
    await Promise.all([transport.close(), transport.close()]);
    expect(one.closed).toEqual([
      { code: errors['server-closing'].close, reason: errors['server-closing'].message },
    ]);
    expect(await peer.ended).toBe(errors['server-closing'].close);
    expect(clock.waiting).toBe(0);
    await close();
  });
}
