use std::future::Future;
use std::io;
use std::net::UdpSocket;
use std::pin::Pin;
use std::sync::{Arc, Weak};
use std::time::Instant;

use quinn::{AsyncTimer, Runtime, TokioRuntime};

use crate::faults::spawn;
use crate::hub::Hub;
use crate::quic::engine::{wrap_udp_socket, Socket};
use crate::quic::timers::Timers;

/// tokio for quinn's own tasks, one for each connection and socket: a panic in one is reported.
#[derive(Debug)]
pub struct WalledRuntime {
    hub: Weak<Hub>,
    timers: Arc<Timers>,
    /// True when its sockets are a server's.
    serves: bool,
}

impl WalledRuntime {
    /// Called in the runtime's context.
    pub fn new(hub: &Arc<Hub>, serves: bool) -> Self {
        let (hub, timers) = (Arc::downgrade(hub), Timers::new());
        let runtime = Self {
            hub,
            timers,
            serves,
        };
        runtime.spawn(Box::pin(runtime.timers.clone().run()));
        runtime
    }
}

impl Runtime for WalledRuntime {
    fn new_timer(&self, at: Instant) -> Pin<Box<dyn AsyncTimer>> {
        Box::pin(self.timers.at(at))
    }

    fn spawn(&self, task: Pin<Box<dyn Future<Output = ()> + Send>>) {
        let hub = self.hub.clone();
        spawn(task, move |message| {
            if let Some(hub) = hub.upgrade() {
                hub.fault(0, message);
            }
        });
    }

    fn wrap_udp_socket(&self, socket: UdpSocket) -> io::Result<Socket> {
        wrap_udp_socket(socket, self.serves)
    }

    fn now(&self) -> Instant {
        TokioRuntime.now()
    }
}
