use std::net::SocketAddr;
use std::sync::Arc;

use quinn::{ClientConfig, Endpoint};
use tokio::net::lookup_host;
use tokio::time::timeout;
use url::{Host, Url};

use crate::events::{Event, Kind};
use crate::faults::{caught, Fragile};
use crate::h3::codes;
use crate::h3::connection::Connection;
use crate::h3::head::{request, status_of};
use crate::h3::qpack;
use crate::h3::session::Session;
use crate::h3::wire::{read_section, Section};
use crate::place::Place;
use crate::registry::{Origin, Registry};

/// A session that is to be opened.
pub struct Target {
    pub url: Url,
    /// Names and values in turn.
    pub headers: Vec<String>,
    pub config: ClientConfig,
}

/// Why a session could not be opened, with the HTTP status with which the server refused, or 0.
struct Refusal(u32, String);

impl<E: std::error::Error> From<E> for Refusal {
    fn from(error: E) -> Self {
        Self(0, error.to_string())
    }
}

fn refusal<T>(text: &str) -> Result<T, Refusal> {
    Err(Refusal(0, text.to_owned()))
}

/// A session with its stream, and when the QUIC handshake was over.
struct Opened {
    session: (Session, Fragile<quinn::RecvStream>),
    connected_ms: f64,
}

/// Connects, and tells JavaScript that the session has opened or that it could not be.
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
    let (address, name) = resolve(&target.url).await?;
    let quic = endpoint
        .connect_with(target.config.clone(), address, &name)?
        .await?;
    let connected_ms = registry.hub.clock.now_ms();
    let (connection, _, task) = Connection::start(quic, Arc::default());
    registry.hub.spawn(task);
    let session = ask(&connection, &target).await;
    if session.is_err() {
        connection.close(codes::NO_ERROR, "");
    }
    Ok(Opened {
        session: session?,
        connected_ms,
    })
}

/// The address of a URL's host, and the name that its certificate is to have.
async fn resolve(url: &Url) -> Result<(SocketAddr, String), Refusal> {
    let port = url.port_or_known_default().unwrap_or(443);
    match url.host() {
        Some(Host::Ipv4(ip)) => Ok((SocketAddr::new(ip.into(), port), ip.to_string())),
        Some(Host::Ipv6(ip)) => Ok((SocketAddr::new(ip.into(), port), ip.to_string())),
        Some(Host::Domain(name)) => match lookup_host((name, port)).await?.next() {
            Some(address) => Ok((address, name.to_owned())),
            None => refusal("the name has no address"),
        },
        None => refusal("the URL names no host"),
    }
}

/// Asks for the session on a connection that is there.
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
