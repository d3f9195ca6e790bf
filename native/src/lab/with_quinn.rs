use std::sync::Arc;

use quinn::congestion::{BbrConfig, CubicConfig, NewRenoConfig};

use crate::lab::copa::CopaConfig;
use crate::lab::unlimited::Unlimited;
use crate::quic::congestion::Kind;
use crate::quic::wrapped::Factory;

pub const KINDS: &[Kind] = &[
    kind("newreno", newreno, true),
    kind("bbr", bbr, true),
    kind("cubic-bare", cubic, false),
    kind("newreno-bare", newreno, false),
    kind("bbr-bare", bbr, false),
    kind("none", || Arc::new(Unlimited), false),
    kind("copa", || Arc::new(CopaConfig), false),
];

const fn kind(name: &'static str, inner: fn() -> Factory, is_live: bool) -> Kind {
    Kind {
        name,
        inner,
        is_live,
    }
}

fn cubic() -> Factory {
    Arc::new(CubicConfig::default())
}

fn newreno() -> Factory {
    Arc::new(NewRenoConfig::default())
}

fn bbr() -> Factory {
    Arc::new(BbrConfig::default())
}
