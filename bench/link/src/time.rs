use std::time::Duration;

/// Nanoseconds of the monotonic clock.
pub type Nanos = u64;

pub fn from_ms(ms: f64) -> Nanos {
    (ms.max(0.0) * 1e6).round() as Nanos
}

/// The monotonic clock, which all processes of a machine share, whatever namespace they are in.
pub fn now() -> Nanos {
    read(libc::CLOCK_MONOTONIC)
}

/// Clock with the date.
pub fn wall() -> Nanos {
    read(libc::CLOCK_REALTIME)
}

/// The time that this process has used the processors for, in milliseconds.
pub fn cpu_ms() -> f64 {
    read(libc::CLOCK_PROCESS_CPUTIME_ID) as f64 / 1e6
}

fn read(clock: libc::clockid_t) -> Nanos {
    let mut spec = libc::timespec {
        tv_sec: 0,
        tv_nsec: 0,
    };
    // SAFETY: `spec` outlives the call.
    unsafe { libc::clock_gettime(clock, &mut spec) };
    spec.tv_sec as Nanos * 1_000_000_000 + spec.tv_nsec as Nanos
}

/// Asks for a place before ordinary processes, and for timers that don't wait for company.
/// Returns what was granted.
pub fn prioritize(priority: i32) -> &'static str {
    let parameters = libc::sched_param {
        sched_priority: priority,
    };
    // SAFETY: plain system calls on the calling thread.
    unsafe {
        libc::prctl(libc::PR_SET_TIMERSLACK, 1 as libc::c_ulong);
        if libc::sched_setscheduler(0, libc::SCHED_FIFO, &parameters) == 0 {
            "realtime"
        } else if libc::setpriority(libc::PRIO_PROCESS, 0, -20) == 0 {
            "nice"
        } else {
            "ordinary"
        }
    }
}

/// The last of a sleep is spent awake.
const SPIN: Nanos = 50_000;

pub fn sleep_until(due: Nanos) {
    loop {
        let left = due.saturating_sub(now());
        if left == 0 {
            return;
        }
        if left > SPIN {
            std::thread::sleep(Duration::from_nanos(left - SPIN));
        }
    }
}
