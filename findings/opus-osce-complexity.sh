#!/usr/bin/env bash
# libopus 1.6.1 with OSCE: the decoder's complexity changes SILK and hybrid sound at 6 and 7, CELT
# never.
. "$(dirname "$0")/lib.sh"
need cmake

cat >"$work/main.rs" <<'END'
use opusic_sys::*;
use std::ffi::{c_int, CStr};

// Pulses of a gliding pitch through a low-pass, with noise: some -20 dBFS.
fn sound(samples: usize) -> Vec<f32> {
    let (mut seed, mut phase, mut low) = (1u32, 0.0f32, 0.0f32);
    (0..samples)
        .map(|at| {
            seed = seed.wrapping_mul(1_664_525).wrapping_add(1_013_904_223);
            let noise = seed as f32 / 2f32.powi(31) - 1.0;
            phase += (120.0 + 40.0 * (at as f32 / 30_000.0).sin()) / 48_000.0;
            let pulse = if phase >= 1.0 { 3.0 } else { 0.0 };
            phase = phase.fract();
            low = 0.9 * low + 0.1 * (pulse + 0.1 * noise);
            low
        })
        .collect()
}

unsafe fn encode(application: c_int, bitrate: c_int, widest: c_int) -> Vec<Vec<u8>> {
    let mut error = 0;
    let encoder = opus_encoder_create(48_000, 1, application, &mut error);
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE_REQUEST, bitrate);
    opus_encoder_ctl(encoder, OPUS_SET_SIGNAL_REQUEST, OPUS_SIGNAL_VOICE);
    opus_encoder_ctl(encoder, OPUS_SET_MAX_BANDWIDTH_REQUEST, widest);
    let packets = sound(240_000)
        .chunks_exact(960)
        .map(|samples| {
            let mut packet = vec![0u8; 1_275];
            let length =
                opus_encode_float(encoder, samples.as_ptr(), 960, packet.as_mut_ptr(), 1_275);
            packet.truncate(length as usize);
            packet
        })
        .collect();
    opus_encoder_destroy(encoder);
    packets
}

unsafe fn decode(packets: &[Vec<u8>], complexity: c_int) -> Vec<f32> {
    let mut error = 0;
    let decoder = opus_decoder_create(48_000, 1, &mut error);
    opus_decoder_ctl(decoder, OPUS_SET_COMPLEXITY_REQUEST, complexity);
    let mut all = Vec::new();
    for packet in packets {
        let mut samples = [0f32; 960];
        opus_decode_float(
            decoder, packet.as_ptr(), packet.len() as c_int, samples.as_mut_ptr(), 960, 0,
        );
        all.extend(samples);
    }
    opus_decoder_destroy(decoder);
    all
}

fn main() {
    let mut changed = false;
    unsafe {
        let version = CStr::from_ptr(opus_get_version_string());
        println!("version    {}", version.to_string_lossy());
        let (low_delay, voip) = (OPUS_APPLICATION_RESTRICTED_LOWDELAY, OPUS_APPLICATION_VOIP);
        let (full, wide) = (OPUS_BANDWIDTH_FULLBAND, OPUS_BANDWIDTH_WIDEBAND);
        let cases = [
            ("CELT, 48 kb/s", low_delay, 48_000, full, vec![]),
            ("hybrid, 28 kb/s", voip, 28_000, full, vec![6, 7]),
            ("SILK wideband, 16 kb/s", voip, 16_000, wide, vec![6, 7]),
        ];
        for (name, application, bitrate, widest, stated) in cases {
            let packets = encode(application, bitrate, widest);
            let sounds: Vec<_> = (0..=10).map(|complexity| decode(&packets, complexity)).collect();
            let seen: Vec<_> =
                (1..=10usize).filter(|&at| sounds[at] != sounds[at - 1]).collect();
            let holds = seen == stated;
            println!(
                "{} {name} (configuration {}): other sound from {stated:?} on: {seen:?}",
                if holds { "as stated " } else { "CHANGED   " },
                packets[100][0] >> 3
            );
            changed |= !holds;
        }
    }
    std::process::exit(if changed { 10 } else { 0 });
}
END
cargo_build 'opusic-sys = { version = "=0.7.7", features = ["osce"] }'
judge "$work/target/release/finding"
