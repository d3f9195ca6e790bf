#!/usr/bin/env bash
# libopus 1.6.1: DRED, made for speech, works in CELT packets of restricted low-delay too.
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

struct Seen {
    redundant: usize,
    packets: usize,
    longest_ms: f32,
    mean_bytes: f32,
    celt: bool,
}

unsafe fn run(bitrate: c_int, frame: usize, duration: c_int) -> Seen {
    let mut error = 0;
    let encoder = opus_encoder_create(48_000, 1, OPUS_APPLICATION_RESTRICTED_LOWDELAY, &mut error);
    assert_eq!(error, 0);
    opus_encoder_ctl(encoder, OPUS_SET_BITRATE_REQUEST, bitrate);
    opus_encoder_ctl(encoder, OPUS_SET_PACKET_LOSS_PERC_REQUEST, 20 as c_int);
    assert_eq!(opus_encoder_ctl(encoder, OPUS_SET_DRED_DURATION_REQUEST, duration), 0);
    let decoder = opus_dred_decoder_create(&mut error);
    let dred = opus_dred_alloc(&mut error);
    let (mut redundant, mut packets, mut longest, mut bytes, mut celt) = (0, 0, 0, 0, true);
    for samples in sound(240_000).chunks_exact(frame) {
        let mut packet = [0u8; 1_275];
        let length = opus_encode_float(
            encoder, samples.as_ptr(), frame as c_int, packet.as_mut_ptr(), 1_275,
        );
        packets += 1;
        bytes += length;
        celt &= packet[0] >> 3 >= 16;
        let mut end = 0;
        let back =
            opus_dred_parse(decoder, dred, packet.as_ptr(), length, 48_000, 48_000, &mut end, 1);
        if back > 0 {
            redundant += 1;
            longest = longest.max(back);
        }
    }
    opus_encoder_destroy(encoder);
    opus_dred_free(dred);
    opus_dred_decoder_destroy(decoder);
    Seen {
        redundant,
        packets,
        longest_ms: longest as f32 / 48.0,
        mean_bytes: bytes as f32 / packets as f32,
        celt,
    }
}

fn main() {
    let mut changed = false;
    let mut claim = |sentence: &str, holds: bool, seen: &Seen| {
        println!(
            "{} {sentence}: in {} of {} packets, {} ms back, {:.0} bytes a packet",
            if holds { "as stated " } else { "CHANGED   " },
            seen.redundant, seen.packets, seen.longest_ms, seen.mean_bytes
        );
        changed |= !holds;
    };
    unsafe {
        let version = CStr::from_ptr(opus_get_version_string());
        println!("version    {}", version.to_string_lossy());
        let plain = run(48_000, 960, 0);
        claim("48 kb/s without DRED", plain.redundant == 0, &plain);
        let with = run(48_000, 960, 100);
        let most = with.redundant * 10 > with.packets * 8;
        claim("48 kb/s: DRED in CELT packets", with.celt && most && with.longest_ms > 200.0, &with);
        let low = run(32_000, 960, 100);
        claim("32 kb/s: it reaches less far back", low.longest_ms < with.longest_ms, &low);
        let short = run(48_000, 120, 100);
        claim("48 kb/s, 2.5 ms: none, and no error", short.redundant == 0, &short);
    }
    std::process::exit(if changed { 10 } else { 0 });
}
END
cargo_build 'opusic-sys = { version = "=0.7.7", features = ["dred"] }'
judge "$work/target/release/finding"
