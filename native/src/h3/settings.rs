//! SETTINGS (RFC 9114, section 7.2.4), with those of datagrams (RFC 9297), extended CONNECT (RFC
//! 9220) and WebTransport, whose setting changed from draft to draft.

use bytes::Buf;
use web_transport_proto::VarInt;

use crate::h3::codes;
use crate::h3::wire::{frame, put_frame, put_varint, uni, Broken, MAX_FIELD_SECTION};

const SETTINGS_MAX_FIELD_SECTION_SIZE: u64 = 0x6;
const SETTINGS_ENABLE_CONNECT_PROTOCOL: u64 = 0x8;
const SETTINGS_H3_DATAGRAM: u64 = 0x33;
/// Datagram setting of draft-ietf-masque-h3-datagram-04, which Chromium sends.
const SETTINGS_H3_DATAGRAM_DRAFT_04: u64 = 0xff_d277;
/// SETTINGS_ENABLE_WEBTRANSPORT of draft-ietf-webtrans-http3-02 to -06, with the most sessions.
const ENABLE_WEBTRANSPORT_DRAFT_02: u64 = 0x2b60_3742;
const MAX_SESSIONS_DRAFT_02: u64 = 0x2b60_3743;
/// SETTINGS_WEBTRANSPORT_MAX_SESSIONS of draft-ietf-webtrans-http3-07 to -12.
const MAX_SESSIONS_DRAFT_07: u64 = 0xc671_706a;
/// SETTINGS_WT_MAX_SESSIONS of draft-ietf-webtrans-http3-13 and -14, which Safari requires.
const MAX_SESSIONS_DRAFT_13: u64 = 0x14e9_cd29;
/// SETTINGS_WT_ENABLED of draft-ietf-webtrans-http3-15 and later.
const WT_ENABLED: u64 = 0x2c7c_f000;

/// Settings of HTTP/2 that HTTP/3 forbids (RFC 9114, section 7.2.4.1).
const RESERVED: [u64; 4] = [0x2, 0x3, 0x4, 0x5];

/// The relevant part of a peer's settings.
#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Settings {
    pub datagrams: bool,
    pub extended_connect: bool,
    /// True for a server that accepts WebTransport sessions. A client tells it in its request, and
    /// not always here.
    pub webtransport: bool,
}

/// Beginning of a control stream: its kind, and our SETTINGS. With one session per connection,
/// sessions need no flow control of their own.
pub fn control_stream() -> Vec<u8> {
    let mut settings = Vec::new();
    for (name, value) in [
        (SETTINGS_MAX_FIELD_SECTION_SIZE, MAX_FIELD_SECTION),
        (SETTINGS_ENABLE_CONNECT_PROTOCOL, 1),
        (SETTINGS_H3_DATAGRAM, 1),
        (SETTINGS_H3_DATAGRAM_DRAFT_04, 1),
        (ENABLE_WEBTRANSPORT_DRAFT_02, 1),
        (MAX_SESSIONS_DRAFT_02, 1),
        (MAX_SESSIONS_DRAFT_07, 1),
        (MAX_SESSIONS_DRAFT_13, 1),
        (WT_ENABLED, 1),
    ] {
        put_varint(&mut settings, name);
        put_varint(&mut settings, value);
    }
    let mut stream = Vec::new();
    put_varint(&mut stream, uni::CONTROL);
    put_frame(&mut stream, frame::SETTINGS, &settings);
    stream
}

/// Reads the payload of a SETTINGS frame.
pub fn decode(mut payload: &[u8]) -> Result<Settings, Broken> {
    const WRONG: Broken =
        Broken::Connection(codes::SETTINGS_ERROR, "SETTINGS that are not allowed");
    let mut settings = Settings::default();
    let mut seen = Vec::new();
    while payload.has_remaining() {
        let truncated =
            |_| Broken::Connection(codes::FRAME_ERROR, "SETTINGS end within one of them");
        let name = VarInt::decode(&mut payload)
            .map_err(truncated)?
            .into_inner();
        let value = VarInt::decode(&mut payload)
            .map_err(truncated)?
            .into_inner();
        if RESERVED.contains(&name) || seen.contains(&name) {
            return Err(WRONG);
        }
        match name {
            SETTINGS_H3_DATAGRAM | SETTINGS_ENABLE_CONNECT_PROTOCOL if value > 1 => {
                return Err(WRONG)
            }
            SETTINGS_H3_DATAGRAM | SETTINGS_H3_DATAGRAM_DRAFT_04 => {
                settings.datagrams |= value == 1
            }
            SETTINGS_ENABLE_CONNECT_PROTOCOL => settings.extended_connect = value == 1,
            ENABLE_WEBTRANSPORT_DRAFT_02
            | MAX_SESSIONS_DRAFT_07
            | MAX_SESSIONS_DRAFT_13
            | WT_ENABLED => settings.webtransport |= value > 0,
            _ => {}
        }
        seen.push(name);
        if seen.len() > MAX_SETTINGS {
            return Err(Broken::Connection(
                codes::EXCESSIVE_LOAD,
                "too many SETTINGS",
            ));
        }
    }
    Ok(settings)
}

/// Most settings that are read, known and unknown.
const MAX_SETTINGS: usize = 64;

#[cfg(test)]
#[path = "settings_tests.rs"]
mod tests;
