//! Threads that encode and decode beside JavaScript's thread. The frames of many encoders or
//! decoders are started one by one, and ended in the same order. Either side may process a frame:
//! these threads take from the end of the line, JavaScript's thread the frame that it ends.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// Most threads: a room has some 50 frames at once.
const MOST_THREADS: usize = 4;

/// Length of the line at which threads are woken: JavaScript's thread does one or two frames before
/// another thread is awake.
const WORTH_WAKING: usize = 3;

/// A frame that may be encoded or decoded by any thread.
pub trait Job: Send + Sync {
    /// Does the started work, unless it is done.
    fn run(&self);
}

struct Line {
    jobs: VecDeque<Arc<dyn Job>>,
    /// Threads that wait for a job.
    idle: usize,
    /// Threads among them that were notified, and aren't awake yet.
    waking: usize,
}

pub struct CodecPool {
    line: Mutex<Line>,
    came: Condvar,
    threads: usize,
}

/// The process's pool; its threads start with the first use, and end with the process. A single
/// processor has none, since JavaScript's thread uses it.
pub fn pool() -> &'static CodecPool {
    static POOL: OnceLock<CodecPool> = OnceLock::new();
    static STARTED: OnceLock<()> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        CodecPool {
            line: Mutex::new(Line {
                jobs: VecDeque::new(),
                idle: 0,
                waking: 0,
            }),
            came: Condvar::new(),
            threads: (processors - 1).min(MOST_THREADS),
        }
    });
    STARTED.get_or_init(|| {
        for _ in 0..pool.threads {
            // A missing thread is harmless: the work is done when it is ended.
            let _ = thread::Builder::new()
                .name("aloud-opus".into())
                .spawn(|| pool.work());
        }
    });
    pool
}

impl CodecPool {
    /// Adds a job to the line. JavaScript's thread continues at once.
    pub fn begin(&self, job: Arc<dyn Job>) {
        if self.threads == 0 {
            return;
        }
        let mut line = self.lock();
        line.jobs.push_back(job);
        // A notification is a system call, and a thread takes longer to wake than several begins.
        let wakes = line.idle > line.waking && line.jobs.len() >= WORTH_WAKING;
        line.waking += usize::from(wakes);
        drop(line);
        if wakes {
            self.came.notify_one();
        }
    }

    /// Removes a job from the line if it is still there: JavaScript's thread ends it.
    pub fn end(&self, job: &Arc<dyn Job>) {
        if self.threads == 0 {
            return;
        }
        let mut line = self.lock();
        if let Some(place) = line.jobs.iter().position(|other| Arc::ptr_eq(other, job)) {
            line.jobs.remove(place);
        }
    }

    fn work(&self) {
        let mut line = self.lock();
        loop {
            if let Some(job) = line.jobs.pop_back() {
                drop(line);
                job.run();
                line = self.lock();
                continue;
            }
            line.idle += 1;
            line = self.came.wait(line).unwrap_or_else(PoisonError::into_inner);
            line.idle -= 1;
            // Above it when this thread woke unnotified.
            line.waking = line.waking.saturating_sub(1).min(line.idle);
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
