//! The calls to quinn that `lab/with_noq.rs` replaces.

use std::any::Any;
use std::io;
use std::net::{SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::Instant;

use bytes::Bytes;
use quinn::congestion::Controller;
#[cfg(feature = "lab")]
use quinn::congestion::ControllerMetrics;
use quinn::{
    AsyncUdpSocket, Connecting, Connection, ConnectionError, Incoming, PathStats, ReadError,
    RecvStream, ServerConfig, TransportConfig,
};
use quinn_proto::RttEstimator;

use crate::faults::{pass, Place};
#[cfg(unix)]
use crate::quic::udp::ReadSocket;
use crate::quic::wrapped::Wrapped;

/// A runtime's form of a UDP socket.
pub type Socket = Arc<dyn AsyncUdpSocket>;

/// `serves` is false for clients' sockets.
#[cfg(unix)]
pub fn wrap_udp_socket(socket: UdpSocket, serves: bool) -> io::Result<Socket> {
    Ok(Arc::new(ReadSocket::new(socket, serves)?))
}

#[cfg(not(unix))]
pub fn wrap_udp_socket(socket: UdpSocket, _serves: bool) -> io::Result<Socket> {
    quinn::Runtime::wrap_udp_socket(&quinn::TokioRuntime, socket)
}

/// Begins the log of a client's connection, which only the lab's build has.
pub fn log_client(_transport: &mut TransportConfig, _peer: &str) {
    #[cfg(feature = "lab")]
    crate::lab::qlog::log(_transport, "client", _peer);
}

/// Accepts a connection, in the lab's build with a log of its own. `_settings` are those of the
/// endpoint.
pub fn accept(
    incoming: Incoming,
    _settings: impl FnOnce() -> Option<(ServerConfig, TransportConfig)>,
) -> Result<Connecting, ConnectionError> {
    #[cfg(feature = "lab")]
    if let Some(config) = crate::lab::qlog::server_config(_settings, incoming.remote_address()) {
        return incoming.accept_with(config);
    }
    incoming.accept()
}

impl Controller for Wrapped {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        pass(Place::Connection);
        self.inner.on_sent(now, bytes, last_packet_number);
        self.flight.sent(now, bytes);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
        if let Some(live) = &mut self.live {
            live.acknowledged(now, rtt.get());
        }
        self.delivery.acknowledged(sent, bytes);
        self.flight.acknowledged(sent);
        self.shortest_rtt = rtt.min();
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        self.inner
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
        self.in_flight = in_flight;
        self.flight.end_acknowledged(in_flight);
        self.delivery
            .end_acknowledged(now, in_flight, app_limited, self.shortest_rtt);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.inner
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
        // An event of ECN's is of no lost packet.
        if lost_bytes > 0 {
            self.flight.lost(sent);
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.least_window()
    }

    /// Metrics in a qlog.
    #[cfg(feature = "lab")]
    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = self.inner.metrics();
        metrics.congestion_window = self.least_window();
        metrics
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.duplicate())
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

pub fn path_stats(connection: &Connection) -> PathStats {
    connection.stats().path
}

pub fn controller(connection: &Connection) -> Option<Box<dyn Controller>> {
    Some(connection.congestion_state())
}

pub fn remote_address(connection: &Connection) -> SocketAddr {
    connection.remote_address()
}

/// Tells if a datagram pushes older ones out of the send buffer, of which `_queued` were put there.
pub fn pushes_out(connection: &Connection, bytes: usize, _queued: u64) -> bool {
    connection.datagram_send_buffer_space() < bytes
}

pub async fn read_chunk(recv: &mut RecvStream, most: usize) -> Result<Option<Bytes>, ReadError> {
    let chunk = recv.read_chunk(most, true).await?;
    Ok(chunk.map(|chunk| chunk.bytes))
}
