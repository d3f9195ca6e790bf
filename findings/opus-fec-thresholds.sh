#!/usr/bin/env bash
# libopus 1.6.1: in-band FEC that is switched on is silently absent at common rates and losses.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createEncoder, loadLibopus, Signal } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const FRAME = 960;
const sound = voice(48_000 * 6);

// Share of packets with LBRR data, in percent: of a SILK frame of 20 ms in one channel the
// second bit after the first byte (RFC 6716, section 4.2.3); CELT packets have none.
async function share(bitrate, packetLossPercent, application = Application.Voip) {
  const encoder = await createEncoder({
    application, signal: Signal.Voice, channels: 1, bitrate, fec: true, packetLossPercent,
    complexity: 10,
  });
  let [all, redundant] = [0, 0];
  for (let at = 0; at + FRAME <= sound.length; at += FRAME) {
    const packet = encoder.encodeFloat(sound.subarray(at, at + FRAME));
    if (at < 48_000) continue;
    all++;
    if (packet[0] >> 3 < 16 && (packet[1] & 0x40) !== 0) redundant++;
  }
  encoder.free();
  return Math.round((100 * redundant) / all);
}

const LOSSES = [1, 3, 5, 6, 10, 20];
const rows = {};
for (const kbps of [16, 24, 32, 40, 48]) {
  rows[kbps] = [];
  for (const loss of LOSSES) rows[kbps].push(await share(kbps * 1_000, loss));
  const told = `${kbps} kb/s, told loss ${LOSSES.join('/')} %`;
  console.log(`seen       ${told}: ${rows[kbps].join('/')} %`);
}
claim('16 kb/s: none, whatever the loss', rows[16].every((part) => part === 0), rows[16]);
claim('24 kb/s: none up to 5 % of loss', rows[24].slice(0, 3).every((part) => part === 0),
  rows[24]);
claim('24 kb/s: there from 10 % on', rows[24].slice(4).every((part) => part > 50), rows[24]);
claim('40 kb/s and more: there from 1 % on', [40, 48].every((kbps) => rows[kbps][0] > 50),
  `${rows[40][0]}, ${rows[48][0]}`);
const lowDelay = await share(48_000, 20, Application.RestrictedLowDelay);
claim('restricted low-delay: none, and no error', lowDelay === 0, lowDelay);
END
judge node "$work/main.mjs"
