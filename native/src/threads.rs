//! How QUIC's threads live beside JavaScript's, where there are fewer cores than threads with work.

use std::cell::Cell;
use std::thread;
use std::time::{Duration, Instant};

/// JavaScript's thread mixes at set times; a packet may wait a little.
#[cfg(target_os = "linux")]
const NICER: i32 = 3;

/// A thread without work is woken for each packet. Where work has come again within this time for so
/// many times, it stays away for as long, and finds all that came meanwhile.
const GATHER: Duration = Duration::from_micros(500);
const BUSY_AFTER: u32 = 4;

/// For so long JavaScript's thread asks to run at a time. From 6.12 on Linux lets in sooner who asks for less; in
/// all it gets as much as before.
#[cfg(target_os = "linux")]
const TURN: Duration = Duration::from_micros(300);

thread_local! {
    /// When the thread last went to wait for work, and how often in a row that was soon.
    static WAITING: Cell<(Option<Instant>, u32)> = const { Cell::new((None, 0)) };
}

/// Lowers the calling thread's priority against that of the process.
#[cfg(target_os = "linux")]
pub fn yield_to_javascript() {
    // On Linux 0 is the calling thread; where it may not be done, it stays as it is.
    unsafe {
        let nice = libc::getpriority(libc::PRIO_PROCESS as _, 0);
        libc::setpriority(libc::PRIO_PROCESS as _, 0, nice + NICER);
    }
}

#[cfg(not(target_os = "linux"))]
pub fn yield_to_javascript() {}

/// Has the calling thread run soon after it wakes, where others are busy.
#[cfg(target_os = "linux")]
pub fn take_short_turns() {
    let size = size_of::<libc::sched_attr>() as u32;
    // On Linux 0 is the calling thread; where it may not be done, it stays as it is.
    unsafe {
        let mut attr: libc::sched_attr = std::mem::zeroed();
        let known = libc::syscall(libc::SYS_sched_getattr, 0, &mut attr, size, 0) == 0;
        if known && attr.sched_policy == libc::SCHED_OTHER as u32 {
            attr.sched_flags = 0;
            attr.sched_runtime = TURN.as_nanos() as u64;
            libc::syscall(libc::SYS_sched_setattr, 0, &attr, 0);
        }
    }
}

#[cfg(not(target_os = "linux"))]
pub fn take_short_turns() {}

/// To be called when the calling thread has run out of work.
pub fn gather() {
    WAITING.with(|waiting| {
        let (before, soon) = waiting.get();
        let is_soon = before.is_some_and(|before| before.elapsed() < GATHER);
        let soon = if is_soon { soon + 1 } else { 0 };
        if soon >= BUSY_AFTER {
            thread::sleep(GATHER);
        }
        waiting.set((Some(Instant::now()), soon.min(BUSY_AFTER)));
    });
}
