use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};
use std::time::Duration;

use futures::future::join_all;
use tokio::time::timeout;

use crate::events::{Cause, Event, Kind, RequestInfo};
use crate::faults::{caught, lock, Fragile};
use crate::h3;
use crate::hub::Hub;
use crate::place::Place;
use crate::quic::engine::remote_address;
use crate::quic::socket::readable;
use crate::request::Request;
use crate::session::{receive, watch, Session};
use crate::stream_tasks::{accept_bidi, accept_uni};

/// Origin of a session: requested by a client, or by this endpoint as a client.
pub enum Origin {
    Client(RequestInfo),
    /// With the end of the QUIC handshake.
    Ours {
        connected_ms: f64,
    },
}

/// Longest time for closing all sessions of a port.
pub const CLOSE_LIMIT: Duration = Duration::from_millis(1000);

/// The sessions of one port, served by one JavaScript thread.
pub struct Registry {
    pub hub: Arc<Hub>,
    sessions: Mutex<HashMap<u32, Arc<Session>>>,
    /// Code and reason for closing later sessions at once, since nobody reads this port any more.
    closed: Mutex<Option<(u32, String)>>,
}

impl Registry {
    pub fn new(hub: Arc<Hub>) -> Self {
        Self {
            hub,
            sessions: Mutex::default(),
            closed: Mutex::default(),
        }
    }

    /// Accepts a request. JavaScript learns that the session has opened, or has closed.
    pub async fn accept(&self, request: Request, id: u32) {
        let limit = self.hub.options.handshake_timeout();
        let info = request.info();
        let reason = match caught(request.accept(limit)).await {
            Ok(Some((inner, recv, place))) => {
                return self.start(id, inner, recv, place, Origin::Client(info));
            }
            Ok(None) => "the client went away".to_owned(),
            Err(message) => {
                let reason = format!("the engine failed: {message}");
                self.hub.fault(0, message);
                reason
            }
        };
        self.hub.event(Event::closed(id, Cause::Lost, 0, reason));
    }

    /// Starts a session's tasks and notifies JavaScript.
    pub fn start(
        &self,
        id: u32,
        inner: h3::session::Session,
        recv: Fragile<quinn::RecvStream>,
        place: Place,
        origin: Origin,
    ) {
        let hub = &self.hub;
        let (request, connected_ms) = match origin {
            Origin::Client(info) => (Some(info), None),
            Origin::Ours { connected_ms } => (None, Some(connected_ms)),
        };
        let session = Arc::new(Session::new(id, inner, &hub.options, place));
        lock(&self.sessions).insert(id, session.clone());
        hub.event(Event {
            text: readable(remote_address(&session.inner)),
            request,
            connected_ms,
            ..Event::new(Kind::Opened, id)
        });
        let capsules = session.clone();
        session.spawn(hub, async move { capsules.inner.read_capsules(recv).await });
        session.spawn_taker(hub, receive(hub.clone(), session.clone()));
        session.spawn_taker(hub, accept_bidi(hub.clone(), session.clone()));
        session.spawn_taker(hub, accept_uni(hub.clone(), session.clone()));
        session.spawn(hub, watch(hub.clone(), session.clone()));
        let words = lock(&self.closed).clone();
        if let Some((code, reason)) = words {
            let (hub, closing) = (hub.clone(), session.clone());
            session.spawn(&hub, async move { closing.close(code, &reason).await });
            self.forget_session(id);
        }
    }

    /// Closes all sessions, including those still opening.
    pub async fn close(&self, code: u32, reason: &str) {
        *lock(&self.closed) = Some((code, reason.to_owned()));
        self.close_sessions(self.sessions(), code, reason).await;
    }

    async fn close_sessions(&self, sessions: Vec<Arc<Session>>, code: u32, reason: &str) {
        join_all(sessions.iter().map(|session| async move {
            let closing = async {
                session.close(code, reason).await;
                // A timeout is harmless: closing the sockets ends the connections.
                let _ = timeout(CLOSE_LIMIT, session.inner.closed()).await;
            };
            if let Err(message) = caught(closing).await {
                session.fail(&self.hub, message);
            }
        }))
        .await;
    }

    /// Releases and closes the sessions of a port that nobody reads any more.
    pub fn abandon(self: &Arc<Self>, code: u32, reason: String) {
        *lock(&self.closed) = Some((code, reason.clone()));
        let sessions = std::mem::take(&mut *lock(&self.sessions));
        let port = self.clone();
        self.hub.spawn(async move {
            let sessions = sessions.into_values().collect();
            port.close_sessions(sessions, code, &reason).await;
        });
    }

    /// Called when JavaScript has processed a session's end.
    pub fn forget_session(&self, id: u32) {
        // Dropped after the lock is released: the last reference closes the connection.
        let _session = lock(&self.sessions).remove(&id);
    }

    pub fn session(&self, id: u32) -> Option<Arc<Session>> {
        lock(&self.sessions).get(&id).cloned()
    }

    pub fn sessions(&self) -> Vec<Arc<Session>> {
        lock(&self.sessions).values().cloned().collect()
    }

    /// Existing sessions among these ids, as weak references.
    pub fn weak_sessions(&self, ids: &[u32]) -> Vec<Weak<Session>> {
        let sessions = lock(&self.sessions);
        ids.iter()
            .filter_map(|id| sessions.get(id).map(Arc::downgrade))
            .collect()
    }

    /// Calls with each existing session among these ids.
    pub fn with_sessions(&self, ids: &[u32], mut call: impl FnMut(&Arc<Session>)) {
        let sessions = lock(&self.sessions);
        for id in ids {
            if let Some(session) = sessions.get(id) {
                call(session);
            }
        }
    }
}
