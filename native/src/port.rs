use std::sync::Arc;

use napi::bindgen_prelude::{
    Float64ArraySlice, Function, Result, Uint32ArraySlice, Uint8ArraySlice,
};
use napi::threadsafe_function::ThreadsafeFunctionCallMode;
use napi_derive::napi;

use crate::acceptor::Acceptor;
use crate::counters::Stats;
use crate::errors::invalid;
use crate::events::Event;
use crate::faults::catch;
use crate::group::Groups;
use crate::hub::{Hub, Readable};
use crate::inbox::Batch;
use crate::outbox::Outbox;
use crate::registry::Registry;
use crate::session::framed;

/// A port for another thread than the endpoint's, by its number there.
struct Lent {
    acceptor: Arc<Acceptor>,
    number: u32,
    /// Close code and reason of its sessions, if the port goes away without close().
    last_words: (u32, String),
}

/// One JavaScript thread's part of an endpoint: its sessions and the queues of their events.
#[napi]
pub struct Port {
    pub(crate) registry: Arc<Registry>,
    pub(crate) groups: Groups,
    outbox: Arc<Outbox>,
    /// None for the endpoint's own.
    lent: Option<Lent>,
}

/// A callback into JavaScript for the engine's threads. It keeps no process alive.
pub fn readable(call: Function<(), ()>) -> Result<Readable> {
    let call = call.build_threadsafe_function().weak::<true>().build()?;
    Ok(Box::new(move || {
        call.call((), ThreadsafeFunctionCallMode::NonBlocking);
    }))
}

impl Port {
    /// The endpoint's own port.
    pub fn own(registry: Arc<Registry>) -> Self {
        Self {
            registry,
            groups: Groups::default(),
            outbox: Arc::default(),
            lent: None,
        }
    }
}

#[napi]
impl Port {
    /// Makes a port of the endpoint with this key for the calling thread. If the port goes away
    /// without being closed, as when its thread is terminated, its sessions are closed with this
    /// code and reason.
    #[napi(constructor, catch_unwind)]
    pub fn new(key: u32, code: u32, reason: String, call: Function<(), ()>) -> Result<Self> {
        let Some(acceptor) = Acceptor::shared(key) else {
            return Err(invalid("there is no endpoint of this key"));
        };
        let own = &acceptor.own.hub;
        let hub = Hub::new(own.options.clone(), own.handle().clone(), readable(call)?);
        let registry = Arc::new(Registry::new(Arc::new(hub)));
        let number = acceptor.add_port(registry.clone());
        let last_words = (code, reason);
        Ok(Self {
            registry,
            groups: Groups::default(),
            outbox: Arc::default(),
            lent: Some(Lent {
                acceptor,
                number,
                last_words,
            }),
        })
    }

    /// The endpoint's number of the port; 0 for its own.
    #[napi(getter, catch_unwind)]
    pub fn number(&self) -> u32 {
        self.lent.as_ref().map_or(0, |lent| lent.number)
    }

    /// Milliseconds on the port's own monotonic clock.
    #[napi(catch_unwind)]
    pub fn clock(&self) -> f64 {
        self.registry.hub.clock.raw_ms()
    }

    /// Sets the offset of arrival times to the port's clock.
    #[napi(catch_unwind)]
    pub fn set_clock_offset(&self, offset_ms: f64) {
        self.registry.hub.clock.set_offset(offset_ms);
    }

    /// Notifies JavaScript once at this time on the port's clock, in place of the time before;
    /// Infinity: never. Does nothing on systems without such a timer.
    #[napi(catch_unwind)]
    pub fn wake_at(&self, at_ms: f64) {
        self.registry.hub.wake_at(at_ms);
    }

    /// Called before reading: later arrivals cause a new notification.
    #[napi(catch_unwind)]
    pub fn listening(&self) {
        self.registry.hub.listening();
    }

    #[napi(catch_unwind)]
    pub fn events(&self, most: u32) -> Vec<Event> {
        self.registry.hub.take_events(most as usize)
    }

    /// Fills the arrays with datagrams: the bytes in sequence, and in the index four values for
    /// each: session, offset, length, arrival in milliseconds. Returns their number.
    #[napi(catch_unwind)]
    pub fn recv(&self, mut bytes: Uint8ArraySlice, mut index: Float64ArraySlice) -> u32 {
        // SAFETY: this is JavaScript's thread, so nothing else touches the arrays in the meantime.
        let (bytes, index) = unsafe { (bytes.as_mut(), index.as_mut()) };
        let mut batch = Batch::new(bytes, index);
        self.registry.hub.take_datagrams(&mut batch);
        batch.count() as u32
    }

    #[napi(catch_unwind)]
    pub fn send(&self, session: u32, bytes: Uint8ArraySlice) -> bool {
        let hub = &self.registry.hub;
        self.registry
            .session(session)
            .is_some_and(|session| self.outbox.send(hub, &session, framed(&bytes)))
    }

    /// Keeps datagrams of `send` and `sendMany` until `uncork`, to send many of them together.
    #[napi(catch_unwind)]
    pub fn cork(&self) {
        self.outbox.cork();
    }

    /// Sends the kept datagrams, soon and in order.
    #[napi(catch_unwind)]
    pub fn uncork(&self) {
        self.outbox.uncork(&self.registry.hub);
    }

    /// Lets datagrams of a session with this first byte wait until someone reads; a number below 0:
    /// none.
    #[napi(catch_unwind)]
    pub fn let_wait(&self, session: u32, first_byte: i32) {
        if let Some(session) = self.registry.session(session) {
            session.inbox.let_wait(u8::try_from(first_byte).ok());
        }
    }

    /// Sends one datagram to the first `count` of these sessions; returns the number that it went
    /// to.
    #[napi(catch_unwind)]
    pub fn send_many(&self, ids: Uint32ArraySlice, count: u32, bytes: Uint8ArraySlice) -> u32 {
        let (hub, framed) = (&self.registry.hub, framed(&bytes));
        let mut sent = 0;
        let count = ids.len().min(count as usize);
        self.registry.with_sessions(&ids[..count], |session| {
            sent += u32::from(self.outbox.send(hub, session, framed.clone()));
        });
        sent
    }

    #[napi(catch_unwind)]
    pub fn close_session(&self, id: u32, code: u32, reason: String) {
        if let Some(session) = self.registry.session(id) {
            let hub = &self.registry.hub;
            let _context = hub.handle().enter();
            session
                .clone()
                .spawn(hub, async move { session.close(code, &reason).await });
        }
    }

    /// Called when a session's end was processed.
    #[napi(catch_unwind)]
    pub fn forget(&self, id: u32) {
        self.registry.forget_session(id);
    }

    #[napi(catch_unwind)]
    pub fn stats(&self, id: u32) -> Option<Stats> {
        let session = self.registry.session(id)?;
        catch(|| session.stats()).ok()
    }

    /// Fills the array with PATH_FIELDS values of a session's connection; false when it is over, or
    /// the array too short.
    #[napi(catch_unwind)]
    pub fn path(&self, id: u32, mut out: Float64ArraySlice) -> bool {
        // SAFETY: this is JavaScript's thread, so nothing else touches the array in the meantime.
        let out = unsafe { out.as_mut() }.first_chunk_mut();
        let (Some(session), Some(out)) = (self.registry.session(id), out) else {
            return false;
        };
        catch(|| session.path(out)).is_ok()
    }

    /// Removes the port from its endpoint and closes its sessions. Does nothing for the endpoint's
    /// own, which goes with it.
    #[napi(catch_unwind)]
    pub fn close(&self, code: u32, reason: String) {
        if let Some(lent) = &self.lent {
            if lent.acceptor.take_port(lent.number).is_some() {
                self.registry.abandon(code, reason);
            }
        }
    }
}

impl Drop for Port {
    fn drop(&mut self) {
        if let Some(Lent {
            last_words: (code, reason),
            ..
        }) = &self.lent
        {
            self.close(*code, reason.clone());
        }
    }
}
