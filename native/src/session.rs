use std::collections::HashMap;
use std::future::Future;
use std::pin::pin;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use bytes::Bytes;
use quinn::{ConnectionError, SendDatagramError, VarInt};
use tokio::select;
use tokio::sync::{watch as watched, Semaphore};
use tokio::time::{sleep, sleep_until, timeout, Instant};

use crate::counters::{Counters, Stats, PATH_FIELDS};
use crate::events::{Cause, Event};
use crate::faults::{self, catch, lock, pass, spawn};
use crate::h3;
use crate::h3::codes::INTERNAL_ERROR;
use crate::h3::connection::LAST_STREAMS;
use crate::hub::Hub;
use crate::inbox::Inbox;
use crate::options::Options;
use crate::place::Place;
use crate::quic::engine::pushes_out;
use crate::stream::Stream;

/// Prefix of each datagram: the stream that requested the session, divided by four, as a varint
/// (RFC 9297, section 2.1). Each session is alone on its connection, and its request is nearly
/// always the first stream.
pub const DATAGRAM_HEADER: [u8; 1] = [0];

/// Longest wait of a close for streams' unsent bytes.
const FLUSH_LIMIT: Duration = Duration::from_millis(200);
const FLUSH_CHECK: Duration = Duration::from_millis(2);

/// Head start of streams' last bytes before a close: a peer drops unread bytes when it learns of
/// the end.
const HEAD_START: Duration = Duration::from_millis(20);

/// Checks per idle timeout that quinn still works.
const LOOKS_PER_TIMEOUT: u32 = 8;
const LONGEST_LOOK: Duration = Duration::from_secs(1);

/// Most bytes of a close reason.
const MAX_REASON_BYTES: usize = 1024;

/// An open session.
pub struct Session {
    pub id: u32,
    pub inner: h3::session::Session,
    datagram_header: Vec<u8>,
    pub inbox: Arc<Inbox>,
    pub streams: Mutex<HashMap<u32, Arc<Stream>>>,
    /// Permits for streams opened by the peer: bidirectional, unidirectional.
    pub peer_streams: [Arc<Semaphore>; 2],
    /// Number of tasks that receive from the peer.
    takers: watched::Sender<usize>,
    /// Time of the last write to a stream.
    pub wrote_at: Mutex<Option<Instant>>,
    counters: Counters,
    next_stream: AtomicU32,
    closing: OnceLock<(u32, String)>,
    /// True when the end was reported to JavaScript.
    over: AtomicBool,
    _place: Place,
}

impl Session {
    pub fn new(id: u32, inner: h3::session::Session, options: &Options, place: Place) -> Self {
        let streams = options.max_streams as usize;
        inner.set_receive_window(options.session_window());
        Self {
            id,
            datagram_header: inner.datagram_header(),
            inner,
            inbox: Arc::new(Inbox::new(id, options.receive_queue as usize)),
            streams: Mutex::default(),
            peer_streams: [(); 2].map(|()| Arc::new(Semaphore::new(streams))),
            takers: watched::Sender::new(0),
            wrote_at: Mutex::default(),
            counters: Counters::default(),
            next_stream: AtomicU32::new(1),
            closing: OnceLock::new(),
            over: AtomicBool::new(false),
            _place: place,
        }
    }

    /// Starts a task of the session; a panic in it ends the session.
    pub fn spawn(
        self: &Arc<Self>,
        hub: &Arc<Hub>,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let (hub, session) = (hub.clone(), self.clone());
        spawn(task, move |message| session.fail(&hub, message));
    }

    /// Starts a task that receives from the peer: the session's end is reported to JavaScript after
    /// it.
    pub fn spawn_taker(
        self: &Arc<Self>,
        hub: &Arc<Hub>,
        task: impl Future<Output = ()> + Send + 'static,
    ) {
        let taker = Taker::new(self.clone());
        self.spawn(hub, async move {
            let _taker = taker;
            task.await;
        });
    }

    /// Waits until everything before the connection's end was received.
    async fn taken(&self) {
        let _ = self.takers.subscribe().wait_for(|count| *count == 0).await;
    }

    /// Ends the session after a panic. JavaScript gets a fault and a lost connection.
    pub fn fail(&self, hub: &Hub, message: String) {
        // Dropping the last reference would panic if quinn's lock on the connection is poisoned.
        std::mem::forget(quinn::Connection::clone(&self.inner));
        let text = format!("the engine failed: {message}");
        hub.fault(self.id, message);
        let conn: &quinn::Connection = &self.inner;
        let _ = catch(|| conn.close(VarInt::from_u32(INTERNAL_ERROR), b""));
        self.end(hub, Event::closed(self.id, Cause::Lost, 0, text));
    }

    /// Reports the end to JavaScript, once.
    fn end(&self, hub: &Hub, event: Event) {
        if !self.over.swap(true, Ordering::Relaxed) {
            hub.event(event);
        }
    }

    pub fn next_stream(&self) -> u32 {
        self.next_stream.fetch_add(1, Ordering::Relaxed)
    }

    /// Sends a datagram that already has its header; a full queue drops the oldest. A panic ends
    /// this session alone, so that a datagram for many reaches the others.
    pub fn send_framed(&self, hub: &Hub, framed: Bytes) -> bool {
        if !self.is_open() {
            return false;
        }
        catch(|| self.queue(framed)).unwrap_or_else(|message| {
            self.fail(hub, message);
            false
        })
    }

    /// False once it is closing or over.
    pub fn is_open(&self) -> bool {
        self.closing.get().is_none() && !self.over.load(Ordering::Relaxed)
    }

    /// Counts a datagram dropped before the session's queue.
    pub fn count_blocked(&self) {
        self.counters.blocked.add(1);
    }

    fn queue(&self, framed: Bytes) -> bool {
        let conn: &quinn::Connection = &self.inner;
        let framed = self.with_own_header(framed);
        let pushes_out = pushes_out(conn, framed.len(), self.counters.queued());
        match conn.send_datagram(framed) {
            Ok(()) => {
                self.counters.sent.add(1);
                if pushes_out {
                    self.counters.pushed_out.add(1);
                }
                true
            }
            Err(SendDatagramError::ConnectionLost(_)) => false,
            Err(_) => {
                self.counters.too_big.add(1);
                false
            }
        }
    }

    /// A datagram with this session's own header, for a request that was not the first of its
    /// connection.
    fn with_own_header(&self, framed: Bytes) -> Bytes {
        if self.datagram_header == DATAGRAM_HEADER {
            return framed;
        }
        [&self.datagram_header, &framed[DATAGRAM_HEADER.len()..]]
            .concat()
            .into()
    }

    /// Closes with a capsule of code and reason, after the unsent bytes of streams.
    pub async fn close(&self, code: u32, reason: &str) {
        let mut end = reason.len().min(MAX_REASON_BYTES);
        while !reason.is_char_boundary(end) {
            end -= 1;
        }
        let reason = &reason[..end];
        if self.closing.set((code, reason.to_owned())).is_ok() {
            let _ = timeout(FLUSH_LIMIT, self.flushed()).await;
            let wrote_at = *lock(&self.wrote_at);
            if let Some(at) = wrote_at {
                sleep_until(at + HEAD_START).await;
            }
            self.inner.close(code, reason).await;
        }
    }

    async fn flushed(&self) {
        while lock(&self.streams).values().any(|stream| stream.unsent()) {
            sleep(FLUSH_CHECK).await;
        }
    }

    pub fn path(&self, out: &mut [f64; PATH_FIELDS]) {
        self.counters.path(&self.inner, out);
    }

    pub fn stats(&self) -> Stats {
        self.counters
            .with_connection(&self.inner, self.datagram_header.len())
    }

    /// Derives the session's end from the connection's.
    fn ended(&self, connection: ConnectionError) -> Event {
        if let (None, Some((code, reason))) = (self.closing.get(), self.inner.peer_end(&connection))
        {
            return Event::closed(self.id, Cause::Peer, code, reason);
        }
        if let Some((code, reason)) = self.closing.get() {
            return Event::closed(self.id, Cause::Local, *code, reason.clone());
        }
        match connection {
            ConnectionError::TimedOut => {
                let reason = "nothing was heard of the peer for too long";
                Event::closed(self.id, Cause::Timeout, 0, reason.to_owned())
            }
            // Closed by this side, but not by JavaScript.
            ConnectionError::LocallyClosed => {
                let reason = if self.inner.was_cut() {
                    "the peer cut the session off"
                } else {
                    "the peer broke the rules of HTTP/3"
                };
                Event::closed(self.id, Cause::Lost, 0, reason.to_owned())
            }
            error => Event::closed(self.id, Cause::Lost, 0, error.to_string()),
        }
    }
}

/// Counts a task as one of a session's receivers while it runs.
struct Taker(Arc<Session>);

impl Taker {
    fn new(session: Arc<Session>) -> Self {
        session.takers.send_modify(|count| *count += 1);
        Self(session)
    }
}

impl Drop for Taker {
    fn drop(&mut self) {
        self.0.takers.send_modify(|count| *count -= 1);
    }
}

/// Prefixes a datagram with a header, once for all sessions that it goes to.
pub fn framed(datagram: &[u8]) -> Bytes {
    let mut bytes = Vec::with_capacity(DATAGRAM_HEADER.len() + datagram.len());
    bytes.extend_from_slice(&DATAGRAM_HEADER);
    bytes.extend_from_slice(datagram);
    Bytes::from(bytes)
}

/// Receives a session's datagrams.
pub async fn receive(hub: Arc<Hub>, session: Arc<Session>) {
    let conn: &quinn::Connection = &session.inner;
    while let Ok(datagram) = conn.read_datagram().await {
        let Some(payload) = datagram.strip_prefix(&session.datagram_header[..]) else {
            session.counters.malformed.add(1);
            continue;
        };
        session.counters.received.add(1);
        pass(faults::Place::Receive);
        let dropped = hub.datagram(&session.inbox, payload);
        session.counters.dropped_in.add(dropped);
    }
}

/// Waits for a session's end and for everything before it, and reports the end to JavaScript. After
/// a panic under its lock quinn wakes no task: regular checks find that out.
pub async fn watch(hub: Arc<Hub>, session: Arc<Session>) {
    let conn: &quinn::Connection = &session.inner;
    let look_every = (hub.options.idle_timeout() / LOOKS_PER_TIMEOUT).min(LONGEST_LOOK);
    let mut closed = pin!(session.inner.closed());
    let reason = loop {
        select! {
            reason = &mut closed => break reason,
            () = sleep_until(hub.clock.moment_after(look_every)) => {
                conn.stats();
            }
        }
    };
    let _ = timeout(LAST_STREAMS, session.taken()).await;
    session.end(&hub, session.ended(reason));
}

#[cfg(test)]
#[path = "session_tests.rs"]
mod tests;
