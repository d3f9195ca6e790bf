/** The descriptions of recordings over HTTP, which are kept for a second. */

import { randomBytes } from 'node:crypto';
import { mkdir, mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { loadConfig } from '../../../server/config/config.js';
import { DESCRIPTION } from '../../../server/recording/recording-directory.js';
import { createServer } from '../../../server/server.js';
import { FakeClock } from '../../fakes/fake-clock.js';
import { asOperator, WITH_OPERATOR } from '../../support/operator.js';

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

/** A server with one recording that has ended; its clock stands still. */
async function serverWithRecording() {
  const directory = await mkdtemp(join(tmpdir(), 'recordings-'));
  open.push(() => rm(directory, { recursive: true, force: true }));
  const id = randomBytes(16).toString('base64url');
  const at = new Date().toISOString();
  await mkdir(join(directory, id));
  await writeFile(join(directory, id, DESCRIPTION), JSON.stringify({ id, room: 'tea', startedAt: at, stoppedAt: at, files: [] }));
  const argv = ['--port', '0', '--engine', 'none', '--recording-dir', directory, ...WITH_OPERATOR];
  const log = { error: vi.fn(), warn: vi.fn(), info: vi.fn(), debug: vi.fn() };
  const server = await createServer(loadConfig({ argv, env: {} }), { log, clock: new FakeClock() });
  open.push(() => server.close());
  return { url: server.url, id, path: `${server.url}/api/recordings/${id}` };
}

describe('the description of a recording', () => {
  it('is told no more as soon as the recording is deleted, though it was kept for a second', async () => {
    const { url, id, path } = await serverWithRecording();
    const told = await fetch(path);
    expect([told.status, await told.json()]).toEqual([200, expect.objectContaining({ id, room: 'tea', on: false })]);
    expect((await asOperator(url, `/recordings/${id}`, { method: 'DELETE' })).status).toBe(204);
    expect((await fetch(path)).status).toBe(404);
  });
});
