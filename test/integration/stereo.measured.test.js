import { setTimeout as pass } from 'node:timers/promises';
import { isBuilt } from '@aloud/native';
import { afterEach, describe, expect, it } from 'vitest';
import { Headless } from '../../testkit/participants/headless.js';
import { loadCodec } from '../../server/codec/codec.js';
import { startServer } from '../../testkit/aloud-server.js';
import { sidesOf, stereoTones, toneDb } from '../fakes/stereo.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { undisturbed } from '../../testkit/undisturbed.js';

const codec = await loadCodec('libopus-wasm');

/** @type {{ close: () => Promise<void> }[]} */
const open = [];
async function closeAll() {
  for (const each of open.splice(0).toReversed()) await each.close();
}
afterEach(closeAll);

/** @param {string[]} argv */
async function openServer(...argv) {
  const server = await startServer(...argv);
  open.push(server);
  return server;
}

/**
 * @param {{ url: string }} server @param {string} name @param {any} transport
 * @param {{ speech?: Float32Array, stereo?: boolean, channels?: 1 | 2 }} [options]
 */
async function join(server, name, transport, { channels, ...sound } = {}) {
  const headless = new Headless({ codec, recordSeconds: 20, ...sound });
  open.push(headless);
  await headless.join({
    origin: server.url,
    room: 'hall',
    name,
    transport,
    channels,
    silenceSuppression: false,
  });
  return headless;
}

/** The last second and a half that somebody heard. @param {Headless} headless */
const heardBy = ({ recording, recorded }) =>
  recording.subarray(recorded - (recorded % 2) - 144_000, recorded - (recorded % 2));

/**
 * The level below which a tone isn't heard: that of one nearby that nobody plays, too, where a busy
 * machine broke the sound. Twenty milliseconds of the tone itself are 16 dB above that one.
 * @param {Headless} headless @param {number} nearbyHz
 */
const silentDb = (headless, nearbyHz) => Math.max(-50, toneDb(heardBy(headless), 0, nearbyHz) + 6);

/** A second of each: both go round without a step. */
const violins = stereoTones(48_000);
const flute = stereoTones(48_000, { leftHz: 880, amplitude: 0.2 }).filter((_, i) => i % 2 === 0);

const engine = requireOrSkip(isBuilt(), 'the native engine is not built');
for (const transport of /** @type {const} */ (['webtransport', 'websocket', 'http1'])) {
  const { describe: describeIf } = transport === 'webtransport' ? engine : { describe };
  describeIf(`a stereo room over ${transport}`, () => {
    it('is heard as it was played: by who listens, and by who plays too, without themselves', () =>
      undisturbed(async () => {
        const server = await openServer('--server-delay-ms', '80');
        const ann = await join(server, 'Ann', transport, {
          speech: violins,
          stereo: true,
          channels: 2,
        });
        const bob = await join(server, 'Bob', transport, { speech: flute });
        const cid = await join(server, 'Cid', transport);
        expect([ann, bob, cid].map(({ format }) => format?.channels)).toEqual([2, 2, 2]);
        await pass(3500);
        for (const listener of [bob, cid]) {
          const { leftDb, rightDb, crossTalkDb } = sidesOf(heardBy(listener));
          expect(crossTalkDb).toBeLessThan(-20);
          for (const db of [leftDb, rightDb]) expect(db).toBeGreaterThan(-12);
        }
        for (const listener of [ann, cid]) {
          const [left, right] = [0, 1].map((side) => toneDb(heardBy(listener), side, 880));
          expect(left).toBeGreaterThan(-18);
          expect(Math.abs(left - right)).toBeLessThan(1);
        }
        expect(toneDb(heardBy(ann), 0, 440)).toBeLessThan(silentDb(ann, 500));
        expect(toneDb(heardBy(bob), 0, 880)).toBeLessThan(silentDb(bob, 940));
        expect(
          server.rooms
            .get('hall')
            ?.describe()
            .people.map(({ stats }) => stats.garbage),
        ).toEqual([0, 0, 0]);
      }, closeAll));
  });
}

describe('a room on a server that is set to stereo', () => {
  it('is stereo by default, and mono when the first to join asks for it', async () => {
    const server = await openServer('--channels', '2', '--engine', 'none');
    const ann = await join(server, 'Ann', 'websocket');
    expect(ann.format?.channels).toBe(2);
    await ann.close();
    await expect.poll(() => server.rooms.get('hall')).toBeUndefined();
    expect((await join(server, 'Bob', 'websocket', { channels: 1 })).format?.channels).toBe(1);
    expect((await join(server, 'Cid', 'websocket', { channels: 2 })).format?.channels).toBe(1);
  });
});
