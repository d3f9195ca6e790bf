use std::sync::Arc;

use tokio::time::{sleep, timeout};
use web_transport_quinn::http::StatusCode;

use crate::events::{Event, Kind};
use crate::faults::{catch, pass, Place};
use crate::hub::{self, Hub};
use crate::request::Request;

/// Percentage of the most connections from which on a new client first has to prove that its address is
/// its own (RFC 9000, section 8.1.2).
const BUSY_PERCENT: usize = 50;

/// Takes connections until the endpoint closes. A panic over one connection leaves the others alone.
pub async fn accept_loop(hub: Arc<Hub>, endpoint: quinn::Endpoint) {
    while let Some(incoming) = endpoint.accept().await {
        if let Err(message) = catch(|| admit(&hub, incoming)) {
            hub.fault(0, message);
        }
    }
}

fn admit(hub: &Arc<Hub>, incoming: quinn::Incoming) {
    pass(Place::Accept);
    let Some(place) = hub.enter() else {
        incoming.refuse();
        return;
    };
    let busy = hub.options.max_connections as usize * BUSY_PERCENT / 100;
    if hub.connections() > busy && incoming.may_retry() && !incoming.remote_address_validated() {
        // It fails for an address that was validated already, and that was looked at.
        let _ = incoming.retry();
        return;
    }
    hub.spawn(handshake(hub.clone(), incoming, place));
}

async fn handshake(hub: Arc<Hub>, incoming: quinn::Incoming, place: hub::Place) {
    let limit = hub.options.handshake_timeout();
    let request = timeout(limit, async {
        let connection = incoming.accept().ok()?.await.ok()?;
        web_transport_quinn::Request::accept(connection).await.ok()
    });
    let Ok(Some(inner)) = request.await else {
        return;
    };
    let request = Request { inner, place };
    let id = hub.next_id();
    let event = Event {
        request: Some(request.info()),
        ..Event::new(Kind::Request, id)
    };
    hub.add_request(id, request);
    hub.event(event);

    sleep(limit).await;
    if let Some(undecided) = hub.take_request(id) {
        undecided
            .reject(limit, StatusCode::SERVICE_UNAVAILABLE)
            .await;
    }
}
