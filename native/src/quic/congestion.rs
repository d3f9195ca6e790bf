use std::any::Any;
use std::sync::Arc;
use std::time::{Duration, Instant};

use napi::bindgen_prelude::Result;
use quinn::congestion::{
    Bbr, BbrConfig, Controller, ControllerFactory, Cubic, CubicConfig, NewReno, NewRenoConfig,
};
use quinn_proto::RttEstimator;

use crate::errors::invalid;
use crate::faults::{pass, Place};
use crate::quic::copa::{Copa, CopaConfig};

type Factory = Arc<dyn ControllerFactory + Send + Sync + 'static>;

/// Bytes that may be under way in any case: speech of 150 kbit/s over a round trip of 600 ms, with the
/// time in which QUIC finds out what was lost.
const LIVE_WINDOW: u64 = 32 * 1024;

/// Growth of the round trip from which on losses are taken for those of a full queue.
const QUEUE: Duration = Duration::from_millis(200);

/// The shortest round trip is remembered for one to two times this.
const MEMORY: Duration = Duration::from_secs(30);

/// A controller by the name that `settings.js` has for it; `name_of` reads it back.
pub fn factory(name: &str) -> Result<Factory> {
    Ok(match name {
        "none" => Arc::new(Unlimited),
        "copa" => Arc::new(CopaConfig),
        _ => match name.strip_suffix("-bare") {
            Some(bare) => bulk(bare)?,
            None => Arc::new(LiveConfig { inner: bulk(name)? }),
        },
    })
}

/// quinn's own controllers.
fn bulk(name: &str) -> Result<Factory> {
    Ok(match name {
        "cubic" => Arc::new(CubicConfig::default()),
        "newreno" => Arc::new(NewRenoConfig::default()),
        "bbr" => Arc::new(BbrConfig::default()),
        _ => return Err(invalid(format!("there is no congestion controller {name}"))),
    })
}

/// The name of the controller that a connection has, by its type.
pub fn name_of(controller: Box<dyn Controller>) -> &'static str {
    let (names, any) = match controller.into_any().downcast::<Live>() {
        Ok(live) => (["cubic", "newreno", "bbr"], live.inner.into_any()),
        Err(any) => (["cubic-bare", "newreno-bare", "bbr-bare"], any),
    };
    match &*any {
        any if any.is::<Cubic>() => names[0],
        any if any.is::<NewReno>() => names[1],
        any if any.is::<Bbr>() => names[2],
        any if any.is::<Copa>() => "copa",
        any if any.is::<Unlimited>() => "none",
        _ => "unknown",
    }
}

/// No controller, to compare the others with: all goes out at once.
#[derive(Clone)]
struct Unlimited;

impl ControllerFactory for Unlimited {
    fn build(self: Arc<Self>, _now: Instant, _current_mtu: u16) -> Box<dyn Controller> {
        Box::new(Unlimited)
    }
}

impl Controller for Unlimited {
    fn on_congestion_event(&mut self, _: Instant, _: Instant, _: bool, _: u64) {}

    fn on_mtu_update(&mut self, _new_mtu: u16) {}

    /// Above 2^32 - 1 quinn doesn't pace.
    fn window(&self) -> u64 {
        u64::MAX
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        Box::new(Unlimited)
    }

    fn initial_window(&self) -> u64 {
        self.window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

struct LiveConfig {
    inner: Factory,
}

impl ControllerFactory for LiveConfig {
    fn build(self: Arc<Self>, now: Instant, current_mtu: u16) -> Box<dyn Controller> {
        let inner = self.inner.clone().build(now, current_mtu);
        let rtts = Rtts {
            since: now,
            least: Duration::MAX,
            before: Duration::MAX,
        };
        Box::new(Live {
            inner,
            rtts,
            queues: true,
        })
    }
}

/// Another controller, with a window that isn't smaller than live sound needs.
///
/// A controller made for bulk data shrinks its window at each loss, and a session sends too little to make
/// it grow again: with 10 % of random loss it stays at two packets a round trip (RFC 9002, section 7.2),
/// less than speech sends. Packets that don't fit wait and come too late. A larger window doesn't make us
/// send faster: a session's rate is its codec's, some 150 kbit/s with redundancy. A TCP gets more with that
/// loss and a round trip of 60 ms (280 kbit/s by RFC 5348, section 3.1), and RFC 8083, section 4.3, has a
/// sender of sound stop at ten times a TCP's rate. So loss alone is no reason to hold back.
///
/// Two things are reasons. Where nothing is acknowledged, no more than the window is sent. Where the round
/// trip grows, our packets fill a queue: then the other controller's window holds, and old packets are
/// dropped here instead of waiting there. The first round trip has the other controller's window too (RFC
/// 9002, section 7.2: ten packets).
struct Live {
    inner: Box<dyn Controller>,
    rtts: Rtts,
    /// Whether the round trips say that a queue fills; true until there is one.
    queues: bool,
}

/// The shortest of the recent smoothed round trips.
#[derive(Clone)]
struct Rtts {
    since: Instant,
    least: Duration,
    before: Duration,
}

impl Rtts {
    fn add(&mut self, now: Instant, rtt: Duration) -> Duration {
        if now.saturating_duration_since(self.since) > MEMORY {
            self.since = now;
            self.before = std::mem::replace(&mut self.least, rtt);
        }
        self.least = self.least.min(rtt);
        self.least.min(self.before)
    }
}

impl Controller for Live {
    fn on_sent(&mut self, now: Instant, bytes: u64, last_packet_number: u64) {
        pass(Place::Connection);
        self.inner.on_sent(now, bytes, last_packet_number);
    }

    fn on_ack(
        &mut self,
        now: Instant,
        sent: Instant,
        bytes: u64,
        app_limited: bool,
        rtt: &RttEstimator,
    ) {
        self.inner.on_ack(now, sent, bytes, app_limited, rtt);
        self.queues = rtt.get() > self.rtts.add(now, rtt.get()) + QUEUE;
    }

    fn on_end_acks(
        &mut self,
        now: Instant,
        in_flight: u64,
        app_limited: bool,
        largest_packet_num_acked: Option<u64>,
    ) {
        self.inner
            .on_end_acks(now, in_flight, app_limited, largest_packet_num_acked);
    }

    fn on_congestion_event(
        &mut self,
        now: Instant,
        sent: Instant,
        is_persistent_congestion: bool,
        lost_bytes: u64,
    ) {
        self.inner
            .on_congestion_event(now, sent, is_persistent_congestion, lost_bytes);
    }

    fn on_mtu_update(&mut self, new_mtu: u16) {
        self.inner.on_mtu_update(new_mtu);
    }

    fn window(&self) -> u64 {
        let window = self.inner.window();
        if self.queues {
            window
        } else {
            window.max(LIVE_WINDOW)
        }
    }

    fn clone_box(&self) -> Box<dyn Controller> {
        let (rtts, queues) = (self.rtts.clone(), self.queues);
        Box::new(Live {
            inner: self.inner.clone_box(),
            rtts,
            queues,
        })
    }

    fn initial_window(&self) -> u64 {
        self.inner.initial_window()
    }

    fn into_any(self: Box<Self>) -> Box<dyn Any> {
        self
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    const NAMES: [&str; 8] = [
        "cubic",
        "newreno",
        "bbr",
        "cubic-bare",
        "newreno-bare",
        "bbr-bare",
        "none",
        "copa",
    ];

    #[test]
    fn builds_the_controller_that_is_asked_for() {
        for name in NAMES {
            let controller = factory(name).unwrap().build(Instant::now(), 1200);
            assert_eq!(name_of(controller.clone_box()), name);
            assert_eq!(name_of(controller), name);
        }
    }

    #[test]
    fn knows_no_other() {
        for name in [
            "",
            "vegas",
            "Cubic",
            "none-bare",
            "copa-bare",
            "cubic-bare-bare",
            "-bare",
        ] {
            assert!(factory(name).is_err(), "{name}");
        }
    }

    #[test]
    fn has_no_window_and_no_pacing_for_none() {
        let mut none = factory("none").unwrap().build(Instant::now(), 1200);
        none.on_congestion_event(Instant::now(), Instant::now(), true, 1200);
        assert!(none.window() > u64::from(u32::MAX));
        assert!(none.initial_window() > u64::from(u32::MAX));
    }
}
