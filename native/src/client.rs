use std::collections::VecDeque;
use std::net::SocketAddr;
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{FutureExt, StreamExt};
use quinn::{ClientConfig, Endpoint};
use tokio::net::lookup_host;
use tokio::select;
use tokio::time::{sleep, timeout};
use url::{Host, Url};

use crate::events::{Event, Kind};
use crate::faults::{caught, lock, Fragile};
use crate::h3::codes;
use crate::h3::connection::Connection;
use crate::h3::head::{request, status_of};
use crate::h3::qpack;
use crate::h3::session::Session;
use crate::h3::wire::{read_section, Section};
use crate::place::Place;
use crate::registry::{Origin, Registry};

/// Head start of an address before the next one is tried in parallel (RFC 8305, section 5).
const HEAD_START: Duration = Duration::from_millis(250);

/// Most addresses tried for a name.
const MAX_ADDRESSES: usize = 8;

/// The socket of the endpoint's own connections, bound for the first one.
#[derive(Default)]
pub struct ClientSocket(Mutex<Option<Endpoint>>);

impl ClientSocket {
    /// The socket, or a new one if it has failed.
    pub fn get<E>(&self, bind: impl FnOnce() -> Result<Endpoint, E>) -> Result<Endpoint, E> {
        let mut client = lock(&self.0);
        if let Some(endpoint) = client.as_ref().filter(|endpoint| works(endpoint)) {
            return Ok(endpoint.clone());
        }
        let endpoint = bind()?;
        *client = Some(endpoint.clone());
        Ok(endpoint)
    }

    pub fn take(&self) -> Option<Endpoint> {
        lock(&self.0).take()
    }
}

/// False when a client's socket has failed: quinn then ends its task, and connects nowhere with it.
/// A socket that works has nothing to accept, so its answer is pending.
fn works(endpoint: &Endpoint) -> bool {
    endpoint.accept().now_or_never().is_none()
}

/// A session to open.
pub struct Target {
    pub url: Url,
    /// Names and values in turn.
    pub headers: Vec<String>,
    pub config: ClientConfig,
}

/// Reason for a failed opening, with the HTTP status of the server's refusal, or 0.
struct Refusal(u32, String);

impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self(0, error.to_string())
    }
}

fn refusal<T>(text: &str) -> Result<T, Refusal> {
    Err(Refusal(0, text.to_owned()))
}

/// A session with its stream and the end of its QUIC handshake.
struct Opened {
    session: (Session, Fragile<quinn::RecvStream>),
    connected_ms: f64,
}

/// Connects, and reports to JavaScript that the session has opened or failed.
pub async fn connect(
    registry: Arc<Registry>,
    id: u32,
    endpoint: Endpoint,
    target: Target,
    place: Place,
) {
    let limit = registry.hub.options.handshake_timeout();
    let refusal = match caught(timeout(limit, open(&registry, endpoint, target))).await {
        Ok(Ok(Ok(Opened {
            session: (inner, recv),
            connected_ms,
        }))) => {
            return registry.start(id, inner, recv, place, Origin::Ours { connected_ms });
        }
        Ok(Ok(Err(refusal))) => refusal,
        Ok(Err(_)) => Refusal(0, "there was no answer in time".to_owned()),
        Err(message) => {
            let refusal = Refusal(0, format!("the engine failed: {message}"));
            registry.hub.fault(0, message);
            refusal
        }
    };
    registry.hub.event(Event {
        code: refusal.0,
        text: refusal.1,
        ..Event::new(Kind::ConnectFailed, id)
    });
}

async fn open(registry: &Registry, endpoint: Endpoint, target: Target) -> Result<Opened, Refusal> {
    let (addresses, name) = resolve(&target.url).await?;
    let quic = dial(&endpoint, &target.config, addresses, &name).await?;
    let connected_ms = registry.hub.clock.now_ms();
    let (connection, _, task) = Connection::start(quic, Arc::default());
    registry.hub.spawn(task);
    let attempt = Attempt(connection);
    Ok(Opened {
        session: ask(&attempt.0, &target).await?,
        connected_ms,
    })
}

/// Connection on which a session is requested. Its own task keeps it, so it is closed when the
/// attempt fails or is given up.
struct Attempt(Arc<Connection>);

impl Drop for Attempt {
    fn drop(&mut self) {
        // After a panic quinn's lock may be poisoned: a second panic would abort the process.
        if !self.0.has_session() && !std::thread::panicking() {
            self.0.close(codes::NO_ERROR, "");
        }
    }
}

/// Connects to the address that answers first: one of two families may be filtered, or nothing may
/// listen there, and QUIC gets no error then.
async fn dial(
    endpoint: &Endpoint,
    config: &ClientConfig,
    mut waiting: VecDeque<SocketAddr>,
    name: &str,
) -> Result<quinn::Connection, Refusal> {
    let mut trying = FuturesUnordered::new();
    let mut last = Refusal(0, "the name has no address".to_owned());
    loop {
        if let Some(address) = waiting.pop_front() {
            match endpoint.connect_with(config.clone(), address, name) {
                Ok(connecting) => trying.push(connecting),
                // The system lacks this address family.
                Err(error) => {
                    last = error.into();
                    continue;
                }
            }
        }
        select! {
            ended = trying.next() => match ended {
                Some(Ok(quic)) => return Ok(quic),
                Some(Err(error)) => last = error.into(),
                None => return Err(last),
            },
            () = sleep(HEAD_START), if !waiting.is_empty() => {}
        }
    }
}

/// Addresses of a URL's host, and the name that its certificate must have.
async fn resolve(url: &Url) -> Result<(VecDeque<SocketAddr>, String), Refusal> {
    let port = url.port_or_known_default().unwrap_or(443);
    let (found, name) = match url.host() {
        Some(Host::Ipv4(ip)) => (vec![SocketAddr::new(ip.into(), port)], ip.to_string()),
        Some(Host::Ipv6(ip)) => (vec![SocketAddr::new(ip.into(), port)], ip.to_string()),
        Some(Host::Domain(name)) => (lookup_host((name, port)).await?.collect(), name.to_owned()),
        None => return refusal("the URL names no host"),
    };
    Ok((by_turns(found), name))
}

/// Alternates addresses of both families, starting with the resolver's first (RFC 8305, section 4).
fn by_turns(found: Vec<SocketAddr>) -> VecDeque<SocketAddr> {
    let v6_first = found.first().is_some_and(SocketAddr::is_ipv6);
    let (mut first, mut second): (VecDeque<_>, VecDeque<_>) = found
        .into_iter()
        .partition(|address| address.is_ipv6() == v6_first);
    let mut ordered = VecDeque::new();
    while let Some(address) = first.pop_front() {
        ordered.push_back(address);
        std::mem::swap(&mut first, &mut second);
        if first.is_empty() {
            std::mem::swap(&mut first, &mut second);
        }
    }
    ordered.truncate(MAX_ADDRESSES);
    ordered
}

/// Requests the session on an open connection.
async fn ask(
    connection: &Arc<Connection>,
    target: &Target,
) -> Result<(Session, Fragile<quinn::RecvStream>), Refusal> {
    let Some(settings) = connection.settings().await else {
        let reason = connection.quic.closed().await;
        return Err(reason.into());
    };
    if !(settings.webtransport && settings.extended_connect && settings.datagrams) {
        return refusal("the server has no WebTransport");
    }
    let (send, recv) = connection.quic.open_bi().await?;
    let (mut send, mut recv) = (Fragile::new(send), Fragile::new(recv));
    send.write_all(&request(&target.url, &target.headers))
        .await?;
    let status = loop {
        match read_section(&mut *recv, None).await {
            Ok(Section::Fields(section)) => {
                let fields = qpack::decode(&section).unwrap_or_default();
                match status_of(&fields) {
                    // Interim answers (RFC 9114, section 4.1).
                    Ok(100..200) => continue,
                    Ok(status) => break status,
                    Err(_) => return refusal("the server's answer makes no sense"),
                }
            }
            Ok(Section::TooLarge) => return refusal("the server's answer is too large"),
            Err(broken) => return refusal(&format!("the server gave no answer: {broken:?}")),
        }
    };
    if status != 200 {
        return Err(Refusal(u32::from(status), format!("status {status}")));
    }
    match Session::new(connection.clone(), send) {
        Some(session) => Ok((session, recv)),
        None => refusal("the connection has a session already"),
    }
}

#[cfg(test)]
#[path = "client_tests.rs"]
mod tests;
