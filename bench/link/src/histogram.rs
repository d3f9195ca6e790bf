/// Counts by size, to 1.6 %: 64 steps to each power of two.
#[derive(Clone)]
pub struct Histogram {
    counts: Vec<u64>,
    count: u64,
    max: u64,
}

const STEP_BITS: u32 = 6;
const STEPS: u64 = 1 << STEP_BITS;

fn slot(value: u64) -> usize {
    if value < STEPS {
        return value as usize;
    }
    let shift = 63 - value.leading_zeros() - STEP_BITS;
    ((shift as u64 + 1) * STEPS + ((value >> shift) - STEPS)) as usize
}

/// The largest value that a slot holds.
fn top(slot: usize) -> u64 {
    let (row, step) = (slot as u64 / STEPS, slot as u64 % STEPS);
    if row == 0 {
        return step;
    }
    let shift = row - 1;
    ((STEPS + step) << shift) + ((1 << shift) - 1)
}

impl Default for Histogram {
    fn default() -> Self {
        Self {
            counts: vec![0; slot(u64::MAX) + 1],
            count: 0,
            max: 0,
        }
    }
}

impl Histogram {
    pub fn record(&mut self, value: u64) {
        self.counts[slot(value)] += 1;
        self.count += 1;
        self.max = self.max.max(value);
    }

    pub fn clear(&mut self) {
        self.counts.fill(0);
        (self.count, self.max) = (0, 0);
    }

    /// The value that this share of all don't exceed; 0 when there is none.
    pub fn quantile(&self, share: f64) -> u64 {
        let rank = ((self.count as f64 * share).ceil() as u64).max(1);
        let mut seen = 0;
        for (slot, &count) in self.counts.iter().enumerate() {
            seen += count;
            if seen >= rank {
                return top(slot).min(self.max);
            }
        }
        self.max
    }

    /// In microseconds, of values in nanoseconds.
    pub fn to_json(&self) -> String {
        let us = |ns: u64| format!("{:.1}", ns as f64 / 1000.0);
        format!(
            r#"{{"count":{},"p50Us":{},"p90Us":{},"p99Us":{},"p999Us":{},"maxUs":{}}}"#,
            self.count,
            us(self.quantile(0.5)),
            us(self.quantile(0.9)),
            us(self.quantile(0.99)),
            us(self.quantile(0.999)),
            us(self.max)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_value_has_a_slot_that_holds_it_closely() {
        for value in (0..5_000).chain([1 << 20, (1 << 33) + 12_345, u64::MAX - 1, u64::MAX]) {
            let top = top(slot(value));
            assert!(
                top >= value && (top - value) as f64 <= value as f64 / 64.0 + 1.0,
                "{value} {top}"
            );
        }
    }

    #[test]
    fn quantiles_of_even_values_are_where_they_should_be() {
        let mut histogram = Histogram::default();
        assert_eq!(histogram.quantile(0.5), 0);
        (1..=100_000).for_each(|value| histogram.record(value));
        for (share, expected) in [(0.5, 50_000.0), (0.99, 99_000.0), (1.0, 100_000.0)] {
            let found = histogram.quantile(share) as f64;
            assert!((found / expected - 1.0).abs() < 0.02, "{share}: {found}");
        }
        histogram.clear();
        assert_eq!(histogram.quantile(0.99), 0);
    }
}
