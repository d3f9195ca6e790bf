//! Delivery rate of a path, after draft-cheng-iccrg-delivery-rate-estimation-02.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// Shortest time for measuring a rate: acknowledgement delays of some milliseconds matter little in
/// it.
const SAMPLE: Duration = Duration::from_millis(200);

/// Least distance of remembered acknowledgements, so that they are few.
const APART: Duration = Duration::from_millis(5);

/// Number of the newest rounds, whose highest rate is the estimate.
const ROUNDS: usize = 10;

/// Least length of a round, otherwise a round trip: with short round trips the window is a second.
const SHORTEST_ROUND: Duration = Duration::from_millis(100);

/// Packets acknowledged together.
#[derive(Clone, Copy, Debug)]
struct Acknowledged {
    at: Instant,
    /// Send time of the newest of them.
    sent: Instant,
    /// Total of acknowledged bytes, theirs included.
    delivered: u64,
}

/// Estimates a path's rate from its acknowledgements.
///
/// A sample is the bytes acknowledged in a fifth of a second, divided by the longer of the times of
/// acknowledging and sending them. Source: section 3.3 of the draft. If the application had nothing
/// to send in that time, a sample is a lower bound of the path's rate. It may then raise the
/// estimate, never lower it.
///
/// Three things differ from the draft. A sample covers a fifth of a second, not a flight. When a
/// path's rate falls, its queue may stretch a flight to seconds. At a high rate, a flight is short
/// beside the receivers' acknowledgement delay. A flight after a pause counts from its first
/// acknowledgement, because a controller doesn't know whether sent packets are acknowledgements
/// only. And a controller learns of an idle application with acknowledgements, not when the
/// application writes.
#[derive(Debug, Default)]
pub struct Delivery {
    /// Acknowledgements of the last fifth of a second, and the newest before it; of the current
    /// flight only.
    history: VecDeque<Acknowledged>,
    delivered: u64,
    /// Send time of the newest packet acknowledged now.
    newest: Option<Instant>,
    /// Total of acknowledged bytes until which the application had nothing to send.
    limited_until: Option<u64>,
    rounds: Rounds,
    is_limit: bool,
}

impl Delivery {
    /// Called for each acknowledged packet.
    pub fn acknowledged(&mut self, sent: Instant, bytes: u64) {
        self.delivered += bytes;
        self.newest = Some(self.newest.map_or(sent, |newest| newest.max(sent)));
    }

    /// Called after packets acknowledged together, with the bytes in flight, whether the
    /// application has nothing more to send, and the path's shortest round trip.
    pub fn end_acknowledged(
        &mut self,
        at: Instant,
        in_flight: u64,
        app_limited: bool,
        shortest_rtt: Duration,
    ) {
        let Some(sent) = self.newest.take() else {
            return;
        };
        if app_limited {
            self.limited_until = Some(self.delivered + in_flight);
        }
        let now = Acknowledged {
            at,
            sent,
            delivered: self.delivered,
        };
        self.sample(now, shortest_rtt);
        if in_flight == 0 {
            self.history.clear();
        } else if self.history.back().is_none_or(|last| at >= last.at + APART) {
            self.history.push_back(now);
        }
    }

    fn sample(&mut self, now: Acknowledged, shortest_rtt: Duration) {
        let is_old = |then: &Acknowledged| now.at >= then.at + SAMPLE;
        while self.history.get(1).is_some_and(is_old) {
            self.history.pop_front();
        }
        let Some(then) = self.history.front().filter(|then| is_old(then)) else {
            return;
        };
        let sending = now.sent.saturating_duration_since(then.sent);
        let interval = (now.at - then.at).max(sending);
        let bps = (now.delivered - then.delivered) as f64 * 8.0 / interval.as_secs_f64();
        self.is_limit = self
            .limited_until
            .is_none_or(|until| until < then.delivered);
        let length = shortest_rtt.max(SHORTEST_ROUND);
        self.rounds.add(now.at, length, bps, !self.is_limit);
    }

    /// Measured delivery rate of the path, in bits of QUIC packets a second; None while it is
    /// unknown.
    pub fn bps(&self) -> Option<f64> {
        self.rounds.highest()
    }

    /// True when the newest sample was limited by the path or congestion control, not by the
    /// application. Then the estimate is the path's rate as far as congestion control uses it.
    pub fn is_limit(&self) -> bool {
        self.is_limit
    }

    /// The path's estimate, for a controller that follows this one.
    pub fn duplicate(&self) -> Self {
        Self {
            rounds: self.rounds.clone(),
            is_limit: self.is_limit,
            ..Self::default()
        }
    }
}

/// The unfinished round.
#[derive(Clone, Copy, Debug)]
struct Round {
    since: Instant,
    lowest: f64,
    limited: bool,
}

/// Rates of the newest rounds, each the lowest of its samples. Held-up acknowledgements arrive all
/// at once, and samples that begin among them are too high. The estimate is the highest round.
#[derive(Clone, Debug, Default)]
struct Rounds {
    rates: [f64; ROUNDS],
    newest: usize,
    current: Option<Round>,
}

impl Rounds {
    /// Adds a sample. A round limited by the application displaces no other.
    fn add(&mut self, now: Instant, length: Duration, bps: f64, limited: bool) {
        let is_over = |round: &mut Round| now.saturating_duration_since(round.since) >= length;
        if let Some(round) = self.current.take_if(is_over) {
            if !round.limited {
                self.newest = (self.newest + 1) % ROUNDS;
                self.rates[self.newest] = 0.0;
            }
            let rate = &mut self.rates[self.newest];
            *rate = rate.max(round.lowest);
        }
        let round = self.current.get_or_insert(Round {
            since: now,
            lowest: bps,
            limited,
        });
        round.lowest = round.lowest.min(bps);
        round.limited |= limited;
    }

    fn highest(&self) -> Option<f64> {
        let highest = self.rates.iter().fold(0.0, |a: f64, &b| a.max(b));
        (highest > 0.0).then_some(highest)
    }
}

#[cfg(test)]
#[path = "delivery_tests.rs"]
mod tests;
