#!/usr/bin/env bash
# At low rates short frames silently lose bandwidth and the second channel.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createEncoder, getPacketInfo, loadLibopus } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const sound = voice(48_000 * 3);
const BANDS = { 1101: 'NB', 1102: 'MB', 1103: 'WB', 1104: 'SWB', 1105: 'FB' };

async function kinds(kbps, frame, channels) {
  const encoder = await createEncoder({
    application: Application.RestrictedLowDelay, channels, bitrate: kbps * 1_000, frameSize: frame,
  });
  const counts = {};
  for (let at = 0; at + frame <= sound.length; at += frame) {
    const samples = Float32Array.from({ length: frame * channels }, (_, index) => {
      const sample = sound[at + Math.floor(index / channels)];
      return index % channels ? sample * 0.5 : sample;
    });
    const info = await getPacketInfo(encoder.encodeFloat(samples).slice());
    const kind = `${BANDS[info.bandwidth]} ${info.channels === 2 ? 'stereo' : 'mono'}`;
    if (at > 48_000) counts[kind] = (counts[kind] ?? 0) + 1;
  }
  encoder.free();
  return Object.entries(counts).sort(([, one], [, other]) => other - one)[0][0];
}

const STATED = [
  [16, 960, 1, 'FB mono'], [16, 240, 1, 'NB mono'], [24, 120, 1, 'NB mono'],
  [32, 120, 1, 'WB mono'], [48, 120, 1, 'FB mono'], [32, 480, 2, 'FB stereo'],
  [32, 240, 2, 'FB mono'], [48, 120, 2, 'FB mono'], [64, 120, 2, 'FB stereo'],
];
for (const [kbps, frame, channels, stated] of STATED) {
  const seen = await kinds(kbps, frame, channels);
  claim(`${kbps} kb/s, ${frame / 48} ms, of ${channels} channel(s): ${stated}`,
    seen === stated, seen);
}
END
cd "$work"
judge node main.mjs
