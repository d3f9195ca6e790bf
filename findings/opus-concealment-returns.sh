#!/usr/bin/env bash
# libopus 1.6.1, CELT: concealment fades for some 100 ms, then comes back as noise, and louder.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createDecoder, createEncoder, loadLibopus, Signal } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const FRAME = 960;
const sound = voice(48_000 * 12);
const level = (samples) =>
  10 * Math.log10(samples.reduce((sum, value) => sum + value * value, 1e-12) / samples.length);
const median = (values) => values.sort((one, other) => one - other)[values.length >> 1];

async function levelsOf(options) {
  const encoder = await createEncoder({ channels: 1, complexity: 8, ...options });
  const packets = [];
  for (let at = 0; at + FRAME <= sound.length; at += FRAME) {
    packets.push(encoder.encodeFloat(sound.subarray(at, at + FRAME)).slice());
  }
  const configs = new Set(packets.slice(30).map(([toc]) => toc >> 3));
  console.log(`seen       configurations of the packets: ${[...configs].join(' ')}`);
  const rows = [];
  for (let gap = 30; gap < packets.length; gap += 3) {
    const decoder = await createDecoder({ channels: 1 });
    let before = -120;
    for (let at = gap - 25; at < gap; at++) before = level(decoder.decodeFloat(packets[at]));
    if (before > -30) {
      const lost = Array.from({ length: 12 }, () => decoder.decodePacketLossFloat(FRAME));
      rows.push(lost.map((samples) => level(samples) - before));
    }
    decoder.free();
  }
  encoder.free();
  return rows[0].map((_, frame) => Math.round(median(rows.map((row) => row[frame]))));
}

const celt = await levelsOf({ application: Application.RestrictedLowDelay, bitrate: 48_000 });
const lowest = Math.min(...celt.slice(0, 5));
const rebound = Math.max(...celt.slice(5, 8));
claim('CELT: lost frames 1 to 12, median dB against the last heard: the first five fade',
  celt[0] > lowest + 5 && lowest === celt[4], celt.slice(0, 5).join(' '));
claim('CELT: the sixth to the eighth are louder again', rebound > lowest + 6,
  celt.slice(5).join(' '));
const hybrid = await levelsOf({
  application: Application.Voip, signal: Signal.Voice, bitrate: 28_000,
});
claim('hybrid fades away and stays away', Math.max(...hybrid.slice(7)) < -35, hybrid.join(' '));
END
judge node "$work/main.mjs"
