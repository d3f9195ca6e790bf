use std::sync::Arc;

use tokio::select;
use tokio::time::{sleep, sleep_until, timeout, Instant};

use crate::acceptor::Acceptor;
use crate::faults::{catch, pass, spawn, Fragile, Place};
use crate::h3::codes;
use crate::h3::connection::Connection;
use crate::place;
use crate::quic::engine;
use crate::quic::pending::{Network, Ticket};
use crate::quic::socket::readable;
use crate::request::{Request, REFUSED_FOR};

/// Status of a request that nobody decided in time.
const UNAVAILABLE: u16 = 503;

/// Accepts connections until the endpoint closes. A panic in one connection leaves the others
/// alone. When the socket fails, quinn ends its connections and accepts no more, and JavaScript is
/// notified.
pub async fn accept_loop(acceptor: Arc<Acceptor>, endpoint: quinn::Endpoint) {
    while let Some(incoming) = endpoint.accept().await {
        if let Err(message) = catch(|| admit(&acceptor, incoming)) {
            acceptor.own.hub.fault(0, message);
        }
    }
    if acceptor.is_closing() {
        return;
    }
    let at = endpoint
        .local_addr()
        .map_or_else(|error| error.to_string(), readable);
    let message =
        format!("the UDP socket at {at} failed, so HTTP/3 has ended there: restart the server");
    acceptor.own.hub.fault(0, message);
}

fn admit(acceptor: &Arc<Acceptor>, incoming: quinn::Incoming) {
    pass(Place::Accept);
    let (hub, pending) = (&acceptor.own.hub, &acceptor.pending);
    let network = Network::of(incoming.remote_address());
    let validated = incoming.remote_address_validated() || !incoming.may_retry();
    if !validated && pending.is_crowded(network) {
        pending.retried();
        // This fails only for an already validated address, which was checked.
        let _ = incoming.retry();
        return;
    }
    match pending.enter(network, || acceptor.enter()) {
        Some(ticket) => hub.spawn(serve(acceptor.clone(), incoming, Arc::new(ticket))),
        None => incoming.refuse(),
    }
}

/// Serves a connection until it ends, or until it makes room for another before it is a session.
async fn serve(
    acceptor: Arc<Acceptor>,
    incoming: quinn::Incoming,
    ticket: Arc<Ticket<place::Place>>,
) {
    let limit = acceptor.own.hub.options.handshake_timeout();
    select! {
        () = ticket.turn() => {}
        () = ticket.displaced() => return,
    }
    let Ok(connecting) = engine::accept(incoming, || acceptor.settings()) else {
        return;
    };
    let quic = select! {
        greeted = timeout(limit, greet(connecting)) => match greeted {
            Ok(Some(quic)) => quic,
            _ => return,
        },
        () = ticket.displaced() => return,
    };
    let (connection, mut exchanges, task) = Connection::start(quic, acceptor.breaches.clone());
    run(&acceptor, &connection, task);
    // If quinn's lock on the connection is poisoned, closing it panics here. Dropping the control
    // stream would panic again and abort the process, unless something else holds the connection.
    let _held = Fragile::new((connection.clone(), connection.quic.clone()));
    let mut deadline = Instant::now() + limit;
    let (mut asked, mut opened) = (false, false);
    loop {
        select! {
            exchange = exchanges.recv() => {
                let Some(exchange) = exchange else {
                    return;
                };
                if !asked {
                    asked = true;
                    deadline = Instant::now() + limit + REFUSED_FOR;
                }
                let request = Request {
                    connection: connection.clone(),
                    exchange: *exchange,
                    ticket: ticket.clone(),
                };
                ask(&acceptor, request);
            }
            () = ticket.displaced() => {
                connection.close(codes::EXCESSIVE_LOAD, "too many connections that ask for nothing");
                return;
            }
            () = sleep_until(deadline), if !opened => {
                opened = connection.has_session();
                if opened {
                    continue;
                }
                connection.close(codes::NO_ERROR, "nothing was asked for in time");
                return;
            }
        }
    }
}

/// A connection with the client's hello; None if it failed. The rest of the handshake isn't
/// awaited. A client requests a session when it has our SETTINGS, which it gets a round trip
/// earlier as 0.5-RTT data (RFC 9001, section 5.7). Its data is read after the handshake, since
/// quinn drops earlier data, and early data isn't accepted.
async fn greet(mut connecting: quinn::Connecting) -> Option<quinn::Connection> {
    // The hello contains the stream limits, and may span several packets.
    connecting.handshake_data().await.ok()?;
    let (quic, _handshake) = connecting.into_0rtt().ok()?;
    Some(quic)
}

/// Runs a connection's own task; a panic in it ends the connection.
fn run(
    acceptor: &Arc<Acceptor>,
    connection: &Arc<Connection>,
    task: impl std::future::Future<Output = ()> + Send + 'static,
) {
    let (hub, connection) = (acceptor.own.hub.clone(), connection.clone());
    spawn(task, move |message| {
        hub.fault(0, message);
        let _ = catch(|| connection.close(codes::INTERNAL_ERROR, ""));
        // Dropping the last reference would panic if quinn's lock on the connection is poisoned.
        std::mem::forget(connection);
    });
}

/// Makes JavaScript decide about a request within the time limit.
fn ask(acceptor: &Arc<Acceptor>, request: Request) {
    let limit = acceptor.own.hub.options.handshake_timeout();
    let id = acceptor.ask(request);
    let late = acceptor.clone();
    acceptor.own.hub.spawn(async move {
        sleep(limit).await;
        if let Some(undecided) = late.take_request(id) {
            late.breaches.requests.add(1);
            undecided.refuse(limit, UNAVAILABLE).await;
        }
    });
}

#[cfg(all(test, not(feature = "noq")))]
#[path = "server_tests.rs"]
pub mod tests;
