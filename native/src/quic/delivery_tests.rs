use std::collections::VecDeque;

use super::*;

const PACKET: u64 = 1200;
const STEP: Duration = Duration::from_micros(100);

/// The load of a simulated sender.
#[derive(Clone, Copy)]
enum Sends {
    /// As much as the window allows.
    All,
    /// Packets of this many bytes, one each 20 ms.
    Frames(u64),
    Nothing,
}

/// A path with a rate, a queue and a delay. Its receiver acknowledges every second packet, or one
/// after 25 ms; acknowledgements are up to 3 ms late, by a seeded generator.
struct Path {
    rate_bps: f64,
    window: u64,
    sends: Sends,
    delivery: Delivery,
    now: Instant,
    since_frame: Duration,
    /// Packets before the line: sent, bytes. A change of the rate applies to them too.
    queue: VecDeque<(Instant, u64)>,
    /// Bits of the first of them that have left.
    left: f64,
    /// Sent, bytes, arrives.
    line: VecDeque<(Instant, u64, Instant)>,
    unacknowledged: Vec<(Instant, u64)>,
    held_since: Option<Instant>,
    /// Arrives, packets.
    acknowledgements: VecDeque<(Instant, Vec<(Instant, u64)>)>,
    in_flight: u64,
    random: u64,
    has_more: bool,
    /// Stalls of the program that reads acknowledgements: first after this time, for this time;
    /// later ones at random.
    stalls: Option<(Duration, Duration)>,
    since_stall: Duration,
}

impl Path {
    const DELAY: Duration = Duration::from_millis(10);

    fn new(rate_bps: f64, seed: u64) -> Self {
        let now = Instant::now();
        Self {
            rate_bps,
            // The path's own bytes and 100 ms of queue.
            window: ((rate_bps / 8.0 * 0.12) as u64).max(4 * PACKET),
            sends: Sends::All,
            delivery: Delivery::default(),
            now,
            since_frame: Duration::ZERO,
            queue: VecDeque::new(),
            left: 0.0,
            line: VecDeque::new(),
            unacknowledged: Vec::new(),
            held_since: None,
            acknowledgements: VecDeque::new(),
            in_flight: 0,
            random: seed,
            has_more: false,
            stalls: None,
            since_stall: Duration::ZERO,
        }
    }

    /// splitmix64, as a fraction of 1.
    fn draw(&mut self) -> f64 {
        self.random = self.random.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = self.random;
        z = (z ^ (z >> 30)).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ (z >> 27)).wrapping_mul(0x94D0_49BB_1331_11EB);
        ((z ^ (z >> 31)) >> 11) as f64 / (1u64 << 53) as f64
    }

    fn send(&mut self, bytes: u64) {
        self.queue.push_back((self.now, bytes));
        self.in_flight += bytes;
    }

    fn acknowledge(&mut self) {
        let late = Duration::from_secs_f64(self.draw() * 0.003);
        let arrives = self.now + Self::DELAY + late;
        let arrives = self
            .acknowledgements
            .back()
            .map_or(arrives, |(last, _)| arrives.max(*last));
        self.held_since = None;
        let packets = std::mem::take(&mut self.unacknowledged);
        self.acknowledgements.push_back((arrives, packets));
    }

    fn step(&mut self) {
        self.now += STEP;
        self.left += self.rate_bps * STEP.as_secs_f64();
        while let Some(&(sent, bytes)) = self.queue.front() {
            if bytes as f64 * 8.0 > self.left {
                break;
            }
            self.queue.pop_front();
            self.left -= bytes as f64 * 8.0;
            self.line.push_back((sent, bytes, self.now + Self::DELAY));
        }
        if self.queue.is_empty() {
            self.left = 0.0;
        }
        while self.line.front().is_some_and(|(_, _, at)| *at <= self.now) {
            let (sent, bytes, _) = self.line.pop_front().unwrap();
            self.unacknowledged.push((sent, bytes));
            self.held_since.get_or_insert(self.now);
            if self.unacknowledged.len() >= 2 {
                self.acknowledge();
            }
        }
        if self
            .held_since
            .is_some_and(|at| self.now - at >= Duration::from_millis(25))
        {
            self.acknowledge();
        }
        self.since_stall += STEP;
        let stands = match self.stalls {
            Some((every, length)) if self.since_stall >= every => {
                if self.since_stall >= every + length {
                    self.since_stall = Duration::ZERO;
                    let (every, length) = (self.draw() * 0.3, 0.01 + self.draw() * 0.05);
                    self.stalls = Some((
                        Duration::from_secs_f64(every),
                        Duration::from_secs_f64(length),
                    ));
                }
                true
            }
            _ => false,
        };
        while !stands
            && self
                .acknowledgements
                .front()
                .is_some_and(|(at, _)| *at <= self.now)
        {
            for (sent, bytes) in self.acknowledgements.pop_front().unwrap().1 {
                self.in_flight -= bytes;
                self.delivery.acknowledged(sent, bytes);
            }
            let rtt = 2 * Self::DELAY;
            self.delivery
                .end_acknowledged(self.now, self.in_flight, !self.has_more, rtt);
        }
        match self.sends {
            Sends::All => {
                while self.in_flight + PACKET <= self.window {
                    self.send(PACKET);
                }
                self.has_more = true;
            }
            Sends::Frames(bytes) => {
                self.since_frame += STEP;
                if self.since_frame >= Duration::from_millis(20) {
                    self.since_frame = Duration::ZERO;
                    self.send(bytes);
                }
                self.has_more = false;
            }
            Sends::Nothing => self.has_more = false,
        }
    }

    /// Lowest and highest estimate, as fractions of the rate, in the last half of a time.
    fn run(&mut self, seconds: f64) -> (f64, f64) {
        let (mut lowest, mut highest) = (f64::MAX, 0.0_f64);
        let steps = (seconds / STEP.as_secs_f64()) as u64;
        for i in 0..steps {
            self.step();
            if i >= steps / 2 {
                let part = self.delivery.bps().unwrap_or(0.0) / self.rate_bps;
                (lowest, highest) = (lowest.min(part), highest.max(part));
            }
        }
        (lowest, highest)
    }
}

fn assert_near((lowest, highest): (f64, f64), what: &str) {
    assert!(
        lowest >= 0.85 && highest <= 1.05,
        "{what}: {lowest:.3} to {highest:.3}"
    );
}

#[test]
fn knows_nothing_before_anything_was_delivered() {
    let mut path = Path::new(1e6, 1);
    path.sends = Sends::Nothing;
    path.run(1.0);
    assert!(path.delivery.bps().is_none());
    assert!(!path.delivery.is_limit());
}

#[test]
fn finds_the_rate_of_a_full_path() {
    for (seed, rate_bps) in [0.5e6, 1e6, 2.5e6, 5e6, 10e6, 20e6].into_iter().enumerate() {
        let mut path = Path::new(rate_bps, seed as u64);
        assert_near(path.run(4.0), &format!("{rate_bps} bit/s"));
        assert!(path.delivery.is_limit());
    }
}

#[test]
fn acknowledgements_that_come_all_at_once_make_no_rate_too_high() {
    for (seed, rate_bps) in [1e6, 5e6, 20e6].into_iter().enumerate() {
        let mut path = Path::new(rate_bps, seed as u64);
        path.stalls = Some((Duration::from_millis(200), Duration::from_millis(30)));
        assert_near(path.run(20.0), &format!("{rate_bps} bit/s"));
    }
}

#[test]
fn finds_a_step_within_two_seconds() {
    let mut path = Path::new(5e6, 7);
    path.window = 300_000;
    path.run(4.0);
    for rate_bps in [20e6, 2.5e6, 7.5e6, 1e6, 5e6] {
        path.rate_bps = rate_bps;
        path.run(2.0);
        assert_near(path.run(1.0), &format!("{rate_bps} bit/s"));
    }
}

#[test]
fn a_sender_with_little_to_send_raises_the_estimate_and_never_lowers_it() {
    let mut path = Path::new(5e6, 3);
    path.sends = Sends::Frames(320);
    path.run(2.0);
    let of_frames = path.delivery.bps().unwrap();
    assert!((0.9..1.1).contains(&(of_frames / 128e3)), "{of_frames}");
    assert!(!path.delivery.is_limit());

    path.sends = Sends::All;
    path.run(2.0);
    let full = path.delivery.bps().unwrap();
    assert!((0.85..1.05).contains(&(full / 5e6)), "{full}");

    path.sends = Sends::Frames(320);
    path.run(20.0);
    let after = path.delivery.bps().unwrap();
    assert!((0.85..1.05).contains(&(after / 5e6)), "{after}");
    assert!(!path.delivery.is_limit());
}

#[test]
fn pauses_are_in_no_sample() {
    let mut path = Path::new(5e6, 4);
    for _ in 0..5 {
        path.sends = Sends::All;
        path.run(0.5);
        path.sends = Sends::Nothing;
        path.run(3.0);
        let part = path.delivery.bps().unwrap() / 5e6;
        assert!((0.85..1.05).contains(&part), "{part}");
    }
}

#[test]
fn a_step_down_is_found_after_a_pause() {
    let mut path = Path::new(10e6, 5);
    path.run(2.0);
    path.sends = Sends::Nothing;
    path.run(1.0);
    path.rate_bps = 1e6;
    path.sends = Sends::All;
    path.window = 20_000;
    path.run(2.0);
    assert_near(path.run(1.0), "after a pause");
}

#[test]
fn what_is_remembered_of_acknowledgements_is_bounded() {
    let mut path = Path::new(200e6, 6);
    path.window = 2_000_000;
    for _ in 0..10 {
        path.run(0.1);
        assert!(path.delivery.history.len() <= 42);
    }
}

#[test]
fn one_acknowledgement_tells_no_rate() {
    let now = Instant::now();
    let mut delivery = Delivery::default();
    delivery.acknowledged(now, 1200);
    delivery.end_acknowledged(now + Duration::from_secs(1), 1200, false, STEP);
    assert!(delivery.bps().is_none());
    delivery.end_acknowledged(now + Duration::from_secs(2), 1200, false, STEP);
    assert!(delivery.bps().is_none());
}

#[test]
fn a_successor_keeps_the_estimate_and_no_packet() {
    let mut path = Path::new(5e6, 8);
    path.run(2.0);
    let successor = path.delivery.duplicate();
    assert_eq!(successor.bps(), path.delivery.bps());
    assert!(successor.history.is_empty());
}
