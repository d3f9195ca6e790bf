#!/usr/bin/env bash
# visqol-python gives other marks to the same files where one of its optional packages is there.
. "$(dirname "$0")/lib.sh"
npm_install libopus-wasm@0.2.0
pip_install 'visqol-python[lattice]==3.8.0' ai-edge-litert==2.1.5

cat >"$work/make.mjs" <<'END'
import { writeFileSync } from 'node:fs';
import { voice } from './voice.mjs';

const rate = 16_000;
const sound = voice(rate * 6, rate);
function write(name, samples) {
  const bytes = Buffer.alloc(44 + samples.length * 2);
  bytes.write('RIFF');
  bytes.writeUInt32LE(36 + samples.length * 2, 4);
  bytes.write('WAVEfmt ', 8);
  for (const [at, value, size] of [[16, 16, 4], [20, 1, 2], [22, 1, 2], [24, rate, 4],
    [28, rate * 2, 4], [32, 2, 2], [34, 16, 2]]) bytes.writeUIntLE(value, at, size);
  bytes.write('data', 36);
  bytes.writeUInt32LE(samples.length * 2, 40);
  samples.forEach((value, at) => bytes.writeInt16LE(Math.round(value * 32_767), 44 + at * 2));
  writeFileSync(name, bytes);
}
write('reference.wav', sound);
END
cat >"$work/main.py" <<'END'
import warnings

from claim import claim, finish
from visqol import VisqolApi

warnings.simplefilter("ignore")


def mark(**options):
    api = VisqolApi()
    api.create(mode="speech", **options)
    return api.measure("reference.wav", "reference.wav").moslqo


plain, lattice, unasked = mark(use_lattice_model=False), mark(use_lattice_model=True), mark()
claim("equal signals, without the lattice: 5", abs(plain - 5) < 0.001, f"{plain:.3f}")
claim("equal signals, with it: less than 4.9", lattice < 4.9, f"{lattice:.3f}")
claim("it is used unasked where its package is installed", unasked == lattice, f"{unasked:.3f}")
finish()
END
cd "$work"
node make.mjs
judge venv/bin/python main.py
