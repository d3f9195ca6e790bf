/**
 * A room larger than its node: three nodes of aloud in processes of their own, on three NATS
 * servers. One listener is at the room's own node, later ones at another.
 */

import { setTimeout as pause } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { afterAll, afterEach, beforeAll, expect, it, vi } from 'vitest';
import {
  heardAgain,
  LocalCluster,
  longestGapMs,
  withoutPauses,
} from '../../testkit/local-cluster.js';
import { Headless } from '../../testkit/participants/headless.js';
import { readWav } from '../../testkit/sound/wav.js';
import { endAll, findNats } from '../../deploy/cluster-processes.js';
import { Packet, PacketType, readPacket, Stream } from '../../public/shared/wire/packet.js';
import { loadCodec } from '../../server/codec/codec.js';
import { WITH_PLUGIN } from '../../testkit/plugin.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { undisturbed } from '../../testkit/undisturbed.js';
import { askOperator, WITH_OPERATOR } from '../support/operator.js';

const nats = findNats();
const codec = await loadCodec('libopus-wasm');
const [recorded] = (await readWav(new URL('../../testkit/speech/speech-low.wav', import.meta.url)))
  .channels;
const speech = withoutPauses(recorded);

const cluster = new LocalCluster({
  argv: [...WITH_PLUGIN, '--relay-from', '1', ...WITH_OPERATOR],
});
/** @type {Headless[]} */
const people = [];

/**
 * @param {string} origin
 * @param {string} room
 * @param {string} name
 * @param {{ speech?: Float32Array, listen?: boolean }} [options]
 */
async function join(origin, room, name, { listen = false, ...options } = {}) {
  const came = new Came();
  const headless = Object.assign(
    new Headless({ codec, lasting: true, recordSeconds: 60, tap: came, ...options }),
    { came },
  );
  people.push(headless);
  await headless.join({
    origin,
    room,
    name,
    transport: isBuilt() ? 'webtransport' : 'websocket',
    ...(listen && { listen }),
  });
  return headless;
}

/**
 * Lateness of a listener's frames over WebTransport, relative to the earliest one.
 */
class Came {
  #packet = new Packet();
  #earliestMs = Infinity;
  /** By frame. @type {Map<number, number>} */
  late = new Map();
  /** The streams of packets, as they came, without repetitions. @type {number[]} */
  streams = [];

  sent() {}

  /** @param {Uint8Array} bytes @param {number} arrivalMs */
  received(bytes, arrivalMs) {
    const packet = this.#packet;
    if (readPacket(bytes, packet) !== null || packet.type !== PacketType.audio) return;
    if (packet.stream !== this.streams.at(-1)) this.streams.push(packet.stream);
    this.#earliestMs = Math.min(this.#earliestMs, arrivalMs - packet.frame * 20);
    const lateMs = arrivalMs - packet.frame * 20 - this.#earliestMs;
    for (let r = 0; r <= packet.redundancy; r++)
      if (packet.payloadBytes[r] > 0 && !this.late.has(packet.frame - r))
        this.late.set(packet.frame - r, lateMs);
  }

  get last() {
    return Math.max(...this.late.keys());
  }
}

/** Number of listeners at each relaying node, by the node's number. */
async function relayedTo() {
  /** @type {Record<number, number>} */
  const found = {};
  for (const { number, url } of cluster.nodes.values())
    found[number] = (await askOperator(url, 'GET', '/status')).answer.cluster.relayListeners;
  return found;
}

/** A speaker, a listener at their node, and one at another. @param {string} room */
async function call(room) {
  const [{ url }] = cluster.nodes.values();
  const speaker = await join(url, room, 'Spe', { speech });
  const near = await join(url, room, 'Near', { listen: true });
  const far = await join(url, room, 'Far', { listen: true });
  const owner = await cluster.ownerOf(room);
  const counts = await relayedTo();
  expect(Object.values(counts).reduce((sum, count) => sum + count, 0)).toBe(1);
  expect(counts[owner.number]).toBe(0);
  await vi.waitFor(() => {
    expect(far.recorded).toBeGreaterThan(700 * 48);
    expect(longestGapMs(lately(far, 500))).toBeLessThan(100);
  });
  return { speaker, near, far, owner };
}

/** The NATS server that a node uses, as it says itself. @param {{ output: () => string }} node */
function natsOf({ output }) {
  const lines = output().matchAll(/"nats-(?:connected|switched|reconnected)".* server=\S+:(\d+)"/g);
  const port = [...lines].at(-1)?.[1] ?? '';
  return /** @type {import('node:child_process').ChildProcess} */ (
    cluster.natsServers.find(({ spawnargs }) => spawnargs.includes(port))
  );
}

const lately = (/** @type {Headless} */ { recording, recorded: end }, /** @type {number} */ ms) =>
  recording.subarray(Math.max(0, end - ms * 48), end);

/**
 * A part of what was heard in the last 1.5 s.
 * @param {Headless} listener
 * @param {number} part 0 to 2
 */
const partOf = (listener, part) =>
  lately(listener, 1500).subarray(part * 24_000, (part + 1) * 24_000);

async function allLeave() {
  await Promise.all(people.splice(0).map((one) => one.close()));
}

/** Starts again what was ended. */
async function mend() {
  await allLeave();
  await cluster.mendNats();
  for (const number of [1, 2, 3]) if (!cluster.nodes.has(number)) await cluster.startNode(number);
  await cluster.settle(3);
  // Each node has a second connection to NATS again.
  await pause(2500);
}

/**
 * The lag of one sound behind another at which they are most alike, and how alike they are then.
 * @param {Float32Array} one
 * @param {Float32Array} other
 * @param {number} mostMs
 */
function alike(one, other, mostMs) {
  const most = mostMs * 48;
  const [from, length] = [most, Math.min(one.length, other.length) - 2 * most];
  let best = { lagMs: 0, correlation: -1 };
  for (let lag = -most; lag <= most; lag += 8) {
    let [sum, ofOne, ofOther] = [0, 0, 0];
    for (let i = from; i < from + length; i += 4) {
      sum += one[i] * other[i + lag];
      ofOne += one[i] ** 2;
      ofOther += other[i + lag] ** 2;
    }
    const correlation = sum / Math.sqrt(ofOne * ofOther || 1);
    if (correlation > best.correlation) best = { lagMs: lag / 48, correlation };
  }
  return best;
}

requireOrSkip(nats !== null, 'nats-server is not installed').describe(
  'a room that is larger than its node',
  () => {
    beforeAll(() => cluster.start(/** @type {string} */ (nats), { natsServers: 3 }));
    afterEach(allLeave);
    afterAll(() => cluster.close());

    it('is heard at another node as at its own, by its clock, and is counted as one', async () => {
      await undisturbed(async () => {
        const { near, far, owner } = await call('hall');
        await pause(1500);
        // Where playout stretches sound in one of them, a part of it is unlike the other's, as in
        // the first seconds.
        await vi.waitFor(
          () => {
            const parts = [0, 1, 2].map((part) =>
              alike(partOf(near, part), partOf(far, part), 120),
            );
            const { lagMs, correlation } = parts.toSorted(
              (one, other) => other.correlation - one.correlation,
            )[0];
            expect(correlation).toBeGreaterThan(0.8);
            expect(Math.abs(lagMs)).toBeLessThan(120);
          },
          { interval: 300 },
        );
        const [one, other] = [near.stats(), far.stats()];
        expect([one?.transport, other?.transport]).toEqual([near.transport, far.transport]);
        const { answer } = await askOperator(owner.url, 'GET', '/rooms/hall');
        expect([answer.present, answer.listeners]).toEqual([3, 2]);
      }, allLeave);
    });

    if (isBuilt())
      it('is a broadcast at another node too, where each has the rate they ask for', async () => {
        await undisturbed(async () => {
          const [{ url }] = cluster.nodes.values();
          const speaker = await join(url, 'live', 'Spe', { speech });
          const owner = await cluster.ownerOf('live');
          expect(
            (await askOperator(owner.url, 'PATCH', '/rooms/live', { broadcast: true })).status,
          ).toBe(200);
          await join(url, 'live', 'Near', { listen: true });
          const relay = /** @type {any} */ (
            [...cluster.nodes.values()].find((node) => node !== owner)
          );
          const [high, low] = [
            await join(relay.url, 'live', 'High', { listen: true }),
            await join(relay.url, 'live', 'Low', { listen: true }),
          ];
          expect(Object.values(await relayedTo()).toSorted()).toEqual([0, 0, 2]);
          low.sendControl({ type: 'rate', bitsPerSecond: 16_000 });
          await vi.waitFor(() =>
            expect([high.came.streams.at(-1), low.came.streams.at(-1)]).toEqual([
              Stream.layers + 2,
              Stream.layers,
            ]),
          );
          const before = [high, low].map((one) => Number(one.stats()?.bytes.down));
          await pause(1000);
          const [highKbps, lowKbps] = [high, low].map(
            (one, i) => (8 * (Number(one.stats()?.bytes.down) - before[i])) / 1000,
          );
          expect(highKbps).toBeGreaterThan(50);
          expect(lowKbps).toBeLessThan(0.6 * highKbps);
          expect(longestGapMs(lately(low, 800))).toBeLessThan(100);
          expect(speaker.ended).toBe(null);
        }, allLeave);
      });

    it('has one who may speak come to its node, who hears the room all the way', async () => {
      await undisturbed(async () => {
        const { speaker, near, far, owner } = await call('stage');
        // The operator asks whichever node.
        const [{ url }] = [...cluster.nodes.values()].filter((node) => node !== owner);
        expect((await askOperator(url, 'GET', '/rooms')).answer.rooms).toMatchObject([
          { room: 'stage', present: 3, node: { url: owner.url } },
        ]);
        const id = (await askOperator(url, 'GET', '/rooms/stage/listeners')).answer.people.find(
          (/** @type {any} */ { name }) => name === 'Far',
        ).id;
        expect(
          (await askOperator(url, 'PATCH', `/rooms/stage/people/${id}`, { role: 'speaker' }))
            .status,
        ).toBe(204);
        const from = far.recorded;
        await vi.waitFor(
          async () =>
            expect((await askOperator(owner.url, 'GET', '/rooms/stage')).answer).toMatchObject({
              present: 3,
              listeners: 1,
            }),
          { interval: 20 },
        );
        // Longer than the session at the relay is kept.
        await pause(1500);
        // The relay is heard until there is sound from the owner.
        expect(longestGapMs(far.recording.subarray(from, far.recorded))).toBeLessThan(60);
        expect([far.ended, near.ended, far.states.includes('away')]).toEqual([null, null, false]);
        expect(speaker.people.map(({ name }) => name).toSorted()).toEqual(['Far', 'Spe']);
        expect(Object.values(await relayedTo()).every((count) => count === 0)).toBe(true);
      }, allLeave);
    });

    it('loses nothing at a relay if NATS servers die, and recovers if its node dies', async () => {
      await undisturbed(async () => {
        const { near, far, owner } = await call('fall');
        const counts = await relayedTo();
        const relay = /** @type {any} */ (
          [...cluster.nodes.values()].find(({ number }) => counts[number] === 1)
        );
        const from = [near.recorded, far.recorded];
        const first = near.came.last;
        // The relay's, and then its owner's, which may have been the same one.
        for (const node of [relay, owner]) {
          await endAll([natsOf(node)]);
          await pause(700);
        }
        if (isBuilt()) {
          // Each frame that the other listener was sent, and hardly later: what was on its way is
          // sent again.
          const frames = [...near.came.late.keys()].filter(
            (frame) => frame >= first && frame <= near.came.last - 10,
          );
          expect(frames.length).toBeGreaterThan(10);
          expect(frames.filter((frame) => !far.came.late.has(frame))).toEqual([]);
          expect(
            Math.max(
              ...frames.map(
                (frame) => Number(far.came.late.get(frame)) - Number(near.came.late.get(frame)),
              ),
            ),
          ).toBeLessThan(200);
        }
        const [nearMs, farMs] = [near, far].map((one, i) =>
          longestGapMs(one.recording.subarray(from[i], one.recorded)),
        );
        expect(farMs - nearMs).toBeLessThan(200);
        expect(await heardAgain(far, () => cluster.kill(owner))).toBeLessThan(3000);
      }, mend);
    });
  },
);
