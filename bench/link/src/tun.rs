use std::ffi::CString;
use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, OwnedFd, RawFd};
use std::os::unix::fs::OpenOptionsExt;
use std::thread;

/// A TUN device in a network namespace: what the namespace sends through it is read here, what is
/// written here the namespace receives. One IP packet a call, never waiting.
pub struct Tun {
    fd: OwnedFd,
}

const TUNSETIFF: libc::c_ulong = 0x4004_54ca;
const IFF_TUN: libc::c_short = 0x0001;
const IFF_NO_PI: libc::c_short = 0x1000;

#[repr(C)]
struct InterfaceRequest {
    name: [u8; libc::IFNAMSIZ],
    flags: libc::c_short,
    rest: [u8; 22],
}

impl Tun {
    /// Makes the device `device` in the namespace `namespace` of `ip netns`. It is gone when this is
    /// dropped.
    pub fn open(namespace: &str, device: &str) -> Result<Self, String> {
        let (path, device) = (format!("/var/run/netns/{namespace}"), device.to_string());
        let name = namespace.to_string();
        // A thread of its own, since entering a namespace is for good.
        let opened = thread::spawn(move || enter(&path).and_then(|()| create(&device))).join();
        let opened = opened.unwrap_or_else(|_| Err(io::Error::other("the thread died")));
        opened.map_err(|error| format!("no TUN device in {name}: {error}"))
    }

    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    /// The next packet's length; None when there is none now.
    pub fn read(&self, into: &mut [u8]) -> io::Result<Option<usize>> {
        // SAFETY: `into` is writable for its length.
        let n = unsafe { libc::read(self.fd(), into.as_mut_ptr().cast(), into.len()) };
        if n >= 0 {
            return Ok(Some(n as usize));
        }
        let error = io::Error::last_os_error();
        match error.raw_os_error() {
            Some(libc::EAGAIN | libc::EINTR) => Ok(None),
            _ => Err(error),
        }
    }

    /// True if the namespace accepted the packet.
    pub fn write(&self, packet: &[u8]) -> bool {
        // SAFETY: `packet` is readable for its length.
        let n = unsafe { libc::write(self.fd(), packet.as_ptr().cast(), packet.len()) };
        n == packet.len() as isize
    }
}

fn enter(path: &str) -> io::Result<()> {
    let namespace = File::open(path)?;
    // SAFETY: the descriptor is open during the call.
    match unsafe { libc::setns(namespace.as_raw_fd(), libc::CLONE_NEWNET) } {
        0 => Ok(()),
        _ => Err(io::Error::last_os_error()),
    }
}

fn create(device: &str) -> io::Result<Tun> {
    let file = File::options()
        .read(true)
        .write(true)
        .custom_flags(libc::O_NONBLOCK)
        .open("/dev/net/tun")?;
    let device = CString::new(device)?;
    let bytes = device.as_bytes_with_nul();
    if bytes.len() > libc::IFNAMSIZ {
        return Err(io::Error::from(io::ErrorKind::InvalidInput));
    }
    let mut request = InterfaceRequest {
        name: [0; libc::IFNAMSIZ],
        flags: IFF_TUN | IFF_NO_PI,
        rest: [0; 22],
    };
    request.name[..bytes.len()].copy_from_slice(bytes);
    // SAFETY: the request has the size of the kernel's struct ifreq.
    if unsafe { libc::ioctl(file.as_raw_fd(), TUNSETIFF as _, &request) } < 0 {
        return Err(io::Error::last_os_error());
    }
    Ok(Tun { fd: file.into() })
}

/// A counter that wakes a thread which waits in `poll`.
pub struct Waker {
    fd: OwnedFd,
}

impl Waker {
    pub fn new() -> io::Result<Self> {
        // SAFETY: a new descriptor, owned from here on.
        unsafe {
            match libc::eventfd(0, libc::EFD_NONBLOCK | libc::EFD_CLOEXEC) {
                -1 => Err(io::Error::last_os_error()),
                fd => Ok(Self {
                    fd: OwnedFd::from_raw_fd(fd),
                }),
            }
        }
    }

    pub fn fd(&self) -> RawFd {
        self.fd.as_raw_fd()
    }

    pub fn wake(&self) {
        let one = 1u64;
        // SAFETY: eight readable bytes.
        unsafe { libc::write(self.fd(), (&raw const one).cast(), 8) };
    }

    pub fn clear(&self) {
        let mut count = 0u64;
        // SAFETY: eight writable bytes.
        unsafe { libc::read(self.fd(), (&raw mut count).cast(), 8) };
    }
}
