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
    /// One in this many packets is lost; 0: none.
    loss_in: u64,
    /// Time at which the bottleneck has emptied its queue.
    free_at: Instant,
    /// Packets under way: when each was sent, and when its acknowledgement comes.
    under_way: VecDeque<(Instant, Instant)>,
    sent: u64,
}

/// Measurements of a path over some time.
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

    /// Continues until `seconds` after the start.
    fn until(&mut self, seconds: u64) -> Run {
        let (began, end) = (self.now, self.start + Duration::from_secs(seconds));
        let (mut arrived, mut queued) = (0, 0.0);
        while self.now < end {
            self.send();
            let (sent, at) = self.under_way.pop_front().unwrap();
            self.now = at;
            self.sent += 1;
            if self.loss_in > 0 && self.sent.is_multiple_of(self.loss_in) {
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
    // Now without slow start, which ends at the first queue.
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
