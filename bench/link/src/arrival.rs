//! Datagrams with the time at which the kernel took them in. The program that reads them may have to
//! wait for a processor, which is no part of their way.

use crate::time::{now, wall, Nanos};
use std::io::{Error, Result};
use std::mem::{size_of, size_of_val, zeroed};
use std::net::UdpSocket;
use std::os::fd::AsRawFd;

pub struct Arrival {
    pub length: usize,
    /// By the monotonic clock.
    pub at: Nanos,
    /// Time until it was read.
    pub waited: Nanos,
}

/// Asks the kernel to note the times.
pub fn note_arrivals(socket: &UdpSocket) -> Result<()> {
    let on: libc::c_int = 1;
    // SAFETY: the option's value outlives the call.
    let result = unsafe {
        libc::setsockopt(
            socket.as_raw_fd(),
            libc::SOL_SOCKET,
            libc::SO_TIMESTAMPNS,
            (&raw const on).cast(),
            size_of::<libc::c_int>() as libc::socklen_t,
        )
    };
    match result {
        0 => Ok(()),
        _ => Err(Error::last_os_error()),
    }
}

/// Reads a datagram from a socket whose arrivals are noted.
pub fn receive(socket: &UdpSocket, into: &mut [u8]) -> Result<Arrival> {
    // Words, so that the kernel's structures are aligned.
    let mut control = [0u64; 8];
    let mut part = libc::iovec {
        iov_base: into.as_mut_ptr().cast(),
        iov_len: into.len(),
    };
    // SAFETY: a plain structure, of which zero is a value.
    let mut message: libc::msghdr = unsafe { zeroed() };
    message.msg_iov = &mut part;
    message.msg_iovlen = 1;
    message.msg_control = control.as_mut_ptr().cast();
    message.msg_controllen = size_of_val(&control) as _;
    // SAFETY: all that the message points to outlives the call.
    let length = unsafe { libc::recvmsg(socket.as_raw_fd(), &mut message, 0) };
    if length < 0 {
        return Err(Error::last_os_error());
    }
    // The kernel notes times by the wall clock, which may be set or slowed at any moment.
    let waited = wall().saturating_sub(noted(&message));
    Ok(Arrival {
        length: length as usize,
        at: now().saturating_sub(waited),
        waited,
    })
}

/// The time that came with a message; without one, now.
fn noted(message: &libc::msghdr) -> Nanos {
    // SAFETY: the kernel filled the message, and its pointers are still valid.
    unsafe {
        let mut header = libc::CMSG_FIRSTHDR(message);
        while let Some(&libc::cmsghdr {
            cmsg_level,
            cmsg_type,
            ..
        }) = header.as_ref()
        {
            if (cmsg_level, cmsg_type) == (libc::SOL_SOCKET, libc::SCM_TIMESTAMPNS) {
                let spec = libc::CMSG_DATA(header)
                    .cast::<libc::timespec>()
                    .read_unaligned();
                return spec.tv_sec as Nanos * 1_000_000_000 + spec.tv_nsec as Nanos;
            }
            header = libc::CMSG_NXTHDR(message, header);
        }
    }
    wall()
}

#[cfg(test)]
mod tests {
    use super::*;

    /// The kernel begins to note times some moments after it is asked to.
    const TRIES: usize = 10_000;

    #[test]
    fn a_datagram_has_arrived_before_it_is_read() {
        let socket = UdpSocket::bind("127.0.0.1:0").unwrap();
        note_arrivals(&socket).unwrap();
        let address = socket.local_addr().unwrap();
        let noted = (0..TRIES).any(|_| {
            let before = now();
            socket.send_to(b"hello", address).unwrap();
            let sent = now();
            let arrival = receive(&socket, &mut [0; 16]).unwrap();
            assert_eq!(arrival.length, 5);
            assert!(arrival.at >= before && arrival.at + arrival.waited <= now());
            arrival.at < sent
        });
        assert!(noted);
    }
}
