import { mkdtemp, readdir, readFile, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { wavHeader } from '../../../public/shared/sound/wav.js';
import { OwnTracks } from '../../../server/recording/own-tracks.js';

/** A disk with a number of bytes left; files grow by what fits, then writing fails. */
const disk = vi.hoisted(() => ({ left: Infinity, code: 'ENOSPC' }));

vi.mock('node:fs/promises', async (original) => {
  const real = /** @type {typeof import('node:fs/promises')} */ (await original());
  /** @param {Uint8Array | string} bytes @param {(part: Uint8Array) => Promise<void>} write */
  const fit = async (bytes, write) => {
    const part = Buffer.from(bytes).subarray(0, disk.left);
    await write(part);
    disk.left -= part.length;
    if (part.length < bytes.length)
      throw Object.assign(new Error('no space left on device'), { code: disk.code });
  };
  /** @type {typeof real.open} */
  const openFile = async (path, flags, mode) => {
    const handle = await real.open(path, flags, mode);
    const append = handle.appendFile.bind(handle);
    handle.appendFile = (bytes) => fit(/** @type {Uint8Array} */ (bytes), append);
    return handle;
  };
  /** @type {typeof real.writeFile} */
  const writeWhole = (path, bytes, options) =>
    fit(/** @type {string} */ (bytes), (part) => real.writeFile(path, part, options));
  return { ...real, open: openFile, writeFile: writeWhole };
});

const SAMPLES = 30_000;

function wav(timeReference = 0) {
  const sound = Uint8Array.from({ length: SAMPLES * 3 }, (_, i) => i * 7);
  const described = { timeReference, description: 'tea', date: new Date(0) };
  const header = wavHeader({ sampleRate: 48_000, channels: 1, ...described }, sound.length);
  return Buffer.concat([header, sound]);
}

/** An ended recording in which one person has a track. */
async function recorded() {
  const root = await mkdtemp(join(tmpdir(), 'own-'));
  onTestFinished(() => {
    disk.left = Infinity;
    return rm(root, { recursive: true });
  });
  const files = [{ file: '01-ann.opus', label: 'Ann', person: '1', place: 'p', seconds: 1 }];
  const path = join(root, 'recording.json');
  await writeFile(path, JSON.stringify({ files }));
  let bytes = 0;
  const own = new OwnTracks(
    /** @type {any} */ ({
      read: async () => JSON.parse(await readFile(path, 'utf8')),
      locate: (/** @type {string} */ _id, /** @type {string} */ file) => ({ root, file }),
      isOpen: () => false,
      refusalFor: () => null,
      addBytes: (/** @type {string} */ _id, /** @type {number} */ count) => void (bytes += count),
      usage: { bytes: 0, limitBytes: 1e9 },
    }),
  );
  return {
    add: (/** @type {number} */ at, /** @type {Uint8Array} */ piece) =>
      own.add('id', 'p', at, piece),
    names: async () => (await readdir(root)).sort(),
    read: (/** @type {string} */ name) => readFile(join(root, name)),
    bytes: () => bytes,
  };
}

const file = wav();
const HALF = 50_000;

it.each([
  ['in the middle of a piece', 30_000],
  ['before the description that lists the file', file.length - HALF],
])('a disk that is full %s keeps nothing of an own recording', async (_, left) => {
  const { add, names, bytes } = await recorded();
  expect(await add(0, file.subarray(0, HALF))).toBe(null);
  disk.left = left;
  expect(await add(HALF, file.subarray(HALF))).toBe('recording-limit');
  expect([await names(), bytes()]).toEqual([['recording.json'], 0]);
  // Once there is space, it is sent again.
  disk.left = Infinity;
  expect(await add(0, file)).toBe(null);
  expect([await names(), bytes()]).toEqual([['01-ann.wav', 'recording.json'], file.length]);
});

it.each([
  ['the same piece', 40_000, 40_000],
  ['a shorter piece', 40_000, 10_000],
  ['a longer piece', 40_000, 45_000],
  ['the last piece', file.length - HALF, file.length - HALF],
  ['the first piece', 0, HALF],
])('%s may come again after a lost answer', async (_, first, again) => {
  const { add, names, read, bytes } = await recorded();
  expect(await add(0, file.subarray(0, HALF))).toBe(null);
  if (first > 0) expect(await add(HALF, file.subarray(HALF, HALF + first))).toBe(null);
  for (let at = first > 0 ? HALF : 0; at < file.length; at += again)
    expect(await add(at, file.subarray(at, at + again))).toBe(null);
  expect([await names(), bytes()]).toEqual([['01-ann.wav', 'recording.json'], file.length]);
  expect((await read('01-ann.wav')).equals(file)).toBe(true);
});

it('a file that is sent again as a whole is kept once, and another one beside it', async () => {
  const { add, names, bytes } = await recorded();
  const send = async (/** @type {Buffer} */ one) => {
    expect(await add(0, one.subarray(0, HALF))).toBe(null);
    expect(await add(HALF, one.subarray(HALF))).toBe(null);
  };
  await send(file);
  // The beginning of another file was sent between.
  expect(await add(0, wav(1).subarray(0, HALF))).toBe(null);
  await send(file);
  expect([await names(), bytes()]).toEqual([['01-ann.wav', 'recording.json'], file.length]);
  await send(wav(2));
  expect(await names()).toEqual(['01-ann-2.wav', '01-ann.wav', 'recording.json']);
});

it('other bytes at a place that is taken, and no place at all, are invalid', async () => {
  const { add, bytes } = await recorded();
  expect(await add(0, file.subarray(0, HALF))).toBe(null);
  expect(await add(20_000, file.subarray(21_000, HALF))).toBe('own-invalid');
  for (const at of [NaN, -1, HALF + 1, 0.5, Infinity])
    expect(await add(at, file.subarray(HALF))).toBe('own-invalid');
  expect(bytes()).toBe(HALF);
  expect(await add(HALF, file.subarray(HALF))).toBe(null);
});

it('a fault of the disk is told as one, and keeps nothing either', async () => {
  const { add, names, bytes } = await recorded();
  Object.assign(disk, { left: 1000, code: 'EIO' });
  onTestFinished(() => void (disk.code = 'ENOSPC'));
  await expect(add(0, file)).rejects.toThrow('no space');
  expect([await names(), bytes()]).toEqual([['recording.json'], 0]);
});
