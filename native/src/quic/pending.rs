//! Connections without a session yet, and their limits. Each address has a share of the places.
//! When no place is left, the longest-waiting connection of the most crowded address is dropped. So
//! a client that opens connections without requests displaces only its own. Handshakes start one
//! after another, since their threads also carry everybody's sound.

use std::collections::{BTreeMap, HashMap};
use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use napi_derive::napi;
use tokio::sync::Notify;
use tokio::time::{sleep_until, Instant};

use crate::faults::lock;

/// Share of all places that one address may have waiting.
const SHARE_OF: usize = 4;

/// Divisor of the places. When an eighth of all or of one address's are taken, a new client must
/// first prove its address (RFC 9000, section 8.1.2).
const VALIDATE_FROM: usize = 8;

/// Interval between handshakes, of one address and of all. `test/hostile/rooms.test.js` begins 160
/// sessions at once: without an interval it prints a longest gap in another room of some 200 ms.
const BEGIN_EVERY: Duration = Duration::from_millis(8);
const ALL_BEGIN_EVERY: Duration = Duration::from_millis(4);

/// Part of an address that its owner can't choose freely: an IPv6 network of 64 bits, or all of
/// IPv4.
#[derive(Clone, Copy, PartialEq, Eq, Hash, Debug)]
pub struct Network(u128);

impl Network {
    pub fn of(address: SocketAddr) -> Self {
        match address.ip().to_canonical() {
            IpAddr::V4(ip) => Self(ip.to_ipv6_mapped().to_bits()),
            IpAddr::V6(ip) => Self(ip.to_bits() & !u128::from(u64::MAX)),
        }
    }
}

/// Counts of new connections' fates since the start.
#[napi(object)]
#[derive(Clone, Default)]
pub struct Admissions {
    /// Connections that are no session yet.
    pub pending: u32,
    /// Answered with a Retry packet.
    pub retried: f64,
    /// Dropped for a newer one.
    pub displaced: f64,
    /// Refused because sessions had all places.
    pub refused: f64,
    /// Closed with an error of HTTP/3.
    pub broken: f64,
    /// Requests for something else than a session, or with violations.
    pub requests_refused: f64,
}

/// Waiting connections, each with one of the limited places.
pub struct Pending<P> {
    places: usize,
    table: Mutex<Table<P>>,
    turnstile: Turnstile,
}

struct Table<P> {
    /// In the order of arrival.
    waiting: BTreeMap<u64, Waiting<P>>,
    crowds: HashMap<Network, Crowd>,
    next: u64,
    counts: Admissions,
}

struct Waiting<P> {
    network: Network,
    place: P,
    displaced: Arc<Notify>,
}

/// Waiting connections of one address.
struct Crowd {
    count: usize,
    turnstile: Arc<Turnstile>,
}

/// Admits connections one by one, in the order of arrival.
struct Turnstile {
    every: Duration,
    next: tokio::sync::Mutex<Instant>,
}

impl Turnstile {
    fn new(every: Duration) -> Self {
        Self {
            every,
            next: tokio::sync::Mutex::new(Instant::now()),
        }
    }

    async fn pass(&self) {
        let mut next = self.next.lock().await;
        sleep_until(*next).await;
        *next = Instant::now() + self.every;
    }
}

impl<P> Pending<P> {
    /// `places` is the most connections, including sessions.
    pub fn new(places: usize) -> Self {
        let table = Table {
            waiting: BTreeMap::new(),
            crowds: HashMap::new(),
            next: 0,
            counts: Admissions::default(),
        };
        Self {
            places,
            table: Mutex::new(table),
            turnstile: Turnstile::new(ALL_BEGIN_EVERY),
        }
    }

    fn share(&self) -> usize {
        self.places.div_ceil(SHARE_OF)
    }

    /// True when a client of this address must prove it.
    pub fn is_crowded(&self, network: Network) -> bool {
        let table = lock(&self.table);
        table.waiting.len() > self.places / VALIDATE_FROM
            || table.crowd(network) > self.share() / VALIDATE_FROM
    }

    /// Registers a waiting connection, with the place from `free` or another connection's. None if
    /// neither is available.
    pub fn enter(
        self: &Arc<Self>,
        network: Network,
        free: impl FnOnce() -> Option<P>,
    ) -> Option<Ticket<P>> {
        let mut table = lock(&self.table);
        let place = if table.crowd(network) >= self.share() {
            table.displace_oldest(network)
        } else {
            free().or_else(|| table.displace())
        };
        let Some(place) = place else {
            table.counts.refused += 1.0;
            return None;
        };
        let number = table.next;
        table.next += 1;
        let displaced = Arc::new(Notify::new());
        let waiting = Waiting {
            network,
            place,
            displaced: displaced.clone(),
        };
        table.waiting.insert(number, waiting);
        let crowd = table.crowds.entry(network).or_insert_with(|| Crowd {
            count: 0,
            turnstile: Arc::new(Turnstile::new(BEGIN_EVERY)),
        });
        crowd.count += 1;
        Some(Ticket {
            number,
            displaced,
            turnstile: crowd.turnstile.clone(),
            pending: self.clone(),
        })
    }

    pub fn retried(&self) {
        lock(&self.table).counts.retried += 1.0;
    }

    pub fn admissions(&self) -> Admissions {
        let table = lock(&self.table);
        Admissions {
            pending: table.waiting.len() as u32,
            ..table.counts.clone()
        }
    }
}

impl<P> Table<P> {
    fn crowd(&self, network: Network) -> usize {
        self.crowds.get(&network).map_or(0, |crowd| crowd.count)
    }

    fn remove(&mut self, number: u64) -> Option<Waiting<P>> {
        let waiting = self.waiting.remove(&number)?;
        if let Some(crowd) = self.crowds.get_mut(&waiting.network) {
            crowd.count -= 1;
            if crowd.count == 0 {
                self.crowds.remove(&waiting.network);
            }
        }
        Some(waiting)
    }

    /// Place of the longest-waiting connection at the most crowded address.
    fn displace(&mut self) -> Option<P> {
        let most = self.crowds.values().map(|crowd| crowd.count).max()?;
        let longest = self
            .waiting
            .values()
            .find(|waiting| self.crowd(waiting.network) == most)?;
        self.displace_oldest(longest.network)
    }

    fn displace_oldest(&mut self, network: Network) -> Option<P> {
        let (&number, _) = self
            .waiting
            .iter()
            .find(|(_, waiting)| waiting.network == network)?;
        let waiting = self.remove(number)?;
        waiting.displaced.notify_one();
        self.counts.displaced += 1.0;
        Some(waiting.place)
    }
}

/// A connection's right to wait; returned when dropped.
pub struct Ticket<P> {
    number: u64,
    displaced: Arc<Notify>,
    turnstile: Arc<Turnstile>,
    pending: Arc<Pending<P>>,
}

impl<P> Ticket<P> {
    /// Waits for the handshake's turn: first among its address's connections, then among those next
    /// at their addresses.
    pub async fn turn(&self) {
        self.turnstile.pass().await;
        self.pending.turnstile.pass().await;
    }

    /// Waits until the connection is displaced. Only one task may wait.
    pub async fn displaced(&self) {
        self.displaced.notified().await;
    }

    /// Ends the waiting; None if the place has gone to another connection.
    pub fn settle(&self) -> Option<P> {
        lock(&self.pending.table)
            .remove(self.number)
            .map(|waiting| waiting.place)
    }
}

impl<P> Drop for Ticket<P> {
    fn drop(&mut self) {
        // The place is returned outside the lock.
        let _waiting = lock(&self.pending.table).remove(self.number);
    }
}

#[cfg(test)]
#[path = "pending_tests.rs"]
mod tests;
