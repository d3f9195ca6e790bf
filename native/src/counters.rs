use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use napi_derive::napi;

use crate::quic::congestion::State;
use crate::quic::engine::{controller, path_stats};

/// Counts of a session's datagrams.
#[derive(Default)]
pub struct Counters {
    pub sent: Count,
    pub received: Count,
    pub dropped_in: Count,
    pub too_big: Count,
    /// Dropped before the session's queue, and from it.
    pub blocked: Count,
    pub pushed_out: Count,
    pub malformed: Count,
}

#[derive(Default)]
pub struct Count(AtomicU64);

impl Count {
    pub fn add(&self, n: u64) {
        self.0.fetch_add(n, Ordering::Relaxed);
    }

    pub fn get(&self) -> f64 {
        self.0.load(Ordering::Relaxed) as f64
    }
}

/// Counts of clients' violations of HTTP/3, and of requests for no session.
#[derive(Default)]
pub struct Breaches {
    /// Connections closed with an error of HTTP/3.
    pub connections: Count,
    /// Requests reset, or answered with a status, without asking JavaScript.
    pub requests: Count,
}

fn ms(time: Duration) -> f64 {
    time.as_secs_f64() * 1000.0
}

fn under_way_ms(since: Option<Instant>) -> f64 {
    since.map_or(0.0, |since| ms(since.elapsed()))
}

/// Number of the fields that `Counters::path` writes, in the order of binding.js's `PathField`.
pub const PATH_FIELDS: usize = 7;

/// Statistics of a session's connection.
#[napi(object)]
pub struct Stats {
    /// The smoothed round-trip time, in milliseconds.
    pub rtt_ms: f64,
    /// The controller's name, by its type.
    pub congestion_controller: String,
    /// The congestion window, in bytes.
    pub cwnd: f64,
    /// Bytes under way after the last acknowledgement.
    pub bytes_in_flight: f64,
    /// Age of the oldest packet that is neither acknowledged nor declared lost, in milliseconds; 0
    /// without one.
    pub under_way_ms: f64,
    /// QUIC packets sent, and the ones declared lost.
    pub sent_packets: f64,
    pub lost_packets: f64,
    pub congestion_events: f64,
    /// Measured delivery rate of the path, in bits of QUIC packets a second; None while it is
    /// unknown.
    pub delivery_bps: Option<f64>,
    /// True when the newest measurement was not limited by the application's sending.
    pub delivery_is_limit: bool,
    /// UDP payload bytes.
    pub sent_bytes: f64,
    pub received_bytes: f64,
    /// Largest UDP payload of the path found so far, in bytes.
    pub mtu: u32,
    /// Largest datagram that can be sent now, in bytes.
    pub max_datagram_size: u32,
    pub datagrams_sent: f64,
    pub datagrams_received: f64,
    /// Received, and dropped because the queue towards JavaScript was full.
    pub dropped_in: f64,
    /// Not sent: too large for the path.
    pub dropped_too_big: f64,
    /// Pushed out of the send queue unsent, because the path was blocked; a lower bound.
    pub dropped_blocked: f64,
    /// Received, and of no session.
    pub malformed: f64,
}

impl Counters {
    /// Number of datagrams queued and not dropped.
    pub fn queued(&self) -> u64 {
        (self.sent.get() - self.pushed_out.get()) as u64
    }

    fn dropped_blocked(&self) -> f64 {
        self.blocked.get() + self.pushed_out.get()
    }

    /// Writes the numbers for the rule of a listener's rate, without making an object for
    /// JavaScript.
    pub fn path(&self, conn: &quinn::Connection, out: &mut [f64; PATH_FIELDS]) {
        let path = path_stats(conn);
        let state = controller(conn).map_or_else(State::default, State::of);
        *out = [
            ms(path.rtt),
            path.sent_packets as f64,
            path.lost_packets as f64,
            self.too_big.get() + self.dropped_blocked(),
            state.delivery.bps().unwrap_or(f64::NAN),
            f64::from(u8::from(state.delivery.is_limit())),
            under_way_ms(state.since),
        ];
    }

    pub fn with_connection(&self, conn: &quinn::Connection, header_bytes: usize) -> Stats {
        let stats = conn.stats();
        let path = path_stats(conn);
        let state = controller(conn).map_or_else(State::default, State::of);
        let largest = conn.max_datagram_size().unwrap_or(0);
        Stats {
            rtt_ms: ms(path.rtt),
            congestion_controller: state.name.into(),
            cwnd: path.cwnd as f64,
            bytes_in_flight: state.in_flight as f64,
            under_way_ms: under_way_ms(state.since),
            sent_packets: path.sent_packets as f64,
            lost_packets: path.lost_packets as f64,
            congestion_events: path.congestion_events as f64,
            delivery_bps: state.delivery.bps(),
            delivery_is_limit: state.delivery.is_limit(),
            sent_bytes: stats.udp_tx.bytes as f64,
            received_bytes: stats.udp_rx.bytes as f64,
            mtu: u32::from(path.current_mtu),
            max_datagram_size: largest.saturating_sub(header_bytes) as u32,
            datagrams_sent: self.sent.get(),
            datagrams_received: self.received.get(),
            dropped_in: self.dropped_in.get(),
            dropped_too_big: self.too_big.get(),
            dropped_blocked: self.dropped_blocked(),
            malformed: self.malformed.get(),
        }
    }
}
