#!/usr/bin/env bash
# A decoder of one channel doesn't give the mean of the sides where these are of opposite phase.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createDecoder, createEncoder, EncoderCtl, loadLibopus } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const FRAME = 960;
const sound = voice(48_000 * 5);
const power = (samples) => samples.reduce((sum, value) => sum + value * value, 1e-9);

// Level of the sound of opposite sides, in dB against one side: from a decoder of one channel,
// and as the mean of the sides of a decoder of two.
async function levels(bitrate, withoutInversion) {
  const encoder = await createEncoder({
    application: Application.RestrictedLowDelay, channels: 2, bitrate, complexity: 10,
  });
  if (withoutInversion) encoder.encoderCtl(EncoderCtl.SetPhaseInversionDisabled, 1);
  const one = await createDecoder({ channels: 1 });
  const two = await createDecoder({ channels: 2 });
  let [mono, mean, side] = [0, 0, 0];
  for (let at = 0; at + FRAME <= sound.length; at += FRAME) {
    const frame = new Float32Array(FRAME * 2);
    for (let index = 0; index < FRAME; index++) {
      frame[2 * index] = sound[at + index];
      frame[2 * index + 1] = -sound[at + index];
    }
    const packet = encoder.encodeFloat(frame).slice();
    mono += power(one.decodeFloat(packet));
    const both = two.decodeFloat(packet);
    const middle = (_, index) => (both[2 * index] + both[2 * index + 1]) / 2;
    mean += power(Float32Array.from({ length: FRAME }, middle));
    side += power(both.filter((_, index) => index % 2 === 0));
  }
  for (const owner of [encoder, one, two]) owner.free();
  return [mono, mean].map((sum) => Math.round(10 * Math.log10(sum / side)));
}

for (const kbps of [24, 32]) {
  const [mono, mean] = await levels(kbps * 1_000, false);
  claim(`${kbps} kb/s: the decoder of one channel plays them 15 dB above the mean of the sides`,
    mono > mean + 15, `${mono} and ${mean} dB`);
}
const [mono128] = await levels(128_000, false);
claim('128 kb/s: next to nothing is left', mono128 < -35, `${mono128} dB`);
const [off, offMean] = await levels(32_000, true);
claim('32 kb/s without phase inversion at the encoder: one channel is the mean',
  Math.abs(off - offMean) <= 1, `${off} and ${offMean} dB`);
END
judge node "$work/main.mjs"
