#!/usr/bin/env bash
# `ffmpeg -ss` starts too early in a WebM with Opus, by the whole pre-skip; in Ogg rarely.
. "$(dirname "$0")/lib.sh"
need ffmpeg
debian ffmpeg 7:5.1.9-0+deb12u1
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { execFileSync } from 'node:child_process';
import { writeFileSync } from 'node:fs';
import { claim } from './claim.mjs';
import { clickPackets } from './click.mjs';
import { oggOpus } from './ogg.mjs';

const CLICK = 5 * 48_000;
const ffmpeg = (...options) =>
  execFileSync('ffmpeg', ['-loglevel', 'error', '-y', ...options], { maxBuffer: 2 ** 28 });

function clickIn(file, seek) {
  const bytes = ffmpeg(...seek, '-i', file, '-f', 'f32le', '-ac', '1', '-');
  const sound = new Float32Array(Uint8Array.from(bytes).buffer);
  let best = 0;
  for (let at = 0; at < sound.length; at++) {
    if (Math.abs(sound[at]) > Math.abs(sound[best])) best = at;
  }
  return best;
}

for (const preSkip of [120, 3_960]) {
  const packets = await clickPackets(8, CLICK, preSkip);
  writeFileSync('click.opus', oggOpus(packets, 960, { preSkip }));
  ffmpeg('-i', 'click.opus', '-c', 'copy', 'click.webm');
  for (const file of ['click.opus', 'click.webm']) {
    const off = clickIn(file, []) - CLICK;
    claim(`pre-skip ${preSkip}, ${file} from the start: exact to a millisecond`,
      Math.abs(off) <= 24, `${off} samples off`);
  }
  const ogg = clickIn('click.opus', ['-ss', '4.9']) - 0.1 * 48_000;
  claim(`pre-skip ${preSkip}, -ss 4.9 in Ogg: exact`, ogg === 0, `${ogg} samples off`);
  writeFileSync('small.opus', oggOpus(packets, 960, { preSkip, inPage: 1 }));
  const small = clickIn('small.opus', ['-ss', '4.9']) - 0.1 * 48_000;
  if (preSkip > 960) claim(`pre-skip ${preSkip}, -ss 4.9 in Ogg, a page for each packet: too late`,
    small < -2_000, `${small} samples off`);
  const webm = clickIn('click.webm', ['-ss', '4.9']) - 0.1 * 48_000;
  claim(`pre-skip ${preSkip}, -ss 4.9 in WebM: the click comes later by the pre-skip`,
    Math.abs(webm - preSkip) <= 96, `${webm} samples off`);
}
END
cd "$work"
judge node main.mjs
