import { appendFile, mkdtemp, readdir, rm, stat, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { afterEach, describe, expect, it, vi } from 'vitest';
import { systemClock } from '../../../public/shared/clock.js';
import { loadCodec } from '../../../server/codec/codec.js';
import { SegmentEncoder } from '../../../server/ondemand/segment-encoder.js';
import { SegmentJobs } from '../../../server/ondemand/segment-jobs.js';
import { SegmentStore, segmentPaths } from '../../../server/ondemand/segment-store.js';
import { Recordings } from '../../../server/recording/recordings.js';
import { oggOf, putRecording } from '../../fakes/recorded.js';
import { logTo } from '../../../testkit/log-lines.js';

const codec = await loadCodec('libopus-wasm');

/** @type {(() => unknown)[]} */
const open = [];
afterEach(async () => {
  for (const close of open.splice(0).toReversed()) await close();
});

async function directoryOf() {
  const directory = await mkdtemp(join(tmpdir(), 'segments-'));
  open.push(() => rm(directory, { recursive: true, force: true, maxRetries: 5 }));
  return directory;
}

/**
 * Begins a recording of a room's mix.
 * @param {Recordings} recordings
 * @param {Uint8Array[]} pages  that it has so far
 */
function beginMix(recordings, pages) {
  const opened = recordings.begin({ room: 'tea', identity: null, network: null }, () => {}, {
    bitrate: 16_000,
  });
  const file = opened.addFile({
    file: 'mix.opus',
    label: 'Everybody',
    person: null,
    seconds: null,
  });
  for (const page of pages) file.write(page);
  return { opened, file, id: opened.description.id };
}

describe('the store of segments', () => {
  it('reads each segment once for 1000 readers, within its memory, and none missing', async () => {
    const directory = await directoryOf();
    const { sound, places } = segmentPaths(directory, 16_000);
    const place = Buffer.alloc(4);
    for (let i = 0; i < 100; i++) {
      await appendFile(sound, Buffer.alloc(1000, i));
      place.writeUInt32LE(1000 * (i + 1));
      await appendFile(places, place);
    }
    const store = new SegmentStore({ maxBytes: 20_000 });
    const same = await Promise.all(
      Array.from({ length: 1000 }, () => store.read(directory, 16_000, 7)),
    );
    expect([store.reads, same[999][0], same[0].length]).toEqual([1, 7, 1000]);
    for (let i = 0; i < 100; i++) expect((await store.read(directory, 16_000, i))[999]).toBe(i);
    expect(store.bytes).toBeLessThanOrEqual(20_000);
    await expect(store.read(directory, 16_000, 100)).rejects.toThrow();
    await expect(store.read(directory, 32_000, 0)).rejects.toThrow();
    const reading = store.read(directory, 16_000, 50);
    store.forget(directory);
    expect((await reading)[999]).toBe(50);
    expect(store.bytes).toBe(0);
  });
});

/**
 * Recordings, and jobs for them whose thread is this one.
 * @param {{ limitBytes?: number, before?: (asked: { id: string, step?: object }) => unknown }}
 *   [options] before: awaited before each answer
 */
async function world({ limitBytes = 1e9, before = () => {} } = {}) {
  const directory = await directoryOf();
  const warnings = /** @type {string[]} */ ([]);
  const log = { ...logTo(), warn: logTo(warnings).warn };
  const recordings = new Recordings({
    directory,
    limitBytes,
    keepHours: 1,
    clock: systemClock,
    wallNow: Date.now,
    log,
  });
  open.push(() => recordings.close());
  /** Ends the last thread, as if it had thrown. */
  let kill = () => {};
  const openThread = () => {
    let ended = false;
    kill = () => void (ended = true);
    /** @type {Map<string, SegmentEncoder>} */
    const encoders = new Map();
    const ask = async (/** @type {any} */ { id, open: opening, step, close }) => {
      await before({ id, step });
      if (ended) throw new Error('the thread has ended');
      if (opening)
        encoders.set(
          id,
          await SegmentEncoder.open(codec, opening.mix, opening.directory, opening.rates),
        );
      const encoder = /** @type {SegmentEncoder} */ (encoders.get(id));
      const bytes = step ? await encoder.step(step.most, step.isWhole) : 0;
      if (close) await encoder.close();
      return { channels: encoder.channels, count: encoder.count, ended: encoder.ended, bytes };
    };
    const end = async () => {
      for (const encoder of encoders.values()) await encoder.close();
    };
    open.push(end);
    return { ask, end, ended: () => ended };
  };
  const jobs = new SegmentJobs({ recordings, clock: systemClock, log, openThread });
  open.push(() => jobs.close());
  jobs.makeAhead();
  return { directory, recordings, jobs, warnings, kill: () => kill() };
}

describe('the making of segments', () => {
  const pages = oggOf(
    codec,
    Float32Array.from({ length: 9600 }, (_, i) => Math.sin(i / 15) / 3),
    3,
    { bitrate: 16_000 },
  );

  it('of a recording that can’t be described fails alone', async () => {
    const { recordings, warnings } = await world();
    recordings.describe = () => Promise.reject(new Error('on purpose'));
    const failed = beginMix(recordings, pages);
    failed.file.end(3);
    await failed.opened.end();
    await vi.waitFor(() => expect(warnings).toHaveLength(1));
    expect(warnings[0]).toMatch(new RegExp(`"recording":"${failed.id}","reason":"on purpose"`));
  });

  it('begins when a recording ends, counts its bytes, and is done once', async () => {
    const { recordings, jobs, directory } = await world();
    const { opened, file, id } = beginMix(recordings, pages);
    file.end(3);
    await opened.settled;
    expect(jobs.hold(id, () => {})).toBe(null);
    await opened.end();
    await vi.waitFor(() => expect(jobs.hold(id, () => {})?.segments.whole).toBe(true));
    expect(jobs.hold(id, () => {})?.segments).toEqual({
      rates: [16_000],
      channels: 1,
      count: 3,
      whole: true,
    });
    expect((await readdir(join(directory, id))).toSorted()).toEqual([
      'mix.opus',
      'recording.json',
      'segments-16.bin',
      'segments-16.idx',
      'segments.json',
    ]);
    const counted = recordings.usage.bytes;
    await recordings.sweep();
    expect(Math.abs(recordings.usage.bytes - counted)).toBeLessThan(1000);
    expect(await recordings.remove(id)).toBe(true);
    expect(jobs.hold(id, () => {})).toBe(null);
    expect(await readdir(directory)).toEqual([]);
  });

  it('follows one that is being written only while somebody listens', async () => {
    const { recordings, jobs } = await world();
    const { opened, file, id } = beginMix(recordings, pages.slice(0, -1));
    await opened.settled;
    expect(await jobs.prepare(id)).toBe(true);
    await new Promise((resolve) => void setTimeout(resolve, 100));
    const held = jobs.hold(id, () => {});
    expect(held?.segments.count).toBe(0);
    await vi.waitFor(() => expect(held?.segments.count).toBe(2));
    expect(held?.segments.whole).toBe(false);
    held?.release();
    file.write(pages[pages.length - 1]);
    file.end(3);
    await opened.end();
    await vi.waitFor(() => expect(held?.segments.whole).toBe(true));
    expect(held?.segments.count).toBe(3);
  });

  it('continues in a new thread, and disconnects listeners to what the old one lost', async () => {
    const { recordings, jobs, directory, kill } = await world();
    const { opened, file, id } = beginMix(recordings, pages.slice(0, -1));
    await opened.settled;
    expect(await jobs.prepare(id)).toBe(true);
    const failed = vi.fn();
    const held = jobs.hold(id, failed);
    await vi.waitFor(() => expect(held?.segments.count).toBe(2));
    kill();
    await vi.waitFor(() => expect(failed).toHaveBeenCalledTimes(1));
    expect(held?.segments.whole).toBe(false);
    const other = await putRecording(directory, { mix: Buffer.concat(pages), seconds: 3 });
    for (const one of [id, other]) expect(await jobs.prepare(one)).toBe(true);
    const again = jobs.hold(id, failed);
    await vi.waitFor(() =>
      expect([again?.segments.count, jobs.hold(other, () => {})?.segments.whole]).toEqual([
        2,
        true,
      ]),
    );
    expect(failed).toHaveBeenCalledTimes(1);
    file.end(2);
    await opened.end();
  });

  it('is done again where the server ended while it noted that it was done', async () => {
    const { jobs, directory } = await world();
    const id = await putRecording(directory, { mix: Buffer.concat(pages), seconds: 3 });
    await writeFile(join(directory, id, 'segments.json'), '{"rates":[');
    expect(await jobs.prepare(id)).toBe(true);
    await vi.waitFor(() => expect(jobs.hold(id, () => {})?.segments.whole).toBe(true));
  });

  it('is not repeated under its readers when asked for during the last segment', async () => {
    const { jobs, recordings, directory } = await world();
    const id = await putRecording(directory, { mix: Buffer.concat(pages), seconds: 3 });
    /** @type {() => void} */
    let goOn = () => {};
    const describes = recordings.describe.bind(recordings);
    const spy = vi.spyOn(recordings, 'describe').mockImplementationOnce(async (...asked) => {
      await new Promise((resolve) => void (goOn = () => resolve(undefined)));
      return describes(...asked);
    });
    const late = jobs.prepare(id);
    // Both look for a file first, and the second may be done with it sooner.
    await vi.waitFor(() => expect(spy).toHaveBeenCalledTimes(1));
    expect(await jobs.prepare(id)).toBe(true);
    await vi.waitFor(() => expect(jobs.hold(id, () => {})?.segments.whole).toBe(true));
    const { sound } = segmentPaths(join(directory, id), 16_000);
    const { ino, mtimeMs } = await stat(sound);
    goOn();
    expect(await late).toBe(true);
    await new Promise((resolve) => void setTimeout(resolve, 100));
    expect(await stat(sound)).toMatchObject({ ino, mtimeMs });
  });

  it('is over before the recording is deleted', async () => {
    let release = () => {};
    /** @type {Promise<void>} */
    const released = new Promise((resolve) => void (release = resolve));
    /** @type {string[]} */
    const order = [];
    const { jobs, recordings, directory } = await world({
      before: async ({ step }) => {
        if (!step) return;
        order.push('a step');
        await released;
        order.push('its files');
      },
    });
    const id = await putRecording(directory, { mix: Buffer.concat(pages), seconds: 3 });
    expect(await jobs.prepare(id)).toBe(true);
    await vi.waitFor(() => expect(order).toEqual(['a step']));
    const removed = recordings
      .remove(id)
      .then((isRemoved) => void order.push(`deleted: ${isRemoved}`));
    await new Promise((resolve) => void setTimeout(resolve, 50));
    expect([await jobs.prepare(id), await recordings.describe(id)]).toEqual([false, null]);
    release();
    await removed;
    expect(order).toEqual(['a step', 'its files', 'deleted: true']);
    expect(await readdir(directory)).toEqual([]);
  });

  it('gets its turn while many live recordings are heard, and reuses unheard places', async () => {
    const { jobs, recordings, directory } = await world();
    const begun = await Promise.all(
      Array.from({ length: 13 }, async () => {
        const { opened, file, id } = beginMix(recordings, pages.slice(0, -1));
        await opened.settled;
        open.push(async () => {
          file.end(2);
          await opened.end();
        });
        return id;
      }),
    );
    const [last, ...heard] = begun;
    /** @type {ReturnType<typeof jobs.hold>[]} */
    const held = [];
    for (const id of heard) {
      expect(await jobs.prepare(id)).toBe(true);
      held.push(jobs.hold(id, () => {}));
    }
    await vi.waitFor(
      () => expect(held.map((one) => one?.segments.count)).toEqual(Array(12).fill(2)),
      { timeout: 20_000 },
    );
    // One more is heard over HTTP.
    expect(await jobs.prepare(last)).toBe(false);
    const ended = await putRecording(directory, { mix: Buffer.concat(pages), seconds: 3 });
    expect(await jobs.prepare(ended)).toBe(true);
    await vi.waitFor(() => expect(jobs.hold(ended, () => {})?.segments.whole).toBe(true), {
      timeout: 10_000,
    });
    held[0]?.release();
    expect(await jobs.prepare(last)).toBe(true);
    const now = jobs.hold(last, () => {});
    await vi.waitFor(() => expect(now?.segments.count).toBe(2), { timeout: 10_000 });
    expect(jobs.hold(heard[0], () => {})).toBe(null);
  });

  it('isn\u2019t begun of what isn\u2019t there, has no room, or is no sound', async () => {
    const { jobs, directory, warnings } = await world();
    for (const id of ['', '../..', 'x'.repeat(22)]) expect(await jobs.prepare(id)).toBe(false);
    const noise = await putRecording(directory, { mix: Buffer.alloc(999), seconds: 1 });
    expect(await jobs.prepare(noise)).toBe(true);
    await vi.waitFor(() =>
      expect(warnings.join()).toMatch(/could not be made; it can be heard over HTTP/),
    );
    const full = await world({ limitBytes: 1 });
    const id = await putRecording(full.directory, { mix: Buffer.concat(pages), seconds: 3 });
    await writeFile(join(full.directory, id, 'x'), 'x');
    await full.recordings.sweep();
    expect(await full.jobs.prepare(id)).toBe(false);
  });
});
