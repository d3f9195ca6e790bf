//! quinn's UDP socket, which wakes its thread only for received datagrams. tokio's socket also
//! wakes it for the room after each sent datagram. That costs a system call that finds nothing to
//! read.

use std::future::Future;
use std::io::{self, IoSliceMut};
use std::net::{IpAddr, SocketAddr, UdpSocket};
use std::pin::Pin;
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::Arc;
use std::task::{ready, Context, Poll};
use std::time::Duration;

use quinn::udp::{RecvMeta, Transmit, UdpSocketState};
use quinn::{AsyncUdpSocket, UdpPoller};
use tokio::io::unix::AsyncFd;
use tokio::io::Interest;
use tokio::time::{sleep, Sleep};

/// Time until a full socket is tried again.
const RETRY_AFTER: Duration = Duration::from_millis(1);

#[derive(Debug)]
pub struct ReadSocket {
    io: AsyncFd<UdpSocket>,
    state: UdpSocketState,
    /// True when the last datagram found no room.
    is_full: AtomicBool,
    /// True when quinn should see IPv4 peers of an IPv6 socket as IPv4 addresses.
    is_canonical: bool,
}

impl ReadSocket {
    /// Called in the runtime's context. `serves` is false for clients: on an IPv6 socket quinn
    /// knows an IPv4 server by its mapped address.
    pub fn new(socket: UdpSocket, serves: bool) -> io::Result<Self> {
        let is_canonical = serves && socket.local_addr()?.is_ipv6();
        let state = UdpSocketState::new((&socket).into())?;
        // SAFETY: the descriptor belongs to the UdpSocket, and stays the same and open as long as
        // it.
        let io = unsafe { AsyncFd::register_with_interest(socket, Interest::READABLE) }?;
        Ok(Self {
            io,
            state,
            is_full: AtomicBool::new(false),
            is_canonical,
        })
    }
}

/// The IPv4 address inside a mapped IPv6 one. When a peer's port changes, as behind a NAT, quinn
/// keeps its path's round trip, window and MTU only for IPv4 addresses.
fn canonical(address: SocketAddr) -> SocketAddr {
    match address.ip().to_canonical() {
        ip @ IpAddr::V4(_) => SocketAddr::new(ip, address.port()),
        IpAddr::V6(_) => address,
    }
}

/// Address by which an IPv6 socket reaches an IPv4 one.
fn mapped(address: SocketAddr) -> SocketAddr {
    match address.ip() {
        IpAddr::V4(ip) => SocketAddr::new(ip.to_ipv6_mapped().into(), address.port()),
        IpAddr::V6(_) => address,
    }
}

impl AsyncUdpSocket for ReadSocket {
    fn create_io_poller(self: Arc<Self>) -> Pin<Box<dyn UdpPoller>> {
        Box::pin(Room {
            socket: self,
            retry: None,
        })
    }

    fn try_send(&self, transmit: &Transmit) -> io::Result<()> {
        let socket = self.io.get_ref().into();
        let sent = if self.is_canonical {
            let destination = mapped(transmit.destination);
            self.state.send(
                socket,
                &Transmit {
                    destination,
                    ..*transmit
                },
            )
        } else {
            self.state.send(socket, transmit)
        };
        if sent.is_err() {
            self.is_full.store(true, Ordering::Relaxed);
        }
        sent
    }

    fn poll_recv(
        &self,
        cx: &mut Context,
        bufs: &mut [IoSliceMut<'_>],
        meta: &mut [RecvMeta],
    ) -> Poll<io::Result<usize>> {
        loop {
            let mut ready = ready!(self.io.poll_read_ready(cx))?;
            let received = ready.try_io(|io| self.state.recv(io.get_ref().into(), bufs, meta));
            let Ok(received) = received else {
                continue;
            };
            if let (true, Ok(count)) = (self.is_canonical, &received) {
                for meta in &mut meta[..*count] {
                    meta.addr = canonical(meta.addr);
                }
            }
            // Fewer datagrams came than fit: later ones make the socket ready again.
            if received.as_ref().is_ok_and(|count| *count < bufs.len()) {
                ready.clear_ready();
            }
            return Poll::Ready(received);
        }
    }

    fn local_addr(&self) -> io::Result<SocketAddr> {
        self.io.get_ref().local_addr()
    }

    fn may_fragment(&self) -> bool {
        self.state.may_fragment()
    }

    fn max_transmit_segments(&self) -> usize {
        self.state.max_gso_segments()
    }

    fn max_receive_segments(&self) -> usize {
        self.state.gro_segments()
    }
}

/// Room in the socket for one connection. It is assumed without a system call.
#[derive(Debug)]
struct Room {
    socket: Arc<ReadSocket>,
    retry: Option<Pin<Box<Sleep>>>,
}

impl UdpPoller for Room {
    fn poll_writable(mut self: Pin<&mut Self>, cx: &mut Context) -> Poll<io::Result<()>> {
        if self.socket.is_full.load(Ordering::Relaxed) {
            let retry = self
                .retry
                .get_or_insert_with(|| Box::pin(sleep(RETRY_AFTER)));
            ready!(retry.as_mut().poll(cx));
            self.socket.is_full.store(false, Ordering::Relaxed);
        }
        self.retry = None;
        Poll::Ready(Ok(()))
    }
}

#[cfg(test)]
#[path = "udp_tests.rs"]
mod tests;
