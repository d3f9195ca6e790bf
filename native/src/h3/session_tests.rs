use quinn::Endpoint;
use web_transport_proto::VarInt as Varint;

use super::*;
use crate::counters::Breaches;
use crate::h3::connection::Exchange;
use crate::h3::head::{request, response};
use crate::h3::settings::control_stream;
use crate::quic::tls::certificate::{connected, server_config};

/// Far below the connection's idle timeout, which is 30 s.
const AT_ONCE: Duration = Duration::from_secs(3);

/// A server's session whose client is the test, byte for byte.
struct Pair {
    session: Arc<Session>,
    breaches: Arc<Breaches>,
    client: quinn::Connection,
    send: SendStream,
    recv: RecvStream,
    control: SendStream,
    _endpoints: [Endpoint; 2],
}

/// Requests a session from the server's end of a connection. Returns what it has of it, and the
/// client's streams: of control, which begins with `settings`, and of the request.
pub async fn requested(
    quic: quinn::Connection,
    client: &quinn::Connection,
    breaches: Arc<Breaches>,
    settings: &[u8],
) -> (
    Arc<Connection>,
    Exchange,
    (SendStream, SendStream, RecvStream),
) {
    let (connection, mut exchanges, task) = Connection::start(quic, breaches);
    tokio::spawn(task);
    let mut control = client.open_uni().await.unwrap();
    control.write_all(settings).await.unwrap();
    let (mut send, recv) = client.open_bi().await.unwrap();
    let url = "https://localhost/session".parse().unwrap();
    send.write_all(&request(&url, &[])).await.unwrap();
    let exchange = *exchanges.recv().await.unwrap();
    (connection, exchange, (control, send, recv))
}

async fn open() -> Pair {
    let (quic, client, endpoints) = connected(server_config()).await;
    let breaches = Arc::new(Breaches::default());
    let (connection, mut exchange, (control, send, recv)) =
        requested(quic, &client, breaches.clone(), &control_stream()).await;
    exchange.send.write_all(&response(200, &[])).await.unwrap();
    let session = Arc::new(Session::new(connection, exchange.send).unwrap());
    let reading = session.clone();
    tokio::spawn(async move { reading.read_capsules(exchange.recv).await });
    Pair {
        session,
        breaches,
        client,
        send,
        recv,
        control,
        _endpoints: endpoints,
    }
}

impl Pair {
    /// The session's end on both sides. Returns code and reason of the peer's end, true after a
    /// reset, number of violations, and the connection's close code.
    async fn ended(&self) -> (Option<(u32, String)>, bool, f64, u64) {
        let reason = timeout(AT_ONCE, self.session.closed()).await.unwrap();
        let code = match timeout(AT_ONCE, self.client.closed()).await.unwrap() {
            ConnectionError::ApplicationClosed(close) => close.error_code.into_inner(),
            error => panic!("{error}"),
        };
        let end = self.session.peer_end(&reason);
        (
            end,
            self.session.was_cut(),
            self.breaches.connections.get(),
            code,
        )
    }
}

fn data(capsule: &[u8]) -> Vec<u8> {
    let mut bytes = Vec::new();
    put_frame(&mut bytes, frame::DATA, capsule);
    bytes
}

fn closing(code: u32, reason: &str) -> Vec<u8> {
    let (mut capsule, reason) = (Vec::new(), reason.to_owned());
    Capsule::CloseWebTransportSession { code, reason }.encode(&mut capsule);
    capsule
}

const CUT: (Option<(u32, String)>, bool, f64, u64) = (None, true, 0.0, codes::NO_ERROR as u64);

#[test]
fn an_entry_of_a_queue_takes_no_more_than_a_pointer() {
    let pointer = std::mem::size_of::<usize>();
    assert_eq!(std::mem::size_of::<Bidi>(), pointer);
    assert_eq!(std::mem::size_of::<Uni>(), pointer);
}

#[tokio::test]
async fn ends_when_its_stream_is_reset() {
    let mut pair = open().await;
    // H3_REQUEST_CANCELLED
    pair.send.reset(VarInt::from_u32(0x10c)).unwrap();
    assert_eq!(pair.ended().await, CUT);
}

#[tokio::test]
async fn ends_when_its_stream_is_reset_within_a_capsule() {
    let mut pair = open().await;
    let bytes = data(&closing(5, "bye"));
    pair.send
        .write_all(&bytes[..bytes.len() - 2])
        .await
        .unwrap();
    pair.send.reset(VarInt::from_u32(0x10c)).unwrap();
    assert_eq!(pair.ended().await, CUT);
}

#[tokio::test]
async fn ends_when_its_stream_is_not_read() {
    let mut pair = open().await;
    pair.recv
        .stop(VarInt::from_u32(codes::SESSION_GONE))
        .unwrap();
    assert_eq!(pair.ended().await, CUT);
}

#[tokio::test]
async fn ends_by_the_capsule_that_comes_behind_a_stop() {
    let mut pair = open().await;
    pair.recv
        .stop(VarInt::from_u32(codes::SESSION_GONE))
        .unwrap();
    sleep(LAST_CAPSULE / 4).await;
    pair.send
        .write_all(&data(&closing(5, "bye")))
        .await
        .unwrap();
    pair.send.finish().unwrap();
    let (end, cut, breaches, code) = pair.ended().await;
    assert_eq!((end, cut, breaches), (Some((5, "bye".into())), false, 0.0));
    assert_eq!(
        Varint::from_u64(code).map(Varint::into_inner),
        Ok(codes::error_to_http3(5))
    );
}

#[tokio::test]
async fn ends_with_an_error_when_a_capsule_is_malformed() {
    let mut not_utf8 = closing(5, "bye");
    *not_utf8.last_mut().unwrap() = 0xff;
    let mut too_long = Vec::new();
    put_varint(&mut too_long, 0x2843);
    put_varint(&mut too_long, 1 << 30);
    // Without a limit the bytes behind it would be kept until it has its code.
    let mut without_code = Vec::new();
    put_frame(&mut without_code, 0x2843, &[0; 3]);
    let long_reason = closing(5, &"x".repeat(1025));
    for capsule in [not_utf8, too_long, without_code, long_reason] {
        let mut pair = open().await;
        pair.send.write_all(&data(&capsule)).await.unwrap();
        assert_eq!(
            pair.ended().await,
            (None, false, 1.0, codes::MESSAGE_ERROR.into())
        );
    }
}

#[tokio::test]
async fn ends_with_an_error_when_its_stream_ends_within_a_capsule() {
    let mut pair = open().await;
    pair.send
        .write_all(&data(&closing(5, "bye")[..3]))
        .await
        .unwrap();
    pair.send.finish().unwrap();
    assert_eq!(
        pair.ended().await,
        (None, false, 1.0, codes::MESSAGE_ERROR.into())
    );
}

#[tokio::test]
async fn ends_with_the_connection_when_a_critical_stream_is_reset() {
    let mut pair = open().await;
    pair.control.reset(VarInt::from_u32(0)).unwrap();
    let (_, _, breaches, code) = pair.ended().await;
    assert_eq!((breaches, code), (1.0, 0x104));
    let pair = open().await;
    let mut qpack = pair.client.open_uni().await.unwrap();
    qpack.write_all(&[2]).await.unwrap();
    // Lets the kind arrive: it is lost with a reset.
    sleep(LAST_CAPSULE).await;
    qpack.reset(VarInt::from_u32(0)).unwrap();
    let (_, _, breaches, code) = pair.ended().await;
    assert_eq!((breaches, code), (1.0, 0x104));
}

#[tokio::test]
async fn goes_on_when_another_stream_ends_within_its_kind() {
    let pair = open().await;
    let mut stream = pair.client.open_uni().await.unwrap();
    // The first byte of a number of two.
    stream.write_all(&[0x40]).await.unwrap();
    stream.finish().unwrap();
    let waited = timeout(LAST_CAPSULE * 3, pair.session.closed()).await;
    assert!(waited.is_err());
    assert_eq!(pair.breaches.connections.get(), 0.0);
}

#[tokio::test]
async fn goes_on_behind_capsules_that_it_does_not_know() {
    let mut pair = open().await;
    let mut unknown = Vec::new();
    put_frame(&mut unknown, 0x78ae, b"");
    put_frame(&mut unknown, 0x190b_4d3d, b"\x01");
    pair.send.write_all(&data(&unknown)).await.unwrap();
    let waited = timeout(LAST_CAPSULE * 3, pair.session.closed()).await;
    assert!(waited.is_err());
    pair.send.finish().unwrap();
    let (end, cut, breaches, _) = pair.ended().await;
    assert_eq!((end, cut, breaches), (Some((0, String::new())), false, 0.0));
}
