use std::sync::mpsc::{channel, Receiver, RecvTimeoutError};
use std::time::Instant;

use tokio::runtime::Runtime;

use super::*;

const LATEST: Duration = Duration::from_secs(20);
const SHORT: Duration = Duration::from_millis(30);

fn make() -> (Runtime, Alarm, Receiver<()>) {
    let runtime = Runtime::new().unwrap();
    let (rings, hears) = channel();
    let ring = move || rings.send(()).unwrap_or_default();
    let alarm = Alarm::new(runtime.handle(), ring).unwrap();
    (runtime, alarm, hears)
}

#[test]
fn rings_once_at_the_time_that_was_set_last() {
    let (_runtime, alarm, hears) = make();
    for _ in 0..3 {
        let began = Instant::now();
        alarm.set(Some(2 * LATEST));
        alarm.set(Some(SHORT));
        assert!(hears.recv_timeout(LATEST).is_ok());
        assert!(began.elapsed() >= SHORT);
        assert!(hears.recv_timeout(2 * SHORT).is_err());
    }
    alarm.set(Some(Duration::ZERO));
    assert!(hears.recv_timeout(LATEST).is_ok());
}

#[test]
fn does_not_ring_without_a_time_and_ends_with_its_owner() {
    let (_runtime, alarm, hears) = make();
    alarm.set(Some(SHORT));
    alarm.set(None);
    let silence = hears.recv_timeout(3 * SHORT);
    assert_eq!(silence, Err(RecvTimeoutError::Timeout));
    drop(alarm);
    let end = hears.recv_timeout(LATEST);
    assert_eq!(end, Err(RecvTimeoutError::Disconnected));
}
