#!/usr/bin/env bash
# A CELT decoder that begins in mid-stream is too soft at first, and short frames take it longest.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createDecoder, createEncoder, loadLibopus } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const sound = voice(48_000 * 6);
const power = (samples) => samples.reduce((sum, value) => sum + value * value, 1e-12);
const median = (values) => values.sort((one, other) => one - other)[values.length >> 1];

async function join(frame) {
  const encoder = await createEncoder({
    application: Application.RestrictedLowDelay, channels: 1, bitrate: 48_000, frameSize: frame,
  });
  const packets = [];
  for (let at = 0; at + frame <= sound.length; at += frame) {
    packets.push(encoder.encodeFloat(sound.subarray(at, at + frame)).slice());
  }
  encoder.free();
  const whole = await createDecoder({ channels: 1 });
  const right = packets.map((packet) => whole.decodeFloat(packet, { frameSize: frame }).slice());
  whole.free();
  const [levels, settled] = [[], []];
  for (let start = Math.floor(48_000 / frame); start < packets.length - 120; start += 37) {
    if (power(right[start]) / frame < 1e-3) continue;
    const late = await createDecoder({ channels: 1 });
    let reached = null;
    for (let at = start; at < start + 100; at++) {
      const samples = late.decodeFloat(packets[at], { frameSize: frame });
      const error = power(samples.map((value, index) => value - right[at][index]));
      if (at === start) levels.push(10 * Math.log10(power(samples) / power(right[at])));
      if (error < power(right[at]) * 1e-4) reached ??= at - start;
      else reached = null;
    }
    settled.push(reached ?? 100);
    late.free();
  }
  return { first: Math.round(median(levels)), frames: median(settled) };
}

const long = await join(960);
const short = await join(120);
const told = ({ first, frames }) => `first frame ${first} dB, settled after ${frames} frames`;
claim('20 ms: the first frame is 6 dB and more too soft', long.first <= -6, told(long));
claim('2.5 ms: it takes at least 15 frames to come within -40 dB of a decoder that heard all',
  short.frames >= 15 && short.frames > 4 * long.frames, told(short));
END
cd "$work"
judge node main.mjs
