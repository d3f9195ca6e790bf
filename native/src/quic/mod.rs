//! What QUIC needs besides quinn: settings, sockets, and places for connections.

pub mod congestion;
pub mod copa;
pub mod pending;
pub mod runtime;
pub mod socket;
pub mod tls;
