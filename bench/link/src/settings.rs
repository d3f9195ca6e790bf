//! The settings of one direction of the link, and their text form: words such as `delayMs=13.7`.

#[derive(Clone, Copy, Debug, PartialEq)]
pub enum Distribution {
    None,
    Uniform,
    Normal,
    Lognormal,
    Pareto,
    Table,
}

#[derive(Clone, Debug, PartialEq)]
pub struct Settings {
    pub delay_ms: f64,
    pub jitter: Distribution,
    pub jitter_ms: f64,
    pub jitter_shape: f64,
    pub jitter_cap_ms: f64,
    pub jitter_hold_ms: f64,
    pub jitter_table: Vec<f64>,
    pub stalls_per_second: f64,
    pub stall_min_ms: f64,
    pub stall_max_ms: f64,
    pub loss_percent: f64,
    pub burst_enter: f64,
    pub burst_leave: f64,
    pub good_loss_percent: f64,
    pub bad_loss_percent: f64,
    pub rate_bits: f64,
    pub burst_bytes: f64,
    pub queue_packets: f64,
    pub queue_ms: f64,
    pub reorder: f64,
    pub reorder_percent: f64,
    pub reorder_ms: f64,
}

impl Default for Settings {
    fn default() -> Self {
        Self {
            delay_ms: 0.0,
            jitter: Distribution::None,
            jitter_ms: 0.0,
            jitter_shape: 0.0,
            jitter_cap_ms: 0.0,
            jitter_hold_ms: 0.0,
            jitter_table: Vec::new(),
            stalls_per_second: 0.0,
            stall_min_ms: 0.0,
            stall_max_ms: 0.0,
            loss_percent: 0.0,
            burst_enter: 0.0,
            burst_leave: 1.0,
            good_loss_percent: 0.0,
            bad_loss_percent: 100.0,
            rate_bits: 0.0,
            burst_bytes: 0.0,
            queue_packets: UNSET,
            queue_ms: 0.0,
            reorder: 0.0,
            reorder_percent: 0.0,
            reorder_ms: 10.0,
        }
    }
}

/// Not given: then it depends.
const UNSET: f64 = -1.0;

const DEFAULT_QUEUE_PACKETS: usize = 1000;

const MAX_MS: f64 = 60_000.0;
const MAX_TABLE: usize = 4096;

fn distribution(text: &str) -> Result<Distribution, String> {
    Ok(match text {
        "none" => Distribution::None,
        "uniform" => Distribution::Uniform,
        "normal" => Distribution::Normal,
        "lognormal" => Distribution::Lognormal,
        "pareto" => Distribution::Pareto,
        "table" => Distribution::Table,
        _ => return Err(format!("jitter can't be {text:?}")),
    })
}

fn number(name: &str, text: &str, min: f64, max: f64) -> Result<f64, String> {
    match text.parse::<f64>() {
        Ok(value) if value >= min && value <= max => Ok(value),
        _ => Err(format!(
            "{name} is a number from {min} to {max}, not {text:?}"
        )),
    }
}

fn table(text: &str) -> Result<Vec<f64>, String> {
    let values: Result<Vec<f64>, String> = text
        .split(',')
        .map(|item| number("jitterTable", item, 0.0, MAX_MS))
        .collect();
    let values = values?;
    if values.len() < 2 || values.len() > MAX_TABLE || values.windows(2).any(|w| w[1] < w[0]) {
        return Err(format!(
            "jitterTable is a rising list of 2 to {MAX_TABLE} milliseconds"
        ));
    }
    Ok(values)
}

impl Settings {
    /// Most packets that may wait, 0 for any number; a bound in milliseconds alone is one too.
    pub fn queue_limit(&self) -> usize {
        match (self.queue_packets, self.queue_ms) {
            (UNSET, 0.0) => DEFAULT_QUEUE_PACKETS,
            (UNSET, _) => 0,
            (packets, _) => packets as usize,
        }
    }

    /// Sets what one `name=value` says.
    pub fn apply(&mut self, word: &str) -> Result<(), String> {
        let (name, text) = word
            .split_once('=')
            .ok_or_else(|| format!("{word:?} isn't name=value"))?;
        let (field, min, max) = match name {
            "jitter" => {
                self.jitter = distribution(text)?;
                return Ok(());
            }
            "jitterTable" => {
                self.jitter_table = table(text)?;
                return Ok(());
            }
            "delayMs" => (&mut self.delay_ms, 0.0, MAX_MS),
            "jitterMs" => (&mut self.jitter_ms, 0.0, MAX_MS),
            "jitterShape" => (&mut self.jitter_shape, 0.0, 100.0),
            "jitterCapMs" => (&mut self.jitter_cap_ms, 0.0, MAX_MS),
            "jitterHoldMs" => (&mut self.jitter_hold_ms, 0.0, MAX_MS),
            "stallsPerSecond" => (&mut self.stalls_per_second, 0.0, 100.0),
            "stallMinMs" => (&mut self.stall_min_ms, 0.0, MAX_MS),
            "stallMaxMs" => (&mut self.stall_max_ms, 0.0, MAX_MS),
            "lossPercent" => (&mut self.loss_percent, 0.0, 100.0),
            "burstEnter" => (&mut self.burst_enter, 0.0, 1.0),
            "burstLeave" => (&mut self.burst_leave, 0.0, 1.0),
            "goodLossPercent" => (&mut self.good_loss_percent, 0.0, 100.0),
            "badLossPercent" => (&mut self.bad_loss_percent, 0.0, 100.0),
            "rateBits" => (&mut self.rate_bits, 0.0, 1e11),
            "burstBytes" => (&mut self.burst_bytes, 0.0, 1e9),
            "queuePackets" => (&mut self.queue_packets, 0.0, 30_000.0),
            "queueMs" => (&mut self.queue_ms, 0.0, MAX_MS),
            "reorder" => (&mut self.reorder, 0.0, 1.0),
            "reorderPercent" => (&mut self.reorder_percent, 0.0, 100.0),
            "reorderMs" => (&mut self.reorder_ms, 0.0, MAX_MS),
            _ => return Err(format!("there is no setting {name:?}")),
        };
        *field = number(name, text, min, max)?;
        Ok(())
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn words_change_what_they_name() {
        let mut settings = Settings::default();
        for word in [
            "delayMs=13.7",
            "jitter=pareto",
            "jitterTable=0,1,2.5",
            "rateBits=7.9e6",
        ] {
            settings.apply(word).unwrap();
        }
        assert_eq!(settings.delay_ms, 13.7);
        assert_eq!(settings.jitter, Distribution::Pareto);
        assert_eq!(settings.jitter_table, [0.0, 1.0, 2.5]);
        assert_eq!(settings.rate_bits, 7.9e6);
    }

    #[test]
    fn what_makes_no_sense_is_refused_and_changes_nothing() {
        let wrong = [
            "delayMs",
            "delayMs=",
            "delayMs=-1",
            "delayMs=NaN",
            "delayMs=inf",
            "delayMs=1e9",
            "speed=1",
            "lossPercent=101",
            "jitter=cauchy",
            "jitterTable=1",
            "jitterTable=2,1",
            "jitterTable=0,x",
            "",
        ];
        for word in wrong {
            let mut settings = Settings::default();
            assert!(settings.apply(word).is_err(), "{word}");
            assert_eq!(settings, Settings::default(), "{word}");
        }
    }
}
