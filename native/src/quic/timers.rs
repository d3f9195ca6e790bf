//! Timers of connections. Each datagram moves its connection's timer, so that hardly any expires;
//! tokio's own timers would also wake the thread for their earlier times.

use std::pin::{pin, Pin};
use std::sync::atomic::{AtomicU64, Ordering::SeqCst};
use std::sync::{Arc, Mutex};
use std::task::{Context, Poll};
use std::time::{Duration, Instant};

use futures::task::AtomicWaker;
use quinn::AsyncTimer;
use tokio::select;
use tokio::sync::Notify;
use tokio::time::{self, sleep};

use crate::faults::lock;

/// Timers side by side in memory, so that scanning all is quick.
const BLOCK: usize = 64;

/// Time of an expired timer, and of a place without one.
const NEVER: u64 = u64::MAX;

#[derive(Debug)]
struct Block {
    /// Expiry of each timer, in nanoseconds since the start.
    due: [AtomicU64; BLOCK],
    wakers: [AtomicWaker; BLOCK],
}

/// Timers of one socket's connections, served by a single task. The number of places is the largest
/// number of timers at once.
#[derive(Debug)]
pub struct Timers {
    began: Instant,
    blocks: Mutex<Vec<Arc<Block>>>,
    free: Mutex<Vec<(Arc<Block>, usize)>>,
    /// Time for which the task waits. No timer is due before it.
    next: AtomicU64,
    sooner: Notify,
}

impl Timers {
    pub fn new() -> Arc<Self> {
        Arc::new(Self {
            began: now(),
            blocks: Mutex::default(),
            free: Mutex::default(),
            next: AtomicU64::new(NEVER),
            sooner: Notify::new(),
        })
    }

    /// A new timer, which expires only while `run` runs.
    pub fn at(self: &Arc<Self>, at: Instant) -> Timer {
        let (block, index) = self.place();
        let timer = Timer {
            timers: self.clone(),
            block,
            index,
        };
        timer.move_to(at);
        timer
    }

    /// Reserves a place. One lock at a time: dropping a waker under the other lock may drop a
    /// timer.
    fn place(&self) -> (Arc<Block>, usize) {
        let free = lock(&self.free).pop();
        free.unwrap_or_else(|| {
            let block = Arc::new(Block {
                due: [const { AtomicU64::new(NEVER) }; BLOCK],
                wakers: [const { AtomicWaker::new() }; BLOCK],
            });
            lock(&self.blocks).push(block.clone());
            lock(&self.free).extend((1..BLOCK).map(|index| (block.clone(), index)));
            (block, 0)
        })
    }

    fn since_began(&self, at: Instant) -> u64 {
        at.saturating_duration_since(self.began).as_nanos() as u64
    }

    /// Wakes expired timers, forever.
    pub async fn run(self: Arc<Self>) {
        let mut sleep = pin!(sleep(Duration::ZERO));
        loop {
            let next = self.next.load(SeqCst);
            if next == NEVER {
                self.sooner.notified().await;
                continue;
            }
            let at = self.began + Duration::from_nanos(next);
            sleep.as_mut().reset(at.into());
            select! {
                () = &mut sleep => self.expire(),
                () = self.sooner.notified() => {}
            }
        }
    }

    /// Wakes due timers, and finds the earliest of the others.
    fn expire(&self) {
        let now = self.since_began(now());
        // From here on moving a timer notifies the task.
        self.next.store(NEVER, SeqCst);
        let mut next = NEVER;
        for block in &*lock(&self.blocks) {
            for (due, waker) in block.due.iter().zip(&block.wakers) {
                let at = due.load(SeqCst);
                if at > now {
                    next = next.min(at);
                } else if due.compare_exchange(at, NEVER, SeqCst, SeqCst).is_ok() {
                    waker.wake();
                }
            }
        }
        self.next.fetch_min(next, SeqCst);
    }
}

/// Time of the runtime, which tests may set.
fn now() -> Instant {
    time::Instant::now().into_std()
}

/// The timer of one connection.
#[derive(Debug)]
pub struct Timer {
    timers: Arc<Timers>,
    block: Arc<Block>,
    index: usize,
}

impl Timer {
    fn move_to(&self, at: Instant) {
        let due = self.timers.since_began(at);
        self.block.due[self.index].store(due, SeqCst);
        let next = &self.timers.next;
        if due < next.load(SeqCst) && due < next.fetch_min(due, SeqCst) {
            self.timers.sooner.notify_one();
        }
    }
}

impl AsyncTimer for Timer {
    fn reset(self: Pin<&mut Self>, at: Instant) {
        self.move_to(at);
    }

    fn poll(self: Pin<&mut Self>, cx: &mut Context) -> Poll<()> {
        self.block.wakers[self.index].register(cx.waker());
        if self.block.due[self.index].load(SeqCst) == NEVER {
            Poll::Ready(())
        } else {
            Poll::Pending
        }
    }
}

impl Drop for Timer {
    fn drop(&mut self) {
        self.block.due[self.index].store(NEVER, SeqCst);
        self.block.wakers[self.index].take();
        lock(&self.timers.free).push((self.block.clone(), self.index));
    }
}

#[cfg(test)]
#[path = "timers_tests.rs"]
mod tests;
