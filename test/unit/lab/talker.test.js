import { setImmediate } from 'node:timers/promises';
import { describe, expect, it } from 'vitest';
import { connect } from '../../../public/client/connection/choose.js';
import { ProbeTalker } from '../../../public/lab/runs/talker.js';
import { Conference } from '../../fakes/conference.js';
import { conferenceSockets } from '../../fakes/conference-socket.js';

/** A talker in a conference on a fake clock, and what it has reported. */
async function setUp() {
  const conference = new Conference();
  const { clock } = conference;
  const seen = {
    /** @type {number[]} */ started: [],
    /** @type {{ frame: number, atMs: number, bytes: number }[]} */ sent: [],
    /** @type {number[]} */ heard: [],
    /** @type {string[]} */ closed: [],
  };
  const talker = new ProbeTalker({
    clock,
    level: 20,
    on: {
      onStart: (frame) => void seen.started.push(frame),
      onSent: (frame, atMs, bytes) => void seen.sent.push({ frame, atMs, bytes }),
      onAudio: (frame) => void seen.heard.push(frame),
      onClosed: (code) => void seen.closed.push(code),
    },
  });
  const pass = async (/** @type {number} */ ms, step = 5) => {
    for (let i = 0; i < ms; i += step) {
      await setImmediate();
      clock.advance(step);
      while (seen.started.length > 0 && talker.dueMs <= clock.now()) talker.send();
    }
  };
  const joined = talker.join(async (handler, prove) => {
    const { connection } = await connect({
      transport: 'websocket',
      origin: 'http://localhost',
      config: { transports: { websocket: { path: '/session' } } },
      clock,
      scope: { WebSocket: /** @type {any} */ (conferenceSockets(conference)) },
      message: { type: 'join', version: 1, room: 'tea', name: 'Ada', delivery: 'reply' },
      handler,
      asks: () => true,
      prove,
    });
    return connection;
  });
  await pass(2000);
  await joined;
  return { conference, talker, seen, pass };
}

describe('a talker', () => {
  it('sends each frame once, when it ends, and reports the answers', async () => {
    const { talker, seen, pass } = await setUp();
    talker.start();
    await pass(1000);
    const [first] = seen.sent;
    expect(seen.started).toEqual([first.frame]);
    expect(seen.sent.map(({ frame }) => frame)).toEqual(seen.sent.map((_, i) => first.frame + i));
    for (const { frame, atMs } of seen.sent) {
      const lateMs = atMs - talker.msAt(frame + 1);
      expect(lateMs > -0.01 && lateMs < 5.01).toBe(true);
    }
    expect(seen.sent.length - seen.heard.length).toBeLessThan(3);
    expect(seen.heard).toEqual(seen.sent.slice(0, seen.heard.length).map(({ frame }) => frame));
    talker.close();
  });

  it('sends silence until it speaks', async () => {
    const { talker, seen, pass } = await setUp();
    talker.start();
    await pass(100);
    const silent = seen.sent.at(-1)?.bytes ?? 0;
    talker.speak([new Uint8Array(40)]);
    await pass(100);
    expect(seen.sent.at(-1)?.bytes).toBeGreaterThan(silent + 30);
    talker.close();
  });

  it('goes on with the current frame after it was suspended', async () => {
    const { talker, seen, pass } = await setUp();
    talker.start();
    await pass(200);
    const before = seen.sent.length;
    await pass(4000, 4000);
    expect(seen.started).toHaveLength(2);
    expect(seen.sent.length - before).toBeLessThan(4);
    expect(seen.started[1] - seen.started[0]).toBeGreaterThan(200);
    talker.close();
  });

  it('leaves once, and reports nothing of that', async () => {
    const { conference, talker, seen, pass } = await setUp();
    talker.close();
    talker.close();
    await pass(2000);
    expect(conference.rooms.size).toBe(0);
    expect(seen.closed).toEqual([]);
  });
});
