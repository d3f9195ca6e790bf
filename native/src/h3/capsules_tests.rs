use futures::executor::block_on;
use web_transport_proto::Capsule;

use super::*;
use crate::h3::wire::{put_frame, put_varint};

type Close = Result<Option<(u32, String)>, Broken>;

fn read(stream: &[u8]) -> Close {
    block_on(read_close(&mut &stream[..]))
}

fn closing(code: u32, reason: &str) -> Vec<u8> {
    let (mut capsule, reason) = (Vec::new(), reason.to_owned());
    Capsule::CloseWebTransportSession { code, reason }.encode(&mut capsule);
    capsule
}

/// The capsules in DATA frames of this many bytes, with another frame behind each.
fn in_frames(capsules: &[u8], bytes: usize) -> Vec<u8> {
    let mut stream = Vec::new();
    for part in capsules.chunks(bytes) {
        put_frame(&mut stream, frame::DATA, part);
        put_frame(&mut stream, 0x21, b"grease");
        put_frame(&mut stream, frame::DATA, b"");
    }
    stream
}

fn closed(code: u32, reason: &str) -> Close {
    Ok(Some((code, reason.to_owned())))
}

#[test]
fn a_capsule_is_read_from_frames_of_any_length_behind_others() {
    let mut capsules = Vec::new();
    put_frame(&mut capsules, 0x78ae, b"");
    put_frame(&mut capsules, 0x17, &[7; 100_000]);
    capsules.extend(closing(5, "genug für heute"));
    for bytes in [1, 2, 3, 7, 1000, capsules.len()] {
        let stream = in_frames(&capsules, bytes);
        assert_eq!(read(&stream), closed(5, "genug für heute"), "{bytes}");
    }
    assert_eq!(read(&in_frames(&closing(0, ""), 100)), closed(0, ""));
}

#[test]
fn a_stream_that_ends_between_capsules_closes_without_a_code() {
    let mut capsules = Vec::new();
    put_frame(&mut capsules, 0x78ae, b"abc");
    for stream in [vec![], in_frames(&capsules, 2)] {
        assert_eq!(read(&stream), Ok(None));
    }
}

#[test]
fn a_stream_that_ends_within_a_capsule_or_a_frame_is_malformed() {
    let capsule = closing(5, "bye");
    for end in 1..capsule.len() {
        let stream = in_frames(&capsule[..end], 2);
        assert_eq!(read(&stream), Err(MALFORMED), "{end}");
    }
    let mut stream = Vec::new();
    put_frame(&mut stream, frame::DATA, &capsule);
    for end in 1..stream.len() {
        assert!(read(&stream[..end]).is_err(), "{end}");
    }
}

#[test]
fn a_reason_has_its_longest_length_and_a_code_its_only_one() {
    let longest = "x".repeat(1024);
    assert_eq!(
        read(&in_frames(&closing(5, &longest), 500)),
        closed(5, &longest)
    );
    assert_eq!(
        read(&in_frames(&closing(5, &(longest + "x")), 500)),
        Err(MALFORMED)
    );
    for bytes in 0..4 {
        let mut capsule = Vec::new();
        put_varint(&mut capsule, CLOSE_SESSION);
        put_varint(&mut capsule, bytes);
        capsule.extend(vec![0; 100]);
        assert_eq!(read(&in_frames(&capsule, 200)), Err(MALFORMED), "{bytes}");
    }
}
