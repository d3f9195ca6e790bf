import { mkdtemp, rm, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import fc from 'fast-check';
import { describe, expect, it } from 'vitest';
import { formatWav, parseWav, readWav } from '../../../testkit/sound/wav.js';

const stereo = {
  sampleRate: 16000,
  channels: [Float32Array.of(0, 0.5, -0.5, 1.5), Float32Array.of(-1, 0.25, 0, -2)],
};

describe('WAV files', () => {
  it('keep float samples as they are', () => {
    expect(parseWav(formatWav(stereo, { float: true }))).toEqual(stereo);
  });

  it('keep 16-bit samples, clipped', () => {
    const { sampleRate, channels } = parseWav(formatWav(stereo));
    expect(sampleRate).toBe(16000);
    expect([...channels[0]]).toEqual([0, 0.5, -0.5, 32767 / 32768]);
    expect([...channels[1]]).toEqual([-1, 0.25, 0, -1]);
  });

  it('are written and read', async () => {
    const folder = await mkdtemp(join(tmpdir(), 'wav-'));
    try {
      await writeFile(join(folder, 'a.wav'), formatWav(stereo, { float: true }));
      expect(await readWav(join(folder, 'a.wav'))).toEqual(stereo);
    } finally {
      await rm(folder, { recursive: true });
    }
  });

  it('are read past chunks that mean nothing here, and of odd length', () => {
    const bytes = formatWav(stereo);
    const extra = [0x4c, 0x49, 0x53, 0x54, 3, 0, 0, 0, 1, 2, 3, 0];
    const whole = Uint8Array.of(...bytes.subarray(0, 12), ...extra, ...bytes.subarray(12));
    expect(parseWav(whole)).toEqual(parseWav(bytes));
  });

  it('are read as far as they go', () => {
    const bytes = formatWav(stereo);
    expect(parseWav(bytes.subarray(0, bytes.length - 5)).channels[0].length).toBe(2);
  });

  it('of 48 kHz and one channel are the fixtures', async () => {
    for (const name of ['speech-low', 'speech-high']) {
      const { sampleRate, channels } = await readWav(
        new URL(`../../../testkit/speech/${name}.wav`, import.meta.url),
      );
      expect([sampleRate, channels.length]).toEqual([48000, 1]);
      expect(channels[0].length).toBeGreaterThan(48000 * 6);
      expect(channels[0].some((sample) => Math.abs(sample) > 0.3)).toBe(true);
    }
  });

  it('that are none are refused, whatever they hold', () => {
    const bytes = formatWav(stereo);
    fc.assert(
      fc.property(fc.nat(43), fc.nat(255), fc.nat(60), (at, value, cut) => {
        const broken = bytes.slice(0, bytes.length - cut);
        if (at < broken.length) broken[at] = value;
        try {
          expect(parseWav(broken).channels.length).toBeGreaterThan(0);
        } catch (error) {
          expect(error).toBeInstanceOf(TypeError);
        }
      }),
      { seed: 44, numRuns: 2000 },
    );
  });
});
