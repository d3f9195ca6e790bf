//! Age of the oldest packet neither acknowledged nor declared lost.

use std::collections::VecDeque;
use std::time::Instant;

/// Most packets remembered. Later ones are noted once these are acknowledged: live sound has fewer
/// in flight, and a transfer's oldest are among the first.
const MOST: usize = 32;

/// Smallest packet remembered. A controller doesn't learn that a packet is acknowledgements only,
/// which are never acknowledged themselves. Those are smaller than this; other packets are larger,
/// except silence.
const LEAST_BYTES: u64 = 64;

/// Send times of the packets in flight, oldest first.
#[derive(Debug, Default)]
pub struct Flight {
    sent: VecDeque<Instant>,
}

impl Flight {
    /// Notes packets sent together.
    pub fn sent(&mut self, at: Instant, bytes: u64) {
        if bytes >= LEAST_BYTES && self.sent.len() < MOST {
            self.sent.push_back(at);
        }
    }

    /// Notes the acknowledgement of a packet with this send time.
    pub fn acknowledged(&mut self, sent: Instant) {
        if let Ok(index) = self.sent.binary_search(&sent) {
            self.sent.remove(index);
        }
    }

    /// Notes lost packets by the newest one's send time: earlier ones are lost too, or were
    /// acknowledged.
    pub fn lost(&mut self, newest: Instant) {
        let gone = self.sent.partition_point(|&sent| sent <= newest);
        self.sent.drain(..gone);
    }

    /// Notes the bytes in flight after acknowledgements.
    pub fn end_acknowledged(&mut self, in_flight: u64) {
        if in_flight == 0 {
            self.sent.clear();
        }
    }

    /// Send time of the oldest packet; None when nothing is in flight.
    pub fn since(&self) -> Option<Instant> {
        self.sent.front().copied()
    }
}

#[cfg(test)]
#[path = "flight_tests.rs"]
mod tests;
