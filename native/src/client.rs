use std::sync::Arc;

use tokio::time::timeout;
use web_transport_quinn::proto::ConnectRequest;
use web_transport_quinn::{Client, ClientError, ConnectError};

use crate::events::{Event, Kind};
use crate::faults::caught;
use crate::hub::{Hub, Place};
use crate::session::Session;

/// Connects, and tells JavaScript that the session has opened or that it could not be.
pub async fn connect(
    hub: Arc<Hub>,
    id: u32,
    client: Client,
    request: ConnectRequest,
    place: Place,
) {
    let limit = hub.options.handshake_timeout();
    match caught(timeout(limit, client.connect(request))).await {
        Ok(Ok(Ok(inner))) => Session::start(hub, id, inner, place),
        Ok(Ok(Err(error))) => fail(&hub, id, status_of(&error), error.to_string()),
        Ok(Err(_)) => fail(&hub, id, 0, "there was no answer in time".to_owned()),
        Err(message) => {
            fail(&hub, id, 0, format!("the engine failed: {message}"));
            hub.fault(0, message);
        }
    }
}

fn fail(hub: &Hub, id: u32, status: u32, text: String) {
    hub.event(Event {
        code: status,
        text,
        ..Event::new(Kind::ConnectFailed, id)
    });
}

/// The HTTP status with which the server refused, or 0.
fn status_of(error: &ClientError) -> u32 {
    use web_transport_quinn::proto::ConnectError as ProtoError;
    let status = match error {
        ClientError::HttpError(ConnectError::ErrorStatus(status)) => Some(status),
        ClientError::HttpError(ConnectError::ProtoError(error)) => match error {
            ProtoError::ErrorStatus(status) => Some(status),
            ProtoError::WrongStatus(status) => status.as_ref(),
            _ => None,
        },
        _ => None,
    };
    status.map_or(0, |status| u32::from(status.as_u16()))
}
