//! Notifies JavaScript at a set time. Timers of Node.js and of tokio count whole milliseconds, and
//! are up to two of them late; this one is the kernel's.

use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd};
use std::ptr;
use std::sync::Arc;
use std::time::Duration;

use tokio::io::unix::AsyncFd;
use tokio::io::Interest;
use tokio::runtime::Handle;
use tokio::task::JoinHandle;

/// A descriptor of timerfd_create(2).
type Timer = AsyncFd<OwnedFd>;

/// A timer, and the task that waits for it.
pub struct Alarm {
    timer: Arc<Timer>,
    task: JoinHandle<()>,
}

impl Alarm {
    /// Makes an alarm without a time, which calls `ring` on the runtime's threads.
    pub fn new(handle: &Handle, ring: impl Fn() + Send + 'static) -> io::Result<Self> {
        let _context = handle.enter();
        let timer = Arc::new(new_timer()?);
        let waits = timer.clone();
        let task = handle.spawn(async move {
            while expired(&waits).await.is_ok() {
                ring();
            }
        });
        Ok(Self { timer, task })
    }

    /// Rings once after this time, in place of the time before; None: never.
    pub fn set(&self, after: Option<Duration>) {
        // The kernel takes zero for no time.
        let after = after.map_or(Duration::ZERO, |time| time.max(Duration::from_nanos(1)));
        let value = libc::itimerspec {
            it_interval: timespec(Duration::ZERO),
            it_value: timespec(after),
        };
        let descriptor = self.timer.get_ref().as_raw_fd();
        // SAFETY: the descriptor is open, and `value` is valid for the call.
        unsafe { libc::timerfd_settime(descriptor, 0, &value, ptr::null_mut()) };
    }
}

impl Drop for Alarm {
    fn drop(&mut self) {
        self.task.abort();
    }
}

/// Called in the runtime's context.
fn new_timer() -> io::Result<Timer> {
    let flags = libc::TFD_NONBLOCK | libc::TFD_CLOEXEC;
    // SAFETY: the call takes no memory.
    let descriptor = unsafe { libc::timerfd_create(libc::CLOCK_MONOTONIC, flags) };
    if descriptor < 0 {
        return Err(io::Error::last_os_error());
    }
    // SAFETY: the descriptor is new, and nobody else's.
    let descriptor = unsafe { OwnedFd::from_raw_fd(descriptor) };
    // SAFETY: the descriptor stays the same, and open as long as its owner.
    let timer = unsafe { AsyncFd::register_with_interest(descriptor, Interest::READABLE) }?;
    Ok(timer)
}

/// Waits until the timer expires.
async fn expired(timer: &Timer) -> io::Result<()> {
    loop {
        let mut ready = timer.readable().await?;
        if let Ok(result) = ready.try_io(|timer| take(timer.get_ref())) {
            return result;
        }
    }
}

/// Takes an expiry; WouldBlock when there is none.
fn take(timer: &OwnedFd) -> io::Result<()> {
    let mut expiries = [0u8; 8];
    let room = expiries.len();
    // SAFETY: the descriptor is open, and `expiries` valid for the call.
    let read = unsafe { libc::read(timer.as_raw_fd(), expiries.as_mut_ptr().cast(), room) };
    if read < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(())
}

fn timespec(time: Duration) -> libc::timespec {
    libc::timespec {
        tv_sec: time.as_secs() as _,
        tv_nsec: time.subsec_nanos() as _,
    }
}

#[cfg(test)]
#[path = "alarm_tests.rs"]
mod tests;
