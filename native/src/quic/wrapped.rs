use std::sync::Arc;
use std::time::{Duration, Instant};

use quinn::congestion::{Controller, ControllerFactory};

use crate::quic::delivery::Delivery;
use crate::quic::flight::Flight;
use crate::quic::live::Live;

pub type Factory = Arc<dyn ControllerFactory + Send + Sync + 'static>;

pub struct WrappedConfig {
    pub name: &'static str,
    pub inner: Factory,
    pub is_live: bool,
}

impl ControllerFactory for WrappedConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Wrapped {
            name: self.name,
            inner: self.inner.clone().build(now, current_mtu),
            live: self.is_live.then(|| Live::new(now)),
            delivery: Delivery::default(),
            flight: Flight::default(),
            since: None,
            shortest_rtt: Duration::ZERO,
            in_flight: 0,
        })
    }
}

/// Another controller, whose path's rate is estimated, and which may have room for live sound. The
/// engine's module makes a controller of it.
#[cfg_attr(feature = "noq", derive(Debug))]
pub struct Wrapped {
    pub name: &'static str,
    pub inner: Box<dyn Controller>,
    pub live: Option<Live>,
    pub delivery: Delivery,
    pub flight: Flight,
    /// Since when the oldest packet is under way, in a duplicate, which has no flight of its own.
    pub since: Option<Instant>,
    pub shortest_rtt: Duration,
    /// Bytes under way after the last acknowledgement.
    pub in_flight: u64,
}

impl Wrapped {
    pub fn least_window(&self) -> u64 {
        let window = self.inner.window();
        let live = self.live.as_ref();
        live.map_or(window, |live| live.least_window(window))
    }

    pub fn duplicate(&self) -> Self {
        Self {
            name: self.name,
            inner: self.inner.clone_box(),
            live: self.live.clone(),
            delivery: self.delivery.duplicate(),
            flight: Flight::default(),
            since: self.flight.since(),
            shortest_rtt: Duration::ZERO,
            in_flight: self.in_flight,
        }
    }
}
