//! Copa: a controller that goes by delay instead of loss (V. Arun and H. Balakrishnan, "Copa:
//! Practical Delay-Based Congestion Control for the Internet", NSDI 2018).

use std::any::Any;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::congestion::{Controller, ControllerFactory};
use quinn_proto::RttEstimator;

/// The weight of delay against rate: 1 / DELTA packets of each flow stay in the queue (the paper's
/// default).
const DELTA: f64 = 0.5;

/// The shortest round trip of this time is taken for that of an empty queue (section 2.1).
const MEMORY: Duration = Duration::from_secs(10);

/// Round trips in one direction after which the velocity doubles (section 2.1).
const STEADY_ROUNDS: u32 = 3;

/// RFC 9002, section 7.2: ten packets of 1200 bytes.
const INITIAL_WINDOW: u64 = 12_000;

/// RFC 9002, section 7.2.
const LEAST_PACKETS: f64 = 2.0;

/// Samples that a `Least` keeps are at least this part of its time apart, so that they are few.
const SAMPLES: u32 = 32;

pub struct CopaConfig;

impl ControllerFactory for CopaConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Copa::new(now, current_mtu))
    }
}

/// The window for the measured queueing delay. Loss and CE marks change nothing, unless nothing
/// arrived for long.
///
/// Five things differ from the paper. Its mode for competing with flows that fill queues is left
/// out, so beside such a flow this one gets little. The velocity is 1 again as soon as the target
/// is crossed, not at the end of that round trip. Until then the window would swing to twice the
/// right size. The pacer is quinn's, at 1.25 windows a round trip, not at two. While the
/// application sends less than the window allows, the window doesn't grow (RFC 9002, section 7.8).
/// A round trip has the peer's delay of its acknowledgement in it, which quinn tells no controller.
#[derive(Clone)]
pub struct Copa {
    mtu: f64,
    /// In bytes.
    window: f64,
    /// The window grows by all that is acknowledged, as long as there is no queue.
    slow_start: bool,
    /// The round trip now: the least of half a round trip, so that jitter isn't taken for a queue.
    standing: Least,
    /// The round trip without a queue.
    shortest: Least,
    /// Packets, times DELTA, by which the window changes in a round trip.
    velocity: f64,
    round: Round,
    acked: Acked,
}

/// Change of the window from one round trip to the next.
#[derive(Clone)]
struct Round {
    began: Instant,
    window: f64,
    /// The window's change in the round trip before.
    direction: Ordering,
    /// Round trips in a row with that direction.
    steady: u32,
}

/// Packets that are acknowledged together.
#[derive(Clone, Default)]
struct Acked {
    bytes: u64,
    /// When the last of them was sent; RFC 9002, section 5.1, takes a sample of that one alone.
    sent: Option<Instant>,
    smoothed_rtt: Duration,
}

impl Copa {
    fn new(now: Instant, mtu: u16) -> Self {
        let window = INITIAL_WINDOW as f64;
        Self {
            mtu: f64::from(mtu),
            window,
            slow_start: true,
            standing: Least::default(),
            shortest: Least::default(),
            velocity: 1.0,
            round: Round::new(now, window),
            acked: Acked::default(),
        }
    }

    fn least_window(&self) -> f64 {
        LEAST_PACKETS * self.mtu
    }

    fn acknowledged(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        smoothed_rtt: Duration,
    ) {
        let rtt = now.saturating_duration_since(sent);
        let shortest = self.shortest.add(now, rtt, MEMORY);
        let standing = self.standing.add(now, rtt, smoothed_rtt / 2);
        let queueing = standing.saturating_sub(shortest);
        // The rate window / standing against the target 1 / (DELTA * queueing), in packets.
        let is_below =
            self.window / self.mtu * DELTA * queueing.as_secs_f64() <= standing.as_secs_f64();
        let bytes = bytes as f64;
        if self.slow_start && is_below {
            self.window += if app_limited { 0.0 } else { bytes };
            return;
        }
        let towards = if is_below {
            Ordering::Greater
        } else {
            Ordering::Less
        };
        let turns = self.round.direction == towards.reverse();
        if std::mem::take(&mut self.slow_start) || turns {
            self.velocity = 1.0;
            self.round = Round::new(now, self.window);
        } else if sent >= self.round.began {
            self.end_round(now);
        }
        // Never faster than slow start, whatever the velocity.
        let change = (self.velocity * self.mtu * bytes / (DELTA * self.window)).min(bytes);
        self.window += match (is_below, app_limited) {
            (true, true) => 0.0,
            (true, false) => change,
            (false, _) => -change,
        };
        self.window = self.window.max(self.least_window());
    }

    /// A packet of this round trip was acknowledged: the next one begins.
    fn end_round(&mut self, now: Instant) {
        let direction = self.window.total_cmp(&self.round.window);
        let same = direction == self.round.direction && direction != Ordering::Equal;
        let steady = if same { self.round.steady + 1 } else { 1 };
        if !same {
            self.velocity = 1.0;
        } else if steady >= STEADY_ROUNDS {
            self.velocity *= 2.0;
        }
        self.round = Round {
            direction,
            steady,
            ..Round::new(now, self.window)
        };
    }
}

impl Round {
    fn new(now: Instant, window: f64) -> Self {
        Self {
            began: now,
            window,
            direction: Ordering::Equal,
            steady: 0,
        }
    }
}

impl Controller for Copa {
    fn on_ack(
        &mut self,
        _now: Instant,
        sent: Instant,
        bytes: u64,
        _app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.acked.bytes += bytes;
        self.acked.sent = self.acked.sent.max(Some(sent));
        self.acked.smoothed_rtt = rtt.get();
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        _in_flight: u64,
        app_limited: bool,
        _largest_packet_num_acked: Option<u64>,
    ) {
        let acked = std::mem::take(&mut self.acked);
        if let Some(sent) = acked.sent {
            self.acknowledged(now, sent, acked.bytes, app_limited, acked.smoothed_rtt);
        }
    }

    fn on_congestion_event(
        &mut self,
        _now: Instant,
        _sent: Instant,
        is_persistent_congestion: bool,
        _lost_bytes: u64,
    ) {
        // RFC 9002, section 7.6.2.
        if is_persistent_congestion {
            self.window = self.least_window();
            self.slow_start = true;
        }
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.mtu = f64::from(new_mtu);
        self.window = self.window.max(self.least_window());
    }

    fn window(&self) -> u64 {
        self.window as u64
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(self.clone())
    }

    fn initial_window(&self) -> u64 {
        INITIAL_WINDOW
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

/// The least of the samples of some time. Keeps only samples that may yet become the least, the
/// oldest and least first.
#[derive(Clone, Default)]
struct Least(VecDeque<(Instant, Duration)>);

impl Least {
    /// Adds a sample; answers the least of the last `time`.
    fn add(&mut self, now: Instant, sample: Duration, time: Duration) -> Duration {
        let Self(samples) = self;
        let age = |at: Instant| now.saturating_duration_since(at);
        while samples.front().is_some_and(|&(at, _)| age(at) > time) {
            samples.pop_front();
        }
        while samples.back().is_some_and(|&(_, kept)| kept >= sample) {
            samples.pop_back();
        }
        if samples
            .back()
            .is_none_or(|&(at, _)| age(at) >= time / SAMPLES)
        {
            samples.push_back((now, sample));
        }
        samples.front().map_or(sample, |&(_, least)| least)
    }
}

#[cfg(test)]
#[path = "copa_tests.rs"]
mod tests;
