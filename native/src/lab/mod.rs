//! Congestion controllers that the lab compares with the product's: quinn's others, ours for
//! comparison, and each "bare", without room for live sound. With the feature `noq` those of noq.
//! And a qlog of each connection of quinn's.

#[cfg(not(feature = "noq"))]
mod copa;
#[cfg(not(feature = "noq"))]
pub mod qlog;
#[cfg(not(feature = "noq"))]
mod unlimited;
#[cfg(feature = "noq")]
pub mod with_noq;
#[cfg(not(feature = "noq"))]
mod with_quinn;

#[cfg(feature = "noq")]
pub use with_noq::KINDS;
#[cfg(not(feature = "noq"))]
pub use with_quinn::KINDS;
