use std::sync::atomic::{AtomicU64, Ordering};
use std::time::Instant;

/// A monotonic clock in milliseconds, which JavaScript lines up with its `performance.now()`.
pub struct Clock {
    epoch: Instant,
    offset_bits: AtomicU64,
}

impl Clock {
    pub fn new() -> Self {
        Self {
            epoch: Instant::now(),
            offset_bits: AtomicU64::new(0f64.to_bits()),
        }
    }

    /// Milliseconds since this clock was made.
    pub fn raw_ms(&self) -> f64 {
        self.epoch.elapsed().as_secs_f64() * 1000.0
    }

    /// What `performance.now()` said when `raw_ms` was zero.
    pub fn set_offset(&self, offset_ms: f64) {
        self.offset_bits
            .store(offset_ms.to_bits(), Ordering::Relaxed);
    }

    /// Milliseconds, as `performance.now()` counts them.
    pub fn now_ms(&self) -> f64 {
        self.raw_ms() + f64::from_bits(self.offset_bits.load(Ordering::Relaxed))
    }
}
