use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::Result;
use quinn::congestion::{BbrConfig, Controller, ControllerFactory, CubicConfig, NewRenoConfig};
use quinn_proto::RttEstimator;

use crate::errors::invalid;
use crate::faults::{pass, Place};

type Factory = Arc<dyn ControllerFactory + Send + Sync + 'static>;

/// Bytes that may be under way in any case: speech of 150 kbit/s over a round trip of 600 ms, with the
/// time in which QUIC finds out what was lost.
const LIVE_WINDOW: u64 = 32 * 1024;

/// Growth of the round trip from which on losses are taken for those of a full queue.
const QUEUE: Duration = Duration::from_millis(200);

/// The shortest round trip is remembered for one to two times this.
const MEMORY: Duration = Duration::from_secs(30);

pub fn factory(name: &str) -> Result<Factory> {
    let inner: Factory = match name {
        "cubic" => Arc::new(CubicConfig::default()),
        "newreno" => Arc::new(NewRenoConfig::default()),
        "bbr" => Arc::new(BbrConfig::default()),
        _ => return Err(invalid(format!("there is no congestion controller {name}"))),
    };
    Ok(Arc::new(LiveConfig { inner }))
}

struct LiveConfig {
    inner: Factory,
}

impl ControllerFactory for LiveConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = self.inner.clone().build(now, current_mtu);
        let rtts = Rtts {
            since: now,
            least: Duration::MAX,
            before: Duration::MAX,
        };
        Box::new(Live {
            inner,
            rtts,
            queues: true,
        })
    }
}

/// Another controller, with a window that isn't smaller than live sound needs.
///
/// A controller made for bulk data shrinks its window at each loss, and a session sends too little to make
/// it grow again: with 10 % of random loss it stays at two packets a round trip (RFC 9002, section 7.2),
/// less than speech sends. Packets that don't fit wait and come too late. A larger window doesn't make us
/// send faster: a session's rate is its codec's, some 150 kbit/s with redundancy. A TCP gets more with that
/// loss and a round trip of 60 ms (280 kbit/s by RFC 5348, section 3.1), and RFC 8083, section 4.3, has a
/// sender of sound stop at ten times a TCP's rate. So loss alone is no reason to hold back.
///
/// Two things are reasons. Where nothing is acknowledged, no more than the window is sent. Where the round
/// trip grows, our packets fill a queue: then the other controller's window holds, and old packets are
/// dropped here instead of waiting there. The first round trip has the other controller's window too (RFC
/// 9002, section 7.2: ten packets).
struct Live {
    inner: Box<dyn Controller>,
    rtts: Rtts,
    /// Whether the round trips say that a queue fills; true until there is one.
    queues: bool,
}

/// The shortest of the recent smoothed round trips.
#[derive(Clone)]
struct Rtts {
    since: Instant,
    least: Duration,
    before: Duration,
}

impl Rtts {
    fn add(&mut self, now: Instant, rtt: Duration) -> Duration {
        if now.saturating_duration_since(self.since) > MEMORY {
            self.since = now;
            self.before = std::mem::replace(&mut self.least, rtt);
        }
        self.least = self.least.min(rtt);
        self.least.min(self.before)
    }
}

impl Controller for Live {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        pass(Place::Connection);
        self.inner.on_sent(now, bytes, last_packet_number);
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
        self.queues = rtt.get() > self.rtts.add(now, rtt.get()) + QUEUE;
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
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        let window = self.inner.window();
        if self.queues {
            window
        } else {
            window.max(LIVE_WINDOW)
        }
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let (rtts, queues) = (self.rtts.clone(), self.queues);
        Box::new(Live {
            inner: self.inner.clone_box(),
            rtts,
            queues,
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}
