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
mod tests {
    use std::time::Duration;

    use super::*;

    const PACKET: u64 = 1000;

    /// Packets sent at these milliseconds.
    fn flight(start: Instant, sent: &[u64]) -> Flight {
        let mut flight = Flight::default();
        for &ms in sent {
            flight.sent(at(start, ms), PACKET);
        }
        flight
    }

    fn at(start: Instant, ms: u64) -> Instant {
        start + Duration::from_millis(ms)
    }

    #[test]
    fn knows_the_oldest_that_is_under_way() {
        let start = Instant::now();
        let mut flight = flight(start, &[0, 60, 120]);
        assert_eq!(flight.since(), Some(start));
        flight.acknowledged(at(start, 0));
        assert_eq!(flight.since(), Some(at(start, 60)));
        // A later packet is acknowledged before an earlier one.
        flight.acknowledged(at(start, 120));
        assert_eq!(flight.since(), Some(at(start, 60)));
        flight.acknowledged(at(start, 60));
        assert_eq!(flight.since(), None);
    }

    #[test]
    fn does_not_wait_for_what_is_lost() {
        let start = Instant::now();
        let mut flight = flight(start, &[0, 60, 120]);
        flight.lost(at(start, 60));
        assert_eq!(flight.since(), Some(at(start, 120)));
    }

    #[test]
    fn waits_for_no_acknowledgement_of_acknowledgements() {
        let start = Instant::now();
        let mut flight = flight(start, &[]);
        flight.sent(start, LEAST_BYTES - 1);
        assert_eq!(flight.since(), None);
        // A larger packet is forgotten once nothing is in flight.
        flight.sent(at(start, 5), LEAST_BYTES);
        flight.sent(at(start, 10), PACKET);
        flight.acknowledged(at(start, 10));
        flight.end_acknowledged(0);
        assert_eq!(flight.since(), None);
    }

    #[test]
    fn remembers_a_bounded_number() {
        let start = Instant::now();
        let mut flight = Flight::default();
        for ms in 0..1000 {
            flight.sent(at(start, ms), PACKET);
        }
        flight.lost(at(start, MOST as u64 - 1));
        assert_eq!(flight.since(), None);
    }
}
