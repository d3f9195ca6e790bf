use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

#[cfg(unix)]
use napi_derive::napi;

/// A monotonic clock in milliseconds, which JavaScript aligns with its `performance.now()`.
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

    /// A moment after this time, or up to a quarter of it later. Tasks that start waiting at about
    /// the same time wait for the same moment, so that the thread wakes once for all.
    pub fn moment_after(&self, time: Duration) -> tokio::time::Instant {
        let quarter = (time / 4).as_nanos().max(1);
        let quarters = (self.epoch.elapsed() + time).as_nanos().div_ceil(quarter);
        (self.epoch + Duration::from_nanos((quarters * quarter) as u64)).into()
    }

    /// Sets the value of `performance.now()` at which `raw_ms` was zero.
    pub fn set_offset(&self, offset_ms: f64) {
        self.offset_bits
            .store(offset_ms.to_bits(), Ordering::Relaxed);
    }

    /// Milliseconds on the clock of `performance.now()`.
    pub fn now_ms(&self) -> f64 {
        self.raw_ms() + f64::from_bits(self.offset_bits.load(Ordering::Relaxed))
    }
}

/// Processor time used by the calling thread, in milliseconds.
#[cfg(unix)]
#[napi(catch_unwind)]
pub fn thread_cpu_ms() -> f64 {
    let mut time = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `time` is valid for the call, which fails only for a clock that the system lacks.
    unsafe { libc::clock_gettime(libc::CLOCK_THREAD_CPUTIME_ID, &mut time) };
    time.tv_sec as f64 * 1e3 + time.tv_nsec as f64 / 1e6
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn moments_are_the_same_for_many_and_none_is_too_early() {
        let clock = Clock::new();
        let time = Duration::from_millis(8);
        let mut moments = Vec::new();
        for _ in 0..1000 {
            let before = Instant::now();
            let moment = clock.moment_after(time).into_std();
            let after = Instant::now();
            assert!(moment >= before + time && moment <= after + time * 5 / 4);
            moments.push(moment);
        }
        let took = clock.epoch.elapsed();
        moments.dedup();
        assert!(moments.len() as u128 <= 2 + took.as_nanos() / (time / 4).as_nanos());
    }
}
