//! The system's allocator, which V8, Node.js and libopus share.

/// Makes glibc return freed memory at a heap's end to the system from 128 KiB on. By default glibc
/// raises this threshold with every large block that is freed. Then the heaps of V8's compiler
/// threads keep 1 to 2 MB each for good.
#[cfg(all(target_os = "linux", target_env = "gnu"))]
pub fn return_freed() {
    const KEPT_BYTES: libc::c_int = 128 * 1024;
    // SAFETY: it only writes the allocator's own parameters, under its lock.
    unsafe { libc::mallopt(libc::M_TRIM_THRESHOLD, KEPT_BYTES) };
}

/// Other allocators have no such threshold.
#[cfg(not(all(target_os = "linux", target_env = "gnu")))]
pub fn return_freed() {}
