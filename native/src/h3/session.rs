//! A WebTransport session on an HTTP/3 connection (draft-ietf-webtrans-http3).

use std::ops::Deref;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, OnceLock};
use std::time::Duration;

use futures::{future, FutureExt};
use quinn::{ConnectionError, RecvStream, SendStream, VarInt};
use tokio::select;
use tokio::sync::mpsc::Receiver;
use tokio::sync::{watch, Mutex};
use tokio::time::{sleep, timeout};
use web_transport_proto::Capsule;

use crate::faults::Fragile;
use crate::h3::capsules::read_close;
use crate::h3::codes;
use crate::h3::connection::{Bidi, Connection, Uni};
use crate::h3::wire::{frame, put_frame, put_varint, uni};
use crate::quic::engine::path_stats;

/// Round trips for the peer to end its side after ours, and the least time for it.
const GOODBYE_ROUND_TRIPS: u32 = 3;
const SHORTEST_GOODBYE: Duration = Duration::from_millis(100);

/// Longest wait for the last capsule of a closed connection.
const LAST_CAPSULE: Duration = Duration::from_millis(100);

/// A session; it is alone on its connection, which ends with it.
pub struct Session {
    connection: Arc<Connection>,
    /// Number of the stream that requested the session.
    id: u64,
    /// Our side of that stream, until it is ended.
    connect: Mutex<Option<Fragile<SendStream>>>,
    bidi: Mutex<Receiver<Bidi>>,
    uni: Mutex<Receiver<Uni>>,
    /// The peer's code and reason, if it ended the session in order.
    peer_end: OnceLock<(u32, String)>,
    /// True when no more capsules come.
    capsules_over: watch::Sender<bool>,
    /// True once the peer has reset the request's stream, and so the session.
    cut: AtomicBool,
}

/// End of a session's stream.
enum End {
    InOrder(u32, String),
    Cut,
    Malformed,
}

impl Session {
    /// The session of a request's stream. None if the connection has one already.
    pub fn new(connection: Arc<Connection>, send: Fragile<SendStream>) -> Option<Self> {
        let id = u64::from(VarInt::from(send.id()));
        let (bidi, uni) = connection.open_session(id)?;
        Some(Self {
            connection,
            id,
            connect: Mutex::new(Some(send)),
            bidi: Mutex::new(bidi),
            uni: Mutex::new(uni),
            peer_end: OnceLock::new(),
            capsules_over: watch::Sender::new(false),
            cut: AtomicBool::new(false),
        })
    }

    /// Prefix of each datagram: the session's number divided by four (RFC 9297, section 2.1).
    pub fn datagram_header(&self) -> Vec<u8> {
        let mut header = Vec::new();
        put_varint(&mut header, self.id / 4);
        header
    }

    /// Reads the request's stream until the peer ends it, and with it the session
    /// (draft-ietf-webtrans-http3, section 6). Runs as long as the session.
    pub async fn read_capsules(&self, mut recv: Fragile<RecvStream>) {
        let end = select! {
            biased;
            end = read_end(&mut recv) => end,
            () = self.stopped() => End::Cut,
        };
        if self.quic().close_reason().is_none() {
            match end {
                End::InOrder(code, reason) => {
                    let (code, text) = self.peer_end.get_or_init(|| (code, reason));
                    self.quic().close(codes::to_wire(*code), text.as_bytes());
                }
                End::Cut => {
                    self.cut.store(true, Ordering::Relaxed);
                    self.connection.close(codes::NO_ERROR, "");
                }
                // RFC 9297, section 3.3. The stream's error is the connection's, which has no other
                // session.
                End::Malformed => self
                    .connection
                    .broken(codes::MESSAGE_ERROR, "a capsule that can't be read"),
            }
        }
        self.capsules_over.send_replace(true);
    }

    /// Waits until the peer stops reading the session's stream. With a closing capsule that signal
    /// may overtake the capsule.
    async fn stopped(&self) {
        let stopped = match &*self.connect.lock().await {
            Some(send) => send.stopped().left_future(),
            None => future::pending().right_future(),
        };
        if let Ok(Some(_)) = stopped.await {
            sleep(LAST_CAPSULE).await;
        } else {
            future::pending().await
        }
    }

    /// True once the peer has reset the session.
    pub fn was_cut(&self) -> bool {
        self.cut.load(Ordering::Relaxed)
    }

    /// Next stream opened by the peer; None when the connection has ended.
    pub async fn accept_bi(&self) -> Option<(Fragile<SendStream>, Fragile<RecvStream>)> {
        let mut streams = self.bidi.lock().await;
        loop {
            let (id, mut send, mut recv) = *streams.recv().await?;
            if id == self.id {
                return Some((send, recv));
            }
            let _ = send.reset(VarInt::from_u32(codes::SESSION_GONE));
            let _ = recv.stop(VarInt::from_u32(codes::SESSION_GONE));
        }
    }

    pub async fn accept_uni(&self) -> Option<Fragile<RecvStream>> {
        let mut streams = self.uni.lock().await;
        loop {
            let (id, mut recv) = *streams.recv().await?;
            if id == self.id {
                return Some(recv);
            }
            let _ = recv.stop(VarInt::from_u32(codes::SESSION_GONE));
        }
    }

    /// Opens a stream; None when the connection has ended.
    pub async fn open_bi(&self) -> Option<(Fragile<SendStream>, Fragile<RecvStream>)> {
        let (send, recv) = self.quic().open_bi().await.ok()?;
        let (mut send, recv) = (Fragile::new(send), Fragile::new(recv));
        send.write_all(&self.stream_header(frame::WEBTRANSPORT))
            .await
            .ok()?;
        Some((send, recv))
    }

    pub async fn open_uni(&self) -> Option<Fragile<SendStream>> {
        let mut send = Fragile::new(self.quic().open_uni().await.ok()?);
        send.write_all(&self.stream_header(uni::WEBTRANSPORT))
            .await
            .ok()?;
        Some(send)
    }

    fn stream_header(&self, kind: u64) -> Vec<u8> {
        let mut header = Vec::new();
        put_varint(&mut header, kind);
        put_varint(&mut header, self.id);
        header
    }

    /// Ends the session with a capsule, and the connection after the peer's answer or a time limit.
    pub async fn close(&self, code: u32, reason: &str) {
        let Some(mut send) = self.connect.lock().await.take() else {
            return;
        };
        let mut capsule = Vec::new();
        let reason = reason.to_owned();
        Capsule::CloseWebTransportSession {
            code,
            reason: reason.clone(),
        }
        .encode(&mut capsule);
        let mut bytes = Vec::new();
        put_frame(&mut bytes, frame::DATA, &capsule);
        let goodbye = async {
            if send.write_all(&bytes).await.is_ok() && send.finish().is_ok() {
                self.quic().closed().await;
            }
        };
        let patience = (path_stats(self.quic()).rtt * GOODBYE_ROUND_TRIPS).max(SHORTEST_GOODBYE);
        let _ = timeout(patience, goodbye).await;
        self.quic().close(codes::to_wire(code), reason.as_bytes());
    }

    /// Waits for the connection's end.
    pub async fn closed(&self) -> ConnectionError {
        let reason = self.quic().closed().await;
        let mut over = self.capsules_over.subscribe();
        let _ = timeout(LAST_CAPSULE, over.wait_for(|over| *over)).await;
        reason
    }

    /// The peer's code and reason, if it ended the session in order. They may come twice: in a
    /// capsule, and with the connection's end.
    pub fn peer_end(&self, reason: &ConnectionError) -> Option<(u32, String)> {
        if let Some(end) = self.peer_end.get() {
            return Some(end.clone());
        }
        let ConnectionError::ApplicationClosed(close) = reason else {
            return None;
        };
        let text = String::from_utf8_lossy(&close.reason).into_owned();
        if close.error_code == VarInt::from_u32(codes::NO_ERROR) {
            return Some((0, text));
        }
        codes::from_wire(close.error_code).map(|code| (code, text))
    }

    fn quic(&self) -> &quinn::Connection {
        &self.connection.quic
    }
}

/// Reads capsules until there are no more.
async fn read_end(recv: &mut RecvStream) -> End {
    match read_close(&mut *recv).await {
        Ok(Some((code, reason))) => return End::InOrder(code, reason),
        // The end of the stream without a capsule counts as code 0.
        Ok(None) => return End::InOrder(0, String::new()),
        Err(_) => {}
    }
    // The error doesn't tell whether it is the stream's.
    match recv.received_reset().now_or_never() {
        Some(Ok(Some(_))) => End::Cut,
        _ => End::Malformed,
    }
}

impl Deref for Session {
    type Target = quinn::Connection;

    fn deref(&self) -> &quinn::Connection {
        self.quic()
    }
}

#[cfg(test)]
#[path = "session_tests.rs"]
pub mod tests;
