#!/usr/bin/env bash
# The same libopus 1.6.1 gives other packets with AVX2 than in WebAssembly, from the same floats.
. "$(dirname "$0")/lib.sh"
need cmake
grep -qw avx2 /proc/cpuinfo || missing "a processor with AVX2."
npm_install libopus-wasm@0.2.0

cat >"$work/main.mjs" <<'END'
import { execFileSync } from 'node:child_process';
import { readFileSync, writeFileSync } from 'node:fs';
import { Application, createEncoder, loadLibopus } from 'libopus-wasm';
import { claim } from './claim.mjs';
import { voice } from './voice.mjs';

console.log(`version    ${(await loadLibopus()).version}, in WebAssembly`);
const sound = voice(48_000 * 10);
writeFileSync('sound.f32', sound);

async function inWasm(complexity, frameSize) {
  const encoder = await createEncoder({
    application: Application.RestrictedLowDelay, channels: 1, bitrate: 48_000, complexity,
    frameSize,
  });
  const lines = [];
  for (let at = 0; at + frameSize <= sound.length; at += frameSize) {
    const packet = encoder.encodeFloat(sound.subarray(at, at + frameSize));
    lines.push(Buffer.from(packet).toString('hex'));
  }
  encoder.free();
  return lines;
}

function native(name, complexity, frameSize) {
  execFileSync(name, [complexity, frameSize].map(String), { stdio: 'inherit' });
  return readFileSync('packets.txt', 'utf8').trim().split('\n');
}

for (const complexity of [5, 10]) {
  const wasm = await inWasm(complexity, 960);
  for (const [name, program] of [['AVX2', './with-avx2'], ['plain', './without']]) {
    const packets = native(program, complexity, 960);
    const differ = packets.filter((line, at) => line !== wasm[at]).length;
    const seen = `${differ} of ${packets.length} differ`;
    if (name === 'AVX2') claim(`complexity ${complexity}: AVX2's packets differ from WebAssembly's`,
      differ > packets.length / 20, seen);
    else claim(`complexity ${complexity}: those of a build without feature detection don't`,
      differ === 0, seen);
  }
}
END
cat >"$work/main.rs" <<'END'
use opusic_sys::*;
use std::ffi::{c_int, CStr};
use std::fmt::Write;

fn main() {
    let numbers: Vec<c_int> = std::env::args().skip(1).map(|text| text.parse().unwrap()).collect();
    let frame = numbers[1] as usize;
    let bytes = std::fs::read("sound.f32").unwrap();
    let sound: Vec<f32> =
        bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect();
    let mut lines = String::new();
    unsafe {
        let mut error = 0;
        let application = OPUS_APPLICATION_RESTRICTED_LOWDELAY;
        let encoder = opus_encoder_create(48_000, 1, application, &mut error);
        assert_eq!(error, 0);
        opus_encoder_ctl(encoder, OPUS_SET_BITRATE_REQUEST, 48_000 as c_int);
        opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY_REQUEST, numbers[0]);
        for samples in sound.chunks_exact(frame) {
            let mut packet = [0u8; 1_275];
            let length = opus_encode_float(
                encoder, samples.as_ptr(), numbers[1], packet.as_mut_ptr(), 1_275,
            );
            for byte in &packet[..length as usize] {
                write!(lines, "{byte:02x}").unwrap();
            }
            lines.push('\n');
        }
        let version = CStr::from_ptr(opus_get_version_string());
        println!("version    {}, native", version.to_string_lossy());
    }
    std::fs::write("packets.txt", lines).unwrap();
}
END
cargo_build 'opusic-sys = { version = "=0.7.7", features = ["no-runtime-feature-detection"] }'
cp "$work/target/release/finding" "$work/without"
cargo_build 'opusic-sys = "=0.7.7"'
cp "$work/target/release/finding" "$work/with-avx2"
cd "$work"
judge node main.mjs
