//! An HTTP/3 connection: sorts its streams, and ends it when the peer breaks the rules.

use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::{Arc, Mutex, OnceLock};
use std::time::Duration;

use futures::stream::FuturesUnordered;
use futures::{Future, StreamExt};
use quinn::{RecvStream, SendStream, Side, VarInt};
use tokio::sync::mpsc::{channel, Receiver, Sender};
use tokio::sync::watch;
use tokio::time::sleep;
use tokio::{select, try_join};

use crate::counters::Breaches;
use crate::faults::{lock, Fragile};
use crate::h3::codes;
use crate::h3::head::{response, RequestHead};
use crate::h3::qpack::{self, Undecodable};
use crate::h3::settings::{self, Settings};
use crate::h3::wire::{
    frame, read_control, read_qpack, read_section, read_settings, read_varint, uni, Broken,
    Section, CRITICAL,
};

/// Most requests on one connection, including the session's: a client has no use for more.
const MAX_REQUESTS: u32 = 16;

/// A session's streams not accepted yet, with the session that they name. The others wait in QUIC.
const STREAMS: usize = 4;

/// Requests not accepted yet.
const REQUESTS: usize = 4;

/// Time after a connection's end in which earlier streams are still delivered.
pub const LAST_STREAMS: Duration = Duration::from_millis(100);

/// Entries of a connection's queues. They are boxed, because tokio's queues have memory for 32
/// entries at once.
pub type Bidi = Box<(u64, Fragile<SendStream>, Fragile<RecvStream>)>;
pub type Uni = Box<(u64, Fragile<RecvStream>)>;

/// A connection, on either side.
pub struct Connection {
    pub quic: quinn::Connection,
    /// The peer's settings; None until they arrive.
    settings: watch::Sender<Option<Settings>>,
    requests: AtomicU32,
    /// The only session, by the stream that requested it.
    session: OnceLock<u64>,
    streams: Mutex<Option<(Receiver<Bidi>, Receiver<Uni>)>>,
    /// Kinds of streams of which a peer has only one (RFC 9114, section 6.2.1; RFC 9204, section
    /// 4.2).
    single: Mutex<Vec<u64>>,
    breaches: Arc<Breaches>,
}

/// A request with its stream.
pub struct Exchange {
    pub head: RequestHead,
    pub send: Fragile<SendStream>,
    pub recv: Fragile<RecvStream>,
}

/// Sending ends of the queues for a connection's streams.
struct Queues {
    bidi: Sender<Bidi>,
    uni: Sender<Uni>,
    requests: Sender<Box<Exchange>>,
}

impl Connection {
    /// A connection for opening streams, and its task, which ends with it. A client gets no
    /// requests.
    pub fn start(
        quic: quinn::Connection,
        breaches: Arc<Breaches>,
    ) -> (
        Arc<Self>,
        Receiver<Box<Exchange>>,
        impl Future<Output = ()> + Send,
    ) {
        let (bidi, bidis) = channel(STREAMS);
        let (uni, unis) = channel(STREAMS);
        let (requests, exchanges) = channel(REQUESTS);
        let connection = Arc::new(Self {
            quic,
            settings: watch::Sender::new(None),
            requests: AtomicU32::new(0),
            session: OnceLock::new(),
            streams: Mutex::new(Some((bidis, unis))),
            single: Mutex::default(),
            breaches,
        });
        let queues = Queues {
            bidi,
            uni,
            requests,
        };
        let task = connection.clone().run(queues);
        (connection, exchanges, task)
    }

    /// The peer's settings, once they arrive; None if the connection ended before.
    pub async fn settings(&self) -> Option<Settings> {
        let mut settings = self.settings.subscribe();
        select! {
            told = settings.wait_for(Option::is_some) => told.ok().and_then(|settings| *settings),
            _ = self.quic.closed() => None,
        }
    }

    /// Makes a stream's request the connection's session. None if there is one already.
    pub fn open_session(&self, id: u64) -> Option<(Receiver<Bidi>, Receiver<Uni>)> {
        self.session.set(id).ok()?;
        lock(&self.streams).take()
    }

    pub fn has_session(&self) -> bool {
        self.session.get().is_some()
    }

    pub fn close(&self, code: u32, reason: &str) {
        self.quic.close(VarInt::from_u32(code), reason.as_bytes());
    }

    /// Ends the connection for a violation by the peer, and counts it.
    pub fn broken(&self, code: u32, reason: &str) {
        self.breaches.connections.add(1);
        self.close(code, reason);
    }

    /// Runs until the connection has ended and all earlier streams are delivered.
    async fn run(self: Arc<Self>, queues: Queues) {
        let handed_on = async {
            try_join!(
                self.control(),
                self.uni_streams(&queues),
                self.bidi_streams(&queues)
            )
        };
        let too_late = async {
            self.quic.closed().await;
            sleep(LAST_STREAMS).await;
        };
        let ended = select! {
            ended = handed_on => ended,
            () = too_late => return,
        };
        // A connection's end may cut its streams anywhere.
        if self.quic.close_reason().is_some() {
            return;
        }
        if let Err(Broken::Connection(code, reason)) = ended {
            self.broken(code, reason);
        }
    }

    /// Opens our control stream, and keeps it open.
    async fn control(&self) -> Result<(), Broken> {
        let Ok(stream) = self.quic.open_uni().await else {
            return Ok(());
        };
        let mut stream = Fragile::new(stream);
        if stream.write_all(&settings::control_stream()).await.is_err() {
            return Ok(());
        }
        match stream.stopped().await {
            Ok(_) => Err(Broken::Connection(
                codes::CLOSED_CRITICAL_STREAM,
                "our control stream was stopped",
            )),
            Err(_) => Ok(()),
        }
    }

    async fn uni_streams(&self, queues: &Queues) -> Result<(), Broken> {
        let mut open = FuturesUnordered::new();
        let mut more = true;
        while more || !open.is_empty() {
            select! {
                stream = self.quic.accept_uni(), if more => match stream {
                    Ok(stream) => open.push(self.uni_stream(Fragile::new(stream), queues)),
                    Err(_) => more = false,
                },
                Some(ended) = open.next() => if let Err(broken @ Broken::Connection(..)) = ended {
                    return Err(broken);
                },
            }
        }
        Ok(())
    }

    async fn uni_stream(
        &self,
        mut stream: Fragile<RecvStream>,
        queues: &Queues,
    ) -> Result<(), Broken> {
        // A stream may end before its kind, or within it (RFC 9114, section 6.2).
        let Ok(Some(kind)) = read_varint(&mut *stream).await else {
            return Ok(());
        };
        match kind {
            uni::WEBTRANSPORT => {
                let id = self.session_id(&mut stream).await?;
                let _ = queues.uni.send(Box::new((id, stream))).await;
                Ok(())
            }
            uni::CONTROL => {
                self.only_one(kind)?;
                Err(self.critical(self.read_control(&mut stream).await))
            }
            uni::QPACK_ENCODER | uni::QPACK_DECODER => {
                self.only_one(kind)?;
                Err(self.critical(read_qpack(&mut *stream).await))
            }
            uni::PUSH => Err(Broken::Connection(
                codes::STREAM_CREATION_ERROR,
                "a push that nobody has allowed",
            )),
            _ => {
                let _ = stream.stop(VarInt::from_u32(codes::STREAM_CREATION_ERROR));
                Ok(())
            }
        }
    }

    async fn read_control(&self, stream: &mut RecvStream) -> Broken {
        let read = async {
            let payload = read_settings(stream).await?;
            settings::decode(&payload)
        };
        match read.await {
            Ok(told) => {
                self.settings.send_replace(Some(told));
                read_control(stream).await
            }
            Err(broken) => broken,
        }
    }

    /// The end of a stream that may end with its connection only, also by a reset (RFC 9114,
    /// section 6.2.1; RFC 9204, section 4.2).
    fn critical(&self, ended: Broken) -> Broken {
        match ended {
            Broken::Gone if self.quic.close_reason().is_none() => CRITICAL,
            ended => ended,
        }
    }

    fn only_one(&self, kind: u64) -> Result<(), Broken> {
        let mut single = lock(&self.single);
        if single.contains(&kind) {
            let reason = "a second stream of a kind of which there is one";
            return Err(Broken::Connection(codes::STREAM_CREATION_ERROR, reason));
        }
        single.push(kind);
        Ok(())
    }

    /// Reads the session of a stream: the number of a bidirectional stream of the client's.
    async fn session_id(&self, stream: &mut RecvStream) -> Result<u64, Broken> {
        let id = read_varint(stream)
            .await?
            .ok_or(Broken::Stream(codes::REQUEST_INCOMPLETE))?;
        if id % 4 != 0 {
            return Err(Broken::Connection(
                codes::ID_ERROR,
                "a stream of no session",
            ));
        }
        Ok(id)
    }

    async fn bidi_streams(&self, queues: &Queues) -> Result<(), Broken> {
        let mut open = FuturesUnordered::new();
        let mut more = true;
        while more || !open.is_empty() {
            select! {
                stream = self.quic.accept_bi(), if more => match stream {
                    Ok((send, recv)) => {
                        open.push(self.bidi_stream(Fragile::new(send), Fragile::new(recv), queues));
                    }
                    Err(_) => more = false,
                },
                Some(ended) = open.next() => ended?,
            }
        }
        Ok(())
    }

    /// Determines the kind of a stream. Errors are the connection's.
    async fn bidi_stream(
        &self,
        mut send: Fragile<SendStream>,
        mut recv: Fragile<RecvStream>,
        queues: &Queues,
    ) -> Result<(), Broken> {
        match self.read_bidi(&mut send, &mut recv).await {
            Ok(First::Session(id)) => {
                let _ = queues.bidi.send(Box::new((id, send, recv))).await;
            }
            Ok(First::Request(head)) => {
                let exchange = Box::new(Exchange { head, send, recv });
                let _ = queues.requests.send(exchange).await;
            }
            Ok(First::Answered) => {
                self.breaches.requests.add(1);
                let _ = send.finish();
                let _ = recv.stop(VarInt::from_u32(codes::NO_ERROR));
            }
            Err(Broken::Stream(code)) => {
                self.breaches.requests.add(1);
                let _ = send.reset(VarInt::from_u32(code));
                let _ = recv.stop(VarInt::from_u32(code));
            }
            Err(Broken::Gone) => {}
            Err(broken) => return Err(broken),
        }
        Ok(())
    }

    async fn read_bidi(
        &self,
        send: &mut SendStream,
        recv: &mut RecvStream,
    ) -> Result<First, Broken> {
        let first = read_varint(recv)
            .await?
            .ok_or(Broken::Stream(codes::REQUEST_INCOMPLETE))?;
        if first == frame::WEBTRANSPORT {
            return self.session_id(recv).await.map(First::Session);
        }
        if self.quic.side() == Side::Client {
            let reason = "a request from a server";
            return Err(Broken::Connection(codes::STREAM_CREATION_ERROR, reason));
        }
        if self.requests.fetch_add(1, Ordering::Relaxed) >= MAX_REQUESTS {
            return Err(Broken::Connection(
                codes::EXCESSIVE_LOAD,
                "too many requests on a connection",
            ));
        }
        let head = match read_section(recv, Some(first)).await? {
            Section::Fields(section) => decode(&section)?,
            Section::TooLarge => None,
        };
        let Some(head) = head else {
            let _ = send.write_all(&response(431, &[])).await;
            return Ok(First::Answered);
        };
        if head.is_webtransport() {
            self.check_session().await?;
        }
        Ok(First::Request(head))
    }

    /// Checks a session's conditions on the connection: no other session, and support of datagrams.
    async fn check_session(&self) -> Result<(), Broken> {
        let settings = self.settings().await.ok_or(Broken::Gone)?;
        if !settings.datagrams || self.quic.max_datagram_size().is_none() {
            let reason = "WebTransport needs datagrams";
            return Err(Broken::Connection(codes::REQUIREMENTS_NOT_MET, reason));
        }
        if self.has_session() {
            return Err(Broken::Stream(codes::REQUEST_REJECTED));
        }
        Ok(())
    }
}

/// The beginning of a bidirectional stream.
enum First {
    /// The session's number.
    Session(u64),
    Request(RequestHead),
    /// A request that was answered here.
    Answered,
}

/// Decodes a request's fields; None if they are too large.
fn decode(section: &[u8]) -> Result<Option<RequestHead>, Broken> {
    match qpack::decode(section) {
        Ok(fields) => match RequestHead::from_fields(fields) {
            Ok(head) => Ok(Some(head)),
            Err(_) => Err(Broken::Stream(codes::MESSAGE_ERROR)),
        },
        Err(Undecodable::TooLarge) => Ok(None),
        Err(Undecodable::Malformed) => {
            let reason = "a field section that can't be read";
            Err(Broken::Connection(
                codes::QPACK_DECOMPRESSION_FAILED,
                reason,
            ))
        }
    }
}
