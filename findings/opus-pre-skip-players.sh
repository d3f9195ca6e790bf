#!/usr/bin/env bash
# A long pre-skip of Opus is honoured to the sample by two of four players, and not at all by one.
. "$(dirname "$0")/lib.sh"
need ffmpeg mpv cvlc gst-launch-1.0
debian ffmpeg 7:5.1.9-0+deb12u1
debian mpv 0.35.1-4
debian vlc-bin 3.0.24-0+deb12u1
debian gstreamer1.0-plugins-good 1.22.0-5+deb12u4
npm_install libopus-wasm@0.2.0

cat >"$work/make.mjs" <<'END'
import { writeFileSync } from 'node:fs';
import { clickPackets } from './click.mjs';
import { oggOpus } from './ogg.mjs';

const preSkip = 3_960;
const packets = await clickPackets(3, 48_000, preSkip);
writeFileSync('click.opus', oggOpus(packets, 960, { preSkip }));
END
cd "$work"
node make.mjs || missing "a program that makes the files."
ffmpeg -loglevel error -i click.opus -c copy click.webm

unprivileged
for kind in opus webm; do
  ffmpeg -loglevel error -i click.$kind -f f32le -ac 1 "ffmpeg-$kind.f32"
  mpv --really-quiet --no-config --ao=pcm --ao-pcm-waveheader=no --audio-format=float \
    --audio-channels=mono "--ao-pcm-file=mpv-$kind.f32" click.$kind
  gst-launch-1.0 -q filesrc location=click.$kind ! decodebin ! audioconvert ! \
    audio/x-raw,format=F32LE,channels=1 ! filesink location=gstreamer-$kind.f32
  HOME="$work/open" timeout 60 "${as[@]}" cvlc -q -I dummy --no-sout-video \
    --sout "#transcode{acodec=s16l,channels=1}:std{access=file,mux=wav,dst=open/vlc-$kind.wav}" \
    click.$kind vlc://quit 2>vlc.log || true
  ffmpeg -loglevel error -y -i open/vlc-$kind.wav -f f32le -ac 1 "vlc-$kind.f32"
done

cat >"$work/main.mjs" <<'END'
import { readFileSync } from 'node:fs';
import { claim } from './claim.mjs';

function off(name) {
  const bytes = readFileSync(`${name}.f32`);
  const sound = new Float32Array(Uint8Array.from(bytes).buffer);
  let best = 0;
  for (let at = 0; at < sound.length; at++) {
    if (Math.abs(sound[at]) > Math.abs(sound[best])) best = at;
  }
  return best - 48_000;
}

const expected = { ffmpeg: [0, 0], mpv: [0, 0], gstreamer: [0, -840], vlc: [-840, 3_960] };
for (const [player, [ogg, webm]] of Object.entries(expected)) {
  for (const [kind, stated] of [['opus', ogg], ['webm', webm]]) {
    const seen = off(`${player}-${kind}`);
    claim(`${player}, ${kind}: a click at 1 s, ${stated} samples off`,
      Math.abs(seen - stated) <= 24, seen);
  }
}
END
judge node main.mjs
