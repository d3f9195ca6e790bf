//! Datagrams of a tick on their way to QUIC's threads. Sent one by one from JavaScript's thread,
//! each could wake a QUIC thread, and could wait for one that holds its connection's lock. So they
//! are kept while the port is corked, and sent together by one task.

use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Mutex};

use bytes::Bytes;

use crate::faults::lock;
use crate::hub::Hub;
use crate::session::Session;

/// Datagrams at which the task is started, so that sending begins while others are still encoded.
const TOGETHER: usize = 16;

/// Datagrams kept at most, where QUIC's threads have no time; later ones are dropped.
const MAX_WAITING: usize = 16 * 1024;

#[derive(Default)]
pub struct Outbox {
    is_corked: AtomicBool,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    datagrams: Vec<(Arc<Session>, Bytes)>,
    /// True while a task empties the outbox: at most one does, which keeps datagrams in order.
    has_task: bool,
}

impl Waiting {
    /// True when a task is to be started.
    fn starts(&mut self, at_least: usize) -> bool {
        self.datagrams.len() >= at_least && !std::mem::replace(&mut self.has_task, true)
    }
}

impl Outbox {
    pub fn cork(&self) {
        self.is_corked.store(true, Ordering::Relaxed);
    }

    /// Sends all that waits, on QUIC's threads.
    pub fn uncork(self: &Arc<Self>, hub: &Arc<Hub>) {
        self.is_corked.store(false, Ordering::Relaxed);
        let starts = lock(&self.waiting).starts(1);
        if starts {
            hub.spawn(deliver(hub.clone(), self.clone()));
        }
    }

    /// Sends a datagram, or keeps it while the port is corked. Returns false when it was dropped.
    pub fn send(self: &Arc<Self>, hub: &Arc<Hub>, session: &Arc<Session>, framed: Bytes) -> bool {
        if !self.is_corked.load(Ordering::Relaxed) {
            return session.send_framed(hub, framed);
        }
        if !session.is_open() {
            return false;
        }
        let mut waiting = lock(&self.waiting);
        if waiting.datagrams.len() >= MAX_WAITING {
            session.count_blocked();
            return false;
        }
        waiting.datagrams.push((session.clone(), framed));
        let starts = waiting.starts(TOGETHER);
        drop(waiting);
        if starts {
            hub.spawn(deliver(hub.clone(), self.clone()));
        }
        true
    }
}

async fn deliver(hub: Arc<Hub>, outbox: Arc<Outbox>) {
    let mut datagrams = Vec::new();
    loop {
        {
            let mut waiting = lock(&outbox.waiting);
            std::mem::swap(&mut waiting.datagrams, &mut datagrams);
            waiting.has_task = !datagrams.is_empty();
            if !waiting.has_task {
                return;
            }
        }
        for (session, framed) in datagrams.drain(..) {
            session.send_framed(&hub, framed);
        }
    }
}
