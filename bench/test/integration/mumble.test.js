/** A client of Mumble's server, and the server as the lab starts it, over loopback. */

import { existsSync } from 'node:fs';
import { setTimeout } from 'node:timers/promises';
import { afterEach, expect, it } from 'vitest';
import { MumbleClient } from '../../peers/mumble-client.js';
import { Child } from '../../../testkit/participants/child.js';
import { lackOfMurmurd, MUMBLE, Murmurd, MURMURD } from '../../peers/murmurd.js';
import { ofTheMachine, requireOrSkip } from '../../../testkit/skip.js';

const host = '127.0.0.1';
const FRAMES = 50;
const FRAME_MS = 20;

/** Payloads as long as those of speech, no two alike. */
const payloads = Array.from({ length: FRAMES }, (_, i) =>
  Uint8Array.from({ length: 90 + i }, (__, j) => i + j),
);

const lack = lackOfMurmurd();

requireOrSkip(lack === null, String(lack), ofTheMachine).describe("Mumble's server", () => {
  /** @type {(() => unknown)[]} */
  const ending = [];

  afterEach(async () => {
    for (const end of ending.splice(0).reverse()) await end();
  });

  const join = async (/** @type {number} */ port, /** @type {string} */ name) => {
    const client = await MumbleClient.join({ host, port, name });
    ending.push(() => client.close());
    return client;
  };

  it('passes on what one says to the other, over UDP', async () => {
    const murmurd = await Murmurd.start({ host, users: 2 });
    ending.push(() => murmurd.stop());
    const [talker, listener] = [
      await join(murmurd.port, 'talker'),
      await join(murmurd.port, 'listener'),
    ];
    /** @type {any[]} */
    const heard = [];
    listener.onVoice = (voice) => void heard.push(voice);
    for (const [frame, payload] of payloads.entries()) {
      talker.speak(2 * frame, payload);
      await setTimeout(FRAME_MS);
    }
    await expect.poll(() => heard.length).toBeGreaterThanOrEqual(0.8 * FRAMES);
    for (const { session, sequence, payload } of heard) {
      expect(session).toBe(talker.session);
      expect(Buffer.compare(payload, payloads[sequence / 2])).toBe(0);
    }
    expect(listener.received).toBe(heard.length);
    expect(talker.received).toBe(0);
    expect(murmurd.cpuMs).toBeGreaterThan(0);
    await expect(join(murmurd.port, 'a third')).rejects.toThrow(/a third.*refuses/);
  });

  it('is measured with a room of clients, each of whom hears the others that talk', async () => {
    const [server, clients] = [new Child(MURMURD, []), new Child(MUMBLE, [])];
    ending.push(
      () => server.close(),
      () => clients.close(),
    );
    const { port } = await server.call('start', { host, users: 4 });
    const people = Array.from({ length: 4 }, (_, i) => ({ id: `P${i}`, talks: i < 2 }));
    await clients.call('joinAll', { host, port, people });
    await server.call('begin');
    await clients.call('note');
    await setTimeout(1000);
    const notes = await clients.call('take');
    const { cpuPercent } = await server.call('collect');
    expect(cpuPercent).toBeGreaterThan(0);
    expect(notes.people.map((/** @type {any} */ { talks }) => talks)).toEqual([
      true,
      true,
      false,
      false,
    ]);
    for (const { talks, received, expected, bytes } of notes.people) {
      expect(expected).toBeGreaterThan(talks ? 30 : 60);
      expect(received).toBeGreaterThan(0.8 * expected);
      expect(bytes).toBeGreaterThan(20 * received);
    }
    await server.close();
    expect(existsSync(`/proc/${server.pid}`)).toBe(false);
    await expect
      .poll(() => clients.call('take').catch(({ message }) => message))
      .toMatch(/P\d: the server closed the connection/);
  });
});
