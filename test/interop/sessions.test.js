/**
 * Clients of others' making open sessions with the server. One that can't be had, for want of its
 * language or of the registry that it comes from, is skipped by name.
 */

import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { isBuilt } from '@aloud/native';
import { afterAll, beforeAll, expect, it } from 'vitest';
import {
  Packet,
  PacketType,
  readPacket,
  writeClockRequest,
} from '../../public/shared/wire/packet.js';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { aioquic, Missing, run, webtransportGo, wtransport } from './clients.js';
import { startServer } from './server.js';

const { describe } = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

const JOIN = JSON.stringify({ type: 'join', version: 1, room: 'interop', name: 'Guest' });
const CLOCK_ID = 4711;

/**
 * webtransport-go 0.13 insists on QUIC's RESET_STREAM_AT (draft-ietf-quic-reliable-stream-reset),
 * which quinn doesn't have (quinn-rs/quinn#2676). Without that one check it shows that all else is
 * as it should be.
 * @param {string} folder of a copy of the module
 */
function withoutPartialDelivery(folder) {
  const path = join(folder, 'client_conn.go');
  const text = readFileSync(path, 'utf8');
  const check = 'if !state.SupportsStreamResetPartialDelivery.Remote {';
  if (!text.includes(check)) throw new Error(`${path} has changed`);
  writeFileSync(path, text.replace(check, 'if false {'));
}

/** @type {Record<string, () => Promise<string[]>>} */
const CLIENTS = {
  'aioquic 1.7': () => aioquic('session.py'),
  'wtransport 0.7': wtransport,
  'webtransport-go 0.9': () => webtransportGo('0.9'),
  'webtransport-go 0.13, less its demand for RESET_STREAM_AT': () =>
    webtransportGo('0.13', withoutPartialDelivery),
};

describe("a client of others' making", () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;

  beforeAll(async () => {
    server = await startServer();
  });

  afterAll(() => server.close());

  for (const [name, build] of Object.entries(CLIENTS)) {
    it(`joins, and asks for the clock: ${name}`, async ({ skip }) => {
      const command = await had(build, skip);
      const request = new Uint8Array(4);
      writeClockRequest(request, CLOCK_ID);
      const hex = Buffer.from(request).toString('hex');
      const { line, datagram } = await use(command, `${server.url}/session`, hex);
      expect(JSON.parse(line)).toMatchObject({ type: 'welcome', room: 'interop' });
      const packet = new Packet();
      expect(readPacket(Buffer.from(datagram, 'hex'), packet)).toBe(null);
      expect(packet).toMatchObject({ type: PacketType.clockReply, id: CLOCK_ID });
      // An address without a server gives an error.
      const { refused } = await use(command, `${server.url}/nothing`, hex);
      expect([404, null]).toContain(refused);
    }, 600_000);
  }
});

/**
 * @param {() => Promise<string[]>} build
 * @param {(reason: string) => void} skip
 */
async function had(build, skip) {
  try {
    return await build();
  } catch (error) {
    if (!(error instanceof Missing)) throw error;
    skip(error.message);
    throw error;
  }
}

/**
 * @param {string[]} command
 * @param {string} url
 * @param {string} datagram
 */
async function use([command, ...args], url, datagram) {
  const { code, out, error } = await run(command, [...args, url, JOIN, datagram], {
    limitMs: 30_000,
  });
  expect(code, error).toBe(0);
  return JSON.parse(out);
}
