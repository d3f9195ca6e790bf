use super::*;

const MS: Nanos = 1_000_000;

fn path(words: &[&str]) -> Path {
    seeded(words, 1)
}

fn seeded(words: &[&str], seed: u64) -> Path {
    let mut settings = Settings::default();
    words.iter().for_each(|word| settings.apply(word).unwrap());
    Path::new(settings, seed, 0)
}

fn strings(words: &[&str]) -> Vec<String> {
    words.iter().map(|word| word.to_string()).collect()
}

/// A packet that says its number in its first bytes.
fn packet(number: u32, size: usize) -> Vec<u8> {
    let mut bytes = vec![0; size];
    bytes[..4].copy_from_slice(&number.to_be_bytes());
    bytes
}

/// Runs the clock from event to event and returns (number, due) of what leaves.
fn run_until(path: &mut Path, end: Nanos) -> Vec<(u32, Nanos)> {
    let mut left = Vec::new();
    while let Some(at) = path.next_event().filter(|&at| at <= end) {
        while let Some(departure) = path.depart(at) {
            let number = u32::from_be_bytes(departure.bytes[..4].try_into().unwrap());
            left.push((number, departure.due));
            path.recycle(departure.bytes);
        }
    }
    left
}

/// Sends packets at even times and returns what leaves, as it leaves.
fn send(path: &mut Path, count: u32, every: Nanos, size: usize) -> Vec<(u32, Nanos)> {
    let mut left = Vec::new();
    for number in 0..count {
        let at = number as Nanos * every;
        left.extend(run_until(path, at));
        path.arrive(at, &packet(number, size));
    }
    left.extend(run_until(path, Nanos::MAX));
    left
}

fn balance(path: &Path) -> u64 {
    let c = &path.counters;
    c.arrived.packets
        - c.delivered.packets
        - c.lost_random.packets
        - c.lost_burst.packets
        - c.dropped_queue.packets
        - c.dropped_full.packets
}

#[test]
fn the_delay_is_exact() {
    let mut path = path(&["delayMs=13.7"]);
    let left = send(&mut path, 100, 5 * MS, 100);
    assert_eq!(left.len(), 100);
    for (number, due) in left {
        assert_eq!(due, number as Nanos * 5 * MS + 13_700_000);
    }
}

#[test]
fn nothing_leaves_before_its_time() {
    let mut path = path(&["delayMs=10"]);
    path.arrive(0, &packet(0, 50));
    assert!(path.depart(10 * MS - 1).is_none());
    assert_eq!(path.next_event(), Some(10 * MS));
    assert_eq!(path.depart(10 * MS).unwrap().due, 10 * MS);
    assert_eq!(path.next_event(), None);
}

#[test]
fn jitter_doesnt_reorder() {
    for distribution in ["uniform", "normal", "pareto", "lognormal"] {
        let jitter = format!("jitter={distribution}");
        let mut path = path(&["delayMs=20", &jitter, "jitterMs=15"]);
        let left = send(&mut path, 5_000, MS, 100);
        assert!(
            left.windows(2).all(|w| w[0].0 < w[1].0 && w[0].1 <= w[1].1),
            "{distribution}"
        );
        assert_eq!(path.counters.reordered.packets, 0);
    }
}

#[test]
fn jitter_reorders_when_it_may() {
    let mut path = path(&["delayMs=20", "jitter=uniform", "jitterMs=15", "reorder=1"]);
    let left = send(&mut path, 1_000, MS, 100);
    let behind = left.iter().scan(0, |highest, &(number, _)| {
        let late = number < *highest;
        *highest = number.max(*highest);
        Some(late)
    });
    let counted = path.counters.reordered.packets;
    assert_eq!(behind.filter(|&late| late).count() as u64, counted);
    assert!(counted > 500, "{counted}");
}

#[test]
fn jitter_between_packets_far_apart_has_its_distribution() {
    let mut path = path(&["delayMs=50", "jitter=normal", "jitterMs=5"]);
    let left = send(&mut path, 20_000, 100 * MS, 100);
    let delays: Vec<f64> = left
        .iter()
        .map(|&(number, due)| (due - number as Nanos * 100 * MS) as f64 / 1e6)
        .collect();
    let mean = delays.iter().sum::<f64>() / delays.len() as f64;
    let sd = (delays.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / delays.len() as f64).sqrt();
    assert!(
        (mean - 50.0).abs() < 0.15 && (sd - 5.0).abs() < 0.1,
        "{mean} {sd}"
    );
}

#[test]
fn held_jitter_is_the_same_for_all_who_come_within_it() {
    let mut path = path(&[
        "delayMs=50",
        "jitter=uniform",
        "jitterMs=20",
        "jitterHoldMs=10",
    ]);
    let left = send(&mut path, 10, MS, 100);
    let delays: Vec<Nanos> = left.iter().map(|&(n, due)| due - n as Nanos * MS).collect();
    assert!(delays.iter().all(|&delay| delay == delays[0]), "{delays:?}");
}

#[test]
fn a_share_is_held_back_and_overtaken() {
    let mut path = path(&["delayMs=5", "reorderPercent=10", "reorderMs=7"]);
    let left = send(&mut path, 2_000, 2 * MS, 100);
    assert_eq!(left.len(), 2_000);
    let late = left
        .iter()
        .filter(|&&(n, due)| due - n as Nanos * 2 * MS == 12 * MS)
        .count() as u64;
    assert!((140..260).contains(&late), "{late}");
    // The last few have no later packet that could overtake them.
    assert!(late - path.counters.reordered.packets < 5);
}

#[test]
fn losses_are_those_of_the_seed_whatever_the_timing() {
    let numbers = |seed, every| -> Vec<u32> {
        let mut path = seeded(
            &["lossPercent=10", "delayMs=3", "jitter=pareto", "jitterMs=2"],
            seed,
        );
        send(&mut path, 1_000, every, 100)
            .iter()
            .map(|left| left.0)
            .collect()
    };
    assert_eq!(numbers(1, MS), numbers(1, 3 * MS));
    assert_ne!(numbers(1, MS), numbers(2, MS));
}

#[test]
fn a_seeding_gives_the_next_packets_the_fates_of_a_new_link() {
    let words = [
        "lossPercent=10",
        "burstEnter=0.02",
        "burstLeave=0.3",
        "badLossPercent=80",
    ];
    let fates = |path: &mut Path, from: u32, at: Nanos| -> Vec<u32> {
        for number in 0..500 {
            path.arrive(at + Nanos::from(number) * MS, &packet(from + number, 100));
        }
        let left = run_until(path, Nanos::MAX);
        left.iter().map(|left| left.0 - from).collect()
    };
    let mut new = seeded(&words, 7);
    let mut used = seeded(&words, 1);
    let before = fates(&mut used, 0, 0);
    used.seed(500 * MS, 7, None);
    let after = fates(&mut used, 1000, 500 * MS);
    assert_eq!(after, fates(&mut new, 0, 0));
    assert_ne!(before, after);
}

/// Surviving packets of 500, one every 20 ms from `from` on. Others come before the first slot and 4 ms after
/// some of the 500.
fn left_in_slots(path: &mut Path, from: Nanos, others: &[u32]) -> Vec<u32> {
    let slots = Slots {
        from: from - 5 * MS,
        every: 20 * MS,
    };
    path.seed(from - 10 * MS, 7, Some(slots));
    for _ in others {
        path.arrive(from - 8 * MS, &packet(u32::MAX, 100));
    }
    for number in 0..500 {
        let at = from + Nanos::from(number) * 20 * MS;
        path.arrive(at, &packet(number, 100));
        if others.contains(&number) {
            path.arrive(at + 4 * MS, &packet(u32::MAX, 100));
        }
    }
    let left = run_until(path, Nanos::MAX).into_iter();
    left.map(|left| left.0)
        .filter(|&number| number < 500)
        .collect()
}

#[test]
fn in_slots_packets_have_the_same_fates_whatever_comes_between_them() {
    let words = ["lossPercent=10", "delayMs=3"];
    let alone = left_in_slots(&mut seeded(&words, 1), 100 * MS, &[]);
    assert!((420..480).contains(&alone.len()), "{}", alone.len());
    let among = left_in_slots(&mut seeded(&words, 2), 777 * MS, &[3, 99, 100, 400]);
    assert_eq!(alone, among);
}

#[test]
fn in_slots_the_loss_is_as_without() {
    let mut path = seeded(&["lossPercent=10"], 3);
    let (from, every) = (0, 20 * MS);
    path.seed(0, 3, Some(Slots { from, every }));
    send(&mut path, 100_000, 6 * MS, 100);
    let share = path.counters.lost_random.packets as f64 / 100_000.0;
    assert!((share - 0.1).abs() < 0.004, "{share}");
}

#[test]
fn restoring_takes_back_changes_and_those_to_come() {
    let mut path = path(&["delayMs=5"]);
    path.change(0, &strings(&["delayMs=50", "lossPercent=100"]))
        .unwrap();
    path.schedule(vec![(10 * MS, strings(&["delayMs=90"]))])
        .unwrap();
    path.restore(MS);
    path.arrive(20 * MS, &packet(1, 100));
    assert_eq!(run_until(&mut path, Nanos::MAX), [(1, 25 * MS)]);
}

#[test]
fn the_directions_lose_different_packets() {
    let mut settings = Settings::default();
    settings.apply("lossPercent=10").unwrap();
    let [up, down] = [0, 1].map(|stream| {
        let mut path = Path::new(settings.clone(), 1, stream);
        send(&mut path, 1_000, MS, 100)
    });
    assert_ne!(up, down);
}

#[test]
fn a_packet_takes_its_time_at_the_bottleneck() {
    // 1000 bytes at 8 Mbit/s: 1 ms.
    let mut path = path(&["rateBits=8e6", "delayMs=10", "queuePackets=0"]);
    for number in 0..5 {
        path.arrive(0, &packet(number, 1000));
    }
    let due: Vec<Nanos> = run_until(&mut path, Nanos::MAX)
        .iter()
        .map(|left| left.1)
        .collect();
    assert_eq!(due, [11 * MS, 12 * MS, 13 * MS, 14 * MS, 15 * MS]);
}

#[test]
fn a_bucket_lets_a_burst_through_and_then_the_rate() {
    let mut path = path(&["rateBits=8e6", "burstBytes=3000"]);
    path.arrive(100 * MS, &packet(9, 1000));
    run_until(&mut path, 100 * MS);
    for number in 0..5 {
        path.arrive(200 * MS, &packet(number, 1000));
    }
    let due: Vec<Nanos> = run_until(&mut path, Nanos::MAX)
        .iter()
        .map(|left| left.1)
        .collect();
    assert_eq!(due, [200 * MS, 200 * MS, 200 * MS, 201 * MS, 202 * MS]);
}

#[test]
fn the_rate_holds_over_time() {
    let mut path = path(&["rateBits=1e6", "queuePackets=20"]);
    let left = send(&mut path, 2_000, MS, 1250);
    // 10 ms a packet; one comes each millisecond.
    assert!((198..225).contains(&left.len()), "{}", left.len());
    assert!(left.windows(2).all(|w| w[1].1 - w[0].1 == 10 * MS));
}

#[test]
fn a_full_queue_drops_the_newest() {
    let mut path = path(&["rateBits=8e6", "queuePackets=3"]);
    for number in 0..10 {
        path.arrive(0, &packet(number, 1000));
    }
    let numbers: Vec<u32> = run_until(&mut path, Nanos::MAX)
        .iter()
        .map(|left| left.0)
        .collect();
    assert_eq!(numbers, [0, 1, 2, 3]);
    assert_eq!(path.counters.dropped_queue.packets, 6);
    assert_eq!(path.counters.dropped_queue.bytes, 6000);
    assert_eq!(path.counters.max_queue, 4);
}

#[test]
fn a_queue_in_milliseconds_bounds_the_wait() {
    let mut path = path(&["rateBits=8e6", "queuePackets=0", "queueMs=5"]);
    let left = send(&mut path, 1_000, MS / 2, 1000);
    let waits = left.iter().map(|&(n, due)| due - n as Nanos * MS / 2);
    assert_eq!(waits.max(), Some(6 * MS));
    assert_eq!(balance(&path), 0);
    assert!(path.counters.dropped_queue.packets > 400);
}

#[test]
fn a_queue_is_bounded_unless_that_was_turned_off() {
    let dropped = |words: &[&str]| {
        let mut path = path(words);
        for number in 0..3_000 {
            path.arrive(0, &packet(number, 50));
        }
        path.counters.dropped_queue.packets
    };
    assert_eq!(dropped(&["rateBits=8e6"]), 1_999);
    assert_eq!(dropped(&["rateBits=8e6", "queuePackets=0"]), 0);
    assert_eq!(dropped(&["rateBits=8e6", "queueMs=200"]), 0);
    assert_eq!(
        dropped(&["rateBits=8e6", "queueMs=200", "queuePackets=100"]),
        2_899
    );
}

#[test]
fn without_a_rate_nothing_queues() {
    let mut path = path(&["queuePackets=1", "queueMs=1"]);
    for number in 0..1_000 {
        path.arrive(0, &packet(number, 1500));
    }
    assert_eq!(run_until(&mut path, 0).len(), 1_000);
}

#[test]
fn memory_is_bounded() {
    let mut path = path(&["delayMs=60000"]);
    for number in 0..MAX_HELD as u32 + 10 {
        path.arrive(0, &packet(number, 40));
    }
    assert_eq!(path.held(), MAX_HELD);
    assert_eq!(path.counters.dropped_full.packets, 10);
}

#[test]
fn a_change_holds_from_its_time_on() {
    let mut path = path(&["delayMs=10"]);
    path.arrive(0, &packet(0, 100));
    path.change(MS, &strings(&["delayMs=30"])).unwrap();
    path.arrive(2 * MS, &packet(1, 100));
    assert_eq!(
        run_until(&mut path, Nanos::MAX),
        [(0, 10 * MS), (1, 32 * MS)]
    );
}

#[test]
fn a_wrong_change_changes_nothing() {
    let mut path = path(&["delayMs=10"]);
    assert!(path
        .change(0, &strings(&["delayMs=30", "lossPercent=200"]))
        .is_err());
    path.arrive(0, &packet(0, 100));
    assert_eq!(run_until(&mut path, Nanos::MAX), [(0, 10 * MS)]);
}

#[test]
fn a_change_of_rate_holds_for_what_is_queued() {
    let mut path = path(&["rateBits=8e6"]);
    for number in 0..4 {
        path.arrive(0, &packet(number, 1000));
    }
    assert_eq!(run_until(&mut path, MS), [(0, MS)]);
    path.change(MS, &strings(&["rateBits=1e6"])).unwrap();
    let due: Vec<Nanos> = run_until(&mut path, Nanos::MAX)
        .iter()
        .map(|left| left.1)
        .collect();
    assert_eq!(due, [9 * MS, 17 * MS, 25 * MS]);
}

#[test]
fn steps_come_at_their_times_even_when_nobody_looked() {
    let mut path = path(&["delayMs=1"]);
    path.schedule(vec![
        (10 * MS, strings(&["delayMs=20"])),
        (20 * MS, strings(&["lossPercent=100"])),
        (30 * MS, strings(&["lossPercent=0", "delayMs=2"])),
    ])
    .unwrap();
    let left = send(&mut path, 40, MS, 100);
    for (number, due) in left {
        let delay = match number {
            0..=9 => 1,
            10..=19 => 20,
            20..=29 => panic!("{number} should be lost"),
            // Behind packet 19, which left late.
            _ => 39u64.saturating_sub(number as Nanos).max(2),
        };
        assert_eq!(due, (number as Nanos + delay) * MS, "{number}");
    }
    assert_eq!(path.counters.lost_random.packets, 10);
}

#[test]
fn wrong_steps_are_refused_together() {
    let mut path = path(&["delayMs=1"]);
    path.schedule(vec![(5 * MS, strings(&["delayMs=9"]))])
        .unwrap();
    assert!(path
        .schedule(vec![(5 * MS, strings(&["speed=9"]))])
        .is_err());
    path.arrive(6 * MS, &packet(0, 100));
    assert_eq!(run_until(&mut path, Nanos::MAX), [(0, 15 * MS)]);
}

#[test]
fn a_stall_holds_everybody_and_lets_them_go_together() {
    let mut path = path(&["stallsPerSecond=2", "stallMinMs=100", "stallMaxMs=100"]);
    let left = send(&mut path, 10_000, MS, 100);
    let stalled = left
        .iter()
        .filter(|&&(n, due)| due > n as Nanos * MS)
        .count();
    assert!((1_000..2_500).contains(&stalled), "{stalled}");
    let latest = left
        .iter()
        .map(|&(n, due)| due - n as Nanos * MS)
        .max()
        .unwrap();
    assert!((90 * MS..=100 * MS).contains(&latest), "{latest}");
    assert!(left.windows(2).all(|w| w[0].1 <= w[1].1));
}

#[test]
fn each_packet_is_accounted_for() {
    let mut path = path(&[
        "delayMs=5",
        "jitter=lognormal",
        "jitterMs=3",
        "lossPercent=3",
        "burstEnter=0.02",
        "burstLeave=0.3",
        "rateBits=5e5",
        "queuePackets=10",
        "reorderPercent=2",
        "stallsPerSecond=1",
        "stallMaxMs=40",
    ]);
    let left = send(&mut path, 10_000, MS, 100);
    let c = &path.counters;
    assert_eq!(left.len() as u64, c.delivered.packets);
    assert_eq!((balance(&path), path.held()), (0, 0));
    for count in [c.lost_random, c.lost_burst, c.dropped_queue, c.reordered] {
        assert!(count.packets > 10 && count.bytes == count.packets * 100);
    }
}
