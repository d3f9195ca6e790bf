use std::sync::Arc;
use std::time::Instant;

use napi::bindgen_prelude::Result;
use quinn::congestion::Controller;

use crate::errors::invalid;
use crate::quic::delivery::Delivery;
use crate::quic::engine;
use crate::quic::wrapped::{Factory, Wrapped, WrappedConfig};

/// A controller by the name that `settings.js` has for it; `State` has it from the controller.
pub fn factory(name: &str) -> Result<Factory> {
    let found = match (engine::for_measuring(name), name.strip_suffix("-bare")) {
        (Some(inner), _) => Some((inner, false)),
        (None, Some(bare)) => engine::bulk(bare).map(|inner| (inner, false)),
        (None, None) => engine::bulk(name).map(|inner| (inner, true)),
    };
    let (inner, is_live) =
        found.ok_or_else(|| invalid(format!("there is no congestion controller {name}")))?;
    Ok(Arc::new(WrappedConfig { inner, is_live }))
}

/// A connection's controller's report of itself.
#[derive(Default)]
pub struct State {
    /// Its name, by its type.
    pub name: String,
    pub delivery: Delivery,
    /// Bytes under way after the last acknowledgement.
    pub in_flight: u64,
    /// Since when the oldest packet is under way; None where none is.
    pub since: Option<Instant>,
}

impl State {
    pub fn of(controller: Box<dyn Controller>) -> Self {
        let Ok(wrapped) = controller.into_any().downcast::<Wrapped>() else {
            return Self {
                name: "unknown".into(),
                ..Self::default()
            };
        };
        let any = wrapped.inner.into_any();
        let name = match engine::bulk_name(&*any) {
            Some(name) if wrapped.live.is_some() => name.to_owned(),
            Some(name) => format!("{name}-bare"),
            None => engine::measured_name(&*any).unwrap_or("unknown").into(),
        };
        Self {
            name,
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
        for name in engine::NAMES {
            let controller = factory(name).unwrap().build(Instant::now(), 1200);
            assert_eq!(State::of(controller.clone_box()).name, *name);
            assert_eq!(State::of(controller).name, *name);
        }
    }

    #[test]
    fn knows_no_other() {
        for name in [
            "",
            "vegas",
            "Cubic",
            "none-bare",
            "copa-bare",
            "cubic-bare-bare",
            "-bare",
        ] {
            assert!(factory(name).is_err(), "{name}");
        }
    }
}
