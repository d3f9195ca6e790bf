use std::net::{Ipv4Addr, Ipv6Addr};
use std::time::Instant;

use quinn::ConnectionError;
use tokio::runtime::Handle;

use super::*;
use crate::hub::tests::options;
use crate::hub::Hub;
use crate::quic::engine::remote_address;
use crate::quic::socket::bind;
use crate::quic::tls::certificate::{client_config, server_config};

#[tokio::test]
async fn an_address_where_nobody_answers_costs_the_head_start() {
    let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    let server = Endpoint::server(server_config(), here).unwrap();
    let address = server.local_addr().unwrap();
    tokio::spawn(async move {
        let connection = server.accept().await.unwrap().await.unwrap();
        connection.closed().await
    });
    let any = SocketAddr::new(Ipv6Addr::UNSPECIFIED.into(), 0);
    let runtime = Arc::new(quinn::TokioRuntime);
    let client = Endpoint::new(Default::default(), None, bind(any).unwrap(), runtime).unwrap();
    // Nothing listens on the IPv6 address, and no error is reported.
    let silent = SocketAddr::new(Ipv6Addr::LOCALHOST.into(), address.port());
    let begun = Instant::now();
    let waiting = VecDeque::from([silent, address]);
    let dialled = dial(&client, &client_config(), waiting, "localhost").await;
    assert_eq!(
        remote_address(&dialled.ok().unwrap()).port(),
        address.port()
    );
    assert!((HEAD_START..8 * HEAD_START).contains(&begun.elapsed()));
}

#[tokio::test]
async fn an_attempt_that_is_given_up_ends_its_connection() {
    let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    // This server accepts connections, and says nothing.
    let server = Endpoint::server(server_config(), here).unwrap();
    let url = format!("https://{}/session", server.local_addr().unwrap());
    let accepting = tokio::spawn(async move {
        let connection = server.accept().await.unwrap().await.unwrap();
        connection.closed().await
    });
    let client = Endpoint::client(here).unwrap();
    let hub = Hub::new(options(), Handle::current(), Box::new(|| {}));
    let registry = Registry::new(Arc::new(hub));
    let target = Target {
        url: url.parse().unwrap(),
        headers: Vec::new(),
        config: client_config(),
    };
    let opening = open(&registry, client.clone(), target);
    assert!(timeout(4 * HEAD_START, opening).await.is_err());
    let ended = timeout(8 * HEAD_START, accepting).await.unwrap().unwrap();
    assert!(matches!(ended, ConnectionError::ApplicationClosed(_)));
}

#[cfg(not(feature = "noq"))]
#[tokio::test]
async fn a_failed_socket_is_replaced() {
    let client = ClientSocket::default();
    let broken = crate::server::tests::broken(None);
    let first = client.get(|| Ok::<_, ()>(broken)).unwrap();
    // Ends when quinn's task has met the error.
    let accepting = timeout(8 * HEAD_START, first.accept());
    assert!(accepting.await.unwrap().is_none());
    let here = SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 0);
    let bind = || Endpoint::client(here);
    let second = client.get(bind).unwrap().local_addr().unwrap();
    assert_ne!(second, first.local_addr().unwrap());
    // A socket that works is kept.
    assert_eq!(client.get(bind).unwrap().local_addr().unwrap(), second);
}

#[test]
fn addresses_of_both_families_are_tried_by_turns() {
    let order = |found: &[&str]| -> Vec<String> {
        let found = found.iter().map(|text| text.parse().unwrap()).collect();
        by_turns(found).iter().map(SocketAddr::to_string).collect()
    };
    let (a, b, c, d) = ("[::1]:1", "[::2]:1", "[::3]:1", "127.0.0.1:1");
    assert_eq!(order(&[a, b, c, d]), [a, d, b, c]);
    assert_eq!(order(&[d, a, b]), [d, a, b]);
    assert_eq!(order(&[a]), [a]);
    assert_eq!(order(&[]), [""; 0]);
    assert_eq!(order(&[a; 20]).len(), MAX_ADDRESSES);
}
