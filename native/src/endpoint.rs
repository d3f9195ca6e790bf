use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;
use napi::bindgen_prelude::{Function, Result, Uint8ArraySlice};
use napi_derive::napi;
use quinn::EndpointConfig;
use tokio::runtime::{Handle, Runtime};
use tokio::time::timeout;

use crate::acceptor::Acceptor;
use crate::client::{self, ClientSocket, Target};
use crate::errors::{failed, invalid};
use crate::events::{Event, Kind};
use crate::faults::{caught, lock};
use crate::h3::codes;
use crate::hub::Hub;
use crate::memory;
use crate::options::Options;
use crate::port::{readable, Port};
use crate::quic::pending::Admissions;
use crate::quic::runtime::WalledRuntime;
use crate::quic::{engine, socket, tls};
use crate::registry::{Registry, CLOSE_LIMIT};
use crate::server;

/// Longest wait for the threads' end; they are idle by then.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(100);

/// Bytes of a client's first packets kept until its connection is admitted, for one and for all.
const EARLY_BYTES: u64 = 16 * 1024;
const ALL_EARLY_BYTES: u64 = 1024 * 1024;

/// Sockets with the threads that serve them: a server's, a client's, or both. Sessions belong to
/// its ports.
#[napi]
pub struct Endpoint {
    acceptor: Arc<Acceptor>,
    hub: Arc<Hub>,
    handle: Handle,
    runtime: Mutex<Option<Runtime>>,
    /// One for each listening address.
    servers: Mutex<Vec<quinn::Endpoint>>,
    client: ClientSocket,
}

#[napi]
impl Endpoint {
    #[napi(constructor, catch_unwind)]
    pub fn new(options: Options, call: Function<(), ()>) -> Result<Self> {
        memory::return_freed();
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(options.io_threads as usize)
            .thread_name("aloud-quic")
            .enable_all()
            .build()
            .map_err(failed)?;
        let hub = Arc::new(Hub::new(options, runtime.handle().clone(), readable(call)?));
        Ok(Self {
            acceptor: Arc::new(Acceptor::new(hub.clone())),
            hub,
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
            servers: Mutex::default(),
            client: ClientSocket::default(),
        })
    }

    /// The endpoint's own port, with the client's sessions and all requests not accepted for
    /// another port.
    #[napi(catch_unwind)]
    pub fn port(&self) -> Port {
        Port::own(self.acceptor.own.clone())
    }

    /// Key with which other threads make ports of this endpoint.
    #[napi(catch_unwind)]
    pub fn share(&self) -> u32 {
        self.acceptor.share()
    }

    /// Removes the port of an ended thread, and closes its sessions; returns false if there was
    /// none.
    #[napi(catch_unwind)]
    pub fn close_port(&self, number: u32, code: u32, reason: String) -> bool {
        let port = self.acceptor.take_port(number);
        port.map(|port| port.abandon(code, reason)).is_some()
    }

    /// Listens on one more address; returns the port.
    #[napi(catch_unwind)]
    pub fn listen(
        &self,
        host: String,
        port: u16,
        cert_pem: String,
        key_pem: String,
    ) -> Result<u16> {
        let ip: IpAddr = host.parse().map_err(invalid)?;
        let config = self.server_config(&cert_pem, &key_pem)?;
        let endpoint = self.bind(SocketAddr::new(ip, port), Some(config))?;
        let port = endpoint.local_addr().map_err(failed)?.port();
        self.hub
            .spawn(server::accept_loop(self.acceptor.clone(), endpoint.clone()));
        lock(&self.servers).push(endpoint);
        Ok(port)
    }

    /// Sets the certificate of new sessions; existing ones go on.
    #[napi(catch_unwind)]
    pub fn set_certificate(&self, cert_pem: String, key_pem: String) -> Result<()> {
        let config = self.server_config(&cert_pem, &key_pem)?;
        for endpoint in lock(&self.servers).iter() {
            endpoint.set_server_config(Some(config.clone()));
        }
        Ok(())
    }

    /// Opens a session to a server; returns its number, or 0 when there are too many.
    #[napi(catch_unwind)]
    pub fn connect(
        &self,
        url: String,
        hashes: Vec<Uint8ArraySlice>,
        headers: Vec<String>,
    ) -> Result<u32> {
        let hashes = hashes.iter().map(|hash| hash.to_vec()).collect();
        let mut transport = self.hub.options.transport()?;
        engine::log_client(&mut transport, &url);
        let target = Target {
            url: url.parse::<url::Url>().map_err(invalid)?,
            headers,
            config: tls::client_config(hashes, Arc::new(transport))?,
        };
        let endpoint = self.client_endpoint()?;
        let Some(place) = self.acceptor.enter() else {
            return Ok(0);
        };
        let id = self.acceptor.next_id();
        let connecting = client::connect(self.acceptor.own.clone(), id, endpoint, target, place);
        self.hub.spawn(connecting);
        Ok(id)
    }

    /// Accepts a request as a session of the endpoint's own port; returns false without such a
    /// request, and refuses one for something else.
    #[napi(catch_unwind)]
    pub fn accept(&self, id: u32) -> bool {
        self.accept_for(id, self.acceptor.own.clone())
    }

    /// Accepts a request as a session of another port. Returns false when that port has gone, and
    /// leaves the request undecided; otherwise as accept().
    #[napi(catch_unwind)]
    pub fn accept_on(&self, id: u32, port: u32) -> bool {
        let port = self.acceptor.port(port);
        port.is_some_and(|port| self.accept_for(id, port))
    }

    /// Answers a request with a status of 300 to 599.
    #[napi(catch_unwind)]
    pub fn reject(&self, id: u32, status: u16) -> Result<bool> {
        if !(300..600).contains(&status) {
            return Err(invalid(format!("{status} refuses nothing")));
        }
        let Some(request) = self.acceptor.take_request(id) else {
            return Ok(false);
        };
        let limit = self.hub.options.handshake_timeout();
        self.hub.spawn(request.refuse(limit, status));
        Ok(true)
    }

    /// Counts of new connections, and of their errors.
    #[napi(catch_unwind)]
    pub fn admissions(&self) -> Admissions {
        let breaches = &self.acceptor.breaches;
        Admissions {
            broken: breaches.connections.get(),
            requests_refused: breaches.requests.get(),
            ..self.acceptor.pending.admissions()
        }
    }

    /// Closes all sessions and sockets; the last event reports the end.
    #[napi(catch_unwind)]
    pub fn close(&self, code: u32, reason: String) {
        self.acceptor.begin_closing();
        let mut endpoints = std::mem::take(&mut *lock(&self.servers));
        endpoints.extend(self.client.take());
        let (hub, acceptor) = (self.hub.clone(), self.acceptor.clone());
        self.handle.spawn(async move {
            if let Err(message) = caught(close_all(&acceptor, endpoints, code, &reason)).await {
                hub.fault(0, message);
            }
            hub.event(Event::new(Kind::EndpointClosed, 0));
        });
    }

    /// Ends the threads, so that none calls into an exiting process.
    #[napi(catch_unwind)]
    pub fn shutdown(&self) {
        if let Some(runtime) = lock(&self.runtime).take() {
            runtime.shutdown_timeout(SHUTDOWN_LIMIT);
        }
    }

    fn accept_for(&self, id: u32, port: Arc<Registry>) -> bool {
        let Some(request) = self.acceptor.take_request(id) else {
            return false;
        };
        if !request.is_session() {
            self.acceptor.breaches.requests.add(1);
            let status = request.status_of_other();
            self.hub
                .spawn(request.refuse(self.hub.options.handshake_timeout(), status));
            return false;
        }
        port.hub
            .clone()
            .spawn(async move { port.accept(request, id).await });
        true
    }

    fn server_config(&self, cert_pem: &str, key_pem: &str) -> Result<quinn::ServerConfig> {
        let transport = Arc::new(self.hub.options.transport()?);
        let mut config = tls::server_config(cert_pem, key_pem, transport)?;
        config
            .max_incoming(self.hub.options.max_connections as usize)
            .incoming_buffer_size(EARLY_BYTES)
            .incoming_buffer_size_total(ALL_EARLY_BYTES);
        #[cfg(all(feature = "lab", not(feature = "noq")))]
        lock(&self.acceptor.server_config).replace(config.clone());
        Ok(config)
    }

    fn bind(
        &self,
        address: SocketAddr,
        config: Option<quinn::ServerConfig>,
    ) -> Result<quinn::Endpoint> {
        let _context = self.handle.enter();
        let socket =
            socket::bind(address).map_err(|error| failed(socket::reason(&error, address)))?;
        let runtime = Arc::new(WalledRuntime::new(&self.hub, config.is_some()));
        quinn::Endpoint::new(EndpointConfig::default(), config, socket, runtime).map_err(failed)
    }

    fn client_endpoint(&self) -> Result<quinn::Endpoint> {
        let any = SocketAddr::new(std::net::Ipv6Addr::UNSPECIFIED.into(), 0);
        self.client.get(|| self.bind(any, None))
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shutdown();
    }
}

async fn close_all(acceptor: &Acceptor, endpoints: Vec<quinn::Endpoint>, code: u32, reason: &str) {
    for endpoint in &endpoints {
        endpoint.set_server_config(None);
    }
    acceptor.drop_requests();
    let ports = acceptor.all_ports();
    join_all(ports.iter().map(|port| port.close(code, reason))).await;
    for endpoint in &endpoints {
        endpoint.close(quinn::VarInt::from_u32(codes::NO_ERROR), b"");
    }
    let _ = timeout(CLOSE_LIMIT, async {
        for endpoint in &endpoints {
            endpoint.wait_idle().await;
        }
    })
    .await;
}
