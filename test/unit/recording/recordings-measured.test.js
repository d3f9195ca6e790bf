import { mkdtemp, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { Recordings } from '../../../server/recording/recordings.js';
import { putRecording } from '../../fakes/recorded.js';
import { FakeClock } from '../../../testkit/fake-clock.js';
import { logTo } from '../../../testkit/log-lines.js';

/** A measurement, which a test holds up. */
const measuring = vi.hoisted(() => ({ begun: () => {}, mayEnd: Promise.resolve() }));

vi.mock('../../../server/recording/on-disk.js', async (original) => {
  const real = /** @type {typeof import('../../../server/recording/on-disk.js')} */ (
    await original()
  );
  /** @type {typeof real.sizeOf} */
  const sizeOf = async (directory) => {
    const bytes = await real.sizeOf(directory);
    measuring.begun();
    await measuring.mayEnd;
    return bytes;
  };
  return { ...real, sizeOf };
});

/**
 * A recording that is being measured.
 * @returns {Promise<{ recordings: Recordings, id: string, end: () => Promise<void> }>} end: of the
 *   measurement
 */
async function measured() {
  const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const recordings = new Recordings({
    directory,
    limitBytes: 1_000_000,
    keepHours: 1,
    clock: new FakeClock(),
    wallNow: Date.now,
    log: logTo(),
  });
  onTestFinished(() => recordings.close());
  const id = await putRecording(directory, { mix: new Uint8Array(1000), seconds: 1 });
  await recordings.sweep();
  const begun = new Promise((resolve) => (measuring.begun = () => resolve(null)));
  let end = () => {};
  measuring.mayEnd = new Promise(
    (/** @type {(value: void) => void} */ resolve) => void (end = () => resolve()),
  );
  const sweeping = recordings.sweep();
  await begun;
  return {
    recordings,
    id,
    async end() {
      end();
      await sweeping;
    },
  };
}

it('a recording that is deleted while it is measured takes no space', async () => {
  const { recordings, id, end } = await measured();
  expect(await recordings.remove(id)).toBe(true);
  await end();
  expect(recordings.stats()).toMatchObject({ recordings: 0, bytes: 0 });
});

it('a file that comes to a recording while it is measured counts', async () => {
  const { recordings, id, end } = await measured();
  const { bytes } = recordings.stats();
  recordings.addBytes(id, 5000);
  await end();
  expect(recordings.stats().bytes).toBe(bytes + 5000);
});
