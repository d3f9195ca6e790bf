//! Who comes first where there are fewer cores than threads with work.

/// JavaScript's thread mixes at set times; a packet may wait a little.
#[cfg(target_os = "linux")]
const NICER: i32 = 3;

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
