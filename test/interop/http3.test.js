/**
 * Answers over HTTP/3 to requests other than for a session, and to breaches of the rules (RFC
 * 9114).
 */

import { isBuilt } from '@aloud/native';
import { afterAll, beforeAll, expect, it } from 'vitest';
import { canBuildNative, requireOrSkip } from '../../testkit/skip.js';
import { aioquic, Missing, run } from './clients.js';
import { startServer } from './server.js';

const { describe } = requireOrSkip(isBuilt(), 'the native engine is not built', canBuildNative);

const closed = (/** @type {number} */ code) => ({ closed: code });
const reset = (/** @type {number} */ code) => ({ reset: code });

/** Cases of aioquic/http3.py, and the answers. @type {[string, object][]} */
const CASES = [
  ['get', { status: 405, allow: 'CONNECT' }],
  ['get elsewhere', { status: 404 }],
  ['post', { status: 405 }],
  ['large headers', { status: 431 }],
  ['large session', { status: 431 }],
  ['websocket', { status: 501 }],
  ['session', { status: 200 }],
  ['session of later drafts', { status: 200 }],
  ['session elsewhere', { status: 404 }],
  ['foreign origin', { status: 403 }],
  ['session behind others', { others: [404, 404], session: { status: 200 } }],
  ['settings later', { status: 200 }],
  // H3_REQUEST_REJECTED, H3_MESSAGE_ERROR, H3_REQUEST_INCOMPLETE
  ['two sessions', { first: { status: 200 }, second: reset(0x10b) }],
  ['malformed', reset(0x10e)],
  ['no path', reset(0x10e)],
  ['unfinished', reset(0x10d)],
  // WT_REQUIREMENTS_NOT_MET
  ['no datagrams', closed(0x212c0d48)],
  // H3_EXCESSIVE_LOAD
  ['many', closed(0x107)],
  ['large settings', closed(0x107)],
  // H3_FRAME_UNEXPECTED
  ['data first', closed(0x105)],
  ['settings in a request', closed(0x105)],
  ['settings twice', closed(0x105)],
  ['frame of http/2', closed(0x105)],
  // H3_FRAME_ERROR, QPACK_DECOMPRESSION_FAILED, H3_ID_ERROR
  ['cut off', closed(0x106)],
  ['not qpack', closed(0x200)],
  ['stream of no session', closed(0x108)],
  // H3_STREAM_CREATION_ERROR, H3_CLOSED_CRITICAL_STREAM, H3_SETTINGS_ERROR, H3_MISSING_SETTINGS
  ['push', closed(0x103)],
  ['second control', closed(0x103)],
  ['control ends', closed(0x104)],
  ['a setting twice', closed(0x109)],
  ['no settings', closed(0x10a)],
];

describe('HTTP/3', () => {
  /** @type {Awaited<ReturnType<typeof startServer>>} */
  let server;
  /** @type {string[] | Missing} */
  let client;

  beforeAll(async () => {
    server = await startServer();
    client = await aioquic('http3.py').catch((error) => {
      if (error instanceof Missing) return error;
      throw error;
    });
  }, 600_000);

  afterAll(async () => {
    // Each case except sessions is counted, whichever layer answered it.
    if (!(client instanceof Missing)) {
      const { broken, requestsRefused } = await server.admissions();
      expect(broken).toBe(CASES.filter(([, answer]) => 'closed' in answer).length);
      expect(requestsRefused).toBeGreaterThanOrEqual(
        CASES.filter(([, answer]) => 'reset' in answer).length + 5,
      );
    }
    await server.close();
    expect(server.errors).toEqual([]);
  });

  for (const [name, answer] of CASES) {
    it(`answers: ${name}`, async ({ skip }) => {
      if (client instanceof Missing) return skip(client.message);
      const [command, ...args] = client;
      const { code, out, error } = await run(
        command,
        [...args, '127.0.0.1', String(server.port), name],
        { limitMs: 30_000 },
      );
      expect(code, error).toBe(0);
      expect(JSON.parse(out)).toMatchObject(answer);
      return undefined;
    });
  }
});
