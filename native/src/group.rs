//! Groups of sessions that get the same datagrams: one call from JavaScript per datagram; QUIC's
//! threads pass it to the sessions.

use std::collections::{HashMap, VecDeque};
use std::sync::{Arc, Mutex, Weak};

use bytes::Bytes;

use crate::faults::lock;
use crate::hub::Hub;
use crate::session::Session;

/// Sessions in one piece. Sending to them takes a thread some 0.3 ms; other pieces run in parallel.
const PIECE: usize = 256;

/// Most groups at once.
const MAX_GROUPS: usize = 4096;

/// Datagrams that wait for one piece's sessions; beyond them the oldest is dropped.
const MAX_WAITING: usize = 16;

/// The sessions of one part of a group, and their unsent datagrams in order.
struct Piece<T> {
    sessions: Vec<T>,
    waiting: Mutex<Waiting>,
}

#[derive(Default)]
struct Waiting {
    datagrams: VecDeque<Bytes>,
    /// True while a task empties the queue: at most one does, which keeps datagrams in order.
    has_task: bool,
}

impl<T> Piece<T> {
    fn new(sessions: Vec<T>) -> Self {
        Self {
            sessions,
            waiting: Mutex::default(),
        }
    }

    /// Keeps a datagram; returns whether to start a task, and whether an older datagram was
    /// dropped.
    fn push(&self, framed: Bytes) -> (bool, bool) {
        let mut waiting = lock(&self.waiting);
        let drops = waiting.datagrams.len() == MAX_WAITING;
        if drops {
            waiting.datagrams.pop_front();
        }
        waiting.datagrams.push_back(framed);
        let starts = !std::mem::replace(&mut waiting.has_task, true);
        (starts, drops)
    }

    /// Next datagram for the task; None ends the task.
    fn next(&self) -> Option<Bytes> {
        let mut waiting = lock(&self.waiting);
        let next = waiting.datagrams.pop_front();
        waiting.has_task = next.is_some();
        next
    }
}

/// Weak, so that an ended session is released at once despite its groups.
type Pieces = Arc<[Arc<Piece<Weak<Session>>>]>;

/// A port's groups, by JavaScript's numbers.
#[derive(Default)]
pub struct Groups(Mutex<HashMap<u32, Pieces>>);

impl Groups {
    /// Replaces a group's sessions; an empty group is removed. Returns false when there are too
    /// many groups.
    pub fn set(&self, group: u32, sessions: Vec<Weak<Session>>) -> bool {
        let mut groups = lock(&self.0);
        if sessions.is_empty() {
            groups.remove(&group);
            return true;
        }
        if groups.len() >= MAX_GROUPS && !groups.contains_key(&group) {
            return false;
        }
        let pieces = sessions.chunks(PIECE);
        let pieces = pieces.map(|piece| Arc::new(Piece::new(piece.to_vec())));
        groups.insert(group, pieces.collect());
        true
    }

    /// Sends a datagram on the hub's threads; returns the number of sessions.
    pub fn send(&self, hub: &Arc<Hub>, group: u32, framed: &Bytes) -> usize {
        let Some(pieces) = lock(&self.0).get(&group).cloned() else {
            return 0;
        };
        for piece in &*pieces {
            let (starts, drops) = piece.push(framed.clone());
            if drops {
                for session in piece.sessions.iter().filter_map(Weak::upgrade) {
                    session.count_blocked();
                }
            }
            if starts {
                hub.spawn(deliver(hub.clone(), piece.clone()));
            }
        }
        pieces.iter().map(|piece| piece.sessions.len()).sum()
    }
}

async fn deliver(hub: Arc<Hub>, piece: Arc<Piece<Weak<Session>>>) {
    while let Some(framed) = piece.next() {
        for session in piece.sessions.iter().filter_map(Weak::upgrade) {
            session.send_framed(&hub, framed.clone());
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn datagram(number: usize) -> Bytes {
        Bytes::from(vec![number as u8])
    }

    #[test]
    fn one_task_sends_all_in_order() {
        let piece: Piece<u32> = Piece::new(vec![1, 2]);
        assert_eq!(piece.push(datagram(1)), (true, false));
        assert_eq!(piece.push(datagram(2)), (false, false));
        assert_eq!(piece.next(), Some(datagram(1)));
        assert_eq!(piece.push(datagram(3)), (false, false));
        assert_eq!(piece.next(), Some(datagram(2)));
        assert_eq!(piece.next(), Some(datagram(3)));
        assert_eq!(piece.next(), None);
        assert_eq!(piece.push(datagram(4)), (true, false));
    }

    #[test]
    fn the_oldest_goes_where_too_many_wait() {
        let piece: Piece<u32> = Piece::new(vec![1]);
        for number in 0..MAX_WAITING {
            assert!(!piece.push(datagram(number)).1);
        }
        assert_eq!(piece.push(datagram(MAX_WAITING)), (false, true));
        for number in 1..=MAX_WAITING {
            assert_eq!(piece.next(), Some(datagram(number)));
        }
        assert_eq!(piece.next(), None);
    }

    #[test]
    fn groups_are_bounded_and_an_empty_one_is_none() {
        let groups = Groups::default();
        for group in 0..MAX_GROUPS as u32 {
            let nobody = Weak::new();
            assert!(groups.set(group, vec![nobody; PIECE + 1]));
        }
        assert!(!groups.set(u32::MAX, vec![Weak::new()]));
        assert!(groups.set(7, vec![Weak::new()]));
        assert!(groups.set(7, Vec::new()));
        assert!(groups.set(u32::MAX, vec![Weak::new()]));
        let sizes: Vec<usize> = lock(&groups.0)[&8]
            .iter()
            .map(|p| p.sessions.len())
            .collect();
        assert_eq!(sizes, [PIECE, 1]);
    }
}
