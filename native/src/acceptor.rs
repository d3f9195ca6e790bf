use std::collections::HashMap;
use std::sync::atomic::{AtomicBool, AtomicU32, Ordering};
use std::sync::{Arc, Mutex, Weak};

use crate::counters::Breaches;
use crate::events::{Event, Kind};
use crate::faults::lock;
use crate::hub::Hub;
use crate::place::{Place, Places};
use crate::quic::pending::Pending;
use crate::registry::Registry;
use crate::request::Request;

/// An endpoint's connections before they are sessions of a port: undecided requests, connections
/// without a request, and the ports for the sessions.
pub struct Acceptor {
    /// The endpoint's own port, whose JavaScript thread decides about requests.
    pub own: Arc<Registry>,
    pub pending: Arc<Pending<Place>>,
    pub breaches: Arc<Breaches>,
    /// Settings of new connections, for the lab's own ones of each.
    #[cfg(all(feature = "lab", not(feature = "noq")))]
    pub server_config: Mutex<Option<quinn::ServerConfig>>,
    requests: Mutex<HashMap<u32, Request>>,
    /// Ports of other threads.
    ports: Mutex<HashMap<u32, Arc<Registry>>>,
    next_id: AtomicU32,
    places: Places,
    is_closing: AtomicBool,
}

/// Endpoints by the keys that other JavaScript threads know.
static SHARED: Mutex<Vec<Weak<Acceptor>>> = Mutex::new(Vec::new());

impl Acceptor {
    pub fn new(hub: Arc<Hub>) -> Self {
        Self {
            pending: Arc::new(Pending::new(hub.options.max_connections as usize)),
            places: Places::new(hub.options.max_connections as usize),
            own: Arc::new(Registry::new(hub)),
            breaches: Arc::default(),
            #[cfg(all(feature = "lab", not(feature = "noq")))]
            server_config: Mutex::default(),
            requests: Mutex::default(),
            ports: Mutex::default(),
            next_id: AtomicU32::new(1),
            is_closing: AtomicBool::new(false),
        }
    }

    /// Notes that the endpoint closes: its sockets end on purpose from now on.
    pub fn begin_closing(&self) {
        self.is_closing.store(true, Ordering::Release);
    }

    pub fn is_closing(&self) -> bool {
        self.is_closing.load(Ordering::Acquire)
    }

    /// Settings of new connections, for a build that gives each connection its own.
    #[cfg(all(feature = "lab", not(feature = "noq")))]
    pub fn settings(&self) -> Option<(quinn::ServerConfig, quinn::TransportConfig)> {
        let config = lock(&self.server_config).clone()?;
        Some((config, self.own.hub.options.transport().ok()?))
    }

    #[cfg(not(all(feature = "lab", not(feature = "noq"))))]
    pub fn settings(&self) -> Option<(quinn::ServerConfig, quinn::TransportConfig)> {
        None
    }

    /// Publishes the endpoint to other threads; returns the key. A key is no address: a wrong one
    /// finds nothing.
    pub fn share(self: &Arc<Self>) -> u32 {
        let mut shared = lock(&SHARED);
        let this = Arc::downgrade(self);
        let at = shared.iter().position(|other| other.ptr_eq(&this));
        let at = at.unwrap_or_else(|| {
            shared.push(this);
            shared.len() - 1
        });
        at as u32
    }

    /// The endpoint of a key, while it exists.
    pub fn shared(key: u32) -> Option<Arc<Self>> {
        lock(&SHARED).get(key as usize)?.upgrade()
    }

    /// A new number for a request, a session or a port.
    pub fn next_id(&self) -> u32 {
        self.next_id.fetch_add(1, Ordering::Relaxed)
    }

    /// A place for one more connection, unless all are taken.
    pub fn enter(&self) -> Option<Place> {
        self.places.enter()
    }

    pub fn add_port(&self, port: Arc<Registry>) -> u32 {
        let number = self.next_id();
        lock(&self.ports).insert(number, port);
        number
    }

    pub fn port(&self, number: u32) -> Option<Arc<Registry>> {
        lock(&self.ports).get(&number).cloned()
    }

    pub fn take_port(&self, number: u32) -> Option<Arc<Registry>> {
        lock(&self.ports).remove(&number)
    }

    /// All ports, the endpoint's own first.
    pub fn all_ports(&self) -> Vec<Arc<Registry>> {
        let ports = lock(&self.ports);
        std::iter::once(&self.own)
            .chain(ports.values())
            .cloned()
            .collect()
    }

    /// Makes JavaScript decide about a request.
    pub fn ask(&self, request: Request) -> u32 {
        let id = self.next_id();
        let event = Event {
            request: Some(request.info()),
            ..Event::new(Kind::Request, id)
        };
        lock(&self.requests).insert(id, request);
        self.own.hub.event(event);
        id
    }

    pub fn take_request(&self, id: u32) -> Option<Request> {
        lock(&self.requests).remove(&id)
    }

    pub fn drop_requests(&self) {
        let _requests = std::mem::take(&mut *lock(&self.requests));
    }
}
