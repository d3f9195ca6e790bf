import { mkdtemp, readdir, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { describe, expect, it, onTestFinished } from 'vitest';
import {
  heardQuantities,
  heardTable,
  readVoices,
  recordHeard,
} from '../../scenarios/comparisons/heard.js';
import { seededRandom } from '../../../testkit/random.js';
import { parseWav } from '../../../testkit/sound/wav.js';

const NAMES = heardQuantities.map(({ name }) => name);
const voiceOf = await readVoices();
const voice = voiceOf(0);

/** Makes a run's folder with only samples, warnings and a path. */
async function runFolder() {
  const path = await mkdtemp(join(tmpdir(), 'aloud-heard-'));
  onTestFinished(() => rm(path, { recursive: true }));
  const samples = new Map(NAMES.map((name) => [name, /** @type {any[]} */ ([])]));
  const warnings = /** @type {string[]} */ ([]);
  const folder = /** @type {any} */ ({
    path,
    samples: (/** @type {string} */ name) => samples.get(name),
    record: (/** @type {string} */ name, /** @type {object} */ sample) =>
      samples.get(name)?.push(sample),
    warn: (/** @type {string} */ warning) => warnings.push(warning),
  });
  return { folder, samples, warnings };
}

/** @param {number} repetition */
const sampleOf = (repetition) => ({ protocol: 'rtp', repetition, client: '', atMs: 7 });

describe('what would be heard of a run', () => {
  it('is spoken by four voices, one in each repetition', () => {
    const voices = Array.from({ length: 5 }, (_, repetition) => voiceOf(repetition));
    expect(new Set(voices).size).toBe(4);
    expect(voices[4]).toBe(voices[0]);
    for (const { speech, payloads } of voices) {
      expect(payloads.length).toBe(Math.floor(speech.length / 960));
      expect(payloads.length).toBeGreaterThan((8 * 1000) / 20);
    }
  });

  it('is six figures and a recording of 8 s, whatever came before that', async () => {
    const { folder, samples, warnings } = await runFolder();
    const ages = Array.from({ length: 420 }, (_, i) => (i < 20 ? Infinity : 30));
    await recordHeard(folder, voice, { ages, first: 5, name: 'rtp', sample: sampleOf(0) });
    expect([...samples.values()].flat()).toEqual(
      NAMES.map(() => ({ ...sampleOf(0), value: expect.any(Number) })),
    );
    expect(samples.get('present')?.[0].value).toBe(100);
    expect(warnings).toEqual([]);
    expect(await readdir(join(folder.path, 'recordings'))).toEqual(['rtp.wav']);
    const { sampleRate, channels } = parseWav(
      await readFile(join(folder.path, 'recordings', 'rtp.wav')),
    );
    expect([sampleRate, channels.length, channels[0].length]).toEqual([48_000, 1, 8 * 48_000]);
    const [row] = heardTable(folder, ['rtp'], seededRandom(1)).rows;
    expect(row[1]).toEqual({ value: 100 });
    // Another voice speaks in the next.
    await recordHeard(folder, voiceOf(1), { ages, first: 5, name: 'stream', sample: sampleOf(1) });
    expect(await readdir(join(folder.path, 'recordings'))).toEqual(['rtp.wav']);
  });

  it('has neither marks nor a recording where the run is shorter, and says so', async () => {
    const { folder, samples, warnings } = await runFolder();
    await recordHeard(folder, voice, {
      ages: new Array(100).fill(30),
      first: 0,
      name: 'rtp',
      sample: sampleOf(0),
    });
    expect(NAMES.filter((name) => samples.get(name)?.length)).toEqual([
      'present',
      'playoutDelay',
      'mouthToEar',
    ]);
    expect(warnings).toEqual(['Runs of less than 8 s have no marks of what would be heard.']);
    expect(await readdir(folder.path)).toEqual([]);
  });

  it('is a share of nothing where nothing came, without a delay', async () => {
    const { folder, samples } = await runFolder();
    await recordHeard(folder, voice, {
      ages: new Array(100).fill(Infinity),
      first: 0,
      name: 'rtp',
      sample: sampleOf(0),
    });
    expect(samples.get('present')).toEqual([{ ...sampleOf(0), value: 0 }]);
    expect(samples.get('mouthToEar')).toEqual([]);
    expect(heardTable(folder, ['rtp'], seededRandom(1)).rows).toEqual([
      ['WebRTC audio', { value: 0 }, null, null, null, null, null],
    ]);
  });

  it('is a mean with an interval of five repetitions', async () => {
    const { folder, samples } = await runFolder();
    for (const [repetition, value] of [90, 94, 98, 92, 96].entries())
      samples.get('present')?.push({ ...sampleOf(repetition), value });
    const [[, present]] = /** @type {any[][]} */ (
      heardTable(folder, ['rtp'], seededRandom(1)).rows
    );
    expect(present.value).toBe(94);
    expect(present.interval[0]).toBeLessThan(94);
    expect(present.interval[1]).toBeLessThanOrEqual(98);
  });
});
