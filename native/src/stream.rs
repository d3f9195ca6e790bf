use std::collections::VecDeque;
use std::sync::Mutex;

use bytes::Bytes;
use tokio::sync::{Notify, OwnedSemaphorePermit};

use crate::faults::lock;
use crate::inbox::take_front;

/// End of a stream's incoming side.
#[derive(Clone, Copy, PartialEq)]
pub enum End {
    Finished,
    /// With the peer's code; 0 when the session ended.
    Reset(u32),
}

/// Bytes that have arrived on a stream and are unread.
#[derive(Default)]
struct Incoming {
    bytes: VecDeque<u8>,
    end: Option<End>,
    /// True when JavaScript was notified and hasn't read everything since.
    told: bool,
    stop: Option<u32>,
    over: bool,
}

/// Bytes to write to a stream.
#[derive(Default)]
struct Outgoing {
    chunks: VecDeque<Bytes>,
    bytes: usize,
    finish: bool,
    reset: Option<u32>,
    /// True after a refused write: JavaScript must be notified when there is room again.
    refused: bool,
    over: bool,
}

/// Next work of the writing task.
pub enum Work {
    Write(Bytes),
    Finish,
    Reset(u32),
    Wait,
}

/// Outcome of a read.
pub enum Read {
    Bytes(usize),
    Nothing,
    Ended(End),
}

/// A stream of a session, with a bounded buffer in each direction between its tasks and JavaScript.
pub struct Stream {
    pub id: u32,
    pub bidi: bool,
    limit: usize,
    incoming: Mutex<Incoming>,
    outgoing: Mutex<Outgoing>,
    /// Notified when bytes were read, or reading should stop.
    pub read_on: Notify,
    /// Notified when there are bytes to write, or writing should finish.
    pub write_on: Notify,
    /// Notified when writing should end at once.
    pub abandon: Notify,
    _permit: Option<OwnedSemaphorePermit>,
}

impl Stream {
    pub fn new(id: u32, limit: usize, sides: Sides, permit: Option<OwnedSemaphorePermit>) -> Self {
        let stream = Self {
            id,
            bidi: sides == Sides::Both,
            limit,
            incoming: Mutex::default(),
            outgoing: Mutex::default(),
            read_on: Notify::new(),
            write_on: Notify::new(),
            abandon: Notify::new(),
            _permit: permit,
        };
        lock(&stream.incoming).over = sides == Sides::Outgoing;
        lock(&stream.outgoing).over = sides == Sides::Incoming;
        stream
    }

    /// True when nothing more can happen in either direction.
    pub fn is_over(&self) -> bool {
        lock(&self.incoming).over && lock(&self.outgoing).over
    }

    /// Number of bytes that may still arrive.
    pub fn room(&self) -> usize {
        self.limit.saturating_sub(lock(&self.incoming).bytes.len())
    }

    /// Code with which JavaScript ended the reading.
    pub fn stopped(&self) -> Option<u32> {
        lock(&self.incoming).stop
    }

    /// Keeps bytes that arrived; returns true when JavaScript must be notified.
    pub fn arrived(&self, bytes: &[u8]) -> bool {
        let mut incoming = lock(&self.incoming);
        incoming.bytes.extend(bytes);
        !std::mem::replace(&mut incoming.told, true)
    }

    /// Notes the end of the incoming side; returns true when JavaScript must be notified.
    pub fn ended(&self, end: End) -> bool {
        let mut incoming = lock(&self.incoming);
        incoming.end.get_or_insert(end);
        !std::mem::replace(&mut incoming.told, true)
    }

    /// Moves arrived bytes into `into`.
    pub fn read(&self, into: &mut [u8]) -> Read {
        let mut incoming = lock(&self.incoming);
        let count = incoming.bytes.len().min(into.len());
        if count > 0 {
            take_front(&mut incoming.bytes, &mut into[..count]);
            self.read_on.notify_one();
            return Read::Bytes(count);
        }
        if let (Some(end), true) = (incoming.end, incoming.bytes.is_empty()) {
            incoming.over = true;
            return Read::Ended(end);
        }
        incoming.told = !incoming.bytes.is_empty();
        Read::Nothing
    }

    /// Ends the reading.
    pub fn stop(&self, code: u32) {
        let mut incoming = lock(&self.incoming);
        incoming.stop.get_or_insert(code);
        incoming.bytes = VecDeque::new();
        incoming.over = true;
        self.read_on.notify_one();
    }

    /// Buffers bytes to write, all or none: false when the buffer is full, None when writing is
    /// over.
    pub fn write(&self, bytes: &[u8]) -> Option<bool> {
        let mut outgoing = lock(&self.outgoing);
        if outgoing.over || outgoing.finish || outgoing.reset.is_some() {
            return None;
        }
        if outgoing.bytes > 0 && outgoing.bytes + bytes.len() > self.limit {
            outgoing.refused = true;
            return Some(false);
        }
        outgoing.bytes += bytes.len();
        outgoing.chunks.push_back(Bytes::copy_from_slice(bytes));
        self.write_on.notify_one();
        Some(true)
    }

    /// Finishes writing, after all earlier bytes.
    pub fn finish(&self) {
        lock(&self.outgoing).finish = true;
        self.write_on.notify_one();
    }

    /// Ends writing at once.
    pub fn reset(&self, code: u32) {
        let mut outgoing = lock(&self.outgoing);
        outgoing.reset.get_or_insert(code);
        outgoing.chunks.clear();
        self.write_on.notify_one();
        self.abandon.notify_one();
    }

    /// True while some bytes have not gone to QUIC.
    pub fn unsent(&self) -> bool {
        let outgoing = lock(&self.outgoing);
        !outgoing.over && outgoing.bytes > 0 && outgoing.reset.is_none()
    }

    pub fn next_work(&self) -> Work {
        let mut outgoing = lock(&self.outgoing);
        if let Some(code) = outgoing.reset {
            return Work::Reset(code);
        }
        match outgoing.chunks.pop_front() {
            Some(chunk) => Work::Write(chunk),
            None if outgoing.finish => Work::Finish,
            None => Work::Wait,
        }
    }

    /// Notes that bytes have gone; returns true when JavaScript must be notified of the room.
    pub fn wrote(&self, bytes: usize) -> bool {
        let mut outgoing = lock(&self.outgoing);
        outgoing.bytes -= bytes;
        let roomy = outgoing.bytes <= self.limit / 2;
        roomy && std::mem::replace(&mut outgoing.refused, false)
    }

    /// Notes that nothing more is written.
    pub fn write_over(&self) {
        let mut outgoing = lock(&self.outgoing);
        outgoing.over = true;
        outgoing.chunks.clear();
    }
}

/// Directions of a stream, as seen from this side.
#[derive(Clone, Copy, PartialEq)]
pub enum Sides {
    Both,
    Incoming,
    Outgoing,
}
