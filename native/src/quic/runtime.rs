use std::future::Future;
use std::io;
use std::net::UdpSocket;
use std::pin::Pin;
use std::sync::Weak;
use std::time::Instant;

use quinn::{AsyncTimer, Runtime, TokioRuntime};

use crate::faults::spawn;
use crate::hub::Hub;
use crate::quic::engine::{wrap_udp_socket, Socket};

/// tokio for quinn's own tasks, one for each connection and socket: a panic in one is told.
#[derive(Debug)]
pub struct WalledRuntime(pub Weak<Hub>);

impl Runtime for WalledRuntime {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        TokioRuntime.new_timer(at)
    }

    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let hub = self.0.clone();
        spawn(task, move |message| {
            if let Some(hub) = hub.upgrade() {
                hub.fault(0, message);
            }
        });
    }

    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Socket> {
        wrap_udp_socket(socket)
    }

    fn now(&self) -> Instant {
        TokioRuntime.now()
    }
}
