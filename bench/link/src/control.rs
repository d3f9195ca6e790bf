//! Commands on the emulator's standard input, one a line, each answered by a line of JSON:
//!
//! - `set up.delayMs=20 down.lossPercent=1`
//! - `steps 500 up.rateBits=1e6; 900 up.rateBits=0`: in milliseconds from now; replaces the steps to
//!   come.
//! - `seed 7`: restarts the random numbers.
//! - `seed 7 81234.5 20`: the same in slots of 20 ms, the first of which begins at 81 234.5 ms of the
//!   monotonic clock.
//! - `restore`: the settings of the beginning, and no steps to come.
//! - `reset`
//! - `stats`
//!
//! The emulator ends with its input.

use crate::path::Step;
use crate::random::Slots;
use crate::settings::Settings;
use crate::time::from_ms;

/// One thing for each direction: up is from the client to the server.
#[derive(Debug, Default, PartialEq)]
pub struct Both<T> {
    pub up: T,
    pub down: T,
}

#[derive(Debug, PartialEq)]
pub enum Request {
    Set(Both<Vec<String>>),
    Steps(Both<Vec<Step>>),
    Seed(u64, Option<Slots>),
    Restore,
    Reset,
    Stats,
}

/// Sorts `up.name=value` and `down.name=value` and checks them.
pub fn sort<'a>(words: impl Iterator<Item = &'a str>) -> Result<Both<Vec<String>>, String> {
    let mut sorted = Both::<Vec<String>>::default();
    let mut scratch = Settings::default();
    for word in words {
        let (side, rest) = match word.split_once('.') {
            Some(("up", rest)) => (&mut sorted.up, rest),
            Some(("down", rest)) => (&mut sorted.down, rest),
            _ => return Err(format!("{word:?} begins neither with up. nor with down.")),
        };
        scratch.apply(rest)?;
        side.push(rest.to_string());
    }
    Ok(sorted)
}

pub fn parse(line: &str) -> Result<Request, String> {
    let line = line.trim();
    let (name, rest) = line.split_once(' ').unwrap_or((line, ""));
    match name {
        "set" => Ok(Request::Set(sort(rest.split_whitespace())?)),
        "steps" => Ok(Request::Steps(steps(rest)?)),
        "seed" => seed(rest).ok_or_else(|| format!("{rest:?} is no seed")),
        "restore" => Ok(Request::Restore),
        "reset" => Ok(Request::Reset),
        "stats" => Ok(Request::Stats),
        _ => Err(format!("there is no command {name:?}")),
    }
}

fn seed(text: &str) -> Option<Request> {
    let words: Vec<&str> = text.split_whitespace().collect();
    let (seed, slots) = match words[..] {
        [seed] => (seed, None),
        [seed, from, every] => {
            let [from, every] = [from, every].map(|word| word.parse().unwrap_or(-1.0));
            let are_times = (0.0..1e12).contains(&from) && (1.0..1e6).contains(&every);
            let [from, every] = are_times.then_some([from, every])?.map(from_ms);
            (seed, Some(Slots { from, every }))
        }
        _ => return None,
    };
    Some(Request::Seed(seed.parse().ok()?, slots))
}

fn steps(text: &str) -> Result<Both<Vec<Step>>, String> {
    let mut all = Both::<Vec<Step>>::default();
    for step in text.split(';').filter(|step| !step.trim().is_empty()) {
        let mut words = step.split_whitespace();
        let at_ms: f64 = words.next().and_then(|at| at.parse().ok()).unwrap_or(-1.0);
        if !(0.0..=1e9).contains(&at_ms) {
            return Err(format!("{step:?} doesn't begin with milliseconds"));
        }
        let Both { up, down } = sort(words)?;
        all.up.push((from_ms(at_ms), up));
        all.down.push((from_ms(at_ms), down));
    }
    all.up.sort_by_key(|step| step.0);
    all.down.sort_by_key(|step| step.0);
    Ok(all)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn settings_go_to_their_direction() {
        let Ok(Request::Set(sorted)) =
            parse("set up.delayMs=20 down.lossPercent=1  up.jitter=none")
        else {
            panic!("not a set");
        };
        assert_eq!(sorted.up, ["delayMs=20", "jitter=none"]);
        assert_eq!(sorted.down, ["lossPercent=1"]);
    }

    #[test]
    fn steps_are_put_in_order() {
        let Ok(Request::Steps(steps)) = parse("steps 900 up.rateBits=0; 500 up.rateBits=1e6")
        else {
            panic!("not steps");
        };
        let at: Vec<u64> = steps.up.iter().map(|step| step.0).collect();
        assert_eq!(at, [500_000_000, 900_000_000]);
        assert_eq!(steps.up[0].1, ["rateBits=1e6"]);
        assert!(parse("steps").is_ok());
    }

    #[test]
    fn a_seed_may_have_slots() {
        assert_eq!(parse("seed 7"), Ok(Request::Seed(7, None)));
        let (from, every) = (81_234_500_000, 20_000_000);
        let slots = Some(Slots { from, every });
        assert_eq!(parse("seed 7 81234.5 20"), Ok(Request::Seed(7, slots)));
    }

    #[test]
    fn nonsense_is_refused() {
        let wrong = [
            "",
            "hello",
            "seed",
            "seed -1",
            "seed 7 5",
            "seed 7 5 0",
            "seed 7 -5 20",
            "seed 7 NaN 20",
            "seed 7 5 20 1",
            "set delayMs=1",
            "set up.delayMs",
            "set sideways.delayMs=1",
            "steps up.delayMs=1",
            "steps -1 up.delayMs=1",
            "steps NaN up.delayMs=1",
            "steps 5 up.speed=1",
        ];
        for line in wrong {
            assert!(parse(line).is_err(), "{line}");
        }
    }
}
