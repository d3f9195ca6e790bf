use napi::bindgen_prelude::Uint8ArraySlice;
use napi_derive::napi;
use std::sync::Arc;

use crate::faults::lock;
use crate::port::Port;
use crate::session::Session;
use crate::stream::{End, Read, Stream};
use crate::stream_tasks::{drop_if_over, open};

/// Result of `stream_read` at the end.
const FINISHED: f64 = -1.0;
/// Result of `stream_read` after a reset, minus the peer's code.
const RESET: f64 = -2.0;

#[napi]
impl Port {
    /// Opens a stream; returns its number, or 0 without such a session or with too many streams.
    #[napi(catch_unwind)]
    pub fn stream_open(&self, session: u32, bidi: bool) -> u32 {
        let _context = self.registry.hub.handle().enter();
        self.registry
            .session(session)
            .and_then(|session| open(&self.registry.hub, &session, bidi))
            .unwrap_or(0)
    }

    /// Returns the number of bytes read, or 0 when there are none yet. Returns -1 when the peer
    /// finished, and -2 minus the peer's code when it reset the stream.
    #[napi(catch_unwind)]
    pub fn stream_read(&self, session: u32, stream: u32, mut bytes: Uint8ArraySlice) -> f64 {
        let Some((session, stream)) = self.stream(session, stream) else {
            return RESET;
        };
        // SAFETY: this is JavaScript's thread, so nothing else touches the array in the meantime.
        match stream.read(unsafe { bytes.as_mut() }) {
            Read::Bytes(count) => count as f64,
            Read::Nothing => 0.0,
            Read::Ended(end) => {
                drop_if_over(&session, &stream);
                match end {
                    End::Finished => FINISHED,
                    End::Reset(code) => RESET - f64::from(code),
                }
            }
        }
    }

    /// Returns 1 when all bytes were accepted, 0 without room, -1 when writing is over.
    #[napi(catch_unwind)]
    pub fn stream_write(&self, session: u32, stream: u32, bytes: Uint8ArraySlice) -> i32 {
        let written = self
            .stream(session, stream)
            .and_then(|(_, stream)| stream.write(&bytes));
        written.map_or(-1, i32::from)
    }

    #[napi(catch_unwind)]
    pub fn stream_finish(&self, session: u32, stream: u32) {
        if let Some((_, stream)) = self.stream(session, stream) {
            stream.finish();
        }
    }

    #[napi(catch_unwind)]
    pub fn stream_reset(&self, session: u32, stream: u32, code: u32) {
        if let Some((_, stream)) = self.stream(session, stream) {
            stream.reset(code);
        }
    }

    #[napi(catch_unwind)]
    pub fn stream_stop(&self, session: u32, stream: u32, code: u32) {
        if let Some((session, stream)) = self.stream(session, stream) {
            stream.stop(code);
            drop_if_over(&session, &stream);
        }
    }

    fn stream(&self, session: u32, stream: u32) -> Option<(Arc<Session>, Arc<Stream>)> {
        let session = self.registry.session(session)?;
        let stream = lock(&session.streams).get(&stream).cloned()?;
        Some((session, stream))
    }
}
