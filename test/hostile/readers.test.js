/** A thousand readers of one recording, over real sockets, beside a call. */

import { mkdtempSync, rmSync } from 'node:fs';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { isBuilt } from '@aloud/native';
import { expect } from 'vitest';
import { loadCodec } from '../../server/codec/codec.js';
import { oggOf, putRecording } from '../fakes/recorded.js';
import { requireOrSkip } from '../../testkit/skip.js';
import { withstand } from './support/withstand.js';

const { it } = requireOrSkip(isBuilt(), 'the native engine is not built', () => false);

/** The recording's length, in seconds, and its bit rate, in bits a second: some 2 MB. */
const SECONDS = 40;
const BITRATE = 400_000;

const HTTP = 900;
const WEB_TRANSPORT = 100;

it('a thousand readers of one recording, a third of them stalled, do not harm a call', async () => {
  const directory = mkdtempSync(join(tmpdir(), 'aloud-readers-'));
  try {
    const noise = Float32Array.from({ length: 48_000 }, (_, i) => Math.sin((i * i) / 900) / 3);
    const mix = Buffer.concat(
      oggOf(await loadCodec('libopus-wasm'), noise, SECONDS, { bitrate: BITRATE }),
    );
    const id = await putRecording(directory, { mix, seconds: SECONDS, bitrate: BITRATE });
    await withstand({
      attack: 'readers',
      options: {
        path: `/api/recordings/${id}/mix.opus`,
        id,
        http: HTTP,
        webTransport: WEB_TRANSPORT,
      },
      argv: ['--recording-dir', directory],
      seconds: 6,
      warmUpSeconds: 3,
      check: ({
        attack: { answers, told, segments, megabytes },
        residentBytes: { before, most },
      }) => {
        // Each has a status, and most the bytes that they asked for.
        expect(told).toEqual({});
        expect(answers['a session']).toBe(WEB_TRANSPORT);
        expect(answers['200']).toBe(HTTP / 3);
        expect(answers['206']).toBeGreaterThan(HTTP);
        // One reader in ten asks for a range beyond the file's end.
        expect(answers['416']).toBe(HTTP / 15);
        expect(Object.keys(answers).toSorted()).toEqual(['200', '206', '416', 'a session']);
        expect(segments).toBeGreaterThan(WEB_TRANSPORT);
        expect(megabytes).toBeGreaterThan((HTTP * 32) / 1024);
        expect(most - before).toBeLessThan(150 * 2 ** 20);
      },
    });
  } finally {
    rmSync(directory, { recursive: true, force: true });
  }
});
