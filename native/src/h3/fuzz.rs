//! Seeded fuzzing of all parsers of a peer's bytes. Inputs are changed valid ones and random bytes.
//! `ALOUD_FUZZ_INPUTS` is the number for each parser, `ALOUD_FUZZ_SEED` the first seed. A panic's
//! message has the seed of its input, which `ALOUD_FUZZ_INPUTS=1` repeats alone.

use std::env::var;
use std::panic::{catch_unwind, AssertUnwindSafe};

use futures::executor::block_on;
use web_transport_proto::Capsule;

use crate::h3::capsules::read_close;
use crate::h3::head::{request, response, status_of, RequestHead};
use crate::h3::qpack::{decode, encode};
use crate::h3::settings;
use crate::h3::wire::{
    frame, put_frame, read_control, read_section, read_settings, read_varint, MAX_FIELD_SECTION,
};

const INPUTS: u64 = 100_000;
const LONGEST_RANDOM: u64 = 200;
const MOST_CHANGES: u64 = 8;

/// A generator of pseudorandom numbers (SplitMix64).
struct Random(u64);

impl Random {
    fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut z = self.0;
        z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        z ^ (z >> 31)
    }

    fn below(&mut self, end: u64) -> u64 {
        self.next() % end
    }

    fn byte(&mut self) -> u8 {
        self.next() as u8
    }

    /// Random bytes, or a valid input with some changes.
    fn input(&mut self, valid: &[Vec<u8>]) -> Vec<u8> {
        let kind = self.below(4);
        if kind == 0 {
            return (0..self.below(LONGEST_RANDOM))
                .map(|_| self.byte())
                .collect();
        }
        let mut bytes = valid[self.below(valid.len() as u64) as usize].clone();
        for _ in 0..self.below(MOST_CHANGES) {
            self.change(&mut bytes, valid);
        }
        bytes
    }

    fn change(&mut self, bytes: &mut Vec<u8>, valid: &[Vec<u8>]) {
        let at = self.below(bytes.len() as u64 + 1) as usize;
        let end = (at + self.below(8) as usize).min(bytes.len());
        match self.below(6) {
            0 => bytes.truncate(at),
            1 => bytes.insert(at, self.byte()),
            2 => {
                bytes.drain(at..end);
            }
            3 => {
                let again = bytes[at..end].to_vec();
                bytes.splice(at..at, again);
            }
            4 => {
                let other = &valid[self.below(valid.len() as u64) as usize];
                let from = self.below(other.len() as u64 + 1) as usize;
                bytes.truncate(at);
                bytes.extend(&other[from..]);
            }
            _ if at < bytes.len() => {
                bytes[at] = [0, 0x3f, 0x40, 0x7f, 0x80, 0xff, self.byte()][self.below(7) as usize]
            }
            _ => {}
        }
    }
}

fn number(name: &str, otherwise: u64) -> u64 {
    var(name)
        .ok()
        .and_then(|text| text.parse().ok())
        .unwrap_or(otherwise)
}

/// Calls with many inputs; a panic reports its input's seed.
fn fuzz(valid: &[Vec<u8>], mut call: impl FnMut(&[u8])) {
    let first = number("ALOUD_FUZZ_SEED", 1);
    for seed in first..first + number("ALOUD_FUZZ_INPUTS", INPUTS) {
        let input = Random(seed).input(valid);
        let passed = catch_unwind(AssertUnwindSafe(|| call(&input)));
        assert!(passed.is_ok(), "with ALOUD_FUZZ_SEED={seed}: {input:02x?}");
    }
}

/// Frames as clients and servers send them.
fn frames() -> Vec<Vec<u8>> {
    let url = "https://example.org:8443/session?room=a".parse().unwrap();
    let headers = [
        "origin".into(),
        "https://example.org".into(),
        "user-agent".into(),
        "x".repeat(80),
    ];
    let mut goaway = Vec::new();
    put_frame(&mut goaway, frame::GOAWAY, &[0]);
    let mut grease = Vec::new();
    put_frame(&mut grease, 0x21, b"grease");
    vec![
        request(&url, &headers),
        response(200, &[("sec-webtransport-http3-draft", "draft02")]),
        [grease.clone(), request(&url, &[])].concat(),
        settings::control_stream()[1..].to_vec(),
        [goaway, grease].concat(),
    ]
}

/// Field sections, in Huffman's code and without.
fn sections() -> Vec<Vec<u8>> {
    let coded = [
        0xf1, 0xe3, 0xc2, 0xe5, 0xf2, 0x3a, 0x6b, 0xa0, 0xab, 0x90, 0xf4, 0xff,
    ];
    let session = [
        (":method", &b"CONNECT"[..]),
        (":scheme", b"https"),
        (":authority", b"example.org"),
        (":path", b"/session"),
        (":protocol", b"webtransport"),
        ("x-long", &[b'x'; 200]),
    ];
    vec![
        encode(&session),
        encode(&[(":method", b"GET"), (":path", b"/"), (":scheme", b"https")]),
        encode(&[(":status", b"200"), ("content-type", b"text/plain")]),
        [&[0, 0, 0x50, 0x80 | 12][..], &coded].concat(),
        [&[0, 0, 0x2f, 0x05][..], &coded, &[0x8c], &coded].concat(),
    ]
}

#[test]
fn field_sections_are_read_or_refused() {
    fuzz(&sections(), |input| {
        let Ok(fields) = decode(input) else {
            return;
        };
        let size: usize = fields
            .iter()
            .map(|field| field.name.len() + field.value.len())
            .sum();
        assert!(size <= MAX_FIELD_SECTION as usize);
        let _ = status_of(&fields);
        let Ok(head) = RequestHead::from_fields(fields) else {
            return;
        };
        assert!(!head.method.is_empty() && !head.authority.is_empty());
        assert!(
            head.path.starts_with('/')
                || head.path == "*"
                || (head.path.is_empty() && head.method == "CONNECT")
        );
        // Decoded fields stay the same when they are encoded and decoded again.
        let mut fields = vec![
            (":method", head.method.as_bytes()),
            (":authority", head.authority.as_bytes()),
        ];
        let path = format!("{}?{}", head.path, head.query);
        if !head.path.is_empty() {
            fields.extend([(":scheme", &b"https"[..]), (":path", path.as_bytes())]);
        }
        if !head.protocol.is_empty() {
            fields.push((":protocol", head.protocol.as_bytes()));
        }
        fields.extend(
            head.headers
                .chunks_exact(2)
                .map(|pair| (pair[0].as_str(), pair[1].as_bytes())),
        );
        if let Ok(again) = decode(&encode(&fields)) {
            assert_eq!(RequestHead::from_fields(again).as_ref(), Ok(&head));
        }
    });
}

#[test]
fn settings_are_read_or_refused() {
    let valid = [
        settings::control_stream()[3..].to_vec(),
        vec![0x33, 1, 8, 1],
    ];
    fuzz(&valid, |input| {
        let _ = settings::decode(input);
    });
}

#[test]
fn streams_are_read_or_refused() {
    fuzz(&frames(), |input| {
        let _ = block_on(read_section(&mut &input[..], None));
        let _ = block_on(read_settings(&mut &input[..]));
        let _ = block_on(read_control(&mut &input[..]));
        let _ = block_on(read_varint(&mut &input[..]));
    });
}

#[test]
fn capsules_are_read_or_refused() {
    let mut valid = Vec::new();
    for reason in ["", "genug für heute"] {
        let mut capsule = Vec::new();
        let reason = reason.to_owned();
        Capsule::CloseWebTransportSession { code: 7, reason }.encode(&mut capsule);
        let mut bytes = Vec::new();
        put_frame(&mut bytes, frame::DATA, &capsule);
        put_frame(&mut bytes, 0x21, b"grease");
        put_frame(&mut bytes, frame::DATA, &capsule[..3]);
        put_frame(&mut bytes, frame::DATA, &capsule[3..]);
        valid.push(bytes);
    }
    fuzz(&valid, |input| {
        let _ = block_on(read_close(&mut &input[..]));
    });
}
