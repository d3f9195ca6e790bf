use std::any::Any;
use std::sync::Arc;
use std::time::Instant;

use quinn::congestion::{Controller, ControllerFactory};

/// No controller, to compare the others with: all goes out at once.
#[derive(Clone)]
pub struct Unlimited;

impl ControllerFactory for Unlimited {
    fn build(self: Arc<Self>, _now: Instant, _current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Unlimited)
    }
}

impl Controller for Unlimited {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    /// Above 2^32 - 1 quinn doesn't pace.
    fn window(&self) -> u64 {
        u64::MAX
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Unlimited)
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn has_no_window_and_no_pacing() {
        let mut none = Arc::new(Unlimited).build(Instant::now(), 1200);
        none.on_congestion_event(Instant::now(), Instant::now(), true, 1200);
        assert!(none.window() > u64::from(u32::MAX));
        assert!(none.initial_window() > u64::from(u32::MAX));
    }
}
