//! Copa: a controller that goes by delay instead of loss (V. Arun and H. Balakrishnan, "Copa: Practical
//! Delay-Based Congestion Control for the Internet", NSDI 2018).

use std::any::Any;
use std::cmp::Ordering;
use std::collections::VecDeque;
use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::congestion::{Controller, ControllerFactory};
use quinn_proto::RttEstimator;

/// The weight of delay against rate: 1 / DELTA packets of each flow stay in the queue (the paper's default).
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

/// The window that the measured queueing delay asks for. Loss and CE marks change nothing, except where
/// nothing came through for long.
///
/// Five things differ from the paper. Its mode for competing with flows that fill queues is left out, so
/// beside such a flow this one gets little. The velocity is 1 again as soon as the target is crossed, not at
/// the end of that round trip: until then the window would swing to twice what it should be. The pacer is
/// quinn's, at 1.25 windows a round trip, not at two. While the application sends less than the window allows,
/// the window doesn't grow (RFC 9002, section 7.8). A round trip has the peer's delay of its acknowledgement
/// in it, which quinn tells no controller.
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

/// What happens to the window from one round trip to the next.
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

/// The least of the samples of some time. Kept are those that may yet become the least, oldest and least first.
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
mod tests {
    use super::*;

    const PACKET: u64 = 1200;
    const MS: Duration = Duration::from_millis(1);

    /// A bottleneck with a queue without end, and a sender that always has something to send.
    struct Path {
        copa: Copa,
        start: Instant,
        now: Instant,
        /// Bytes a second.
        rate: f64,
        /// Round trip without a queue.
        base: Duration,
        /// One of so many packets is lost; 0: none.
        loss_in: u64,
        /// When the bottleneck has sent what is in its queue.
        free_at: Instant,
        /// Packets under way: when each was sent, and when its acknowledgement comes.
        under_way: VecDeque<(Instant, Instant)>,
        sent: u64,
    }

    /// What a path did for a while.
    struct Run {
        /// Share of the bottleneck's rate that was used.
        used: f64,
        /// Mean time in the queue, in packets' times at the bottleneck.
        queue: f64,
    }

    impl Path {
        fn new(kbits: f64, base: Duration) -> Self {
            let start = Instant::now();
            Self {
                copa: Copa::new(start, PACKET as u16),
                start,
                now: start,
                rate: kbits * 1000.0 / 8.0,
                base,
                loss_in: 0,
                free_at: start,
                under_way: VecDeque::new(),
                sent: 0,
            }
        }

        fn packet_time(&self) -> Duration {
            Duration::from_secs_f64(PACKET as f64 / self.rate)
        }

        fn send(&mut self) {
            while (self.under_way.len() as u64 + 1) * PACKET <= self.copa.window() {
                self.free_at = self.free_at.max(self.now) + self.packet_time();
                self.under_way
                    .push_back((self.now, self.free_at + self.base));
            }
        }

        /// Goes on until so many seconds after the start.
        fn until(&mut self, seconds: u64) -> Run {
            let (began, end) = (self.now, self.start + Duration::from_secs(seconds));
            let (mut arrived, mut queued) = (0, 0.0);
            while self.now < end {
                self.send();
                let (sent, at) = self.under_way.pop_front().unwrap();
                self.now = at;
                self.sent += 1;
                if self.loss_in > 0 && self.sent % self.loss_in == 0 {
                    self.copa.on_congestion_event(at, sent, false, PACKET);
                    continue;
                }
                let rtt = at - sent;
                self.copa.acknowledged(at, sent, PACKET, false, rtt);
                arrived += 1;
                queued += rtt
                    .saturating_sub(self.base + self.packet_time())
                    .as_secs_f64();
            }
            let time = (self.now - began).as_secs_f64();
            Run {
                used: f64::from(arrived) * PACKET as f64 / self.rate / time,
                queue: queued / f64::from(arrived) / self.packet_time().as_secs_f64(),
            }
        }
    }

    #[test]
    fn fills_the_path_and_keeps_few_packets_in_the_queue() {
        for (kbits, base) in [(500.0, 100), (2_000.0, 20), (10_000.0, 60)] {
            let mut path = Path::new(kbits, base * MS);
            path.until(10);
            let Run { used, queue } = path.until(40);
            assert!(used > 0.9, "{kbits} kbit/s, {base} ms: {used}");
            // 1 / DELTA, and the swing around it.
            assert!(
                queue > 0.5 && queue < 6.0,
                "{kbits} kbit/s, {base} ms: {queue}"
            );
        }
    }

    #[test]
    fn follows_the_capacity_down_and_up() {
        let mut path = Path::new(4_000.0, 40 * MS);
        path.until(10);
        for kbits in [500.0, 4_000.0] {
            path.rate = kbits * 1000.0 / 8.0;
            let seconds = (path.now - path.start).as_secs();
            path.until(seconds + 5);
            let Run { used, queue } = path.until(seconds + 15);
            assert!(used > 0.85, "{kbits} kbit/s: {used}");
            assert!(queue < 6.0, "{kbits} kbit/s: {queue}");
        }
    }

    #[test]
    fn finds_twenty_times_the_capacity_within_two_seconds() {
        let mut path = Path::new(1_000.0, 60 * MS);
        path.until(10);
        path.rate *= 20.0;
        path.until(12);
        assert!(path.until(13).used > 0.9);
    }

    #[test]
    fn doubles_each_round_trip_at_first_where_there_is_no_queue() {
        let start = Instant::now();
        let mut copa = Copa::new(start, PACKET as u16);
        for round in 1..=5 {
            let before = copa.window();
            let sent = start + round * 100 * MS;
            for _ in 0..before / PACKET {
                copa.acknowledged(sent + 50 * MS, sent, PACKET, false, 50 * MS);
            }
            assert_eq!(copa.window(), 2 * before);
        }
    }

    #[test]
    fn does_not_grow_while_the_application_sends_less() {
        let start = Instant::now();
        let mut copa = Copa::new(start, PACKET as u16);
        let acknowledged = |copa: &mut Copa, i: u32, rtt| {
            let sent = start + i * 20 * MS;
            copa.acknowledged(sent + rtt, sent, PACKET, true, rtt);
            copa.window()
        };
        for i in 1..1000 {
            assert_eq!(acknowledged(&mut copa, i, 50 * MS), INITIAL_WINDOW);
        }
        // Now without slow start, which ends where there is a queue.
        let window = acknowledged(&mut copa, 1000, 500 * MS);
        assert!(window < INITIAL_WINDOW);
        for i in 1050..2000 {
            assert_eq!(acknowledged(&mut copa, i, 50 * MS), window);
        }
    }

    #[test]
    fn takes_no_loss_for_congestion() {
        let mut path = Path::new(2_000.0, 40 * MS);
        path.loss_in = 10;
        path.until(10);
        let window = path.copa.window();
        path.copa
            .on_congestion_event(path.now, path.now, false, PACKET);
        assert_eq!(path.copa.window(), window);
        // A tenth of what the bottleneck carried is lost behind it.
        let Run { used, .. } = path.until(30);
        assert!(used > 0.8, "{used}");
    }

    #[test]
    fn begins_again_where_nothing_came_through_for_long() {
        let mut path = Path::new(10_000.0, 60 * MS);
        path.until(5);
        path.copa
            .on_congestion_event(path.now, path.now, true, PACKET);
        assert_eq!(path.copa.window(), 2 * PACKET);
        path.until(7);
        assert!(path.until(10).used > 0.9);
    }

    #[test]
    fn takes_a_longer_path_for_a_queue_until_the_shorter_is_forgotten() {
        let mut path = Path::new(2_000.0, 20 * MS);
        path.until(5);
        path.base = 200 * MS;
        assert!(path.until(14).used < 0.5);
        path.until(20);
        assert!(path.until(30).used > 0.8);
    }

    #[test]
    fn keeps_the_least_of_some_time_in_few_samples() {
        let (start, time) = (Instant::now(), 1000 * MS);
        let mut least = Least::default();
        assert_eq!(least.add(start, 30 * MS, time), 30 * MS);
        assert_eq!(least.add(start + 500 * MS, 50 * MS, time), 30 * MS);
        assert_eq!(least.add(start + 1000 * MS, 60 * MS, time), 30 * MS);
        assert_eq!(least.add(start + 1001 * MS, 70 * MS, time), 50 * MS);
        assert_eq!(least.add(start + 1600 * MS, 20 * MS, time), 20 * MS);
        for i in 0..10_000 {
            least.add(start + 1600 * MS + i * MS, (20 + i) * MS, time);
            assert!(least.0.len() <= SAMPLES as usize + 1);
        }
    }
}
