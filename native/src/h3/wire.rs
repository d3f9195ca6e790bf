//! Frames of a stream (RFC 9114, section 7.1).

use bytes::BufMut;
use tokio::io::{AsyncRead, AsyncReadExt};
use web_transport_proto::VarInt;

use crate::h3::codes;

/// Kinds of frames (RFC 9114, section 7.2; for WebTransport's, draft-ietf-webtrans-http3, section
/// 4.3).
pub mod frame {
    pub const DATA: u64 = 0x0;
    pub const HEADERS: u64 = 0x1;
    pub const CANCEL_PUSH: u64 = 0x3;
    pub const SETTINGS: u64 = 0x4;
    pub const PUSH_PROMISE: u64 = 0x5;
    pub const GOAWAY: u64 = 0x7;
    pub const MAX_PUSH_ID: u64 = 0xd;
    pub const WEBTRANSPORT: u64 = 0x41;

    /// Frames of HTTP/2 that HTTP/3 lacks (RFC 9114, section 7.2.8).
    pub const RESERVED: [u64; 4] = [0x2, 0x6, 0x8, 0x9];
}

/// Kinds of unidirectional streams (RFC 9114, section 6.2; RFC 9204, section 4.2).
pub mod uni {
    pub const CONTROL: u64 = 0x0;
    pub const PUSH: u64 = 0x1;
    pub const QPACK_ENCODER: u64 = 0x2;
    pub const QPACK_DECODER: u64 = 0x3;
    pub const WEBTRANSPORT: u64 = 0x54;
}

/// Largest SETTINGS frame that is read, in bytes.
const MAX_SETTINGS: u64 = 4096;

/// Largest field section, both encoded and decoded, in bytes (RFC 9114, section 4.2.2).
pub const MAX_FIELD_SECTION: u64 = 16 * 1024;

/// Most bytes of unknown frames before a request.
const MAX_SKIPPED: u64 = 64 * 1024;

/// A violation of the rules by the peer, or its end.
#[derive(Debug, PartialEq)]
pub enum Broken {
    /// The connection must end with this code.
    Connection(u32, &'static str),
    /// The stream must end with this code.
    Stream(u32),
    /// The stream or the connection has gone.
    Gone,
}

/// Reads a variable-length integer (RFC 9000, section 16); None if the stream ended before it.
pub async fn read_varint<R: AsyncRead + Unpin>(from: &mut R) -> Result<Option<u64>, Broken> {
    let mut bytes = [0; 8];
    if from.read(&mut bytes[..1]).await.map_err(|_| Broken::Gone)? == 0 {
        return Ok(None);
    }
    let length = 1 << (bytes[0] >> 6);
    read_exact(from, &mut bytes[1..length]).await?;
    let number = VarInt::decode(&mut &bytes[..length]).map_err(|_| TRUNCATED)?;
    Ok(Some(number.into_inner()))
}

const TRUNCATED: Broken = Broken::Connection(codes::FRAME_ERROR, "a stream ended within a frame");

pub async fn read_exact<R: AsyncRead + Unpin>(from: &mut R, into: &mut [u8]) -> Result<(), Broken> {
    match from.read_exact(into).await {
        Ok(_) => Ok(()),
        Err(error) if error.kind() == std::io::ErrorKind::UnexpectedEof => Err(TRUNCATED),
        Err(_) => Err(Broken::Gone),
    }
}

pub async fn read_length<R: AsyncRead + Unpin>(from: &mut R) -> Result<u64, Broken> {
    read_varint(from).await?.ok_or(TRUNCATED)
}

pub async fn skip<R: AsyncRead + Unpin>(from: &mut R, length: u64) -> Result<(), Broken> {
    let mut payload = from.take(length);
    match tokio::io::copy(&mut payload, &mut tokio::io::sink()).await {
        Ok(count) if count == length => Ok(()),
        Ok(_) => Err(TRUNCATED),
        Err(_) => Err(Broken::Gone),
    }
}

async fn payload<R: AsyncRead + Unpin>(from: &mut R, length: u64) -> Result<Vec<u8>, Broken> {
    let mut bytes = vec![0; length as usize];
    read_exact(from, &mut bytes).await?;
    Ok(bytes)
}

/// Field section before a request or an answer.
#[derive(Debug, PartialEq)]
pub enum Section {
    Fields(Vec<u8>),
    /// More than MAX_FIELD_SECTION; left unread.
    TooLarge,
}

/// Reads up to the end of the first HEADERS frame of a request's stream. `first` is the kind of the
/// first frame, if it was read already.
pub async fn read_section<R: AsyncRead + Unpin>(
    from: &mut R,
    mut first: Option<u64>,
) -> Result<Section, Broken> {
    let mut skipped = 0;
    loop {
        let kind = match first.take() {
            Some(kind) => kind,
            None => read_varint(from)
                .await?
                .ok_or(Broken::Stream(codes::REQUEST_INCOMPLETE))?,
        };
        let length = read_length(from).await?;
        match kind {
            frame::HEADERS if length > MAX_FIELD_SECTION => return Ok(Section::TooLarge),
            frame::HEADERS => return payload(from, length).await.map(Section::Fields),
            frame::DATA
            | frame::CANCEL_PUSH
            | frame::SETTINGS
            | frame::PUSH_PROMISE
            | frame::GOAWAY
            | frame::MAX_PUSH_ID
            | frame::WEBTRANSPORT => return Err(UNEXPECTED),
            kind if frame::RESERVED.contains(&kind) => return Err(UNEXPECTED),
            _ => {
                skipped += length;
                if skipped > MAX_SKIPPED {
                    return Err(EXCESSIVE);
                }
                skip(from, length).await?;
            }
        }
    }
}

const UNEXPECTED: Broken = Broken::Connection(
    codes::FRAME_UNEXPECTED,
    "a frame that does not belong there",
);
const EXCESSIVE: Broken = Broken::Connection(codes::EXCESSIVE_LOAD, "a frame is too large");

/// Reads the SETTINGS at a control stream's beginning (RFC 9114, section 6.2.1).
pub async fn read_settings<R: AsyncRead + Unpin>(from: &mut R) -> Result<Vec<u8>, Broken> {
    let kind = read_varint(from).await?.ok_or(CRITICAL)?;
    if kind != frame::SETTINGS {
        return Err(Broken::Connection(
            codes::MISSING_SETTINGS,
            "the control stream does not begin with SETTINGS",
        ));
    }
    let length = read_length(from).await?;
    if length > MAX_SETTINGS {
        return Err(EXCESSIVE);
    }
    payload(from, length).await
}

pub const CRITICAL: Broken =
    Broken::Connection(codes::CLOSED_CRITICAL_STREAM, "a critical stream ended");

/// Reads a control stream after its SETTINGS; its content isn't needed.
pub async fn read_control<R: AsyncRead + Unpin>(from: &mut R) -> Broken {
    loop {
        let skipped = async {
            let kind = read_varint(from).await?.ok_or(CRITICAL)?;
            let length = read_length(from).await?;
            match kind {
                frame::DATA | frame::HEADERS | frame::SETTINGS | frame::PUSH_PROMISE => {
                    Err(UNEXPECTED)
                }
                kind if frame::RESERVED.contains(&kind) => Err(UNEXPECTED),
                _ => skip(from, length).await,
            }
        };
        if let Err(broken) = skipped.await {
            return broken;
        }
    }
}

/// Reads QPACK's streams, which stay empty without a dynamic table. A browser keeps two of them
/// open as long as its connection, so the buffer is small.
pub async fn read_qpack<R: AsyncRead + Unpin>(from: &mut R) -> Broken {
    let mut unused = [0; 256];
    loop {
        match from.read(&mut unused).await {
            Ok(0) => return CRITICAL,
            Ok(_) => {}
            Err(_) => return Broken::Gone,
        }
    }
}

pub fn put_varint(into: &mut Vec<u8>, number: u64) {
    // All numbers here are constants, lengths and stream identifiers below 2^62.
    VarInt::from_u64(number).unwrap_or(VarInt::MAX).encode(into);
}

pub fn put_frame(into: &mut Vec<u8>, kind: u64, payload: &[u8]) {
    put_varint(into, kind);
    put_varint(into, payload.len() as u64);
    into.put_slice(payload);
}

#[cfg(test)]
#[path = "wire_tests.rs"]
mod tests;
