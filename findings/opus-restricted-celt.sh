#!/usr/bin/env bash
# libopus 1.6.1: application 2053 gives the bytes of restricted low-delay in half of the memory.
. "$(dirname "$0")/lib.sh"
need cmake

cat >"$work/main.rs" <<'END'
use opusic_sys::*;
use std::ffi::{c_int, c_void, CStr};

extern "C" {
    fn malloc_usable_size(pointer: *const c_void) -> usize;
}

// Pulses of a gliding pitch with noise, in each of `channels` with another level.
fn sound(samples: usize, channels: usize) -> Vec<f32> {
    let (mut seed, mut phase, mut low) = (1u32, 0.0f32, 0.0f32);
    let mut all = Vec::with_capacity(samples * channels);
    for at in 0..samples {
        seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
        let noise = seed as f32 / 2f32.powi(31) - 1.0;
        phase += (120.0 + 40.0 * (at as f32 / 30_000.0).sin()) / 48_000.0;
        let pulse = if phase >= 1.0 { 3.0 } else { 0.0 };
        phase = phase.fract();
        low = 0.9 * low + 0.1 * (pulse + 0.1 * noise);
        for channel in 0..channels {
            all.push(low * (1.0 - 0.4 * channel as f32));
        }
    }
    all
}

unsafe fn encode(application: c_int, channels: usize, frame: usize) -> (Vec<Vec<u8>>, usize) {
    let mut error = 0;
    let encoder = opus_encoder_create(48_000, channels as c_int, application, &mut error);
    assert_eq!(error, 0);
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE_REQUEST, 48_000 as c_int);
    opus_encoder_ctl(encoder, OPUS_SET_COMPLEXITY_REQUEST, 8 as c_int);
    let memory = malloc_usable_size(encoder as *const c_void);
    let mut packets = Vec::new();
    for samples in sound(480_000, channels).chunks_exact(frame * channels) {
        let mut packet = vec![0u8; 1_275];
        let length = opus_encode_float(
            encoder, samples.as_ptr(), frame as c_int, packet.as_mut_ptr(), 1_275,
        );
        packet.truncate(length as usize);
        packets.push(packet);
    }
    opus_encoder_destroy(encoder);
    (packets, memory)
}

fn main() {
    let mut changed = false;
    let mut claim = |sentence: String, holds: bool, seen: String| {
        println!("{} {sentence}: {seen}", if holds { "as stated " } else { "CHANGED   " });
        changed |= !holds;
    };
    unsafe {
        let version = CStr::from_ptr(opus_get_version_string());
        println!("version    {}", version.to_string_lossy());
        for channels in [1, 2] {
            for frame in [120, 480, 960] {
                let (usual, memory) =
                    encode(OPUS_APPLICATION_RESTRICTED_LOWDELAY, channels, frame);
                let (celt, less) = encode(OPUS_APPLICATION_RESTRICTED_CELT, channels, frame);
                let differ = usual.iter().zip(&celt).filter(|(one, other)| one != other).count();
                claim(
                    format!("{channels} channel(s), {} ms: the same bytes", frame as f32 / 48.0),
                    differ == 0,
                    format!("{differ} of {} packets differ", celt.len()),
                );
                claim(
                    "in a third less memory or better".to_string(),
                    less * 3 < memory * 2,
                    format!("{less} in place of {memory} bytes"),
                );
            }
        }
    }
    std::process::exit(if changed { 10 } else { 0 });
}
END
cargo_build 'opusic-sys = "=0.7.7"'
judge "$work/target/release/finding"
