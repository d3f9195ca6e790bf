use std::collections::VecDeque;
use std::sync::atomic::{AtomicU16, Ordering};
use std::sync::Mutex;

use crate::faults::lock;

/// Received datagrams of a session: at most `capacity`; a new one replaces the oldest.
pub struct Inbox {
    session: u32,
    capacity: usize,
    /// First byte of datagrams that cause no notification; above 255 for none.
    waits: AtomicU16,
    queue: Mutex<Queue>,
}

const NONE_WAITS: u16 = 256;

/// One ring holds copies of the bytes, since a small datagram from QUIC would keep a whole batch of
/// UDP packets in memory.
#[derive(Default)]
struct Queue {
    bytes: VecDeque<u8>,
    /// Length and arrival time of each datagram.
    entries: VecDeque<(usize, f64)>,
    /// True while the inbox stands in the hub's line of readable ones.
    in_line: bool,
}

/// Outcome of one turn of reading.
pub enum Taken {
    /// The inbox is empty, and out of the line.
    All,
    /// The turn is over, and there are more datagrams.
    Some,
    /// The arrays are full.
    Full,
}

impl Inbox {
    pub fn new(session: u32, capacity: usize) -> Self {
        Self {
            session,
            capacity,
            waits: AtomicU16::new(NONE_WAITS),
            queue: Mutex::default(),
        }
    }

    /// Lets datagrams with this first byte wait until someone reads.
    pub fn let_wait(&self, first_byte: Option<u8>) {
        let byte = first_byte.map_or(NONE_WAITS, u16::from);
        self.waits.store(byte, Ordering::Relaxed);
    }

    pub fn may_wait(&self, datagram: &[u8]) -> bool {
        let waits = self.waits.load(Ordering::Relaxed);
        datagram
            .first()
            .is_some_and(|byte| u16::from(*byte) == waits)
    }

    /// Keeps a datagram; returns the number dropped for it, and true if the inbox was in line
    /// already. Otherwise the caller puts it there.
    pub fn push(&self, datagram: &[u8], arrival_ms: f64) -> (u64, bool) {
        let mut queue = lock(&self.queue);
        let mut dropped = 0;
        while queue.entries.len() >= self.capacity {
            if let Some((length, _)) = queue.entries.pop_front() {
                queue.bytes.drain(..length);
                dropped += 1;
            }
        }
        queue.bytes.extend(datagram);
        queue.entries.push_back((datagram.len(), arrival_ms));
        (dropped, std::mem::replace(&mut queue.in_line, true))
    }

    /// Moves up to `turn` datagrams to `out`.
    pub fn take(&self, turn: usize, out: &mut Batch) -> Taken {
        let mut queue = lock(&self.queue);
        for _ in 0..turn {
            let Some(&(length, arrival_ms)) = queue.entries.front() else {
                break;
            };
            if !out.put(self.session, &mut queue.bytes, length, arrival_ms) {
                return Taken::Full;
            }
            queue.entries.pop_front();
        }
        queue.in_line = !queue.entries.is_empty();
        if queue.in_line {
            Taken::Some
        } else {
            Taken::All
        }
    }
}

/// Values in the index for each datagram: session, offset, length, arrival.
pub const INDEX_FIELDS: usize = 4;

/// JavaScript's arrays, and their fill levels.
pub struct Batch<'a> {
    bytes: &'a mut [u8],
    index: &'a mut [f64],
    offset: usize,
    count: usize,
}

impl<'a> Batch<'a> {
    pub fn new(bytes: &'a mut [u8], index: &'a mut [f64]) -> Self {
        Self {
            bytes,
            index,
            offset: 0,
            count: 0,
        }
    }

    pub fn count(&self) -> usize {
        self.count
    }

    fn put(
        &mut self,
        session: u32,
        from: &mut VecDeque<u8>,
        length: usize,
        arrival_ms: f64,
    ) -> bool {
        let at = self.count * INDEX_FIELDS;
        if at + INDEX_FIELDS > self.index.len() || self.offset + length > self.bytes.len() {
            return false;
        }
        take_front(from, &mut self.bytes[self.offset..self.offset + length]);
        self.index[at] = f64::from(session);
        self.index[at + 1] = self.offset as f64;
        self.index[at + 2] = length as f64;
        self.index[at + 3] = arrival_ms;
        self.offset += length;
        self.count += 1;
        true
    }
}

/// Moves bytes off the front of a ring; `into` is no longer than the ring.
pub fn take_front(from: &mut VecDeque<u8>, into: &mut [u8]) {
    let (first, second) = from.as_slices();
    let split = first.len().min(into.len());
    let rest = into.len() - split;
    into[..split].copy_from_slice(&first[..split]);
    into[split..].copy_from_slice(&second[..rest]);
    from.drain(..into.len());
}
