use std::io;
use std::net::{IpAddr, Ipv4Addr, Ipv6Addr, SocketAddr, UdpSocket};

use socket2::{Domain, Protocol, Socket, Type};

/// Buffer for a burst of packets from many sessions at once; the system may grant less.
const BUFFER_BYTES: usize = 4 * 1024 * 1024;

/// Binds a UDP socket. `::` includes IPv4, and falls back to IPv4 alone on a system without IPv6.
pub fn bind(address: SocketAddr) -> io::Result<UdpSocket> {
    match bind_one(address) {
        Err(error) if any_v6(address) && lacks_v6(&error) => bind_one(SocketAddr::new(
            Ipv4Addr::UNSPECIFIED.into(),
            address.port(),
        )),
        result => result,
    }
}

/// Why binding failed, behind the system's own name for it, which JavaScript makes the error's
/// code.
pub fn reason(error: &io::Error, address: SocketAddr) -> String {
    let code = match error.kind() {
        io::ErrorKind::AddrInUse => "EADDRINUSE",
        io::ErrorKind::AddrNotAvailable => "EADDRNOTAVAIL",
        io::ErrorKind::PermissionDenied => "EACCES",
        _ => "EIO",
    };
    format!("{code}: UDP {address} can't be had: {error}")
}

fn any_v6(address: SocketAddr) -> bool {
    address.ip() == IpAddr::V6(Ipv6Addr::UNSPECIFIED)
}

fn lacks_v6(error: &io::Error) -> bool {
    error.kind() == io::ErrorKind::AddrNotAvailable
        || error.kind() == io::ErrorKind::Unsupported
        || error.raw_os_error() == Some(97) // EAFNOSUPPORT
}

fn bind_one(address: SocketAddr) -> io::Result<UdpSocket> {
    let socket = Socket::new(
        Domain::for_address(address),
        Type::DGRAM,
        Some(Protocol::UDP),
    )?;
    if any_v6(address) {
        socket.set_only_v6(false)?;
    }
    let _ = socket.set_recv_buffer_size(BUFFER_BYTES);
    let _ = socket.set_send_buffer_size(BUFFER_BYTES);
    socket.bind(&address.into())?;
    Ok(socket.into())
}

/// An address for people to read: IPv4 as such, even where it came through an IPv6 socket.
pub fn readable(address: SocketAddr) -> String {
    SocketAddr::new(address.ip().to_canonical(), address.port()).to_string()
}
