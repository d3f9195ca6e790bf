import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { expect, it, onTestFinished, vi } from 'vitest';
import { loadCodec } from '../../../server/codec/codec.js';
import { SegmentEncoder } from '../../../server/ondemand/segment-encoder.js';
import { oggOf } from '../../fakes/recorded.js';

/** Number of open files. */
const files = vi.hoisted(() => ({ open: 0 }));

vi.mock('node:fs/promises', async (original) => {
  const real = /** @type {typeof import('node:fs/promises')} */ (await original());
  /** @type {typeof real.open} */
  const openFile = async (path, flags, mode) => {
    const handle = await real.open(path, flags, mode);
    files.open += 1;
    const close = handle.close.bind(handle);
    handle.close = () => {
      files.open -= 1;
      return close();
    };
    return handle;
  };
  return { ...real, open: openFile };
});

it('a rate that can’t be encoded leaves no file open', async () => {
  const codec = await loadCodec('libopus-wasm');
  const directory = await mkdtemp(join(tmpdir(), 'segments-'));
  onTestFinished(() => rm(directory, { recursive: true, force: true }));
  const mix = join(directory, 'mix.opus');
  await writeFile(mix, Buffer.concat(oggOf(codec, new Float32Array(960), 1, { bitrate: 16_000 })));
  let encoders = 0;
  /** @type {any} */
  const failing = {
    createEncoder: (/** @type {any} */ settings) => {
      if (++encoders === 2) throw new Error('no more encoders');
      return codec.createEncoder(settings);
    },
  };
  const opened = SegmentEncoder.open(failing, mix, directory, [16_000, 32_000]);
  await expect(opened).rejects.toThrow('no more encoders');
  expect(files.open).toBe(0);
});
