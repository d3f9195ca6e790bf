//! A qlog of each connection, in the directory that the environment variable `QLOGDIR` names, as
//! other implementations of QUIC have it. It is written by quinn: <https://quiclog.github.io>,
//! version 0.3, as JSON text sequences (RFC 7464).

use std::fs::File;
use std::io::LineWriter;
use std::net::SocketAddr;
use std::path::PathBuf;
use std::process;
use std::sync::atomic::{AtomicU32, Ordering};
use std::sync::Arc;

use quinn::{QlogConfig, ServerConfig, TransportConfig};

/// Number of the process's connections with a qlog.
static CONNECTIONS: AtomicU32 = AtomicU32::new(0);

/// Gives a connection's settings a qlog of their own, if the environment asks for it. `end` is
/// "client" or "server", and begins the file's name.
pub fn log(transport: &mut TransportConfig, end: &str, peer: &str) {
    let Some(directory) = std::env::var_os("QLOGDIR").filter(|name| !name.is_empty()) else {
        return;
    };
    let number = CONNECTIONS.fetch_add(1, Ordering::Relaxed) + 1;
    let name = format!("{end}-{}-{number}.sqlog", process::id());
    match File::create(PathBuf::from(directory).join(&name)) {
        Ok(file) => {
            let mut qlog = QlogConfig::default();
            // A process that is killed leaves whole lines.
            qlog.writer(Box::new(LineWriter::new(file)))
                .title(Some(format!("{end}, {peer}")));
            transport.qlog_stream(qlog.into_stream());
        }
        Err(error) => eprintln!("aloud: no qlog {name}: {error}"),
    }
}

/// Returns an endpoint's settings with a qlog for one more connection; None without `QLOGDIR`.
pub fn server_config(
    settings: impl FnOnce() -> Option<(ServerConfig, TransportConfig)>,
    peer: SocketAddr,
) -> Option<Arc<ServerConfig>> {
    std::env::var_os("QLOGDIR").filter(|name| !name.is_empty())?;
    let (mut config, mut transport) = settings()?;
    log(&mut transport, "server", &peer.to_string());
    config.transport_config(Arc::new(transport));
    Some(Arc::new(config))
}
