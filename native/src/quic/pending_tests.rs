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
