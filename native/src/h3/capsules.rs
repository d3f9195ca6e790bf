//! Capsules of a session's stream (RFC 9297, section 3.2). They are in its DATA frames, which may
//! divide them anywhere.

use tokio::io::AsyncRead;
use web_transport_proto::VarInt;

use crate::h3::codes;
use crate::h3::wire::{frame, read_exact, read_length, read_varint, skip, Broken};

/// Capsule that closes a session (draft-ietf-webtrans-http3, section 6): a code of four bytes and a
/// reason. The longest reason is in bytes.
const CLOSE_SESSION: u64 = 0x2843;
const CODE_BYTES: usize = 4;
const MAX_REASON_BYTES: usize = 1024;

/// A capsule that can't be read (RFC 9297, section 3.3).
const MALFORMED: Broken = Broken::Connection(codes::MESSAGE_ERROR, "a capsule that can't be read");

/// Reads up to the capsule that closes the session, and returns its code and reason. None if the
/// stream ends before it. Others are skipped without keeping their bytes.
pub async fn read_close<R: AsyncRead + Unpin>(
    from: &mut R,
) -> Result<Option<(u32, String)>, Broken> {
    let mut capsules = Capsules { from, left: 0 };
    while let Some(kind) = capsules.varint().await? {
        let length = capsules.varint().await?.ok_or(MALFORMED)?;
        if kind == CLOSE_SESSION {
            return capsules.close(length).await.map(Some);
        }
        capsules.skip(length).await?;
    }
    Ok(None)
}

/// The bytes of a stream's DATA frames.
struct Capsules<'a, R> {
    from: &'a mut R,
    /// Bytes of the present frame that are still to be read.
    left: u64,
}

impl<R: AsyncRead + Unpin> Capsules<'_, R> {
    /// Goes on to the next bytes; false at the stream's end. Other frames are skipped.
    async fn advance(&mut self) -> Result<bool, Broken> {
        while self.left == 0 {
            let Some(kind) = read_varint(self.from).await? else {
                return Ok(false);
            };
            let length = read_length(self.from).await?;
            match kind {
                frame::DATA => self.left = length,
                _ => skip(self.from, length).await?,
            }
        }
        Ok(true)
    }

    /// Fills `into`; false if the stream ended before its first byte.
    async fn fill(&mut self, into: &mut [u8]) -> Result<bool, Broken> {
        let mut count = 0;
        while count < into.len() {
            if !self.advance().await? {
                return if count == 0 {
                    Ok(false)
                } else {
                    Err(MALFORMED)
                };
            }
            let part = self.left.min((into.len() - count) as u64);
            let end = count + part as usize;
            read_exact(self.from, &mut into[count..end]).await?;
            self.left -= part;
            count = end;
        }
        Ok(true)
    }

    /// Reads a variable-length integer; None if the stream ended before it.
    async fn varint(&mut self) -> Result<Option<u64>, Broken> {
        let mut bytes = [0; 8];
        if !self.fill(&mut bytes[..1]).await? {
            return Ok(None);
        }
        let length = 1 << (bytes[0] >> 6);
        if !self.fill(&mut bytes[1..length]).await? {
            return Err(MALFORMED);
        }
        let number = VarInt::decode(&mut &bytes[..length]).map_err(|_| MALFORMED)?;
        Ok(Some(number.into_inner()))
    }

    async fn skip(&mut self, mut length: u64) -> Result<(), Broken> {
        while length > 0 {
            if !self.advance().await? {
                return Err(MALFORMED);
            }
            let part = self.left.min(length);
            skip(self.from, part).await?;
            self.left -= part;
            length -= part;
        }
        Ok(())
    }

    /// Reads the payload of CLOSE_SESSION.
    async fn close(&mut self, length: u64) -> Result<(u32, String), Broken> {
        let length = usize::try_from(length).unwrap_or(usize::MAX);
        if !(CODE_BYTES..=CODE_BYTES + MAX_REASON_BYTES).contains(&length) {
            return Err(MALFORMED);
        }
        let mut payload = vec![0; length];
        if !self.fill(&mut payload).await? {
            return Err(MALFORMED);
        }
        let (code, reason) = payload.split_first_chunk::<CODE_BYTES>().ok_or(MALFORMED)?;
        let reason = std::str::from_utf8(reason).map_err(|_| MALFORMED)?;
        Ok((u32::from_be_bytes(*code), reason.to_owned()))
    }
}

#[cfg(test)]
#[path = "capsules_tests.rs"]
mod tests;
