//! The thread that carries one direction. It reads packets of one namespace, asks the model for their
//! fate, and writes due ones to the other namespace.

use crate::path::{Path, Step};
use crate::random::Slots;
use crate::time::{now, Nanos};
use crate::tun::{Tun, Waker};
use std::sync::mpsc::{Receiver, Sender};
use std::sync::Arc;

pub enum Command {
    Change(Vec<String>),
    Schedule(Vec<Step>),
    /// Slots of the monotonic clock.
    Seed(u64, Option<Slots>),
    Restore,
    Reset,
    Stats(Sender<String>),
    Stop,
}

pub struct Mover {
    pub path: Path,
    pub from: Arc<Tun>,
    pub to: Arc<Tun>,
    pub waker: Arc<Waker>,
    pub commands: Receiver<Command>,
    /// When the link began; the model's times count from here.
    pub epoch: Nanos,
    /// Time before a packet is due at which the thread stops sleeping.
    pub spin: Nanos,
}

/// The largest IP packet.
const MAX_PACKET: usize = 65_535;

/// Most packets that are read before due ones are sent.
const READ_AT_ONCE: usize = 8;

impl Mover {
    /// Carries packets until a stop command, or until a device is gone.
    pub fn run(mut self) -> Result<(), String> {
        let mut buffer = vec![0; MAX_PACKET];
        loop {
            self.send_due();
            if self.receive(&mut buffer)? {
                continue;
            }
            if self.sleep() && self.obey() {
                return Ok(());
            }
        }
    }

    fn elapsed(&self) -> Nanos {
        now() - self.epoch
    }

    fn send_due(&mut self) {
        loop {
            let at = self.elapsed();
            let Some(departure) = self.path.depart(at) else {
                return;
            };
            self.path.counters.lateness.record(at - departure.due);
            if !self.to.write(&departure.bytes) {
                self.path.refused(departure.bytes.len());
            }
            self.path.recycle(departure.bytes);
        }
    }

    /// Says whether there may be more to read.
    fn receive(&mut self, buffer: &mut [u8]) -> Result<bool, String> {
        for _ in 0..READ_AT_ONCE {
            match self.from.read(buffer) {
                Ok(Some(length)) => self.take(&buffer[..length]),
                Ok(None) => return Ok(false),
                Err(error) => return Err(format!("the TUN device is gone: {error}")),
            }
        }
        Ok(true)
    }

    fn take(&mut self, packet: &[u8]) {
        if packet.first().is_some_and(|byte| byte >> 4 == 4) {
            self.path.arrive(self.elapsed(), packet);
        } else {
            self.path.counters.ignored.add(packet.len());
        }
    }

    /// Sleeps until something comes in or is nearly due; says whether there are commands.
    fn sleep(&self) -> bool {
        let wait = self
            .path
            .next_event()
            .map(|due| due.saturating_sub(self.elapsed()));
        let timeout = match wait {
            Some(wait) if wait <= self.spin => return false,
            Some(wait) => Some(wait - self.spin),
            None => None,
        };
        let spec = timeout.map(|ns| libc::timespec {
            tv_sec: (ns / 1_000_000_000) as libc::time_t,
            tv_nsec: (ns % 1_000_000_000) as libc::c_long,
        });
        let spec = spec
            .as_ref()
            .map_or(std::ptr::null(), |spec| spec as *const _);
        let mut polled = [self.from.fd(), self.waker.fd()].map(|fd| libc::pollfd {
            fd,
            events: libc::POLLIN,
            revents: 0,
        });
        // SAFETY: both pointers outlive the call.
        unsafe { libc::ppoll(polled.as_mut_ptr(), 2, spec, std::ptr::null()) };
        polled[1].revents != 0
    }

    /// Does what has been asked for; says whether that was to stop.
    fn obey(&mut self) -> bool {
        self.waker.clear();
        while let Ok(command) = self.commands.try_recv() {
            let at = self.elapsed();
            match command {
                // The sender has checked words and steps.
                Command::Change(words) => drop(self.path.change(at, &words)),
                Command::Schedule(mut steps) => {
                    steps.iter_mut().for_each(|step| step.0 += at);
                    drop(self.path.schedule(steps));
                }
                Command::Seed(seed, slots) => {
                    let slots = slots.map(|slots| Slots {
                        from: slots.from.saturating_sub(self.epoch),
                        ..slots
                    });
                    self.path.seed(at, seed, slots);
                }
                Command::Restore => self.path.restore(at),
                Command::Reset => self.path.reset(),
                Command::Stats(reply) => drop(reply.send(self.path.stats())),
                Command::Stop => return true,
            }
        }
        false
    }
}
