#!/usr/bin/env bash
# MediaStreamTrackProcessor keeps the newest maxBufferSize pieces, and never runs out of AudioData.
. "$(dirname "$0")/lib.sh"
browser_pieces

cat >"$work/main.mjs" <<'END'
import { open } from './browser.mjs';
import { claim } from './claim.mjs';

const { page, close } = await open('chromium',
  ['--use-fake-ui-for-media-stream', '--use-fake-device-for-media-stream']);
const seen = await page.evaluate(async () => {
  const stream = await navigator.mediaDevices.getUserMedia({ audio: true });
  const [track] = stream.getAudioTracks();
  const late = new MediaStreamTrackProcessor({ track: track.clone(), maxBufferSize: 50 });
  const reader = late.readable.getReader();
  (await reader.read()).value.close();
  await wait(3_000);
  const times = [];
  for (let count = 0; count < 50; count++) {
    const { value } = await reader.read();
    times.push(value.timestamp / 1_000);
    value.close();
  }
  const { value: next } = await reader.read();
  const now = next.timestamp / 1_000;
  next.close();
  reader.cancel();

  const held = [];
  const greedy = new MediaStreamTrackProcessor({ track }).readable.getReader();
  const end = performance.now() + 10_000;
  while (held.length < 500 && performance.now() < end) held.push((await greedy.read()).value);
  held.forEach((piece) => piece.close());
  return { oldest: Math.round(now - times[1]), held: held.length };
});
claim('a reader 3 s late with maxBufferSize 50 gets the newest half second', seen.oldest > 300 &&
  seen.oldest < 900, `the oldest but one ${seen.oldest} ms before the next`);
claim('500 pieces that nobody closes stop nothing', seen.held === 500, seen.held);
await close();
END
cd "$work"
judge node main.mjs
