#!/usr/bin/env bash
# One stream of Opus with a long pre-skip, copied into three containers: where each browser puts it.
. "$(dirname "$0")/lib.sh"
need ffmpeg
debian ffmpeg 7:5.1.9-0+deb12u1
browser_pieces libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { BROWSERS, open } from './browser.mjs';
import { claim } from './claim.mjs';
import { clickPackets } from './click.mjs';
import { oggOpus } from './ogg.mjs';

const preSkip = 3_960;
writeFileSync('click.opus', oggOpus(await clickPackets(3, 48_000, preSkip), 960, { preSkip }));
for (const kind of ['webm', 'mp4']) {
  execFileSync('ffmpeg', ['-loglevel', 'error', '-i', 'click.opus', '-c', 'copy', `click.${kind}`]);
}

for (const name of BROWSERS) {
  const { page, close } = await open(name);
  const seen = {};
  for (const kind of ['opus', 'webm', 'mp4']) {
    seen[kind] = await page.evaluate(async (base64) => {
      const bytes = Uint8Array.from(atob(base64), (letter) => letter.charCodeAt(0));
      const context = new OfflineAudioContext(1, 48_000, 48_000);
      const sound = (await context.decodeAudioData(bytes.buffer)).getChannelData(0);
      let best = 0;
      for (let at = 0; at < sound.length; at++) {
        if (Math.abs(sound[at]) > Math.abs(sound[best])) best = at;
      }
      return [best - 48_000, sound.length];
    }, readFileSync(`click.${kind}`).toString('base64'));
  }
  const stated = name === 'chromium'
    ? { opus: 0, webm: -24, mp4: 0 } : { opus: 0, webm: 0, mp4: -4_680 };
  for (const [kind, off] of Object.entries(stated)) {
    claim(`${name}, ${kind}: ${off} samples off`, seen[kind][0] === off, seen[kind][0]);
  }
  await close();
}
END
cd "$work"
judge node main.mjs
