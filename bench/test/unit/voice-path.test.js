import { describe, expect, it } from 'vitest';
import { lossesOf } from '../../codec/loss.js';
import { heardByServer, packetsOf } from '../../../testkit/sound/voice-path.js';
import { align, levelDb } from '../../../testkit/sound/signal.js';
import { readWav } from '../../../testkit/sound/wav.js';
import { loadCodec } from '../../../server/codec/codec.js';

const codec = await loadCodec('libopus-wasm');
const speech = (
  await readWav(new URL('../../../testkit/speech/speech-high.wav', import.meta.url))
).channels[0].subarray(0, 48000);
const sent = packetsOf(codec, speech);

/** @param {(frame: number) => boolean} isLost */
const heardWithout = (isLost) =>
  heardByServer(
    codec,
    { ...sent, packets: sent.packets.filter((_, frame) => !isLost(frame)) },
    speech.length,
  );

describe('a voice on its way to the mix', () => {
  it('is heard as it was said, but for what Opus takes and its lookahead', () => {
    const { lag, correlation } = align(
      speech.subarray(0, 40000),
      heardWithout(() => false),
      { to: 2000 },
    );
    expect(lag).toBeLessThan(400);
    expect(correlation).toBeGreaterThan(0.95);
  });

  it('is concealed where a packet is lost, and silent once a gap has lasted', () => {
    const whole = heardWithout(() => false);
    const gapped = heardWithout((frame) => frame >= 10 && frame < 33);
    const frame = (/** @type {Float32Array} */ heard, /** @type {number} */ k) =>
      heard.subarray(k * 960, (k + 1) * 960);
    expect(frame(gapped, 9)).toEqual(frame(whole, 9));
    expect(frame(gapped, 10)).not.toEqual(frame(whole, 10));
    expect(levelDb(frame(gapped, 10))).toBeGreaterThan(-60);
    expect(levelDb(frame(gapped, 28))).toBeLessThan(-190);
    expect(levelDb(frame(gapped, 34))).toBeGreaterThan(-60);
  });
});

describe('losses', () => {
  const share = (/** @type {boolean[]} */ lost) =>
    (100 * lost.filter(Boolean).length) / lost.length;

  it.each([[1], [3]])('come in runs of %d, with the share that was asked for', (run) => {
    const lost = lossesOf(100_000, 10, 1, run);
    expect(Math.abs(share(lost) - 10)).toBeLessThan(0.5);
    const runs = lost
      .map((gone) => (gone ? 'x' : ' '))
      .join('')
      .trim()
      .split(/ +/);
    expect(runs.every(({ length }) => length % run === 0)).toBe(true);
    expect(runs).toContain('x'.repeat(run));
  });

  it('are none of nothing, and all of everything', () => {
    expect(lossesOf(10, 0, 1, 3)).toEqual(new Array(10).fill(false));
    expect(lossesOf(10, 100, 1, 3)).toEqual(new Array(10).fill(true));
  });
});
