use std::collections::{HashMap, VecDeque};
use std::sync::atomic::{AtomicBool, AtomicU32, AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, MutexGuard, PoisonError};
use std::time::Duration;

use napi::threadsafe_function::{ThreadsafeFunction, ThreadsafeFunctionCallMode};
use napi::Status;
use tokio::runtime::Handle;
use tokio::time::{sleep_until, Instant};

use crate::clock::Clock;
use crate::events::Event;
use crate::inbox::{Batch, Taken};
use crate::options::Options;
use crate::request::Request;
use crate::session::Session;

/// The function that only says that there is something to read. Weak: it holds no process alive.
pub type Readable = ThreadsafeFunction<(), (), (), Status, false, true>;

/// JavaScript is told no more often than this: what arrives meanwhile is read together.
const TOLD_EVERY: Duration = Duration::from_millis(1);

/// Datagrams that a session may have read before it is the next one's turn.
const TURN: usize = 16;

/// Locks, whatever became of the thread that held the lock last.
pub fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}

/// What QUIC's threads and JavaScript's share. Every queue in it is bounded by the number of
/// connections and of their streams: a session stands in line once, a stream announces itself once.
pub struct Hub {
    pub options: Options,
    pub clock: Clock,
    handle: Handle,
    readable: Arc<Readable>,
    told: AtomicBool,
    told_at: Mutex<Option<Instant>>,
    events: Mutex<VecDeque<Event>>,
    line: Mutex<VecDeque<Arc<Session>>>,
    sessions: Mutex<HashMap<u32, Arc<Session>>>,
    requests: Mutex<HashMap<u32, Request>>,
    next_id: AtomicU32,
    connections: Arc<AtomicUsize>,
}

impl Hub {
    pub fn new(options: Options, handle: Handle, readable: Readable) -> Self {
        Self {
            options,
            clock: Clock::new(),
            handle,
            readable: Arc::new(readable),
            told: AtomicBool::new(false),
            told_at: Mutex::default(),
            events: Mutex::default(),
            line: Mutex::default(),
            sessions: Mutex::default(),
            requests: Mutex::default(),
            next_id: AtomicU32::new(1),
            connections: Arc::default(),
        }
    }

    pub fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// A place for one more connection, unless all are taken.
    pub fn enter(&self) -> Option<Place> {
        let count = self.connections.fetch_add(1, Ordering::Relaxed);
        let place = Place(self.connections.clone());
        (count < self.options.max_connections as usize).then_some(place)
    }

    pub fn connections(&self) -> usize {
        self.connections.load(Ordering::Relaxed)
    }

    fn tell(&self) {
        if self.told.swap(true, Ordering::AcqRel) {
            return;
        }
        let now = Instant::now();
        let mut told_at = lock(&self.told_at);
        let at = told_at.map_or(now, |before| now.max(before + TOLD_EVERY));
        *told_at = Some(at);
        drop(told_at);
        if at == now {
            call(&self.readable);
            return;
        }
        let readable = self.readable.clone();
        self.handle.spawn(async move {
            sleep_until(at).await;
            call(&readable);
        });
    }

    pub fn event(&self, event: Event) {
        lock(&self.events).push_back(event);
        self.tell();
    }

    /// JavaScript has come to read: whatever arrives from now on is told anew.
    pub fn listening(&self) {
        self.told.store(false, Ordering::Release);
    }

    pub fn take_events(&self, most: usize) -> Vec<Event> {
        let mut events = lock(&self.events);
        let count = most.min(events.len());
        events.drain(..count).collect()
    }

    pub fn add_session(&self, session: Arc<Session>) {
        lock(&self.sessions).insert(session.id, session);
    }

    /// JavaScript has taken note of a session's end.
    pub fn forget_session(&self, id: u32) {
        lock(&self.sessions).remove(&id);
    }

    pub fn session(&self, id: u32) -> Option<Arc<Session>> {
        lock(&self.sessions).get(&id).cloned()
    }

    pub fn sessions(&self) -> Vec<Arc<Session>> {
        lock(&self.sessions).values().cloned().collect()
    }

    /// Calls with each session of these ids that there is.
    pub fn with_sessions(&self, ids: &[u32], mut call: impl FnMut(&Session)) {
        let sessions = lock(&self.sessions);
        for id in ids {
            if let Some(session) = sessions.get(id) {
                call(session);
            }
        }
    }

    pub fn add_request(&self, id: u32, request: Request) {
        lock(&self.requests).insert(id, request);
    }

    pub fn take_request(&self, id: u32) -> Option<Request> {
        lock(&self.requests).remove(&id)
    }

    pub fn drop_requests(&self) {
        lock(&self.requests).clear();
    }

    /// A session's inbox was empty and is no more.
    pub fn enter_line(&self, session: Arc<Session>) {
        lock(&self.line).push_back(session);
        self.tell();
    }

    /// Fills the arrays with datagrams, the sessions taking turns.
    pub fn take_datagrams(&self, out: &mut Batch) {
        loop {
            let Some(session) = lock(&self.line).pop_front() else {
                return;
            };
            let mut inbox = lock(&session.inbox);
            match inbox.take(session.id, TURN, out) {
                Taken::All => inbox.in_line = false,
                Taken::Some => {
                    drop(inbox);
                    lock(&self.line).push_back(session);
                }
                Taken::Full => {
                    drop(inbox);
                    lock(&self.line).push_front(session);
                    return;
                }
            }
        }
    }
}

fn call(readable: &Readable) {
    readable.call((), ThreadsafeFunctionCallMode::NonBlocking);
}

/// One connection's place among the most there may be; given back when dropped.
pub struct Place(Arc<AtomicUsize>);

impl Drop for Place {
    fn drop(&mut self) {
        self.0.fetch_sub(1, Ordering::Relaxed);
    }
}
