use std::collections::VecDeque;

/// A session's received datagrams: at most `capacity` of them, the oldest dropped for the newest.
/// Their bytes are copied into one ring, since what QUIC hands out would keep a whole batch of UDP
/// packets alive for the sake of one small datagram.
pub struct Inbox {
    capacity: usize,
    bytes: VecDeque<u8>,
    entries: VecDeque<(usize, f64)>,
    /// Whether the session stands in the hub's line of those that have something to read.
    pub in_line: bool,
}

/// What became of one turn of reading.
pub enum Taken {
    /// The inbox is empty.
    All,
    /// The turn is over, and there are more datagrams.
    Some,
    /// The arrays are full.
    Full,
}

impl Inbox {
    pub fn new(capacity: usize) -> Self {
        Self {
            capacity,
            bytes: VecDeque::new(),
            entries: VecDeque::new(),
            in_line: false,
        }
    }

    /// Keeps a datagram; answers how many had to go for it.
    pub fn push(&mut self, datagram: &[u8], arrival_ms: f64) -> u64 {
        let mut dropped = 0;
        while self.entries.len() >= self.capacity {
            if let Some((length, _)) = self.entries.pop_front() {
                self.bytes.drain(..length);
                dropped += 1;
            }
        }
        self.bytes.extend(datagram);
        self.entries.push_back((datagram.len(), arrival_ms));
        dropped
    }

    /// Moves up to `turn` datagrams to where `out` points.
    pub fn take(&mut self, session: u32, turn: usize, out: &mut Batch) -> Taken {
        for _ in 0..turn {
            let Some(&(length, arrival_ms)) = self.entries.front() else {
                return Taken::All;
            };
            if !out.put(session, &mut self.bytes, length, arrival_ms) {
                return Taken::Full;
            }
            self.entries.pop_front();
        }
        if self.entries.is_empty() {
            Taken::All
        } else {
            Taken::Some
        }
    }
}

/// How many numbers of the index describe one datagram: session, offset, length, arrival.
pub const INDEX_FIELDS: usize = 4;

/// JavaScript's arrays, as far as they are filled.
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
