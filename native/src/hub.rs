use std::collections::VecDeque;
use std::future::Future;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use tokio::runtime::Handle;
use tokio::time::{sleep, sleep_until, Instant};

use crate::clock::Clock;
use crate::events::{Event, Kind};
use crate::faults::{lock, spawn};
use crate::inbox::{Batch, Inbox, Taken};
use crate::options::Options;

/// Tells JavaScript that there is something to read.
pub type Readable = Box<dyn Fn() + Send + Sync>;

/// The shortest time between two tellings: what arrives meanwhile is read together.
const TOLD_EVERY: Duration = Duration::from_millis(1);

/// The time after which JavaScript is told of datagrams that may wait, where it hasn't read meanwhile: they wait for twice
/// as long at most.
const LOOK_EVERY: Duration = Duration::from_millis(50);

/// Datagrams that a session may have read before it is the next one's turn.
const TURN: usize = 16;

/// Queues between QUIC's threads and one thread of JavaScript's. Every queue in it is bounded by the number of
/// connections and of their streams: a session stands in line once, a stream announces itself once.
///
/// No telling is lost. A thread first puts something into a queue, then sets `told` and calls JavaScript
/// unless it was set; JavaScript first clears `told`, then empties the queues. If it found a queue empty,
/// its clearing came before the other thread took the queue's lock, so that thread finds `told` cleared.
///
/// Datagrams that may wait aren't told: JavaScript reads by itself when it needs what has come. Should it not, a task
/// that looks now and then tells it.
pub struct Hub {
    pub options: Options,
    pub clock: Clock,
    handle: Handle,
    readable: Arc<Readable>,
    told_every: Duration,
    told: AtomicBool,
    told_at: Mutex<Option<Instant>>,
    /// Whether a task looks after those that may wait.
    has_look: AtomicBool,
    /// Whether JavaScript has read since it looked.
    was_read: AtomicBool,
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
            events: Mutex::default(),
            line: Mutex::default(),
        }
    }

    /// The runtime that serves the sessions.
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

    /// Starts a task on the endpoint's threads; JavaScript is told of a panic in it.
    pub fn spawn(self: &Arc<Self>, task: impl Future<Output = ()> + Send + 'static) {
        let hub = self.clone();
        let _context = self.handle.enter();
        spawn(task, move |message| hub.fault(0, message));
    }

    /// Tells JavaScript of a panic; `session` is 0 where it wasn't in a session's own task.
    pub fn fault(&self, session: u32, message: String) {
        self.event(Event {
            text: message,
            ..Event::new(Kind::Fault, session)
        });
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

    /// Keeps a session's datagram; answers how many older ones had to go for it.
    pub fn datagram(self: &Arc<Self>, inbox: &Arc<Inbox>, datagram: &[u8]) -> u64 {
        let (dropped, in_line) = inbox.push(datagram, self.clock.now_ms());
        if !in_line {
            lock(&self.line).push_back(inbox.clone());
        }
        if !inbox.may_wait(datagram) {
            // Others of the same session may stand in line untold.
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

/// Looks after datagrams that may wait until there are none, or nobody has read since the last look.
async fn look(hub: Arc<Hub>) {
    loop {
        sleep(LOOK_EVERY).await;
        if !hub.was_read.swap(false, Ordering::AcqRel) {
            hub.has_look.store(false, Ordering::Release);
            return hub.tell();
        }
        // First the word that nobody looks, then the line: who comes between starts another look.
        hub.has_look.store(false, Ordering::SeqCst);
        let is_over = lock(&hub.line).is_empty();
        if is_over || hub.has_look.swap(true, Ordering::SeqCst) {
            return;
        }
    }
}

#[cfg(test)]
mod tests {
    use std::sync::atomic::AtomicUsize;
    use std::sync::mpsc::{channel, Receiver};
    use std::thread;

    use tokio::runtime::Runtime;

    use super::*;
    use crate::inbox::INDEX_FIELDS;

    const WRITERS: usize = 3;
    const LOST_AFTER: Duration = Duration::from_secs(20);

    fn options() -> Options {
        Options {
            io_threads: 1,
            congestion_controller: "cubic".into(),
            idle_timeout_ms: 1,
            keep_alive_ms: 0,
            handshake_timeout_ms: 1,
            max_connections: 1,
            receive_queue: 1,
            send_queue_bytes: 1,
            max_streams: 1,
            stream_buffer_bytes: 1,
        }
    }

    /// Reads as port.js does; answers how many events and datagrams there were.
    fn read(hub: &Hub, bytes: &mut [u8], index: &mut [f64]) -> usize {
        hub.listening();
        let mut count = hub.take_events(256).len();
        loop {
            let mut batch = Batch::new(bytes, index);
            hub.take_datagrams(&mut batch);
            if batch.count() == 0 {
                return count;
            }
            count += batch.count();
        }
    }

    /// Reads whenever it is told to until all is there. Each writer waits until its last one was read,
    /// as a quiet session does: after a telling that was lost there would be no other.
    fn turns(told_every: Duration, turns: usize) {
        let runtime = Runtime::new().unwrap();
        let (told, hears): (_, Receiver<()>) = channel();
        let readable = Box::new(move || told.send(()).unwrap_or_default());
        let mut hub = Hub::new(options(), runtime.handle().clone(), readable);
        hub.told_every = told_every;
        let hub = &Arc::new(hub);
        let written = &AtomicUsize::new(0);
        let was_read = &AtomicUsize::new(0);
        thread::scope(|scope| {
            for writer in 0..WRITERS {
                scope.spawn(move || {
                    let inbox = Arc::new(Inbox::new(writer as u32, 8));
                    for turn in 0..turns / WRITERS {
                        if (turn + writer) % 2 == 0 {
                            hub.datagram(&inbox, &[1, 2, 3]);
                        } else {
                            hub.event(Event::new(Kind::StreamReadable, 1));
                        }
                        let mine = written.fetch_add(1, Ordering::SeqCst) + 1;
                        while mine > was_read.load(Ordering::SeqCst) {
                            thread::yield_now();
                        }
                    }
                });
            }
            let (mut bytes, mut index) = ([0; 64], [0.0; INDEX_FIELDS * 4]);
            let all = turns / WRITERS * WRITERS;
            while was_read.load(Ordering::SeqCst) < all {
                let told = hears.recv_timeout(LOST_AFTER);
                let count = read(hub, &mut bytes, &mut index);
                // Without this the writers would wait for ever, and the test with them.
                was_read.fetch_add(if told.is_ok() { count } else { all }, Ordering::SeqCst);
                assert!(told.is_ok(), "{count} waited untold");
            }
        });
    }

    /// A hub whose time is the test's, an inbox of which datagrams with a 1 in front may wait, and what was told.
    fn waiting() -> (Runtime, Arc<Hub>, Arc<Inbox>, Receiver<()>) {
        let paused = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .start_paused(true)
            .build();
        let runtime = paused.unwrap();
        let (told, hears) = channel();
        let readable = Box::new(move || told.send(()).unwrap_or_default());
        let hub = Arc::new(Hub::new(options(), runtime.handle().clone(), readable));
        let inbox = Arc::new(Inbox::new(7, 8));
        inbox.let_wait(Some(1));
        (runtime, hub, inbox, hears)
    }

    fn read_all(hub: &Hub) -> usize {
        read(hub, &mut [0; 64], &mut [0.0; INDEX_FIELDS * 4])
    }

    #[test]
    fn what_may_wait_is_told_where_nobody_reads() {
        let (runtime, hub, inbox, hears) = waiting();
        for _ in 0..3 {
            runtime.block_on(async {
                hub.datagram(&inbox, &[1, 2]);
                sleep(LOOK_EVERY / 2).await;
                assert!(hears.try_recv().is_err());
                sleep(2 * LOOK_EVERY).await;
                assert!(hears.try_recv().is_ok());
            });
            assert_eq!(read_all(&hub), 1);
        }
    }

    #[test]
    fn what_may_wait_is_not_told_to_a_reader() {
        let (runtime, hub, inbox, hears) = waiting();
        runtime.block_on(async {
            for _ in 0..100 {
                hub.datagram(&inbox, &[1, 2]);
                sleep(LOOK_EVERY / 3).await;
                assert_eq!(read_all(&hub), 1);
            }
            assert!(hears.try_recv().is_err());
            // The last one comes after the last reading.
            hub.datagram(&inbox, &[1, 2]);
            sleep(3 * LOOK_EVERY).await;
            assert!(hears.try_recv().is_ok());
        });
    }

    #[test]
    fn what_may_not_wait_is_told_at_once_with_what_stands_in_line() {
        let (runtime, hub, inbox, hears) = waiting();
        runtime.block_on(async {
            hub.datagram(&inbox, &[1, 2]);
            assert!(hears.try_recv().is_err());
            hub.datagram(&inbox, &[2]);
            assert!(hears.try_recv().is_ok());
            assert_eq!(read_all(&hub), 2);
            inbox.let_wait(None);
            hub.datagram(&inbox, &[1, 2]);
            sleep(2 * TOLD_EVERY).await;
            assert!(hears.try_recv().is_ok());
        });
    }

    #[test]
    fn no_telling_is_lost_in_a_million_turns() {
        turns(Duration::ZERO, 1_000_000);
    }

    #[test]
    fn no_telling_is_lost_where_it_waits_for_its_time() {
        turns(TOLD_EVERY, 3_000);
    }
}
