use std::sync::Arc;
use std::time::Duration;

use quinn::{RecvStream, VarInt};
use tokio::time::timeout;

use crate::events::RequestInfo;
use crate::faults::Fragile;
use crate::h3::codes;
use crate::h3::connection::{Connection, Exchange};
use crate::h3::head::response;
use crate::h3::session::Session;
use crate::place::Place;
use crate::quic::engine::remote_address;
use crate::quic::pending::Ticket;
use crate::quic::socket::readable;

/// Time for which a connection with a refused session stays open, so that the client can read the
/// answer. If the connection closes at once, the client reports that instead.
pub const REFUSED_FOR: Duration = Duration::from_secs(2);

/// Response field that opens a session for clients of draft-ietf-webtrans-http3-02.
const DRAFT: (&str, &str) = ("sec-webtransport-http3-draft", "draft02");

/// A request that awaits JavaScript's decision, for a session or for something else.
pub struct Request {
    pub connection: Arc<Connection>,
    pub exchange: Exchange,
    pub ticket: Arc<Ticket<Place>>,
}

impl Request {
    pub fn info(&self) -> RequestInfo {
        let head = &self.exchange.head;
        RequestInfo {
            peer: readable(remote_address(&self.connection.quic)),
            method: head.method.clone(),
            protocol: head.protocol.clone(),
            authority: head.authority.clone(),
            path: head.path.clone(),
            query: head.query.clone(),
            origin: head.header("origin").unwrap_or_default().to_owned(),
            headers: head.headers.clone(),
        }
    }

    /// Opens the requested session; None when the client has gone or had to make room.
    pub async fn accept(self, limit: Duration) -> Option<(Session, Fragile<RecvStream>, Place)> {
        let Exchange { mut send, recv, .. } = self.exchange;
        let Some(place) = self.ticket.settle() else {
            let _ = send.reset(VarInt::from_u32(codes::REQUEST_REJECTED));
            return None;
        };
        let bytes = response(200, &[DRAFT]);
        if !matches!(timeout(limit, send.write_all(&bytes)).await, Ok(Ok(()))) {
            self.connection.close(codes::NO_ERROR, "");
            return None;
        }
        let session = Session::new(self.connection, send)?;
        Some((session, recv, place))
    }

    /// True when a session can be made of it.
    pub fn is_session(&self) -> bool {
        self.exchange.head.is_webtransport()
    }

    /// Status for other requests than for a session.
    pub fn status_of_other(&self) -> u16 {
        self.exchange.head.status_of_other()
    }

    /// Answers with a status that opens no session. A connection for a session alone ends with it.
    pub async fn refuse(self, limit: Duration, status: u16) {
        let is_session = self.is_session();
        let Exchange {
            mut send, mut recv, ..
        } = self.exchange;
        let allow = [("allow", "CONNECT")];
        let headers: &[_] = if status == 405 { &allow } else { &[] };
        let bytes = response(status, headers);
        if !matches!(timeout(limit, send.write_all(&bytes)).await, Ok(Ok(()))) {
            return;
        }
        let _ = send.finish();
        let _ = recv.stop(VarInt::from_u32(codes::NO_ERROR));
        if is_session {
            let _ = timeout(REFUSED_FOR, self.connection.quic.closed()).await;
            if !self.connection.has_session() {
                self.connection.close(codes::NO_ERROR, "");
            }
        }
    }
}
