#!/usr/bin/env bash
# A packet of one byte decodes to the bit as "no packet" does, whatever mode its byte names.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createDecoder, createEncoder, loadLibopus } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const FRAME = 960;
const sound = voice(48_000 * 2);
const TOCS = { 'CELT fullband': 31 << 3, 'CELT narrowband': 19 << 3, hybrid: 15 << 3,
  'SILK wideband': 9 << 3, 'CELT, of two channels': (31 << 3) | 4 };

for (const [name, application] of Object.entries(Application)) {
  const encoder = await createEncoder({ application, channels: 1, bitrate: 24_000 });
  const packets = [];
  for (let at = 0; at + FRAME <= sound.length; at += FRAME) {
    packets.push(encoder.encodeFloat(sound.subarray(at, at + FRAME)).slice());
  }
  const decodeWith = async (lost) => {
    const decoder = await createDecoder({ channels: 1 });
    const parts = packets.map((packet, at) => {
      const gone = at % 10 === 7 || at % 10 === 8;
      return decoder.decodeFloat(gone ? lost : packet, { frameSize: FRAME });
    });
    decoder.free();
    return Buffer.concat(parts.map((part) => Buffer.from(Float32Array.from(part).buffer)));
  };
  const concealed = await decodeWith(null);
  const same = [];
  for (const [mode, toc] of Object.entries(TOCS)) {
    if ((await decodeWith(Uint8Array.of(toc))).equals(concealed)) same.push(mode);
  }
  claim(`${name}: one byte is "lost", and what follows is the same too`,
    same.length === Object.keys(TOCS).length, same.join(', '));
  encoder.free();
}
END
judge node "$work/main.mjs"
