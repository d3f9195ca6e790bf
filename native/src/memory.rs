//! Memory that the process keeps without need. The system's allocator serves V8, Node.js and libopus.

use napi_derive::napi;

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

/// Returns memory to the system that only the process's start needed: freed memory amid glibc's
/// heaps, and pages of the program's file. Does nothing where that is unknown.
#[napi(catch_unwind)]
pub fn release_memory() {
    #[cfg(all(target_os = "linux", target_env = "gnu"))]
    // SAFETY: it frees only what is free, under the allocator's locks.
    unsafe {
        libc::malloc_trim(0);
    }
    #[cfg(target_os = "linux")]
    crate::program::unmap();
}
