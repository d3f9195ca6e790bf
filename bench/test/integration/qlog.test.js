/** qlog files that a run of the lab leaves. */

import { execFile } from 'node:child_process';
import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { featureLibrary, loadError } from '@aloud/native';
import { expect } from 'vitest';
import { canBuildNative, requireOrSkip } from '../../../testkit/skip.js';
import { readRecords } from '../../plugin/qlog.js';
import { MAIN, rttArguments } from '../lab-command.js';

/** Round trip that quinn assumes before it has measured one (RFC 9002, section 6.2.2), in ms. */
const INITIAL_RTT_MS = 333;

const needed = requireOrSkip(
  loadError(featureLibrary('lab')) === null,
  'the native engine is not built for the lab: npm run build:native -- --lab',
  canBuildNative,
);

needed.it('a run writes a qlog of each connection, with round trips in ms', async (test) => {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-qlog-'));
  test.onTestFinished(() => rm(folder, { recursive: true }));
  const [qlogs, out] = [join(folder, 'qlogs'), join(folder, 'out')];
  const argv = rttArguments(out, ['webtransport'], { seconds: 1 });
  await promisify(execFile)(process.execPath, [MAIN, ...argv, '--qlog', qlogs]);
  const files = await readdir(qlogs);
  // The two participants of the only block.
  expect(files.filter((name) => /^server-\d+-\d+\.sqlog$/.test(name))).toHaveLength(2);
  expect(files).toHaveLength(2);
  for (const file of files) {
    const [header, ...events] = readRecords(await readFile(join(qlogs, file), 'utf8'));
    expect(header).toMatchObject({
      qlog_version: '0.3',
      qlog_format: 'JSON-SEQ',
      title: expect.stringMatching(/^server, \S+:\d+$/),
      trace: { vantage_point: { type: 'server' } },
    });
    const countOf = (/** @type {string} */ name) =>
      events.filter((event) => event.name === name).length;
    // A second of packets, one each 20 ms.
    expect(countOf('transport:packet_sent')).toBeGreaterThan(30);
    expect(countOf('transport:packet_received')).toBeGreaterThan(30);
    const metrics = events
      .filter(({ name }) => name === 'recovery:metrics_updated')
      .map(({ data }) => data);
    expect(metrics[0]).toMatchObject({
      congestion_window: expect.any(Number),
      bytes_in_flight: expect.any(Number),
      // The controller within our own has it.
      ssthresh: expect.any(Number),
    });
    const roundTrips = metrics.map(({ smoothed_rtt: ms }) => ms).filter((ms) => ms !== undefined);
    expect(roundTrips[0]).toBeCloseTo(INITIAL_RTT_MS, 0);
    expect(roundTrips.at(-1)).toBeLessThan(INITIAL_RTT_MS);
    const times = events.map(({ time }) => time);
    expect(times).toEqual(times.toSorted((a, b) => a - b));
  }
  const [name] = await readdir(out);
  const { notes } = JSON.parse(await readFile(join(out, name, 'result.json'), 'utf8'));
  expect(notes.at(-1)).toMatch(/^qlog: 2 files /);
});
