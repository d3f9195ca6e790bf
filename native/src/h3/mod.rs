//! The part of HTTP/3 (RFC 9114) that WebTransport needs, and WebTransport
//! (draft-ietf-webtrans-http3) on it, for a server and a client. Other requests are read too, for
//! an answer with a status.

pub mod capsules;
pub mod codes;
pub mod connection;
#[cfg(test)]
mod fuzz;
pub mod head;
pub mod qpack;
pub mod session;
mod settings;
mod static_table;
pub mod wire;
