use std::sync::Arc;

use napi::bindgen_prelude::Result;
use quinn::congestion::Controller;

use crate::errors::invalid;
use crate::quic::engine;
use crate::quic::live::{Factory, Live, LiveConfig};

/// A controller by the name that `settings.js` has for it; `name_of` reads it back.
pub fn factory(name: &str) -> Result<Factory> {
    let found = engine::for_measuring(name).or_else(|| match name.strip_suffix("-bare") {
        Some(bare) => engine::bulk(bare),
        None => Some(Arc::new(LiveConfig {
            inner: engine::bulk(name)?,
        })),
    });
    found.ok_or_else(|| invalid(format!("there is no congestion controller {name}")))
}

/// The name of the controller that a connection has, by its type.
pub fn name_of(controller: Box<dyn Controller>) -> String {
    let (suffix, any) = match controller.into_any().downcast::<Live>() {
        Ok(live) => ("", live.inner.into_any()),
        Err(any) => ("-bare", any),
    };
    match engine::bulk_name(&*any) {
        Some(name) => format!("{name}{suffix}"),
        None => engine::measured_name(&*any).unwrap_or("unknown").into(),
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
            assert_eq!(name_of(controller.clone_box()), *name);
            assert_eq!(name_of(controller), *name);
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
