use super::*;
use crate::h3::session::tests::requested;
use crate::hub::tests::options;
use crate::options::EARLY_WINDOW;
use crate::place::Places;
use crate::quic::tls::certificate::{connected, server_config};

/// Time without credit after which there is none.
const NO_CREDIT: Duration = Duration::from_millis(200);

/// Sends on new streams of session 0, which nobody reads; returns the number of bytes.
async fn unread(client: &quinn::Connection) -> usize {
    let mut part = [0; 16 * 1024];
    part[..2].copy_from_slice(&[0x40, 0x54]);
    let mut bytes = 0;
    for _ in 0..4 {
        let mut stream = client.open_uni().await.unwrap();
        while let Ok(written) = timeout(NO_CREDIT, stream.write(&part)).await {
            bytes += written.unwrap();
        }
    }
    bytes
}

#[tokio::test]
async fn a_peer_fills_little_memory_before_its_session() {
    let options = Options {
        idle_timeout_ms: 10_000,
        max_streams: 16,
        stream_buffer_bytes: 640 * 1024,
        ..options()
    };
    let mut config = server_config();
    config.transport_config(Arc::new(options.transport().unwrap()));
    let (quic, client, _endpoints) = connected(config).await;
    // SETTINGS with SETTINGS_H3_DATAGRAM alone.
    let settings = [0, 4, 2, 0x33, 1];
    let (connection, exchange, _streams) =
        requested(quic, &client, Arc::default(), &settings).await;
    let early = unread(&client).await;
    assert!(early <= EARLY_WINDOW as usize, "{early}");
    let inner = h3::session::Session::new(connection, exchange.send).unwrap();
    let place = Places::new(1).enter().unwrap();
    let _session = Session::new(1, inner, &options, place);
    let later = unread(&client).await;
    assert!(later > 2 * options.stream_buffer_bytes as usize, "{later}");
}
