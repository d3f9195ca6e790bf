use std::sync::Arc;

use tokio::time::{sleep, timeout};
use web_transport_quinn::http::StatusCode;

use crate::events::{Event, Kind};
use crate::hub::{Hub, Place};
use crate::request::Request;

/// From so many connections on, in percent of the most, a new client first has to prove that its
/// address is its own (RFC 9000, section 8.1.2).
const BUSY_PERCENT: usize = 50;

/// Takes connections until the endpoint closes.
pub async fn accept_loop(hub: Arc<Hub>, endpoint: quinn::Endpoint) {
    while let Some(incoming) = endpoint.accept().await {
        let Some(place) = hub.enter() else {
            incoming.refuse();
            continue;
        };
        let busy = hub.options.max_connections as usize * BUSY_PERCENT / 100;
        if hub.connections() > busy && incoming.may_retry() && !incoming.remote_address_validated()
        {
            let _ = incoming.retry();
            continue;
        }
        tokio::spawn(handshake(hub.clone(), incoming, place));
    }
}

async fn handshake(hub: Arc<Hub>, incoming: quinn::Incoming, place: Place) {
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
