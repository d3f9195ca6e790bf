#!/usr/bin/env bash
# DTX: in a quiet room it begins or doesn't by complexity and application; silence is told each
# 420 ms, not 400.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { Application, createEncoder, loadLibopus } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}`);
const FRAME = 960;
let seed = 1;
const noise = () => {
  seed = (Math.imul(seed, 1_664_525) + 1_013_904_223) >>> 0;
  return (seed / 2 ** 31 - 1) * 3 ** 0.5 * 10 ** (-70 / 20);
};

// Times of packets of at most 2 bytes, and of longer ones after the first of these, in ms.
async function run(application, complexity, sample, before = []) {
  const encoder = await createEncoder({
    application, channels: 1, bitrate: 48_000, complexity, dtx: true,
  });
  for (let at = 0; at < before.length; at += FRAME) {
    encoder.encodeFloat(before.subarray(at, at + FRAME));
  }
  let first = null;
  const longer = [];
  for (let count = 0; count < 500; count++) {
    const { length } = encoder.encodeFloat(Float32Array.from({ length: FRAME }, sample));
    if (length <= 2) first ??= count * 20;
    else if (first !== null) longer.push(count * 20);
  }
  encoder.free();
  const gaps = longer.slice(1).map((time, at) => time - longer[at]);
  return { first, gaps: [...new Set(gaps)] };
}

const { Voip, RestrictedLowDelay } = Application;
for (const [name, application] of Object.entries({ Voip, RestrictedLowDelay })) {
  const { first, gaps } = await run(application, 10, () => 0);
  claim(`${name}, digital silence: a longer packet each 420 ms`, gaps.join() === '420',
    `first after ${first} ms, then each ${gaps.join()} ms`);
}
const told = ({ first }) => (first === null ? 'never in 10 s' : `after ${first} ms`);
const quick = await run(Voip, 5, noise);
claim('noise at -70 dBFS alone, Voip, complexity 5: DTX begins', quick.first < 600, told(quick));
const thorough = await run(Voip, 10, noise);
claim('the same at complexity 10: it does not', thorough.first === null, told(thorough));
for (const complexity of [5, 10]) {
  const seen = await run(RestrictedLowDelay, complexity, noise);
  claim(`RestrictedLowDelay, complexity ${complexity}: it does not`, seen.first === null,
    told(seen));
}
const simple = await run(RestrictedLowDelay, 5, noise, voice(96_000));
claim('after two seconds of a voice, complexity 5: still not', simple.first === null, told(simple));
const complex = await run(RestrictedLowDelay, 10, noise, voice(96_000));
claim('after the voice, complexity 10: now it does', complex.first !== null &&
  complex.first < 1_000, told(complex));
END
cd "$work"
judge node main.mjs
