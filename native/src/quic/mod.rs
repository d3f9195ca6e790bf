//! What QUIC needs besides quinn: settings, sockets, and places for connections.

pub mod congestion;
#[cfg(not(feature = "noq"))]
pub mod copa;
pub mod delivery;
pub mod engine;
pub mod flight;
pub mod live;
pub mod pending;
pub mod runtime;
pub mod socket;
pub mod timers;
pub mod tls;
#[cfg(all(unix, not(feature = "noq")))]
mod udp;
#[cfg(not(feature = "noq"))]
pub mod unlimited;
pub mod wrapped;
