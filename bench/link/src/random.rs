use crate::time::Nanos;

/// The purpose of a random number. Each purpose has a sequence of its own, so that turning one impairment
/// on or off leaves the decisions of the others as they were.
#[derive(Clone, Copy)]
pub enum Purpose {
    Loss = 1,
    BurstState,
    BurstLoss,
    Jitter,
    JitterSecond,
    Reorder,
    StallGap,
    StallLength,
}

/// Random numbers by index instead of by order: the same seed says the same about packet 1000, whatever
/// was drawn before. SplitMix64's finalizer over a counter (Steele, Lea, Flood: Fast Splittable
/// Pseudorandom Number Generators, OOPSLA 2014).
#[derive(Clone)]
pub struct Random {
    key: u64,
}

const GOLDEN: u64 = 0x9e37_79b9_7f4a_7c15;

fn mix(mut z: u64) -> u64 {
    z = (z ^ (z >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
    z = (z ^ (z >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
    z ^ (z >> 31)
}

impl Random {
    /// `stream` keeps the two directions of one link apart.
    pub fn new(seed: u64, stream: u64) -> Self {
        Self {
            key: mix(mix(seed.wrapping_add(GOLDEN)) ^ stream.wrapping_mul(GOLDEN)),
        }
    }

    /// A number in [0, 1), the same for the same seed, stream, index and purpose.
    pub fn unit(&self, index: u64, purpose: Purpose) -> f64 {
        let key = mix(self.key.wrapping_add((purpose as u64).wrapping_mul(GOLDEN)));
        let bits = mix(key.wrapping_add(index.wrapping_mul(GOLDEN)));
        (bits >> 11) as f64 / (1u64 << 53) as f64
    }
}

/// Slots of time, each with its own random numbers. Packets of two links that come in the same slot, in
/// the same order, have the same fates. An additional packet on either shifts no later slot.
#[derive(Clone, Copy, Debug, PartialEq)]
pub struct Slots {
    pub from: Nanos,
    pub every: Nanos,
}

/// More packets than come in a slot.
const SLOT_NUMBERS: u64 = 1 << 24;

/// Packets' indexes of random numbers: packet by packet, or slot by slot.
#[derive(Default)]
pub struct Draws {
    /// When counting began; jitter that is held for a while counts from there.
    pub begun: Nanos,
    slots: Option<Slots>,
    slot: u64,
    next: u64,
}

impl Draws {
    pub fn new(at: Nanos, slots: Option<Slots>) -> Self {
        Self {
            begun: slots.map_or(at, |slots| slots.from),
            slots,
            ..Self::default()
        }
    }

    /// Index of the packet that arrives at `at`. Packets before the first slot have their own count.
    pub fn next(&mut self, at: Nanos) -> u64 {
        if let Some(Slots { from, every }) = self.slots {
            let slot = at.checked_sub(from).map_or(0, |since| since / every + 1);
            if slot != self.slot {
                (self.slot, self.next) = (slot, slot * SLOT_NUMBERS);
            }
        }
        self.next += 1;
        self.next - 1
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn the_same_seed_says_the_same() {
        let (a, b) = (Random::new(7, 0), Random::new(7, 0));
        for index in [0, 1, 99, u64::MAX] {
            assert_eq!(a.unit(index, Purpose::Loss), b.unit(index, Purpose::Loss));
        }
    }

    #[test]
    fn seeds_streams_purposes_and_neighbours_are_unrelated() {
        let n = 20_000u64;
        let correlation = |f: &dyn Fn(u64) -> (f64, f64)| {
            let sum: f64 = (0..n)
                .map(|i| {
                    let (x, y) = f(i);
                    (x - 0.5) * (y - 0.5) * 12.0
                })
                .sum();
            (sum / n as f64).abs()
        };
        let (a, b, c) = (Random::new(1, 0), Random::new(2, 0), Random::new(1, 1));
        let loss = Purpose::Loss;
        assert!(correlation(&|i| (a.unit(i, loss), b.unit(i, loss))) < 0.03);
        assert!(correlation(&|i| (a.unit(i, loss), c.unit(i, loss))) < 0.03);
        assert!(correlation(&|i| (a.unit(i, loss), a.unit(i, Purpose::Jitter))) < 0.03);
        assert!(correlation(&|i| (a.unit(i, loss), a.unit(i + 1, loss))) < 0.03);
    }

    #[test]
    fn numbers_are_even_between_zero_and_one() {
        let random = Random::new(3, 0);
        let mut tenths = [0u32; 10];
        for index in 0..100_000 {
            let u = random.unit(index, Purpose::Jitter);
            assert!((0.0..1.0).contains(&u));
            tenths[(u * 10.0) as usize] += 1;
        }
        for count in tenths {
            assert!((9_500..10_500).contains(&count), "{tenths:?}");
        }
    }
}
