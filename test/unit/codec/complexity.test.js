import { describe, expect, it } from 'vitest';
import { readWav } from '../../../testkit/sound/wav.js';
import { loadCodec } from '../../../server/codec/codec.js';

const codec = await loadCodec('libopus-wasm');
const speech = (
  await readWav(new URL('../../../testkit/speech/speech-low.wav', import.meta.url))
).channels[0].subarray(0, 2 * 48_000);

/** All packets of two seconds of speech. @param {number} frameMs @param {number} complexity */
function packetsOf(frameMs, complexity) {
  const frameSamples = 48 * frameMs;
  const encoder = codec.createEncoder({ sampleRate: 48_000, frameSamples, complexity });
  const out = new Uint8Array(1275);
  const packets = [];
  for (let at = 0; at + frameSamples <= speech.length; at += frameSamples) {
    packets.push(
      Buffer.from(
        out.subarray(0, encoder.encode(speech.subarray(at, at + frameSamples), out, 0)),
      ).toString('hex'),
    );
  }
  encoder.close();
  return packets.join(' ');
}

describe.each([2.5, 5, 10, 20])('the complexity in frames of %d ms', (frameMs) => {
  const packets = Array.from({ length: 11 }, (_, complexity) => packetsOf(frameMs, complexity));

  it('makes no difference above 8, nor between 5 and 6', () => {
    expect(packets[9] === packets[8] && packets[10] === packets[8]).toBe(true);
    expect(packets[6]).toBe(packets[5]);
    expect(packets[7] === packets[8]).toBe(frameMs <= 5);
  });

  it('makes one between 0, 5 and 8', () => {
    expect(new Set([packets[0], packets[5], packets[8]]).size).toBe(3);
  });
});
