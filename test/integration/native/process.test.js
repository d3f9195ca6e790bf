import { execFile, spawn } from 'node:child_process';
import { readdirSync } from 'node:fs';
import { fileURLToPath } from 'node:url';
import { promisify } from 'node:util';
import { setFlagsFromString } from 'node:v8';
import { runInNewContext } from 'node:vm';
import { Endpoint, loadThreadCpuMs, Port } from '@aloud/native';
import { afterEach, expect, it } from 'vitest';
import { errors } from '../../../public/shared/errors.js';
import { createNativeTransport } from '../../../server/transport/webtransport-native.js';
import {
  blockThread,
  closeAfter,
  closeAll,
  nativeTests,
  newCertificate,
  record,
  startServer,
  until,
} from '../../../testkit/native.js';

/**
 * @import { NativeSession } from '@aloud/native'
 * @import { Session } from '../../../server/session/session.js'
 */

const PEER = fileURLToPath(new URL('./peer.js', import.meta.url));

/** An idle timeout. A peer on a busy machine stands still for less than three quarters of it. */
const IDLE_MS = 2000;

afterEach(closeAll);

/** @param {string[]} args */
function startPeer(...args) {
  const child = spawn(process.execPath, [PEER, ...args], { stdio: ['ignore', 'pipe', 'inherit'] });
  const peer = { child, output: '', code: /** @type {number | null | undefined} */ (undefined) };
  child.stdout.on('data', (text) => (peer.output += text));
  child.on('exit', (code) => (peer.code = code));
  return peer;
}

/** A server with a further port, its client and a session between them, all closed. */
async function closedObjects() {
  const [server, client] = [new Endpoint(), new Endpoint()];
  const certificate = await newCertificate();
  const port = Port.open(server.share(), {});
  const sessions = /** @type {NativeSession[]} */ ([]);
  const { port: number } = await server.listen({
    ...certificate,
    onRequest: (request) => request.accept(),
    onSession: (session) => sessions.push(session),
  });
  const certificateHashes = [certificate.hash];
  sessions.push(await client.connect(`https://localhost:${number}/`, { certificateHashes }));
  await until(() => sessions.length === 2);
  port.close();
  await Promise.all([client.close(), server.close()]);
  return [server, client, port, ...sessions].map((object) => new WeakRef(object));
}

nativeTests.describe('native engine: processes', () => {
  it('ends once everything is closed', async () => {
    const peer = startPeer('echo');
    try {
      await until(() => peer.output.includes('closed'), 15_000);
      await until(() => peer.code !== undefined, 15_000);
      expect(peer.code).toBe(0);
    } finally {
      peer.child.kill('SIGKILL');
    }
  });

  it('notices within the idle timeout that a peer was killed', async () => {
    const options = { idleTimeoutMs: IDLE_MS, keepAliveMs: IDLE_MS / 4 };
    const server = await startServer({ options });
    const peer = startPeer('hold', server.url, server.certificate.hash);
    try {
      const session = await until(() => server.sessions[0], 15_000);
      const seen = record(session);
      await new Promise((resolve) => void setTimeout(resolve, 1.5 * IDLE_MS));
      expect(seen.closed).toBe(null);
      peer.child.kill('SIGKILL');
      await until(() => seen.closed, 2 * IDLE_MS);
      expect(seen.closed).toMatchObject([0, expect.any(String), 'timeout']);
    } finally {
      peer.child.kill('SIGKILL');
    }
  });

  it('lets the room know of it under the code of the idle timeout', async () => {
    const certificate = await newCertificate();
    const closed = /** @type {number[]} */ ([]);
    let sessions = 0;
    const accept = (/** @type {Session} */ session) => {
      sessions += 1;
      session.handler = {
        packet: () => {},
        control: () => {},
        closed: (code) => closed.push(code),
      };
    };
    const log = { error: () => {} };
    const transport = closeAfter(
      await createNativeTransport({ accept, certificate, log, idleTimeoutMs: IDLE_MS }),
    );
    const peer = startPeer(
      'hold',
      `https://localhost:${transport.address().port}/session`,
      certificate.hash,
    );
    try {
      await until(() => sessions === 1, 15_000);
      peer.child.kill('SIGKILL');
      await until(() => closed.length > 0, 2 * IDLE_MS);
      expect(closed).toEqual([errors['idle-timeout'].close]);
    } finally {
      peer.child.kill('SIGKILL');
    }
  });

  it.skipIf(process.platform === 'win32')('tells the processor time of the calling thread', () => {
    const threadCpuMs = loadThreadCpuMs() ?? expect.fail('there is no such clock');
    const before = threadCpuMs();
    blockThread(200);
    const blocked = threadCpuMs();
    expect(blocked - before).toBeLessThan(100);
    while (threadCpuMs() < blocked + 20);
  });

  it.skipIf(process.platform !== 'linux')('returns memory that was freed amid other', async () => {
    const script = `
      import { readFileSync } from 'node:fs';
      import { setTimeout } from 'node:timers/promises';
      import { releaseMemory } from '@aloud/native';
      const status = () => readFileSync('/proc/self/status', 'utf8');
      const resident = () => Number(/^RssAnon:\\s+(\\d+)/m.exec(status())[1]);
      const blocks = Array.from({ length: 2000 }, () => Buffer.alloc(32 * 1024, 1));
      for (let i = 0; i < blocks.length; i++) if (i % 16 > 0) blocks[i] = null;
      gc();
      // Another thread frees them.
      await setTimeout(500);
      const before = resident();
      releaseMemory();
      console.log(before - resident());
    `;
    const args = ['--expose-gc', '--input-type=module', '--eval', script];
    const { stdout } = await promisify(execFile)(process.execPath, args);
    expect(1024 * Number(stdout)).toBeGreaterThan(20e6);
  });

  it('leaves nothing in JavaScript’s memory that was closed', async () => {
    setFlagsFromString('--expose-gc');
    const collect = runInNewContext('gc');
    const objects = await closedObjects();
    await until(() => {
      collect();
      return objects.every((object) => object.deref() === undefined);
    });
  });

  it.skipIf(process.platform !== 'linux')('leaves no thread behind', async () => {
    const threads = () => readdirSync('/proc/self/task').length;
    await new Endpoint({ ioThreads: 4 }).close();
    // Threads of earlier tests may still be ending.
    let before = threads();
    for (let same = 0; same < 10; same = threads() === before ? same + 1 : 0) {
      before = threads();
      await new Promise((resolve) => void setTimeout(resolve, 50));
    }
    for (let i = 0; i < 10; i++) {
      const endpoint = new Endpoint({ ioThreads: 4 });
      expect(threads()).toBeGreaterThanOrEqual(before + 4);
      await endpoint.close();
      await until(() => threads() <= before);
    }
  });
});
