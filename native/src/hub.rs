use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
#[cfg(target_os = "linux")]
use std::sync::OnceLock;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{sleep, sleep_until, Instant};

#[cfg(target_os = "linux")]
use crate::alarm::Alarm;
use crate::clock::Clock;
use crate::events::{Event, Kind};
use crate::faults::{lock, spawn};
use crate::inbox::{Batch, Inbox, Taken};
use crate::options::Options;

/// Notifies JavaScript that there is something to read.
pub type Readable = Box<dyn Fn() + Send + Sync>;

/// Shortest time between two notifications: arrivals in between are read together.
const TOLD_EVERY: Duration = Duration::from_millis(1);

/// Time after which JavaScript is notified of datagrams that may wait, unless it has read in the
/// meantime. They wait at most twice as long.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Datagrams read from a session before the next session's turn.
const TURN: usize = 16;

/// Queues between QUIC's threads and one JavaScript thread. Every queue is bounded by the number of
/// connections and of their streams: a session stands in line once, a stream announces itself once.
///
/// No notification is lost. A thread first puts something into a queue, then sets `told` and calls
/// JavaScript unless it was set. JavaScript first clears `told`, then empties the queues. If it
/// found a queue empty, it cleared `told` before the other thread took the queue's lock, so that
/// thread finds `told` cleared.
///
/// Datagrams that may wait cause no notification: JavaScript reads when it needs them. In case it
/// doesn't, a task checks regularly and notifies it.
pub struct Hub {
    pub options: Options,
    pub clock: Clock,
    handle: Handle,
    readable: Arc<Readable>,
    told_every: Duration,
    told: AtomicBool,
    told_at: Mutex<Option<Instant>>,
    /// True while a task checks for waiting datagrams.
    has_look: AtomicBool,
    /// True when JavaScript has read since the last check.
    was_read: AtomicBool,
    /// Notifies JavaScript at set times. Made when first used; None if the system refused.
    #[cfg(target_os = "linux")]
    alarm: OnceLock<Option<Alarm>>,
    events: Mutex<VecDeque<Event>>,
    line: Mutex<VecDeque<Arc<Inbox>>>,
}

impl Hub {
    pub fn new(options: Options, handle: Handle, readable: Readable) -> Self {
        Self {
            options,
            clock: Clock::new(),
            handle,
            readable: Arc::new(readable),
            told_every: TOLD_EVERY,
            told: AtomicBool::new(false),
            told_at: Mutex::default(),
            has_look: AtomicBool::new(false),
            was_read: AtomicBool::new(false),
            #[cfg(target_os = "linux")]
            alarm: OnceLock::new(),
            events: Mutex::default(),
            line: Mutex::default(),
        }
    }

    /// Runtime that serves the sessions.
    pub fn handle(&self) -> &Handle {
        &self.handle
    }

    fn tell(&self) {
        if self.told.swap(true, Ordering::AcqRel) {
            return;
        }
        let now = Instant::now();
        let at = {
            let mut told_at = lock(&self.told_at);
            let at = told_at.map_or(now, |before| now.max(before.min(now) + self.told_every));
            *told_at = Some(at);
            at
        };
        if at == now {
            (self.readable)();
            return;
        }
        let readable = self.readable.clone();
        self.handle.spawn(async move {
            sleep_until(at).await;
            readable();
        });
    }

    pub fn event(&self, event: Event) {
        lock(&self.events).push_back(event);
        self.tell();
    }

    /// Starts a task on the endpoint's threads; a panic in it is reported to JavaScript.
    pub fn spawn(self: &Arc<Self>, task: impl Future<Output = ()> + Send + 'static) {
        let hub = self.clone();
        let _context = self.handle.enter();
        spawn(task, move |message| hub.fault(0, message));
    }

    /// Reports a panic to JavaScript; `session` is 0 unless it happened in a session's own task.
    pub fn fault(&self, session: u32, message: String) {
        self.event(Event {
            text: message,
            ..Event::new(Kind::Fault, session)
        });
    }

    /// Notifies JavaScript once at this time of `performance.now()`, in place of the time before;
    /// Infinity: never. Does nothing on systems without an alarm.
    #[cfg(target_os = "linux")]
    pub fn wake_at(&self, at_ms: f64) {
        let alarm = self.alarm.get_or_init(|| {
            let readable = self.readable.clone();
            Alarm::new(&self.handle, move || readable()).ok()
        });
        if let Some(alarm) = alarm {
            let wait = (at_ms - self.clock.now_ms()).max(0.0) / 1000.0;
            alarm.set(Duration::try_from_secs_f64(wait).ok());
        }
    }

    #[cfg(not(target_os = "linux"))]
    pub fn wake_at(&self, _at_ms: f64) {}

    /// Notes that JavaScript is reading: later arrivals cause a new notification.
    pub fn listening(&self) {
        self.told.store(false, Ordering::Release);
    }

    pub fn take_events(&self, most: usize) -> Vec<Event> {
        let mut events = lock(&self.events);
        let count = most.min(events.len());
        events.drain(..count).collect()
    }

    /// Keeps a session's datagram; returns the number of older ones dropped for it.
    pub fn datagram(self: &Arc<Self>, inbox: &Arc<Inbox>, datagram: &[u8]) -> u64 {
        let (dropped, in_line) = inbox.push(datagram, self.clock.now_ms());
        if !in_line {
            lock(&self.line).push_back(inbox.clone());
        }
        if !inbox.may_wait(datagram) {
            // Others of the same session may be in line without a notification.
            self.tell();
        } else if !self.has_look.swap(true, Ordering::AcqRel) {
            self.was_read.store(false, Ordering::Release);
            self.handle.spawn(look(self.clone()));
        }
        dropped
    }

    /// Fills the arrays with datagrams, the sessions taking turns.
    pub fn take_datagrams(&self, out: &mut Batch) {
        self.was_read.store(true, Ordering::Release);
        loop {
            let Some(inbox) = lock(&self.line).pop_front() else {
                return;
            };
            match inbox.take(TURN, out) {
                Taken::All => {}
                Taken::Some => lock(&self.line).push_back(inbox),
                Taken::Full => {
                    lock(&self.line).push_front(inbox);
                    return;
                }
            }
        }
    }
}

/// Checks for waiting datagrams until there are none, or nobody has read since the last check.
async fn look(hub: Arc<Hub>) {
    loop {
        sleep(LOOK_EVERY).await;
        if !hub.was_read.swap(false, Ordering::AcqRel) {
            hub.has_look.store(false, Ordering::Release);
            return hub.tell();
        }
        // The flag is cleared before the line is checked, so that a datagram in between starts
        // another check.
        hub.has_look.store(false, Ordering::SeqCst);
        let is_over = lock(&hub.line).is_empty();
        if is_over || hub.has_look.swap(true, Ordering::SeqCst) {
            return;
        }
    }
}

#[cfg(test)]
#[path = "hub_tests.rs"]
pub mod tests;
