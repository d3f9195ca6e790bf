use std::sync::Arc;
use std::time::Duration;

use tokio::time::timeout;
use web_transport_quinn::http::StatusCode;

use crate::events::{Cause, Event, RequestInfo};
use crate::faults::caught;
use crate::hub::{Hub, Place};
use crate::session::Session;
use crate::socket::readable;

/// Time for which a refused client is held, so that it can read the answer: one whose control stream
/// goes at once reports a connection error instead.
const REFUSED_FOR: Duration = Duration::from_secs(2);

/// H3_NO_ERROR (RFC 9114, section 8.1).
const NO_ERROR: u32 = 0x100;

/// A session that a client has asked for and that awaits JavaScript's decision.
pub struct Request {
    pub inner: web_transport_quinn::Request,
    pub place: Place,
}

impl Request {
    pub fn info(&self) -> RequestInfo {
        let url = &self.inner.url;
        let text = |value: &web_transport_quinn::http::HeaderValue| {
            String::from_utf8_lossy(value.as_bytes()).into_owned()
        };
        let headers = &self.inner.headers;
        RequestInfo {
            peer: readable(self.inner.conn().remote_address()),
            authority: url.authority().to_owned(),
            path: url.path().to_owned(),
            query: url.query().unwrap_or_default().to_owned(),
            origin: headers.get("origin").map(text).unwrap_or_default(),
            headers: headers
                .iter()
                .flat_map(|(name, value)| [name.to_string(), text(value)])
                .collect(),
        }
    }

    /// Accepts it. JavaScript hears that the session has opened, or else that it has closed.
    pub async fn accept(self, hub: Arc<Hub>, id: u32) {
        let limit = hub.options.handshake_timeout();
        let reason = match caught(timeout(limit, self.inner.ok())).await {
            Ok(Ok(Ok(inner))) => return Session::start(hub, id, inner, self.place),
            Ok(_) => "the client went away".to_owned(),
            Err(message) => {
                let reason = format!("the engine failed: {message}");
                hub.fault(0, message);
                reason
            }
        };
        hub.event(Event::closed(id, Cause::Lost, 0, reason));
    }

    /// Answers with a status that is not 200.
    pub async fn reject(self, limit: Duration, status: StatusCode) {
        let Ok(Ok(session)) = timeout(limit, self.inner.respond(status)).await else {
            return;
        };
        let _ = timeout(REFUSED_FOR, session.closed()).await;
        let conn: &quinn::Connection = &session;
        conn.close(NO_ERROR.into(), b"");
    }
}
