use std::time::{Duration, Instant};

/// Bytes that may always be in flight: speech of 150 kbit/s over a round trip of 600 ms, plus
/// QUIC's time to detect losses.
const LIVE_WINDOW: u64 = 32 * 1024;

/// Growth of the round trip above which losses count as caused by a full queue.
const QUEUE: Duration = Duration::from_millis(200);

/// Memory of the shortest round trip: one to two times this.
const MEMORY: Duration = Duration::from_secs(30);

/// Room for live sound: a window of at least that need, independent of another controller's.
///
/// A controller for bulk data shrinks its window at each loss, and a session sends too little to
/// grow it again. With 10 % of random loss it stays at two packets a round trip (RFC 9002, section
/// 7.2), less than speech sends. The other packets wait and come too late. A larger window doesn't
/// increase the sending rate, which is the codec's: some 150 kbit/s with redundancy. A TCP gets
/// more with that loss and a round trip of 60 ms (280 kbit/s by RFC 5348, section 3.1). RFC 8083,
/// section 4.3, makes a sender of sound stop at ten times a TCP's rate. So loss alone is no reason
/// to hold back.
///
/// Two things are reasons. Without acknowledgements no more than the window is sent. When the round
/// trip grows, our packets fill a queue. Then the other controller's window applies, and old
/// packets are dropped here instead of waiting there. The first round trip also has the other
/// controller's window (RFC 9002, section 7.2: ten packets).
#[derive(Clone, Debug)]
pub struct Live {
    rtts: Rtts,
    /// True when the round trips show a filling queue; true until there is one.
    pub queues: bool,
}

/// The shortest of the recent smoothed round trips.
#[derive(Clone, Debug)]
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

impl Live {
    pub fn new(now: Instant) -> Self {
        let rtts = Rtts {
            since: now,
            least: Duration::MAX,
            before: Duration::MAX,
        };
        Self { rtts, queues: true }
    }

    /// Called at each acknowledgement, with the smoothed round trip.
    pub fn acknowledged(&mut self, now: Instant, rtt: Duration) {
        self.queues = rtt > self.rtts.add(now, rtt) + QUEUE;
    }

    /// The window, when the other controller's is `window`.
    pub fn least_window(&self, window: u64) -> u64 {
        if self.queues {
            window
        } else {
            window.max(LIVE_WINDOW)
        }
    }
}
