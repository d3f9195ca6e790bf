use std::sync::Arc;

use bytes::Bytes;
use futures::FutureExt;
use quinn::{ReadError, RecvStream, SendStream, VarInt, WriteError};
use tokio::select;
use tokio::time::Instant;

use crate::events::{Event, Kind};
use crate::faults::{lock, Fragile};
use crate::h3::codes::{from_wire, to_wire};
use crate::hub::Hub;
use crate::quic::engine::read_chunk;
use crate::session::Session;
use crate::stream::{End, Sides, Stream, Work};

/// Most bytes of one read.
const CHUNK_BYTES: usize = 16 * 1024;

/// Most streams of a session, opened by either side.
const MAX_STREAMS: usize = 4096;

const BIDI: usize = 0;
const UNI: usize = 1;

/// Accepts the peer's bidirectional streams while there are permits.
pub async fn accept_bidi(hub: Arc<Hub>, session: Arc<Session>) {
    while let Some(permit) = place(&session, BIDI).await {
        let Some((send, mut recv)) = session.inner.accept_bi().await else {
            return;
        };
        let stream = new_stream(&hub, &session, Sides::Both, Some(permit));
        announce(&hub, &session, &stream, &mut recv);
        session.spawn_taker(
            &hub,
            read(hub.clone(), session.clone(), stream.clone(), recv),
        );
        session.spawn(&hub, write(hub.clone(), session.clone(), stream, send));
    }
}

/// Accepts the peer's unidirectional streams while there are permits.
pub async fn accept_uni(hub: Arc<Hub>, session: Arc<Session>) {
    while let Some(permit) = place(&session, UNI).await {
        let Some(mut recv) = session.inner.accept_uni().await else {
            return;
        };
        let stream = new_stream(&hub, &session, Sides::Incoming, Some(permit));
        announce(&hub, &session, &stream, &mut recv);
        session.spawn_taker(&hub, read(hub.clone(), session.clone(), stream, recv));
    }
}

/// A permit for a stream, even after the connection's end: the stream may have come before.
async fn place(session: &Session, kind: usize) -> Option<tokio::sync::OwnedSemaphorePermit> {
    select! {
        biased;
        permit = session.peer_streams[kind].clone().acquire_owned() => permit.ok(),
        _ = session.inner.closed() => None,
    }
}

/// Announces a stream opened by the peer. Its first bytes are kept before that, since their own
/// notification would come a millisecond or two later.
fn announce(hub: &Hub, session: &Session, stream: &Stream, recv: &mut RecvStream) {
    let room = stream.room().min(CHUNK_BYTES);
    let first = read_chunk(recv, room).now_or_never();
    let told = first.is_some_and(|chunk| keep(stream, chunk).0);
    hub.event(Event {
        code: u32::from(stream.bidi),
        ..Event::of_stream(Kind::StreamOpened, session.id, stream.id)
    });
    if told {
        tell_readable(hub, session, stream);
    }
}

fn new_stream(
    hub: &Hub,
    session: &Session,
    sides: Sides,
    permit: Option<tokio::sync::OwnedSemaphorePermit>,
) -> Arc<Stream> {
    let limit = hub.options.stream_buffer_bytes as usize;
    let stream = Arc::new(Stream::new(session.next_stream(), limit, sides, permit));
    lock(&session.streams).insert(stream.id, stream.clone());
    stream
}

/// Makes our own stream. It accepts writes at once; it opens when the peer allows it, and if only
/// we write, with the first bytes. None when there are too many.
pub fn open(hub: &Arc<Hub>, session: &Arc<Session>, bidi: bool) -> Option<u32> {
    if lock(&session.streams).len() >= MAX_STREAMS {
        return None;
    }
    let sides = if bidi { Sides::Both } else { Sides::Outgoing };
    let stream = new_stream(hub, session, sides, None);
    let id = stream.id;
    session.spawn(hub, opened(hub.clone(), session.clone(), stream));
    Some(id)
}

async fn opened(hub: Arc<Hub>, session: Arc<Session>, stream: Arc<Stream>) {
    if stream.bidi {
        let Some((send, recv)) = session.inner.open_bi().await else {
            return;
        };
        let reading = read(hub.clone(), session.clone(), stream.clone(), recv);
        session.spawn_taker(&hub, reading);
        write(hub, session, stream, send).await;
        return;
    }
    // The stream opens with its first bytes, since its header alone would need a packet.
    select! {
        _ = stream.write_on.notified() => {}
        _ = session.inner.closed() => return,
    }
    if let Some(send) = session.inner.open_uni().await {
        write(hub, session, stream, send).await;
    }
}

/// Releases a stream on which nothing more can happen.
pub fn drop_if_over(session: &Session, stream: &Stream) {
    if stream.is_over() {
        lock(&session.streams).remove(&stream.id);
    }
}

async fn read(
    hub: Arc<Hub>,
    session: Arc<Session>,
    stream: Arc<Stream>,
    mut recv: Fragile<RecvStream>,
) {
    loop {
        if let Some(code) = stream.stopped() {
            let _ = recv.stop(to_wire(code));
            break;
        }
        let room = stream.room().min(CHUNK_BYTES);
        if room == 0 {
            select! {
                _ = stream.read_on.notified() => continue,
                _ = session.inner.closed() => break,
            }
        }
        let chunk = select! {
            chunk = read_chunk(&mut recv, room) => chunk,
            _ = stream.read_on.notified() => continue,
        };
        let (told, over) = keep(&stream, chunk);
        if told {
            tell_readable(&hub, &session, &stream);
        }
        if over {
            break;
        }
    }
    drop_if_over(&session, &stream);
}

/// Keeps a read chunk; returns whether to notify JavaScript, and whether it was the end.
fn keep(stream: &Stream, chunk: Result<Option<Bytes>, ReadError>) -> (bool, bool) {
    match chunk {
        Ok(Some(chunk)) => (stream.arrived(&chunk), false),
        Ok(None) => (stream.ended(End::Finished), true),
        Err(ReadError::Reset(code)) => {
            (stream.ended(End::Reset(from_wire(code).unwrap_or(0))), true)
        }
        Err(_) => (stream.ended(End::Reset(0)), true),
    }
}

fn tell_readable(hub: &Hub, session: &Session, stream: &Stream) {
    hub.event(Event::of_stream(
        Kind::StreamReadable,
        session.id,
        stream.id,
    ));
}

async fn write(
    hub: Arc<Hub>,
    session: Arc<Session>,
    stream: Arc<Stream>,
    mut send: Fragile<SendStream>,
) {
    loop {
        match stream.next_work() {
            Work::Write(chunk) => {
                let bytes = chunk.len();
                let written = select! {
                    written = send.write_chunk(chunk) => written,
                    _ = stream.abandon.notified() => continue,
                };
                if let Err(error) = written {
                    if let WriteError::Stopped(code) = error {
                        stopped(&hub, &session, &stream, code);
                    }
                    break;
                }
                *lock(&session.wrote_at) = Some(Instant::now());
                if stream.wrote(bytes) {
                    hub.event(Event::of_stream(
                        Kind::StreamWritable,
                        session.id,
                        stream.id,
                    ));
                }
            }
            Work::Finish => {
                let _ = send.finish();
                break;
            }
            Work::Reset(code) => {
                let _ = send.reset(to_wire(code));
                break;
            }
            Work::Wait => select! {
                _ = stream.write_on.notified() => {}
                code = send.stopped() => {
                    if let Ok(Some(code)) = code {
                        stopped(&hub, &session, &stream, code);
                    }
                    break;
                }
            },
        }
    }
    stream.write_over();
    drop_if_over(&session, &stream);
}

fn stopped(hub: &Hub, session: &Session, stream: &Stream, code: VarInt) {
    let Some(code) = from_wire(code) else {
        return;
    };
    hub.event(Event {
        code,
        ..Event::of_stream(Kind::StreamStopped, session.id, stream.id)
    });
}
