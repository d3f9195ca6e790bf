//! The functions of `quic/engine.rs` for noq, which is in quinn's place with the feature `noq`.

use std::any::Any;
use std::io;
use std::net::{Ipv6Addr, SocketAddr, UdpSocket};
use std::sync::Arc;
use std::time::{Duration, Instant};

use bytes::Bytes;
use quinn::congestion::{Bbr3Config, Controller, ControllerMetrics};
use quinn::{
    AsyncUdpSocket, Connecting, Connection, ConnectionError, Incoming, PathId, PathStats,
    ReadError, RecvStream, Runtime, ServerConfig, TokioRuntime, TransportConfig,
};
use quinn_proto::RttEstimator;

use crate::faults::{pass, Place};
use crate::quic::congestion::Kind;
use crate::quic::wrapped::{Factory, Wrapped};

/// The controllers that quinn lacks.
pub const KINDS: &[Kind] = &[
    Kind {
        name: "bbr3",
        inner: bbr3,
        is_live: true,
    },
    Kind {
        name: "bbr3-bare",
        inner: bbr3,
        is_live: false,
    },
];

fn bbr3() -> Factory {
    Arc::new(Bbr3Config::default())
}

/// A runtime's form of a UDP socket.
pub type Socket = Box<dyn AsyncUdpSocket>;

pub fn wrap_udp_socket(socket: UdpSocket, _serves: bool) -> io::Result<Socket> {
    TokioRuntime.wrap_udp_socket(socket)
}

// noq has logs of another form, which the lab leaves out.

pub fn log_client(_: &mut TransportConfig, _peer: &str) {}

pub fn accept(
    incoming: Incoming,
    _: impl FnOnce() -> Option<(ServerConfig, TransportConfig)>,
) -> Result<Connecting, ConnectionError> {
    incoming.accept()
}

impl Controller for Wrapped {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        pass(Place::Connection);
        self.inner.on_sent(now, bytes, last_packet_number);
        self.flight.sent(now, bytes);
    }

    fn on_packet_sent(&mut self, now: Instant, bytes: u16, number: u64) {
        self.inner.on_packet_sent(now, bytes, number);
    }

    fn on_cwnd_limited(&mut self) {
        self.inner.on_cwnd_limited();
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        number: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.inner
            .on_ack(now, sent, bytes, number, app_limited, rtt);
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
        is_ecn: bool,
        lost_bytes: u64,
        largest_lost: u64,
    ) {
        self.inner.on_congestion_event(
            now,
            sent,
            is_persistent_congestion,
            is_ecn,
            lost_bytes,
            largest_lost,
        );
        if lost_bytes > 0 {
            self.flight.lost(sent);
        }
    }

    fn on_packet_lost(&mut self, lost_bytes: u16, number: u64, now: Instant) {
        self.inner.on_packet_lost(lost_bytes, number, now);
    }

    fn on_spurious_congestion_event(&mut self) {
        self.inner.on_spurious_congestion_event();
    }

    fn on_ack_frequency_update(&mut self, ack_eliciting_threshold: u64, max_ack_delay: Duration) {
        self.inner
            .on_ack_frequency_update(ack_eliciting_threshold, max_ack_delay);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        self.least_window()
    }

    /// The floor has no rate of its own: its window is sent in a round trip, as quinn does.
    fn metrics(&self) -> ControllerMetrics {
        let mut metrics = self.inner.metrics();
        if self.live.as_ref().is_some_and(|live| !live.queues) {
            metrics.congestion_window = self.least_window();
            metrics.pacing_rate = None;
        }
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

// Without QUIC's extension for several paths a connection has one, whose number is 0.

pub fn path_stats(connection: &Connection) -> PathStats {
    connection.path_stats(PathId::ZERO).unwrap_or_default()
}

pub fn controller(connection: &Connection) -> Option<Box<dyn Controller>> {
    connection.congestion_state(PathId::ZERO)
}

pub fn remote_address(connection: &Connection) -> SocketAddr {
    let path = connection.path(PathId::ZERO);
    path.and_then(|path| path.remote_address().ok())
        .unwrap_or_else(|| SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), 0))
}

/// noq counts this much beside the bytes of each datagram that waits.
const DATAGRAM_COST: u64 = size_of::<Bytes>() as u64;

/// True when a datagram pushes older ones out of the send buffer. `queued` were put there and not
/// pushed out. noq's free space ignores the cost of waiting datagrams.
pub fn pushes_out(connection: &Connection, bytes: usize, queued: u64) -> bool {
    let waiting = queued.saturating_sub(connection.stats().frame_tx.datagram);
    let space = connection.datagram_send_buffer_space() as u64 + DATAGRAM_COST;
    space < bytes as u64 + waiting * DATAGRAM_COST
}

pub async fn read_chunk(recv: &mut RecvStream, most: usize) -> Result<Option<Bytes>, ReadError> {
    recv.read_chunk(most).await
}
