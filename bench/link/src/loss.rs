use crate::random::{Purpose, Random};
use crate::settings::Settings;

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Fate {
    Passes,
    LostRandom,
    LostBurst,
}

/// Losses that don't know of each other, and bursts of them by Gilbert and Elliott's two states.
#[derive(Default)]
pub struct Loss {
    bad: bool,
}

impl Loss {
    /// Decides the fate of the next packet. Depends on the seed and on the packets' numbers only, not on
    /// when they came.
    pub fn decide(&mut self, settings: &Settings, random: &Random, index: u64) -> Fate {
        let turn = if self.bad {
            settings.burst_leave
        } else {
            settings.burst_enter
        };
        if random.unit(index, Purpose::BurstState) < turn {
            self.bad = !self.bad;
        }
        if settings.burst_enter == 0.0 {
            self.bad = false;
        }
        let percent = if self.bad {
            settings.bad_loss_percent
        } else {
            settings.good_loss_percent
        };
        if random.unit(index, Purpose::BurstLoss) * 100.0 < percent {
            return if self.bad {
                Fate::LostBurst
            } else {
                Fate::LostRandom
            };
        }
        if random.unit(index, Purpose::Loss) * 100.0 < settings.loss_percent {
            return Fate::LostRandom;
        }
        Fate::Passes
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn fates(words: &[&str], n: u64) -> Vec<Fate> {
        let mut settings = Settings::default();
        words.iter().for_each(|word| settings.apply(word).unwrap());
        let (mut loss, random) = (Loss::default(), Random::new(9, 0));
        (0..n).map(|i| loss.decide(&settings, &random, i)).collect()
    }

    fn share(fates: &[Fate], of: Fate) -> f64 {
        fates.iter().filter(|&&fate| fate == of).count() as f64 / fates.len() as f64
    }

    #[test]
    fn nothing_is_lost_unless_asked() {
        assert!(fates(&[], 10_000).iter().all(|&fate| fate == Fate::Passes));
    }

    #[test]
    fn all_is_lost_when_asked() {
        assert!(fates(&["lossPercent=100"], 10_000)
            .iter()
            .all(|&fate| fate == Fate::LostRandom));
    }

    #[test]
    fn random_loss_has_its_rate() {
        let rate = share(&fates(&["lossPercent=5"], 100_000), Fate::LostRandom);
        assert!((rate - 0.05).abs() < 0.003, "{rate}");
    }

    #[test]
    fn bursts_have_their_share_and_their_length() {
        let fates = fates(
            &["burstEnter=0.01", "burstLeave=0.25", "badLossPercent=100"],
            400_000,
        );
        let rate = share(&fates, Fate::LostBurst);
        assert!((rate - 0.01 / 0.26).abs() < 0.004, "{rate}");
        let bursts = fates
            .windows(2)
            .filter(|w| w[0] == Fate::Passes && w[1] == Fate::LostBurst)
            .count();
        let length = rate * fates.len() as f64 / bursts as f64;
        assert!((length - 4.0).abs() < 0.2, "{length}");
    }

    #[test]
    fn both_states_can_lose_a_part() {
        let words = [
            "burstEnter=0.1",
            "burstLeave=0.1",
            "goodLossPercent=2",
            "badLossPercent=40",
        ];
        let fates = fates(&words, 200_000);
        assert!((share(&fates, Fate::LostRandom) - 0.01).abs() < 0.002);
        assert!((share(&fates, Fate::LostBurst) - 0.2).abs() < 0.01);
    }

    #[test]
    fn a_burst_ends_when_bursts_are_turned_off() {
        let mut settings = Settings::default();
        settings.apply("burstEnter=1").unwrap();
        settings.apply("burstLeave=0").unwrap();
        let (mut loss, random) = (Loss::default(), Random::new(9, 0));
        assert_eq!(loss.decide(&settings, &random, 0), Fate::LostBurst);
        settings.apply("burstEnter=0").unwrap();
        assert_eq!(loss.decide(&settings, &random, 1), Fate::Passes);
    }
}
