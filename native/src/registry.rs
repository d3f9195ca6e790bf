use std::collections::HashMap;
use std::sync::{Arc, Mutex, Weak};

use crate::counters::Breaches;
use crate::events::{Cause, Event, Kind};
use crate::faults::{caught, lock, Fragile};
use crate::h3;
use crate::hub::{Hub, Place};
use crate::quic::engine::remote_address;
use crate::quic::pending::Pending;
use crate::quic::socket::readable;
use crate::request::Request;
use crate::session::{receive, watch, Session};
use crate::stream_tasks::{accept_bidi, accept_uni};

/// An endpoint's sessions, the requests that JavaScript has not decided, and the connections that are
/// neither yet.
pub struct Registry {
    pub hub: Arc<Hub>,
    pub pending: Arc<Pending<Place>>,
    pub breaches: Arc<Breaches>,
    sessions: Mutex<HashMap<u32, Arc<Session>>>,
    requests: Mutex<HashMap<u32, Request>>,
}

impl Registry {
    pub fn new(hub: Arc<Hub>) -> Self {
        Self {
            pending: Arc::new(Pending::new(hub.options.max_connections as usize)),
            breaches: Arc::default(),
            hub,
            sessions: Mutex::default(),
            requests: Mutex::default(),
        }
    }

    /// Has JavaScript decide about a request.
    pub fn ask(&self, request: Request) -> u32 {
        let id = self.hub.next_id();
        let event = Event {
            request: Some(request.info()),
            ..Event::new(Kind::Request, id)
        };
        lock(&self.requests).insert(id, request);
        self.hub.event(event);
        id
    }

    pub fn take_request(&self, id: u32) -> Option<Request> {
        lock(&self.requests).remove(&id)
    }

    pub fn drop_requests(&self) {
        let _requests = std::mem::take(&mut *lock(&self.requests));
    }

    /// Accepts a request. JavaScript hears that the session has opened, or else that it has closed.
    pub async fn accept(&self, request: Request, id: u32) {
        let limit = self.hub.options.handshake_timeout();
        let reason = match caught(request.accept(limit)).await {
            Ok(Some((inner, recv, place))) => return self.start(id, inner, recv, place, None),
            Ok(None) => "the client went away".to_owned(),
            Err(message) => {
                let reason = format!("the engine failed: {message}");
                self.hub.fault(0, message);
                reason
            }
        };
        self.hub.event(Event::closed(id, Cause::Lost, 0, reason));
    }

    /// Starts a session's tasks and tells JavaScript.
    pub fn start(
        &self,
        id: u32,
        inner: h3::session::Session,
        recv: Fragile<quinn::RecvStream>,
        place: Place,
        connected_ms: Option<f64>,
    ) {
        let hub = &self.hub;
        let session = Arc::new(Session::new(id, inner, &hub.options, place));
        lock(&self.sessions).insert(id, session.clone());
        hub.event(Event {
            text: readable(remote_address(&session.inner)),
            connected_ms,
            ..Event::new(Kind::Opened, id)
        });
        let capsules = session.clone();
        session.spawn(hub, async move { capsules.inner.read_capsules(recv).await });
        session.spawn(hub, receive(hub.clone(), session.clone()));
        session.spawn(hub, accept_bidi(hub.clone(), session.clone()));
        session.spawn(hub, accept_uni(hub.clone(), session.clone()));
        session.spawn(hub, watch(hub.clone(), session.clone()));
    }

    /// JavaScript has taken note of a session's end.
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

    /// Those sessions of these ids that there are, which are not kept by it.
    pub fn weak_sessions(&self, ids: &[u32]) -> Vec<Weak<Session>> {
        let sessions = lock(&self.sessions);
        ids.iter()
            .filter_map(|id| sessions.get(id).map(Arc::downgrade))
            .collect()
    }

    /// Calls with each session of these ids that there is.
    pub fn with_sessions(&self, ids: &[u32], mut call: impl FnMut(&Session)) {
        let sessions = lock(&self.sessions);
        for id in ids {
            if let Some(session) = sessions.get(id) {
                call(session);
            }
        }
    }
}
