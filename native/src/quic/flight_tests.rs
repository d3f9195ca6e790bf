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
