/** Recordings of several threads in one directory: what they may take holds for all together. */

import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, expect, it } from 'vitest';
import { Recordings } from '../../../server/recording/recordings.js';
import { FakeClock } from '../../../testkit/fake-clock.js';

/** @type {(() => Promise<unknown>)[]} */
const closers = [];
afterEach(async () => {
  for (const close of closers.splice(0).toReversed()) await close();
});

/** Two threads' recordings, each of which hears what the other tells. */
async function open() {
  const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
  closers.push(() => rm(directory, { recursive: true, force: true, maxRetries: 10 }));
  const pair = /** @type {Recordings[]} */ ([]);
  for (const number of [0, 1]) {
    const elsewhere = {
      tell: (/** @type {any} */ change) => pair[1 - number]?.heard(structuredClone(change)),
    };
    const log = { warn: () => {}, error: () => {} };
    pair.push(
      new Recordings({
        directory,
        limitBytes: 1_000_000,
        keepHours: 1,
        clock: new FakeClock(),
        wallNow: Date.now,
        log,
        elsewhere,
      }),
    );
  }
  for (const recordings of pair) closers.push(() => recordings.close());
  return { directory, front: pair[0], worker: pair[1] };
}

const owner = { room: 'tea', identity: null, network: '192.0.2.1' };

it('a recording in one thread counts for others, and can’t be deleted while written', async () => {
  const { front, worker } = await open();
  const recording = worker.begin(owner, () => {});
  const { id } = recording.description;
  worker.count(700_000, recording);
  expect(front.usage).toEqual(worker.usage);
  expect(front.usage.bytes).toBeGreaterThan(700_000);
  await recording.settled;
  expect(await front.list(9)).toMatchObject([{ id, room: 'tea', on: true }]);
  expect(await front.remove(id)).toBe(false);
  await front.sweep();
  expect(front.usage.bytes).toBeGreaterThan(700_000);
  worker.ended(recording);
  expect(await front.list(9)).toMatchObject([{ id, on: false }]);
  expect(await front.remove(id)).toBe(true);
  expect([front.usage.bytes, worker.usage.bytes]).toEqual([0, 0]);
});

it('a thread that used up the limit leaves others nothing, and a new one knows that', async () => {
  const { directory, front, worker } = await open();
  const troubles = /** @type {string[]} */ ([]);
  const recording = worker.begin(owner, (code) => void troubles.push(code));
  worker.count(1_000_000, recording);
  expect(troubles).toEqual(['recording-limit']);
  expect(front.refusal({ ...owner, room: 'coffee' })).toEqual({ code: 'recording-limit' });
  const late = new Recordings({
    directory,
    limitBytes: 1_000_000,
    keepHours: 1,
    clock: new FakeClock(),
    wallNow: Date.now,
    log: { warn: () => {}, error: () => {} },
  });
  closers.push(() => late.close());
  for (const change of front.all()) late.heard(structuredClone(change));
  expect(late.refusal(owner)).toEqual({ code: 'recording-limit' });
});
