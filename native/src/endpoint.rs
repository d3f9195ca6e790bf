use std::net::{IpAddr, SocketAddr};
use std::sync::{Arc, Mutex};
use std::time::Duration;

use futures::future::join_all;
use napi::bindgen_prelude::{
    Float64ArraySlice, Function, Result, Uint32ArraySlice, Uint8ArraySlice,
};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;
use quinn::EndpointConfig;
use tokio::runtime::{Handle, Runtime};
use tokio::time::timeout;

use crate::client::{self, Target};
use crate::counters::Stats;
use crate::errors::{failed, invalid};
use crate::events::{Event, Kind};
use crate::faults::{catch, caught, lock};
use crate::group::Groups;
use crate::h3::codes;
use crate::hub::Hub;
use crate::inbox::Batch;
use crate::options::Options;
use crate::quic::pending::Admissions;
use crate::quic::runtime::WalledRuntime;
use crate::quic::{socket, tls};
use crate::registry::Registry;
use crate::server;
use crate::session::framed;

/// The longest that the closing of all sessions may take, and then that of the connections.
const CLOSE_LIMIT: Duration = Duration::from_millis(1000);

/// The longest wait for the threads' end; they are idle by then.
const SHUTDOWN_LIMIT: Duration = Duration::from_millis(100);

/// Bytes of a client's first packets that are kept until its connection is admitted, for one and for all.
const EARLY_BYTES: u64 = 16 * 1024;
const ALL_EARLY_BYTES: u64 = 1024 * 1024;

/// Sessions with their threads: a server's, a client's, or both.
#[napi]
pub struct Endpoint {
    pub(crate) registry: Arc<Registry>,
    pub(crate) groups: Groups,
    hub: Arc<Hub>,
    pub(crate) handle: Handle,
    runtime: Mutex<Option<Runtime>>,
    server: Mutex<Option<quinn::Endpoint>>,
    client: Mutex<Option<quinn::Endpoint>>,
}

#[napi]
impl Endpoint {
    #[napi(constructor, catch_unwind)]
    pub fn new(options: Options, readable: Function<(), ()>) -> Result<Self> {
        let runtime = tokio::runtime::Builder::new_multi_thread()
            .worker_threads(options.io_threads as usize)
            .thread_name("aloud-quic")
            .enable_all()
            .build()
            .map_err(failed)?;
        let readable = readable
            .build_threadsafe_function()
            // Weak: it holds no process alive.
            .weak::<true>()
            .build()?;
        let readable = Box::new(move || {
            readable.call((), ThreadsafeFunctionCallMode::NonBlocking);
        });
        let hub = Arc::new(Hub::new(options, runtime.handle().clone(), readable));
        Ok(Self {
            registry: Arc::new(Registry::new(hub.clone())),
            groups: Groups::default(),
            hub,
            handle: runtime.handle().clone(),
            runtime: Mutex::new(Some(runtime)),
            server: Mutex::default(),
            client: Mutex::default(),
        })
    }

    /// Milliseconds on the endpoint's own monotonic clock.
    #[napi(catch_unwind)]
    pub fn clock(&self) -> f64 {
        self.hub.clock.raw_ms()
    }

    /// Arrival times are on the endpoint's clock plus this.
    #[napi(catch_unwind)]
    pub fn set_clock_offset(&self, offset_ms: f64) {
        self.hub.clock.set_offset(offset_ms);
    }

    /// Listens; answers the port.
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
            .spawn(server::accept_loop(self.registry.clone(), endpoint.clone()));
        *lock(&self.server) = Some(endpoint);
        Ok(port)
    }

    /// From now on new sessions get this certificate; those that there are go on.
    #[napi(catch_unwind)]
    pub fn set_certificate(&self, cert_pem: String, key_pem: String) -> Result<()> {
        let config = self.server_config(&cert_pem, &key_pem)?;
        if let Some(endpoint) = &*lock(&self.server) {
            endpoint.set_server_config(Some(config));
        }
        Ok(())
    }

    /// Opens a session to a server; answers its number, or 0 when there are too many.
    #[napi(catch_unwind)]
    pub fn connect(
        &self,
        url: String,
        hashes: Vec<Uint8ArraySlice>,
        headers: Vec<String>,
    ) -> Result<u32> {
        let hashes = hashes.iter().map(|hash| hash.to_vec()).collect();
        let transport = Arc::new(self.hub.options.transport()?);
        let target = Target {
            url: url.parse::<url::Url>().map_err(invalid)?,
            headers,
            config: tls::client_config(hashes, transport)?,
        };
        let endpoint = self.client_endpoint()?;
        let Some(place) = self.hub.enter() else {
            return Ok(0);
        };
        let id = self.hub.next_id();
        let connecting = client::connect(self.registry.clone(), id, endpoint, target, place);
        self.hub.spawn(connecting);
        Ok(id)
    }

    /// Accepts a request for a session; answers false where it is none, and refuses one for something else.
    #[napi(catch_unwind)]
    pub fn accept(&self, id: u32) -> bool {
        let Some(request) = self.registry.take_request(id) else {
            return false;
        };
        if !request.is_session() {
            self.registry.breaches.requests.add(1);
            let status = request.status_of_other();
            self.hub
                .spawn(request.refuse(self.hub.options.handshake_timeout(), status));
            return false;
        }
        let registry = self.registry.clone();
        self.hub
            .spawn(async move { registry.accept(request, id).await });
        true
    }

    /// Answers a request with a status of 300 to 599.
    #[napi(catch_unwind)]
    pub fn reject(&self, id: u32, status: u16) -> Result<bool> {
        if !(300..600).contains(&status) {
            return Err(invalid(format!("{status} refuses nothing")));
        }
        let Some(request) = self.registry.take_request(id) else {
            return Ok(false);
        };
        let limit = self.hub.options.handshake_timeout();
        self.hub.spawn(request.refuse(limit, status));
        Ok(true)
    }

    /// Counts of new connections, and of what was wrong in any.
    #[napi(catch_unwind)]
    pub fn admissions(&self) -> Admissions {
        let breaches = &self.registry.breaches;
        Admissions {
            broken: breaches.connections.get(),
            requests_refused: breaches.requests.get(),
            ..self.registry.pending.admissions()
        }
    }

    /// To be called before reading: what comes later is told anew.
    #[napi(catch_unwind)]
    pub fn listening(&self) {
        self.hub.listening();
    }

    #[napi(catch_unwind)]
    pub fn events(&self, most: u32) -> Vec<Event> {
        self.hub.take_events(most as usize)
    }

    /// Fills the arrays with datagrams: the bytes one after the other, and in the index four
    /// numbers for each: session, offset, length, arrival in milliseconds. Answers how many.
    #[napi(catch_unwind)]
    pub fn recv(&self, mut bytes: Uint8ArraySlice, mut index: Float64ArraySlice) -> u32 {
        // SAFETY: JavaScript's thread is here, so nothing else touches the arrays meanwhile.
        let (bytes, index) = unsafe { (bytes.as_mut(), index.as_mut()) };
        let mut batch = Batch::new(bytes, index);
        self.hub.take_datagrams(&mut batch);
        batch.count() as u32
    }

    #[napi(catch_unwind)]
    pub fn send(&self, session: u32, bytes: Uint8ArraySlice) -> bool {
        self.registry
            .session(session)
            .is_some_and(|session| session.send_framed(&self.hub, framed(&bytes)))
    }

    /// Sends one datagram to the first `count` of these sessions; answers to how many it went.
    #[napi(catch_unwind)]
    pub fn send_many(&self, ids: Uint32ArraySlice, count: u32, bytes: Uint8ArraySlice) -> u32 {
        let framed = framed(&bytes);
        let mut sent = 0;
        let count = ids.len().min(count as usize);
        self.registry.with_sessions(&ids[..count], |session| {
            sent += u32::from(session.send_framed(&self.hub, framed.clone()));
        });
        sent
    }

    #[napi(catch_unwind)]
    pub fn close_session(&self, id: u32, code: u32, reason: String) {
        if let Some(session) = self.registry.session(id) {
            let _context = self.handle.enter();
            session
                .clone()
                .spawn(&self.hub, async move { session.close(code, &reason).await });
        }
    }

    /// To be called when the end of a session has been dealt with.
    #[napi(catch_unwind)]
    pub fn forget(&self, id: u32) {
        self.registry.forget_session(id);
    }

    #[napi(catch_unwind)]
    pub fn stats(&self, id: u32) -> Option<Stats> {
        let session = self.registry.session(id)?;
        catch(|| session.stats()).ok()
    }

    /// Closes all sessions and both sockets; the last event says when that is done.
    #[napi(catch_unwind)]
    pub fn close(&self, code: u32, reason: String) {
        let endpoints: Vec<quinn::Endpoint> = [&self.server, &self.client]
            .into_iter()
            .filter_map(|endpoint| lock(endpoint).take())
            .collect();
        let (hub, registry) = (self.hub.clone(), self.registry.clone());
        self.handle.spawn(async move {
            if let Err(message) = caught(close_all(&registry, endpoints, code, &reason)).await {
                hub.fault(0, message);
            }
            hub.event(Event::new(Kind::EndpointClosed, 0));
        });
    }

    /// Ends the threads, so that none calls into a process that exits.
    #[napi(catch_unwind)]
    pub fn shutdown(&self) {
        if let Some(runtime) = lock(&self.runtime).take() {
            runtime.shutdown_timeout(SHUTDOWN_LIMIT);
        }
    }

    fn server_config(&self, cert_pem: &str, key_pem: &str) -> Result<quinn::ServerConfig> {
        let transport = Arc::new(self.hub.options.transport()?);
        let mut config = tls::server_config(cert_pem, key_pem, transport)?;
        config
            .max_incoming(self.hub.options.max_connections as usize)
            .incoming_buffer_size(EARLY_BYTES)
            .incoming_buffer_size_total(ALL_EARLY_BYTES);
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
        let runtime = Arc::new(WalledRuntime(Arc::downgrade(&self.hub)));
        quinn::Endpoint::new(EndpointConfig::default(), config, socket, runtime).map_err(failed)
    }

    fn client_endpoint(&self) -> Result<quinn::Endpoint> {
        let mut client = lock(&self.client);
        if let Some(endpoint) = &*client {
            return Ok(endpoint.clone());
        }
        let any = SocketAddr::new(std::net::Ipv6Addr::UNSPECIFIED.into(), 0);
        let endpoint = self.bind(any, None)?;
        *client = Some(endpoint.clone());
        Ok(endpoint)
    }
}

impl Drop for Endpoint {
    fn drop(&mut self) {
        self.shutdown();
    }
}

async fn close_all(registry: &Registry, endpoints: Vec<quinn::Endpoint>, code: u32, reason: &str) {
    for endpoint in &endpoints {
        endpoint.set_server_config(None);
    }
    registry.drop_requests();
    let sessions = registry.sessions();
    join_all(sessions.iter().map(|session| async move {
        let closing = async {
            session.close(code, reason).await;
            // It fails where the time is over; the connections are closed below.
            let _ = timeout(CLOSE_LIMIT, session.inner.closed()).await;
        };
        if let Err(message) = caught(closing).await {
            session.fail(&registry.hub, message);
        }
    }))
    .await;
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
