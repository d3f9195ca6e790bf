use std::sync::Arc;

use napi::bindgen_prelude::Result;
use quinn::congestion::{BbrConfig, ControllerFactory, CubicConfig, NewRenoConfig};

use crate::options::invalid;

pub fn factory(name: &str) -> Result<Arc<dyn ControllerFactory + Send + Sync + 'static>> {
    match name {
        "cubic" => Ok(Arc::new(CubicConfig::default())),
        "newreno" => Ok(Arc::new(NewRenoConfig::default())),
        "bbr" => Ok(Arc::new(BbrConfig::default())),
        _ => Err(invalid(format!("there is no congestion controller {name}"))),
    }
}
