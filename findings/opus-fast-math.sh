#!/usr/bin/env bash
# libopus 1.6.1 with -ffast-math and FLOAT_APPROX, which its build calls discouraged: faster, and
# the same sound.
. "$(dirname "$0")/lib.sh"
need cmake python3

cat >"$work/main.rs" <<'END'
use opusic_sys::*;
use std::ffi::{c_int, CStr};
use std::time::{Duration, Instant};

const FRAME: usize = 960;
const ROUNDS: usize = 8;

unsafe fn encode(sound: &[f32]) -> (Vec<Vec<u8>>, Duration) {
    let mut error = 0;
    let encoder = opus_encoder_create(48_000, 1, OPUS_APPLICATION_RESTRICTED_CELT, &mut error);
    assert_eq!(error, 0);
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE_REQUEST, 32_000 as c_int);
    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY_REQUEST, 8 as c_int);
    let start = Instant::now();
    let packets = sound.chunks_exact(FRAME).map(|samples| {
        let mut packet = vec![0u8; 1_275];
        let length = opus_encode_float(
            encoder, samples.as_ptr(), FRAME as c_int, packet.as_mut_ptr(), 1_275,
        );
        packet.truncate(length as usize);
        packet
    });
    let all = (packets.collect(), start.elapsed());
    opus_encoder_destroy(encoder);
    all
}

unsafe fn decode(packets: &[Vec<u8>]) -> Vec<u8> {
    let mut error = 0;
    let decoder = opus_decoder_create(48_000, 1, &mut error);
    assert_eq!(error, 0);
    let mut all = Vec::new();
    for packet in packets {
        let mut samples = [0f32; FRAME];
        let length = packet.len() as i32;
        opus_decode_float(decoder, packet.as_ptr(), length, samples.as_mut_ptr(), FRAME as c_int, 0);
        all.extend(samples.iter().flat_map(|sample| sample.to_le_bytes()));
    }
    opus_decoder_destroy(decoder);
    all
}

fn floats(bytes: &[u8]) -> Vec<f32> {
    bytes.chunks_exact(4).map(|four| f32::from_le_bytes(four.try_into().unwrap())).collect()
}

// encode SOUND PACKETS prints the shortest time of a frame in ns; decode PACKETS SOUND.
fn main() {
    let args: Vec<String> = std::env::args().collect();
    let bytes = std::fs::read(&args[2]).unwrap();
    unsafe {
        if args[1] == "version" {
            println!("{}", CStr::from_ptr(opus_get_version_string()).to_string_lossy());
        } else if args[1] == "encode" {
            let sound = floats(&bytes);
            let rounds: Vec<_> = (0..ROUNDS).map(|_| encode(&sound)).collect();
            let (packets, _) = &rounds[0];
            let least = rounds.iter().map(|(_, time)| time).min().unwrap();
            println!("{}", least.as_nanos() / packets.len() as u128);
            let lengths = packets.iter().flat_map(|it| {
                (it.len() as u16).to_le_bytes().into_iter().chain(it.iter().copied())
            });
            std::fs::write(&args[3], lengths.collect::<Vec<u8>>()).unwrap();
        } else {
            let (mut packets, mut at) = (Vec::new(), 0);
            while at < bytes.len() {
                let length = u16::from_le_bytes([bytes[at], bytes[at + 1]]) as usize;
                packets.push(bytes[at + 2..at + 2 + length].to_vec());
                at += 2 + length;
            }
            std::fs::write(&args[3], decode(&packets)).unwrap();
        }
    }
}
END

cat >"$work/sound.mjs" <<'END'
import { writeFileSync } from 'node:fs';
import { voice } from './voice.mjs';
writeFileSync('sound.f32', voice(48_000 * 10));
END

cat >"$work/judge.py" <<'END'
import array
import math
import subprocess

from claim import claim, finish


def run(build, *arguments):
    return subprocess.run([f"./{build}", *arguments], check=True, capture_output=True, text=True).stdout


def floats(name):
    with open(name, "rb") as file:
        return array.array("f", file.read())


def decibels(one, other):
    error = sum((a - b) ** 2 for a, b in zip(one, other))
    return 10 * math.log10((error + 1e-20) / sum(a * a for a in one))


times = {"plain": [], "fast": []}
for turn in range(5):
    for build in times:
        times[build].append(int(run(build, "encode", "sound.f32", f"{build}.packets")))
plain, fast = (min(times[build]) for build in ("plain", "fast"))
claim("encoding takes at least 8 % less time", fast < 0.92 * plain, f"{fast} ns for {plain}")

for decoder in times:
    run(decoder, "decode", "plain.packets", f"{decoder}.f32")
difference = decibels(floats("plain.f32"), floats("fast.f32"))
claim("both decode the same packets alike, within -80 dB", difference < -80, f"{difference:.0f} dB")

lengths = [len(open(f"{build}.packets", "rb").read()) for build in ("plain", "fast")]
claim("packets are as long within 1 %", abs(lengths[0] / lengths[1] - 1) < 0.01, str(lengths))

original = floats("sound.f32")
distances = []
for encoder in times:
    run("plain", "decode", f"{encoder}.packets", "decoded.f32")
    # The codec is 120 samples late.
    distances.append(decibels(original[:-120], floats("decoded.f32")[120:]))
claim(
    "packets of both are as close to the original within 0.2 dB",
    abs(distances[0] - distances[1]) < 0.2,
    " and ".join(f"{distance:.2f} dB" for distance in distances),
)
finish()
END

build() {
  cargo_build 'opusic-sys = "=0.7.7"'
  mv "$work/target/release/finding" "$work/$1"
  rm -rf "$work/target"
}
build plain
export CFLAGS='-ffast-math -DFLOAT_APPROX'
build fast
need node
cd "$work"
node sound.mjs
printf 'version    %s, with and without %s\n' "$(./plain version sound.f32)" "$CFLAGS"
judge python3 judge.py
