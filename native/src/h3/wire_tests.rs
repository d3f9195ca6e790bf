use std::io;
use std::pin::Pin;
use std::task::{Context, Poll};

use futures::executor::block_on;
use futures::FutureExt;
use tokio::io::ReadBuf;

use super::*;

fn frame_of(kind: u64, payload: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_frame(&mut bytes, kind, payload);
    bytes
}

fn section(bytes: &[u8]) -> Result<Section, Broken> {
    block_on(read_section(&mut &bytes[..], None))
}

#[test]
fn a_request_begins_with_headers_behind_unknown_frames() {
    let bytes = [frame_of(0x21, b"grease"), frame_of(frame::HEADERS, b"abc")].concat();
    assert_eq!(section(&bytes), Ok(Section::Fields(b"abc".to_vec())));
}

#[test]
fn a_field_section_that_is_too_large_is_left_unread() {
    let bytes = frame_of(frame::HEADERS, &vec![0; MAX_FIELD_SECTION as usize + 1]);
    assert_eq!(section(&bytes), Ok(Section::TooLarge));
}

#[test]
fn frames_of_other_streams_end_the_connection() {
    for kind in [0, 2, 3, 4, 5, 6, 7, 8, 9, 0xd, 0x41] {
        assert_eq!(section(&frame_of(kind, b"x")), Err(UNEXPECTED), "{kind:x}");
    }
    for kind in [0, 1, 2, 4, 5, 6, 8, 9] {
        let bytes = frame_of(kind, b"x");
        assert_eq!(
            block_on(read_control(&mut &bytes[..])),
            UNEXPECTED,
            "{kind:x}"
        );
    }
}

#[test]
fn a_stream_that_ends_within_a_frame_ends_the_connection() {
    let bytes = frame_of(frame::HEADERS, b"abc");
    for end in 1..bytes.len() {
        assert_eq!(section(&bytes[..end]), Err(TRUNCATED), "{end}");
    }
    assert_eq!(section(b""), Err(Broken::Stream(codes::REQUEST_INCOMPLETE)));
}

#[test]
fn who_sends_only_unknown_frames_is_too_much() {
    let bytes = frame_of(0x21, &[0; 1024]).repeat(65);
    assert_eq!(section(&bytes), Err(EXCESSIVE));
}

#[test]
fn a_control_stream_begins_with_settings_and_never_ends() {
    let settings = |bytes: &[u8]| block_on(read_settings(&mut &bytes[..]));
    assert_eq!(
        settings(&frame_of(frame::SETTINGS, b"ab")),
        Ok(b"ab".to_vec())
    );
    assert_eq!(settings(b""), Err(CRITICAL));
    assert_eq!(
        settings(&frame_of(frame::SETTINGS, &[0; 4097])),
        Err(EXCESSIVE)
    );
    let missing = settings(&frame_of(frame::GOAWAY, b"\0")).unwrap_err();
    assert!(matches!(
        missing,
        Broken::Connection(codes::MISSING_SETTINGS, _)
    ));
    let bytes = [frame_of(frame::GOAWAY, b"\0"), frame_of(0x21, b"")].concat();
    assert_eq!(block_on(read_control(&mut &bytes[..])), CRITICAL);
}

/// A stream on which nothing comes; with the room that it was last given.
struct Idle(usize);

impl AsyncRead for Idle {
    fn poll_read(
        mut self: Pin<&mut Self>,
        _: &mut Context<'_>,
        buf: &mut ReadBuf<'_>,
    ) -> Poll<io::Result<()>> {
        self.0 = buf.remaining();
        Poll::Pending
    }
}

#[test]
fn a_stream_of_qpack_waits_with_little_memory_and_never_ends() {
    let mut idle = Idle(0);
    assert!(read_qpack(&mut idle).now_or_never().is_none());
    assert!((1..=1024).contains(&idle.0), "{}", idle.0);
    assert_eq!(block_on(read_qpack(&mut &[0u8; 1000][..])), CRITICAL);
}
