//! WebTransport over HTTP/3 for Node.js. QUIC runs on its own threads; JavaScript gets one
//! notification, then fetches events and datagrams in batches. Also Opus, and a
//! mix's arithmetic, on JavaScript's own thread.

// Tests leave out the exports to JavaScript.
#![cfg_attr(test, allow(dead_code))]

#[cfg(feature = "noq")]
extern crate noq as quinn;
#[cfg(feature = "noq")]
extern crate noq_proto as quinn_proto;

mod acceptor;
#[cfg(target_os = "linux")]
mod alarm;
#[cfg(feature = "opus")]
mod analysis;
mod client;
mod clock;
#[cfg(feature = "opus")]
mod codec_pool;
mod counters;
mod endpoint;
mod errors;
mod events;
mod faults;
mod group;
mod group_calls;
mod h3;
mod hub;
mod inbox;
#[cfg(feature = "lab")]
mod lab;
mod memory;
mod mix_math;
mod options;
#[cfg(feature = "opus")]
mod opus;
mod outbox;
mod place;
mod port;
#[cfg(target_os = "linux")]
mod program;
mod quic;
mod registry;
mod request;
mod server;
mod session;
mod stream;
mod stream_calls;
mod stream_tasks;

/// Allocator instead of the system's: docs/performance.md has the cost of a datagram with each.
#[global_allocator]
static ALLOCATOR: mimalloc::MiMalloc = mimalloc::MiMalloc;
