import { mkdtemp, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it } from 'vitest';
import { completeQlogs, qlogNote, readRecords } from '../../plugin/qlog.js';

const HEADER = Object.freeze({
  qlog_version: '0.3',
  qlog_format: 'JSON-SEQ',
  title: 'server, 127.0.0.1:1',
  trace: { vantage_point: { type: 'unknown' }, configuration: { time_offset: 0 } },
});

/** Events as quinn-proto 0.11.19 writes them. */
const EVENTS = Object.freeze([
  { time: 1, name: 'recovery:metrics_updated', data: { smoothed_rtt: 0.333, pto_count: 0 } },
  {
    time: 3,
    name: 'transport:packet_sent',
    data: { header: { packet_type: '1RTT', packet_number: 7, length: 52 } },
  },
  {
    time: 2,
    name: 'transport:packet_received',
    data: { header: { packet_type: '1RTT', packet_number: 3 } },
  },
  {
    time: 9,
    name: 'recovery:packet_lost',
    data: {
      header: { packet_type: '1RTT', packet_number: 7, length: 52 },
      trigger: 'reordering_threshold',
    },
  },
]);

/** @param {object} record */
const line = (record) => `\u001e${JSON.stringify(record)}\n`;

/**
 * @param {{ onTestFinished: (remove: () => Promise<void>) => void }} test
 * @param {Record<string, string>} files
 */
async function folderWith({ onTestFinished }, files) {
  const folder = await mkdtemp(join(tmpdir(), 'aloud-qlog-'));
  onTestFinished(() => rm(folder, { recursive: true }));
  for (const [name, text] of Object.entries(files)) await writeFile(join(folder, name), text);
  return folder;
}

describe('qlog files of a run', () => {
  const text = [HEADER, ...EVENTS].map(line).join('');

  it('are completed for qvis', async (test) => {
    const folder = await folderWith(test, { 'server-1-1.sqlog': text });
    const files = await completeQlogs(folder);
    const [header, ...events] = readRecords(
      await readFile(join(folder, 'server-1-1.sqlog'), 'utf8'),
    );
    expect(header.trace.vantage_point.type).toBe('server');
    expect(events.map(({ time }) => time)).toEqual([1, 2, 3, 9]);
    expect(events[0].data).toEqual({ smoothed_rtt: 333, pto_count: 0 });
    expect(events[2].data).toEqual({
      header: { packet_type: '1RTT', packet_number: 7 },
      raw: { length: 52 },
    });
    expect(events[3].data).toEqual(events[2].data);
    expect(files).toEqual([
      {
        name: 'server-1-1.sqlog',
        isCut: false,
        events: {
          'recovery:metrics_updated': 1,
          'transport:packet_sent': 1,
          'transport:packet_received': 1,
          'recovery:packet_lost': 1,
        },
      },
    ]);
    expect(qlogNote(files)).toMatch(/^qlog: 1 files .* with 4 events/);
  });

  it('are completed once', async (test) => {
    const folder = await folderWith(test, { 'client-1-1.sqlog': text });
    await completeQlogs(folder);
    const once = await readFile(join(folder, 'client-1-1.sqlog'), 'utf8');
    expect(await completeQlogs(folder)).toEqual([]);
    expect(qlogNote([])).toMatch(/^qlog: no file was written/);
    expect(await readFile(join(folder, 'client-1-1.sqlog'), 'utf8')).toBe(once);
  });

  it('lose the unfinished last line of a killed process, and say so', async (test) => {
    const folder = await folderWith(test, {
      'server-1-1.sqlog': text.slice(0, -9),
      'notes.txt': 'no qlog',
    });
    const files = await completeQlogs(folder);
    expect(files).toMatchObject([{ isCut: true }]);
    expect(qlogNote(files)).toContain('the end of 1 is missing');
    const records = readRecords(await readFile(join(folder, 'server-1-1.sqlog'), 'utf8'));
    expect(records).toHaveLength(4);
  });
});
