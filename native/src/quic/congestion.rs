use std::sync::Arc;
use std::time::Instant;

use napi::bindgen_prelude::Result;
use quinn::congestion::{Controller, CubicConfig};

use crate::errors::invalid;
use crate::quic::delivery::Delivery;
use crate::quic::wrapped::{Factory, Wrapped, WrappedConfig};

/// A congestion controller that an endpoint can ask for.
pub struct Kind {
    pub name: &'static str,
    pub inner: fn() -> Factory,
    /// True if it has room for live sound.
    pub is_live: bool,
}

const KINDS: &[Kind] = &[Kind {
    name: "cubic",
    inner: || Arc::new(CubicConfig::default()),
    is_live: true,
}];

#[cfg(feature = "lab")]
const MORE_KINDS: &[Kind] = crate::lab::KINDS;
#[cfg(not(feature = "lab"))]
const MORE_KINDS: &[Kind] = &[];

/// Finds a controller by its name.
pub fn factory(name: &str) -> Result<Factory> {
    let kind = KINDS
        .iter()
        .chain(MORE_KINDS)
        .find(|kind| kind.name == name)
        .ok_or_else(|| invalid(format!("there is no congestion controller {name}")))?;
    Ok(Arc::new(WrappedConfig {
        name: kind.name,
        inner: (kind.inner)(),
        is_live: kind.is_live,
    }))
}

/// State of a connection's controller, as the controller reports it.
#[derive(Default)]
pub struct State {
    pub name: &'static str,
    pub delivery: Delivery,
    /// Bytes under way after the last acknowledgement.
    pub in_flight: u64,
    /// Time at which the oldest packet under way was sent; None where none is under way.
    pub since: Option<Instant>,
}

impl State {
    pub fn of(controller: Box<dyn Controller>) -> Self {
        let Ok(wrapped) = controller.into_any().downcast::<Wrapped>() else {
            return Self {
                name: "unknown",
                ..Self::default()
            };
        };
        Self {
            name: wrapped.name,
            delivery: wrapped.delivery,
            in_flight: wrapped.in_flight,
            since: wrapped.since,
        }
    }
}

#[cfg(test)]
mod tests {
    use std::time::Instant;

    use super::*;

    #[test]
    fn builds_the_controller_that_is_asked_for() {
        for kind in KINDS.iter().chain(MORE_KINDS) {
            let controller = factory(kind.name).unwrap().build(Instant::now(), 1200);
            assert_eq!(State::of(controller.clone_box()).name, kind.name);
            assert_eq!(State::of(controller).name, kind.name);
        }
    }

    #[test]
    fn knows_no_other() {
        for name in [
            "",
            "vegas",
            "Cubic",
            "none-bare",
            "cubic-bare-bare",
            "-bare",
        ] {
            assert!(factory(name).is_err(), "{name}");
        }
    }
}
