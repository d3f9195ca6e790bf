//! Parts of QUIC besides quinn: settings, sockets, and places for connections.

pub mod congestion;
pub mod delivery;
#[cfg(not(feature = "noq"))]
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
pub mod wrapped;

#[cfg(feature = "noq")]
pub use crate::lab::with_noq as engine;
