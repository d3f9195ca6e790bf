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
mod tests {
    use super::*;

    fn network(text: &str) -> Network {
        Network::of(SocketAddr::new(text.parse().unwrap(), 1))
    }

    /// A number of places, which are numbers.
    struct Places(Vec<u32>);

    impl Places {
        fn enter(&mut self, pending: &Arc<Pending<u32>>, network: Network) -> Option<Ticket<u32>> {
            pending.enter(network, || self.0.pop())
        }
    }

    fn displaced(ticket: &Ticket<u32>) -> bool {
        !lock(&ticket.pending.table)
            .waiting
            .contains_key(&ticket.number)
    }

    #[test]
    fn an_address_is_a_network_of_64_bits_or_all_of_ipv4() {
        assert_eq!(network("2001:db8::1"), network("2001:db8::ffff:1:2:3"));
        assert_ne!(network("2001:db8::1"), network("2001:db8:0:1::1"));
        assert_ne!(network("192.0.2.1"), network("192.0.2.2"));
        assert_eq!(network("192.0.2.1"), network("::ffff:192.0.2.1"));
    }

    #[test]
    fn an_address_pushes_out_its_own_where_it_has_its_share() {
        let pending = Arc::new(Pending::new(84));
        let mut places = Places((0..84).collect());
        let other = places.enter(&pending, network("192.0.2.2")).unwrap();
        let mut tickets = Vec::new();
        for _ in 0..84 {
            tickets.push(places.enter(&pending, network("192.0.2.1")).unwrap());
        }
        assert_eq!(
            tickets.iter().filter(|ticket| !displaced(ticket)).count(),
            21
        );
        assert!(tickets[..63].iter().all(displaced));
        assert!(!displaced(&other));
        assert_eq!(places.0.len(), 84 - 1 - 21);
        let counts = pending.admissions();
        assert_eq!(
            (counts.pending, counts.displaced, counts.refused),
            (22, 63.0, 0.0)
        );
    }

    #[test]
    fn where_all_places_are_taken_the_most_crowded_address_makes_room() {
        let pending = Arc::new(Pending::new(8));
        let mut places = Places((0..4).collect());
        let single = places.enter(&pending, network("192.0.2.1")).unwrap();
        let pair = [(); 2].map(|()| places.enter(&pending, network("192.0.2.2")).unwrap());
        let last = places.enter(&pending, network("192.0.2.3")).unwrap();
        let honest = places.enter(&pending, network("192.0.2.4")).unwrap();
        assert!(displaced(&pair[0]) && !displaced(&pair[1]));
        // All addresses are equally crowded: the longest-waiting one goes.
        let next = places.enter(&pending, network("192.0.2.5")).unwrap();
        assert!(displaced(&single));
        for ticket in [&last, &honest, &next, &pair[1]] {
            assert!(!displaced(ticket));
        }
    }

    #[test]
    fn a_session_has_its_place_for_good() {
        let pending = Arc::new(Pending::new(4));
        let mut places = Places(vec![7]);
        let ticket = places.enter(&pending, network("192.0.2.1")).unwrap();
        assert_eq!(ticket.settle(), Some(7));
        assert_eq!(ticket.settle(), None);
        assert!(places.enter(&pending, network("192.0.2.1")).is_none());
        drop(ticket);
        let counts = pending.admissions();
        assert_eq!((counts.pending, counts.refused), (0, 1.0));
        assert!(lock(&pending.table).crowds.is_empty());
    }

    #[test]
    fn an_address_is_to_be_proved_before_its_share_is_used_up() {
        let pending = Arc::new(Pending::new(84));
        let mut places = Places((0..84).collect());
        let mut tickets = Vec::new();
        while !pending.is_crowded(network("192.0.2.1")) {
            tickets.push(places.enter(&pending, network("192.0.2.1")).unwrap());
        }
        assert_eq!(tickets.len(), 3);
        assert!(!pending.is_crowded(network("192.0.2.2")));
        for i in 10..18 {
            tickets.push(
                places
                    .enter(&pending, network(&format!("192.0.2.{i}")))
                    .unwrap(),
            );
        }
        assert!(pending.is_crowded(network("192.0.2.2")));
        tickets.clear();
        assert!(!pending.is_crowded(network("192.0.2.1")));
    }

    #[test]
    fn handshakes_of_a_crowd_begin_one_after_another_and_hold_up_nobody_elses() {
        const CROWD: usize = 20;
        let pending = Arc::new(Pending::new(84));
        let mut places = Places((0..84).collect());
        let crowd = [(); CROWD].map(|()| places.enter(&pending, network("192.0.2.1")).unwrap());
        let other = places.enter(&pending, network("192.0.2.2")).unwrap();
        let began = std::sync::atomic::AtomicUsize::new(0);
        let begin = || began.fetch_add(1, std::sync::atomic::Ordering::Relaxed);
        let runtime = tokio::runtime::Builder::new_current_thread()
            .enable_time()
            .build()
            .unwrap();
        let start = Instant::now();
        let before_other = runtime.block_on(async {
            let crowd = futures::future::join_all(crowd.iter().map(|ticket| async {
                ticket.turn().await;
                begin();
            }));
            let other = async {
                other.turn().await;
                begin()
            };
            futures::future::join(crowd, other).await.1
        });
        assert!(before_other <= 2, "{before_other} went before");
        assert!(start.elapsed() >= BEGIN_EVERY * (CROWD as u32 - 1));
    }

    #[test]
    fn one_that_has_to_make_room_hears_of_it() {
        let pending = Arc::new(Pending::new(4));
        let mut places = Places(vec![1]);
        let first = places.enter(&pending, network("192.0.2.1")).unwrap();
        let second = places.enter(&pending, network("192.0.2.1")).unwrap();
        let runtime = tokio::runtime::Builder::new_current_thread()
            .build()
            .unwrap();
        runtime.block_on(first.displaced());
        assert_eq!((first.settle(), second.settle()), (None, Some(1)));
    }
}
