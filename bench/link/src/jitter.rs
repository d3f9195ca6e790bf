use crate::random::{Purpose, Random};
use crate::settings::{Distribution, Settings};
use crate::time::{from_ms, Nanos};

/// Delay that is added to the base delay, in milliseconds, from two even numbers in [0, 1). Around
/// the base delay, `uniform` is ±jitterMs and `normal` has jitterMs as its standard deviation. Two
/// only add, jitterMs on average: `lognormal` (shape: the deviation of the logarithm) and `pareto`
/// (type II; shape: the tail index). The `table` holds even quantiles of the added delay.
pub fn sample(settings: &Settings, u: f64, v: f64) -> f64 {
    let ms = settings.jitter_ms;
    let extra = match settings.jitter {
        Distribution::None => 0.0,
        Distribution::Uniform => ms * (2.0 * u - 1.0),
        Distribution::Normal => ms * normal(u, v),
        Distribution::Lognormal => {
            let shape = or(settings.jitter_shape, 1.0);
            ms * (shape * normal(u, v) - shape * shape / 2.0).exp()
        }
        Distribution::Pareto => {
            let shape = or(settings.jitter_shape, 3.0).max(1.05);
            ms * (shape - 1.0) * ((1.0 - u).powf(-1.0 / shape) - 1.0)
        }
        Distribution::Table => quantile(&settings.jitter_table, u),
    };
    match settings.jitter_cap_ms {
        0.0 => extra,
        cap => extra.min(cap),
    }
}

fn or(value: f64, default: f64) -> f64 {
    if value == 0.0 {
        default
    } else {
        value
    }
}

/// Box and Muller's.
fn normal(u: f64, v: f64) -> f64 {
    (-2.0 * (1.0 - u).ln()).sqrt() * (std::f64::consts::TAU * v).cos()
}

fn quantile(table: &[f64], u: f64) -> f64 {
    if table.is_empty() {
        return 0.0;
    }
    let position = u * (table.len() - 1) as f64;
    let at = position as usize;
    let next = table[(at + 1).min(table.len() - 1)];
    table[at] + (next - table[at]) * (position - at as f64)
}

/// Times in which nothing gets through: a packet that arrives in one leaves at its end. They come by the
/// clock, not by the packet, so a link stalls as often whether one person speaks or ten.
pub struct Stalls {
    random: Random,
    index: u64,
    planned: (f64, f64, f64),
    start: Nanos,
    end: Nanos,
}

impl Stalls {
    pub fn new(random: Random) -> Self {
        Self {
            random,
            index: 0,
            planned: (0.0, 0.0, 0.0),
            start: 0,
            end: 0,
        }
    }

    /// Wait of a packet that arrives at `at`; times must not go back.
    pub fn wait(&mut self, settings: &Settings, at: Nanos) -> Nanos {
        let wanted = (
            settings.stalls_per_second,
            settings.stall_min_ms,
            settings.stall_max_ms.max(settings.stall_min_ms),
        );
        if wanted.0 == 0.0 {
            self.planned = wanted;
            return 0;
        }
        if wanted != self.planned {
            self.planned = wanted;
            self.plan(at);
        }
        while self.end <= at {
            self.plan(self.end);
        }
        if at < self.start {
            0
        } else {
            self.end - at
        }
    }

    fn plan(&mut self, after: Nanos) {
        let (per_second, min_ms, max_ms) = self.planned;
        let gap = -(1.0 - self.random.unit(self.index, Purpose::StallGap)).ln() / per_second;
        let length =
            min_ms + (max_ms - min_ms) * self.random.unit(self.index, Purpose::StallLength);
        self.index += 1;
        self.start = after + from_ms(gap * 1000.0).max(1);
        self.end = self.start + from_ms(length);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn moments(settings: &Settings) -> (f64, f64, f64, f64) {
        let random = Random::new(11, 0);
        let n = 200_000;
        let values: Vec<f64> = (0..n)
            .map(|i| {
                let u = random.unit(i, Purpose::Jitter);
                sample(settings, u, random.unit(i, Purpose::JitterSecond))
            })
            .collect();
        let mean = values.iter().sum::<f64>() / n as f64;
        let variance = values.iter().map(|x| (x - mean).powi(2)).sum::<f64>() / n as f64;
        let min = values.iter().copied().fold(f64::INFINITY, f64::min);
        let max = values.iter().copied().fold(f64::NEG_INFINITY, f64::max);
        (mean, variance.sqrt(), min, max)
    }

    fn with(words: &[&str]) -> Settings {
        let mut settings = Settings::default();
        words.iter().for_each(|word| settings.apply(word).unwrap());
        settings
    }

    #[test]
    fn each_distribution_has_the_moments_it_promises() {
        let (mean, sd, min, max) = moments(&with(&["jitter=uniform", "jitterMs=6"]));
        assert!(mean.abs() < 0.05 && (sd - 12.0 / 12f64.sqrt()).abs() < 0.05);
        assert!(min >= -6.0 && max <= 6.0);

        let (mean, sd, ..) = moments(&with(&["jitter=normal", "jitterMs=4"]));
        assert!(mean.abs() < 0.05 && (sd - 4.0).abs() < 0.05);

        let (mean, sd, min, _) = moments(&with(&[
            "jitter=lognormal",
            "jitterMs=2",
            "jitterShape=0.8",
        ]));
        let expected = 2.0 * (0.64f64.exp() - 1.0).sqrt();
        assert!(
            (mean - 2.0).abs() < 0.05 && (sd - expected).abs() < 0.1 && min > 0.0,
            "{mean} {sd}"
        );

        let (mean, _, min, _) = moments(&with(&["jitter=pareto", "jitterMs=2"]));
        assert!((mean - 2.0).abs() < 0.1 && min >= 0.0, "{mean}");

        let (mean, _, min, max) = moments(&with(&["jitter=table", "jitterTable=0,2,10"]));
        assert!(
            (mean - 3.5).abs() < 0.05 && min >= 0.0 && max <= 10.0,
            "{mean}"
        );
    }

    #[test]
    fn the_cap_holds() {
        let (.., max) = moments(&with(&["jitter=pareto", "jitterMs=5", "jitterCapMs=20"]));
        assert_eq!(max, 20.0);
    }

    #[test]
    fn stalls_come_as_often_as_asked_and_drain_to_their_end() {
        let settings = with(&["stallsPerSecond=2", "stallMinMs=10", "stallMaxMs=50"]);
        let mut stalls = Stalls::new(Random::new(5, 0));
        let (mut count, mut last_end, step) = (0, 0, from_ms(1.0));
        for i in 0..1_000_000u64 {
            let at = i * step;
            let wait = stalls.wait(&settings, at);
            assert!(wait <= from_ms(50.0));
            if wait > 0 && at + wait != last_end {
                count += 1;
                last_end = at + wait;
            }
        }
        // One every 500 ms of gap and 30 ms of stall, over 1000 s; four standard deviations.
        assert!((count as f64 - 1887.0).abs() < 175.0, "{count}");
    }

    #[test]
    fn how_often_packets_come_changes_no_stall() {
        let settings = with(&["stallsPerSecond=1", "stallMinMs=60", "stallMaxMs=90"]);
        let (mut seldom, mut often) = (
            Stalls::new(Random::new(5, 0)),
            Stalls::new(Random::new(5, 0)),
        );
        for ms in 0..100_000u64 {
            let wait = often.wait(&settings, from_ms(ms as f64));
            if ms % 50 == 0 {
                assert_eq!(seldom.wait(&settings, from_ms(ms as f64)), wait);
            }
        }
    }
}
