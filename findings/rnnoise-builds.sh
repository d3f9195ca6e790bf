#!/usr/bin/env bash
# RNNoise's packages: two networks under one name, one of them twice as late and as slow.
. "$(dirname "$0")/lib.sh"
npm_install @echogarden/rnnoise-wasm@0.2.0 @jitsi/rnnoise-wasm@0.2.1

cat >"$work/main.mjs" <<'END'
import { readFileSync } from 'node:fs';
import openEchogarden from '@echogarden/rnnoise-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

const FRAME = 480;
const at = (path) => readFileSync(`node_modules/${path}`);

// Each gives { heap(), create, malloc, process }.
async function echogarden() {
  const model = await openEchogarden();
  return { heap: () => model.HEAPF32, create: model._rnnoise_create, malloc: model._malloc,
    process: model._rnnoise_process_frame };
}
async function jitsiFile() {
  let exports;
  const copy = (to, from, count) =>
    new Uint8Array(exports.c.buffer).copyWithin(to, from, from + count);
  const made = await WebAssembly.instantiate(at('@jitsi/rnnoise-wasm/dist/rnnoise.wasm'),
    { a: { a: () => 0, b: copy } });
  exports = made.instance.exports;
  exports.d();
  return { heap: () => new Float32Array(exports.c.buffer), create: exports.f, malloc: exports.g,
    process: exports.j };
}
async function jitsiSync() {
  // It is built for workers only.
  const text = at('@jitsi/rnnoise-wasm/dist/rnnoise-sync.js').toString()
    .replaceAll('import.meta.url', "'file:///x'").replaceAll('typeof process', 'typeof noProcess');
  globalThis.importScripts = () => {};
  globalThis.self = globalThis;
  globalThis.location = { href: 'file:///x' };
  const url = `data:text/javascript;base64,${Buffer.from(text).toString('base64')}`;
  const model = (await import(url)).default();
  return { heap: () => model.HEAPF32, create: model._rnnoise_create, malloc: model._malloc,
    process: model._rnnoise_process_frame };
}
const power = (sound, from, to) =>
  sound.subarray(from, to).reduce((sum, value) => sum + value * value, 0) / (to - from);
const speech = voice(4 * 48_000);
let seed = 1;
const noise = () => (seed = (Math.imul(seed, 1_103_515_245) + 12_345) >>> 0) / 2 ** 31 - 1;
const fan = new Float32Array(4 * 48_000);
for (let i = 1; i < fan.length; i++) fan[i] = 0.94 * fan[i - 1] + 0.002 * noise();

function run(model, sound) {
  const state = model.create(0);
  const place = model.malloc(4 * FRAME);
  const out = new Float32Array(sound.length);
  const times = [];
  for (let i = 0; i < sound.length; i += FRAME) {
    const frame = model.heap().subarray(place / 4, place / 4 + FRAME);
    for (let k = 0; k < FRAME; k++) frame[k] = 32_768 * sound[i + k];
    const begun = performance.now();
    model.process(state, place, place);
    times.push(performance.now() - begun);
    for (let k = 0; k < FRAME; k++) out[i + k] = model.heap()[place / 4 + k] / 32_768;
  }
  return { out, us: 1000 * times.sort((a, b) => a - b)[times.length >> 1] };
}

function lagOf(sound, out) {
  let [best, lag] = [-Infinity, 0];
  for (let at = 0; at <= 1440; at += 1) {
    let sum = 0;
    for (let i = 48_000; i < 96_000; i += 3) sum += sound[i] * out[i + at];
    if (sum > best) [best, lag] = [sum, at];
  }
  return lag;
}

const seen = {};
for (const [name, open] of Object.entries({
  echogarden, 'jitsi, .wasm': jitsiFile, 'jitsi, -sync': jitsiSync,
})) {
  const model = await open();
  run(model, speech);
  const { out, us } = run(model, speech);
  const rest = run(model, fan).out;
  const db = 10 * Math.log10(power(rest, 96_000, 192_000) / power(fan, 96_000, 192_000));
  seen[name] = { lag: lagOf(speech, out), us, db };
  console.log(`seen       ${name}: ${seen[name].lag} samples, a fan ${db.toFixed(1)} dB, ` +
    `${us.toFixed(0)} us a frame`);
}
const { echogarden: first, 'jitsi, .wasm': same, 'jitsi, -sync': second } = seen;
claim('the two packages have one network', Math.abs(first.db - same.db) < 0.2,
  `${first.db.toFixed(1)} and ${same.db.toFixed(1)} dB`);
claim('they are 480 samples later', first.lag === 480 && same.lag === 480,
  `${first.lag} and ${same.lag}`);
claim('the -sync file of the second is 960 later', second.lag === 960, second.lag);
claim('and takes twice as long or more', second.us > 2 * same.us,
  `${second.us.toFixed(0)} and ${same.us.toFixed(0)} us`);
claim('and leaves less of a fan', second.db < first.db - 10, second.db.toFixed(1));
END
cd "$work"
judge node main.mjs
