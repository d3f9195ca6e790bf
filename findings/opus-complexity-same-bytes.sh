#!/usr/bin/env bash
# libopus 1.6.1: several neighbouring complexities give the same packets to the byte.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createEncoder, loadLibopus } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const sound = voice(48_000 * 10);

async function encode(complexity, frameSize) {
  const encoder = await createEncoder({
    application: Application.RestrictedLowDelay, channels: 1, bitrate: 48_000, complexity,
    frameSize,
  });
  const packets = [];
  for (let at = 0; at + frameSize <= sound.length; at += frameSize) {
    packets.push(Buffer.from(encoder.encodeFloat(sound.subarray(at, at + frameSize))));
  }
  encoder.free();
  return packets;
}

for (const frameSize of [960, 480, 120]) {
  const all = [];
  for (let complexity = 0; complexity <= 10; complexity++) {
    all.push(await encode(complexity, frameSize));
  }
  const differing = (one, other) => {
    const count = all[one].filter((packet, at) => !packet.equals(all[other][at])).length;
    return Math.round((100 * count) / all[one].length);
  };
  const ms = frameSize / 48;
  for (const [one, other] of [[5, 6], [8, 9], [9, 10]]) {
    const share = differing(one, other);
    claim(`${ms} ms: ${one} and ${other} give the same bytes`, share === 0, `${share} % differ`);
  }
  const share = differing(6, 8);
  claim(`${ms} ms: 6 and 8 don't`, share > 10, `${share} % differ`);
}
END
judge node "$work/main.mjs"
