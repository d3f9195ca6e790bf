use std::time::Duration;

use napi::bindgen_prelude::Result;
use napi_derive::napi;
use quinn::{IdleTimeout, TransportConfig, VarInt};

use crate::errors::invalid;
use crate::quic::congestion;

/// Bytes of all streams that a peer may send before its session. Nobody reads most of them until
/// then, so they fill memory.
pub const EARLY_WINDOW: u32 = 64 * 1024;

/// Options of an endpoint, complete: settings.js has the defaults.
#[napi(object)]
#[derive(Clone)]
pub struct Options {
    pub io_threads: u32,
    /// A name from settings.js.
    pub congestion_controller: String,
    pub idle_timeout_ms: u32,
    /// 0 for none.
    pub keep_alive_ms: u32,
    pub handshake_timeout_ms: u32,
    /// Most sessions, requests and handshakes together.
    pub max_connections: u32,
    /// Datagrams that wait for JavaScript, for each session.
    pub receive_queue: u32,
    /// Bytes of datagrams that wait for the network, for each session.
    pub send_queue_bytes: u32,
    /// Streams of each kind that a peer may have open.
    pub max_streams: u32,
    /// Bytes that wait in either direction of a stream.
    pub stream_buffer_bytes: u32,
}

impl Options {
    /// QUIC's own settings. The windows are small and bound the memory held by a peer that doesn't
    /// read, or that isn't read.
    pub fn transport(&self) -> Result<TransportConfig> {
        let idle = IdleTimeout::try_from(self.idle_timeout())
            .map_err(|_| invalid("idleTimeoutMs is too long"))?;
        let window = self.stream_window();
        let mut config = TransportConfig::default();
        config
            .max_idle_timeout(Some(idle))
            // The session's own request is one of them.
            .max_concurrent_bidi_streams(VarInt::from_u32(self.max_streams + 1))
            // HTTP/3 itself needs three: control, and QPACK's two (RFC 9114, section 6.2).
            .max_concurrent_uni_streams(VarInt::from_u32(self.max_streams + 3))
            .stream_receive_window(VarInt::from_u32(window))
            .receive_window(VarInt::from_u32(EARLY_WINDOW))
            .send_window(u64::from(window) * 4)
            .datagram_receive_buffer_size(Some(64 * 1024))
            .datagram_send_buffer_size(self.send_queue_bytes as usize)
            .congestion_controller_factory(congestion::factory(&self.congestion_controller)?);
        if self.keep_alive_ms > 0 {
            let interval = Duration::from_millis(u64::from(self.keep_alive_ms));
            config.keep_alive_interval(Some(interval));
        }
        Ok(config)
    }

    fn stream_window(&self) -> u32 {
        self.stream_buffer_bytes.max(16 * 1024)
    }

    /// Bytes of all streams that a peer with a session may send before they are read.
    pub fn session_window(&self) -> VarInt {
        VarInt::from_u32(self.stream_window().saturating_mul(4))
    }

    pub fn idle_timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.idle_timeout_ms))
    }

    pub fn handshake_timeout(&self) -> Duration {
        Duration::from_millis(u64::from(self.handshake_timeout_ms))
    }
}
