//! Error codes of HTTP/3 (RFC 9114, section 8.1), QPACK (RFC 9204, section 6) and WebTransport
//! (draft-ietf-webtrans-http3, sections 4.4 and 9.5).

pub const NO_ERROR: u32 = 0x100;
pub const INTERNAL_ERROR: u32 = 0x102;
pub const STREAM_CREATION_ERROR: u32 = 0x103;
pub const CLOSED_CRITICAL_STREAM: u32 = 0x104;
pub const FRAME_UNEXPECTED: u32 = 0x105;
pub const FRAME_ERROR: u32 = 0x106;
pub const EXCESSIVE_LOAD: u32 = 0x107;
pub const ID_ERROR: u32 = 0x108;
pub const SETTINGS_ERROR: u32 = 0x109;
pub const MISSING_SETTINGS: u32 = 0x10a;
pub const REQUEST_REJECTED: u32 = 0x10b;
pub const REQUEST_INCOMPLETE: u32 = 0x10d;
pub const MESSAGE_ERROR: u32 = 0x10e;
pub const QPACK_DECOMPRESSION_FAILED: u32 = 0x200;
/// Code of a stream whose session is missing or has ended.
pub const SESSION_GONE: u32 = 0x170d_7b68;
/// Code for a client that lacks a condition of WebTransport.
pub const REQUIREMENTS_NOT_MET: u32 = 0x212c_0d48;

pub use web_transport_proto::{error_from_http3, error_to_http3};

/// Encodes a session's or stream's code for the wire.
pub fn to_wire(code: u32) -> quinn::VarInt {
    // The largest is 0x52e5ac983162, below 2^62.
    quinn::VarInt::from_u64(error_to_http3(code)).unwrap_or_default()
}

/// Decodes the code of a session's or stream's end; None for a code of HTTP/3 itself.
pub fn from_wire(code: quinn::VarInt) -> Option<u32> {
    error_from_http3(code.into_inner())
}
