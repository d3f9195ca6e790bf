//! Containment of panics: a panic ends its session or task, and JavaScript is notified.

use std::any::Any;
use std::future::Future;
use std::mem::ManuallyDrop;
use std::ops::{Deref, DerefMut};
use std::panic::{catch_unwind, AssertUnwindSafe};
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Mutex, MutexGuard, PoisonError};

use futures::FutureExt;
use napi_derive::napi;

use crate::errors::failed;

/// Locks, even after a panic of the lock's holder: no session suffers from another's fault.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// Calls; a panic results in its message.
pub fn catch<T>(call: impl FnOnce() -> T) -> Result<T, String> {
    catch_unwind(AssertUnwindSafe(call)).map_err(message)
}

/// Awaits; a panic results in its message.
pub async fn caught<T>(task: impl Future<Output = T>) -> Result<T, String> {
    AssertUnwindSafe(task).catch_unwind().await.map_err(message)
}

/// Starts a task on the current runtime; after a panic `failed` gets its message.
pub fn spawn(
    task: impl Future<Output = ()> + Send + 'static,
    failed: impl FnOnce(String) + Send + 'static,
) {
    tokio::spawn(async move {
        if let Err(message) = caught(task).await {
            failed(message);
        }
    });
}

fn message(payload: Box<dyn Any + Send>) -> String {
    match payload.downcast::<String>() {
        Ok(text) => *text,
        Err(payload) => payload.downcast_ref::<&str>().map_or_else(
            || "a panic without a message".to_owned(),
            |text| (*text).to_owned(),
        ),
    }
}

/// A value of quinn that is not dropped during a panic. A panic inside quinn leaves the
/// connection's lock poisoned; dropping a stream takes that lock and panics again, and a second
/// panic aborts the process.
pub struct Fragile<T>(ManuallyDrop<T>);

impl<T> Fragile<T> {
    pub fn new(inner: T) -> Self {
        Self(ManuallyDrop::new(inner))
    }
}

impl<T> Deref for Fragile<T> {
    type Target = T;

    fn deref(&self) -> &T {
        &self.0
    }
}

impl<T> DerefMut for Fragile<T> {
    fn deref_mut(&mut self) -> &mut T {
        &mut self.0
    }
}

impl<T> Drop for Fragile<T> {
    fn drop(&mut self) {
        if !std::thread::panicking() {
            // SAFETY: nothing uses the value after this.
            unsafe { ManuallyDrop::drop(&mut self.0) };
        }
    }
}

/// Places that panic on a test's demand.
#[derive(Clone, Copy)]
pub enum Place {
    /// JavaScript's call.
    Call = 1,
    /// A session's task.
    Receive = 2,
    /// quinn's task for a connection, under its lock.
    Connection = 3,
    /// The loop that accepts connections.
    Accept = 4,
}

static PANICS_AT: AtomicU32 = AtomicU32::new(0);

/// Called at a place: panics there once when a test asked for it.
pub fn pass(place: Place) {
    let place = place as u32;
    if PANICS_AT.load(Ordering::Relaxed) == place && PANICS_AT.swap(0, Ordering::Relaxed) == place {
        panic!("a test asked for it");
    }
}

/// Makes the next thread at this place panic, and stops printing of panics. For tests: fails unless
/// ALOUD_NATIVE_PANICS is set.
#[napi(catch_unwind)]
pub fn panic_for_test(place: u32) -> napi::Result<()> {
    if std::env::var_os("ALOUD_NATIVE_PANICS").is_none() {
        return Err(failed("ALOUD_NATIVE_PANICS is not set"));
    }
    // Traces of expected panics would hide unexpected ones.
    std::panic::set_hook(Box::new(|_| {}));
    PANICS_AT.store(place, Ordering::Relaxed);
    pass(Place::Call);
    Ok(())
}
