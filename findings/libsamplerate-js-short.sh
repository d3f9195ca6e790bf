#!/usr/bin/env bash
# libsamplerate-js: full() leaves out the end with its best converter; cheap ones move the sound.
. "$(dirname "$0")/lib.sh"
npm_install @alexanderolsen/libsamplerate-js@2.1.2

cat >"$work/main.mjs" <<'END'
import { createRequire } from 'node:module';
import { claim } from './claim.mjs';

const require = createRequire(import.meta.url);
const { create, ConverterType } = require('@alexanderolsen/libsamplerate-js');
const sound = Float32Array.from({ length: 88_200 }, (_, at) => {
  const off = at - 44_100;
  const window = Math.abs(off) < 200 ? 0.5 + 0.5 * Math.cos((Math.PI * off) / 200) : 0;
  return 0.8 * window * (off === 0 ? 1 : Math.sin(Math.PI * off * 0.5) / (Math.PI * off * 0.5));
});

// Place of the peak by a parabola through its three largest samples, and the length.
async function convert(type, way) {
  const resampler = await create(1, 44_100, 48_000, { converterType: type });
  const out = Float32Array.from(resampler[way](sound));
  resampler.destroy();
  let top = 1;
  for (let at = 1; at < out.length - 1; at++) if (out[at] > out[top]) top = at;
  const [before, peak, after] = out.subarray(top - 1, top + 2);
  return { at: top + (before - after) / (2 * (before - 2 * peak + after)), length: out.length };
}

const told = ({ at, length }) => `peak at ${at.toFixed(2)} of ${length}`;
const simple = await convert(ConverterType.SRC_SINC_BEST_QUALITY, 'simple');
claim('simple(), best: exact and whole', Math.abs(simple.at - 48_000) < 0.05 &&
  Math.abs(simple.length - 96_000) <= 1, told(simple));
const full = await convert(ConverterType.SRC_SINC_BEST_QUALITY, 'full');
claim('full(), best: the end is missing', full.length < 95_900, told(full));
const linear = await convert(ConverterType.SRC_LINEAR, 'simple');
claim('linear: a sample later', linear.at > 48_000.5 && linear.at < 48_001.6, told(linear));
END
cd "$work"
judge node main.mjs
