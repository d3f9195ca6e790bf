use std::sync::atomic::AtomicUsize;
use std::sync::mpsc::{channel, Receiver};
use std::thread;

use tokio::runtime::Runtime;

use super::*;
use crate::inbox::INDEX_FIELDS;

const WRITERS: usize = 3;
const LOST_AFTER: Duration = Duration::from_secs(20);

pub fn options() -> Options {
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

/// Reads as port.js does; returns the number of events and datagrams.
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

/// Reads at each notification until all is there. Each writer waits until its last one was read, as
/// a quiet session does: after a lost notification there would be no other.
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
            // Without this the writers and the test would wait forever.
            was_read.fetch_add(if told.is_ok() { count } else { all }, Ordering::SeqCst);
            assert!(told.is_ok(), "{count} waited untold");
        }
    });
}

/// A hub on the test's time, an inbox whose datagrams with a 1 in front may wait, and the
/// notifications.
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

#[cfg(target_os = "linux")]
#[test]
fn a_time_that_was_set_is_told_once() {
    let runtime = Runtime::new().unwrap();
    let (told, hears) = channel();
    let readable = Box::new(move || told.send(()).unwrap_or_default());
    let hub = Hub::new(options(), runtime.handle().clone(), readable);
    hub.clock.set_offset(1e6);
    let at_ms = hub.clock.now_ms() + 30.0;
    for wished in [f64::INFINITY, at_ms + 1e6, at_ms] {
        hub.wake_at(wished);
    }
    assert!(hears.recv_timeout(LOST_AFTER).is_ok());
    assert!(hub.clock.now_ms() >= at_ms);
    assert!(hears.recv_timeout(LOOK_EVERY).is_err());
}

#[test]
fn no_telling_is_lost_in_a_million_turns() {
    turns(Duration::ZERO, 1_000_000);
}

#[test]
fn no_telling_is_lost_where_it_waits_for_its_time() {
    turns(TOLD_EVERY, 3_000);
}
