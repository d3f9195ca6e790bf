//! The rate at which a path delivers what is sent, after
//! draft-cheng-iccrg-delivery-rate-estimation-02.

use std::collections::VecDeque;
use std::time::{Duration, Instant};

/// The shortest time over which a rate is measured: delays of acknowledgements, of some
/// milliseconds, weigh little in it.
const SAMPLE: Duration = Duration::from_millis(200);

/// Acknowledgements that are remembered are at least this far apart, so that they are few.
const APART: Duration = Duration::from_millis(5);

/// The newest rounds, whose highest rate is the estimate.
const ROUNDS: usize = 10;

/// A round is a round trip, and at least this: the window is a second where round trips are short.
const SHORTEST_ROUND: Duration = Duration::from_millis(100);

/// Packets that were acknowledged together.
#[derive(Clone, Copy, Debug)]
struct Acknowledged {
    at: Instant,
    /// When the newest of them was sent.
    sent: Instant,
    /// Bytes acknowledged so far, with theirs.
    delivered: u64,
}

/// The estimate of a path's rate, from its acknowledgements.
///
/// A sample is the bytes acknowledged in a fifth of a second, over the longer of the times in which
/// they were acknowledged and sent (section 3.3 of the draft). Where the application had nothing to
/// send meanwhile, a sample is a lower bound of the path's rate: it may raise the estimate and
/// never lowers it.
///
/// Three things differ from the draft. A sample is of a fifth of a second, not of a flight: where a
/// path's rate falls, its queue may make a flight last for seconds, and where it is high, a flight
/// is short beside the time for which receivers hold acknowledgements. A flight that follows a
/// pause counts from its first acknowledgement on: a controller isn't told whether what it hears of
/// as sent is acknowledgements only. And a controller is told with acknowledgements that the
/// application has nothing to send, not when it writes.
#[derive(Debug, Default)]
pub struct Delivery {
    /// Acknowledgements of the last fifth of a second, and the newest of those before; of the
    /// current flight alone.
    history: VecDeque<Acknowledged>,
    delivered: u64,
    /// When the newest of the packets was sent that are acknowledged now.
    newest: Option<Instant>,
    /// The application had nothing to send before so many bytes were acknowledged.
    limited_until: Option<u64>,
    rounds: Rounds,
    is_limit: bool,
}

impl Delivery {
    /// To be called for each packet that is acknowledged.
    pub fn acknowledged(&mut self, sent: Instant, bytes: u64) {
        self.delivered += bytes;
        self.newest = Some(self.newest.map_or(sent, |newest| newest.max(sent)));
    }

    /// To be called after the packets that are acknowledged together, with the bytes that still are
    /// under way, whether the application has nothing more to send, and the path's shortest round
    /// trip.
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

    /// Bits of QUIC packets a second that the path was seen to deliver; None while nothing is
    /// known.
    pub fn bps(&self) -> Option<f64> {
        self.rounds.highest()
    }

    /// Whether the newest sample was limited by the path or by congestion control, not by the
    /// application: then the estimate is the path's rate, as far as congestion control makes use of
    /// it.
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

/// A round that isn't over.
#[derive(Clone, Copy, Debug)]
struct Round {
    since: Instant,
    lowest: f64,
    limited: bool,
}

/// The rates of the newest rounds, each the lowest of its samples: acknowledgements that were held
/// up come all at once then, and the few samples that begin among them are too high. The estimate
/// is the highest of the rounds.
#[derive(Clone, Debug, Default)]
struct Rounds {
    rates: [f64; ROUNDS],
    newest: usize,
    current: Option<Round>,
}

impl Rounds {
    /// Adds a sample. A round of which one was limited by the application takes no other's place.
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
