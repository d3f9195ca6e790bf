use std::io::{self, IoSliceMut};
use std::net::{Ipv4Addr, SocketAddr};
use std::pin::Pin;
use std::task::{Context, Poll};
use std::time::Duration;

use quinn::udp::{RecvMeta, Transmit};
use quinn::{AsyncUdpSocket, EndpointConfig, TokioRuntime, UdpPoller};
use tokio::runtime::Handle;

use super::*;
use crate::hub::tests::options;
use crate::hub::Hub;
use crate::quic::tls::certificate::server_config;

/// A socket that can't be read.
#[derive(Debug)]
struct Broken;

impl AsyncUdpSocket for Broken {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Room)
    }

    fn try_send(&self, _transmit: &Transmit) -> io::Result<()> {
        Ok(())
    }

    fn poll_recv(
        &self,
        _cx: &mut Context,
        _bufs: &mut [IoSliceMut<'_>],
        _meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        Poll::Ready(Err(io::Error::other("the interface is gone")))
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        Ok(SocketAddr::new(Ipv4Addr::LOCALHOST.into(), 4433))
    }
}

#[derive(Debug)]
struct Room;

impl UdpPoller for Room {
    fn poll_writable(self: Pin<&mut Self>, _cx: &mut Context) -> Poll<io::Result<()>> {
        Poll::Ready(Ok(()))
    }
}

/// An endpoint with a socket that can't be read.
pub fn broken(config: Option<quinn::ServerConfig>) -> quinn::Endpoint {
    quinn::Endpoint::new_with_abstract_socket(
        EndpointConfig::default(),
        config,
        Arc::new(Broken),
        Arc::new(TokioRuntime),
    )
    .unwrap()
}

/// Accepts on a broken socket; returns the reported faults.
async fn faults(is_closing: bool) -> Vec<String> {
    let hub = Arc::new(Hub::new(options(), Handle::current(), Box::new(|| {})));
    let acceptor = Arc::new(Acceptor::new(hub.clone()));
    if is_closing {
        acceptor.begin_closing();
    }
    let accepting = accept_loop(acceptor, broken(Some(server_config())));
    timeout(Duration::from_secs(10), accepting).await.unwrap();
    let events = hub.take_events(8);
    events.into_iter().map(|event| event.text).collect()
}

#[tokio::test]
async fn the_owner_learns_that_a_socket_has_failed() {
    let told = faults(false).await;
    assert_eq!(told.len(), 1);
    assert!(told[0].contains("127.0.0.1:4433"), "{}", told[0]);
}

#[tokio::test]
async fn a_socket_that_ends_with_its_endpoint_is_no_fault() {
    assert!(faults(true).await.is_empty());
}
