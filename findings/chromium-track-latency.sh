#!/usr/bin/env bash
# A microphone's `track.stats.latency` in Chromium counts from the first sample of a piece: it is
# the length of a piece, and what the device adds, which is chance up to another piece.
. "$(dirname "$0")/lib.sh"
browser_pieces
sound_server 'sink_name=played channels=2 rate=48000'
# Chromium lists no monitors.
pactl load-module module-remap-source master=played.monitor source_name=microphone \
  >"$work/remap.log"
pactl set-default-source microphone

cat >"$work/main.mjs" <<'END'
import { open } from './browser.mjs';
import { claim } from './claim.mjs';

const { page, close } = await open('chromium', ['--use-fake-ui-for-media-stream']);
const look = (echoCancellation) => page.evaluate(async (processed) => {
  const stream = await navigator.mediaDevices.getUserMedia({
    audio: { echoCancellation: processed, autoGainControl: false, noiseSuppression: false },
  });
  const [track] = stream.getAudioTracks();
  await wait(3_000);
  const latencies = [];
  for (let looks = 0; looks < 101; looks++) {
    await wait(37);
    latencies.push(track.stats.latency);
  }
  const piece = 1_000 * track.getSettings().latency;
  track.stop();
  latencies.sort((one, other) => one - other);
  return { piece, latency: latencies[50], least: latencies[0] };
}, echoCancellation);

const seen = ({ piece, latency, least }) =>
  `pieces of ${piece.toFixed(1)} ms, latency ${latency.toFixed(1)} ms, least ${least.toFixed(1)}`;
const plain = await look(false);
const processed = await look(true);
claim('without processing: pieces of more than 20 ms, and a latency of no less',
  plain.piece > 20 && plain.least >= plain.piece - 1, seen(plain));
claim('with echo cancellation: pieces of 10 ms, and a latency of no less',
  Math.abs(processed.piece - 10) < 1 && processed.least >= processed.piece - 1, seen(processed));
const beyond = [plain, processed].map(({ piece, latency }) => latency - piece);
claim('beyond the piece, less than another one and 6 ms',
  beyond[0] < plain.piece + 6 && beyond[1] < processed.piece + 6,
  beyond.map((ms) => `${ms.toFixed(1)} ms`).join(' and '));
await close();
END
cd "$work"
judge node main.mjs
