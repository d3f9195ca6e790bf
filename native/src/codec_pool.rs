//! Threads that encode and decode beside JavaScript's: frames of many encoders or decoders are
//! begun one after the other, and ended in the same order. Who comes first does a frame: one of
//! these threads, which take the frames from the end of the line, or JavaScript's own, which takes
//! those that it ends.

use std::collections::VecDeque;
use std::sync::{Arc, Condvar, Mutex, MutexGuard, OnceLock, PoisonError};
use std::thread;

/// The most threads: a room has some 50 frames at once.
const MOST_THREADS: usize = 4;

/// The line in which threads are woken: JavaScript's own has done one or two frames before another
/// is awake.
const WORTH_WAKING: usize = 3;

/// A frame that may be encoded or decoded by any thread.
pub trait Job: Send + Sync {
    /// Does what was begun; nothing where somebody else has.
    fn run(&self);
}

struct Line {
    jobs: VecDeque<Arc<dyn Job>>,
    /// Threads that wait for a job.
    idle: usize,
}

pub struct CodecPool {
    line: Mutex<Line>,
    came: Condvar,
    threads: usize,
}

/// The process's own; its threads are started when it is first asked for, and end with the process.
/// One processor has none: JavaScript's thread has it.
pub fn pool() -> &'static CodecPool {
    static POOL: OnceLock<CodecPool> = OnceLock::new();
    static STARTED: OnceLock<()> = OnceLock::new();
    let pool = POOL.get_or_init(|| {
        let processors = thread::available_parallelism().map_or(1, usize::from);
        CodecPool {
            line: Mutex::new(Line {
                jobs: VecDeque::new(),
                idle: 0,
            }),
            came: Condvar::new(),
            threads: (processors - 1).min(MOST_THREADS),
        }
    });
    STARTED.get_or_init(|| {
        for _ in 0..pool.threads {
            // A thread that can't be had isn't missed: what is begun is done when it is ended.
            let _ = thread::Builder::new()
                .name("aloud-opus".into())
                .spawn(|| pool.work());
        }
    });
    pool
}

impl CodecPool {
    /// Puts a job in the line. JavaScript's thread goes on at once.
    pub fn begin(&self, job: Arc<dyn Job>) {
        if self.threads == 0 {
            return;
        }
        let mut line = self.lock();
        line.jobs.push_back(job);
        let wakes = line.idle > 0 && line.jobs.len() >= WORTH_WAKING;
        drop(line);
        if wakes {
            self.came.notify_one();
        }
    }

    /// Takes a job out of the line, if it is still there: JavaScript's thread ends it.
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
        }
    }

    fn lock(&self) -> MutexGuard<'_, Line> {
        self.line.lock().unwrap_or_else(PoisonError::into_inner)
    }
}
