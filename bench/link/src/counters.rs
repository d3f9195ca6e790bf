use crate::histogram::Histogram;

#[derive(Clone, Copy, Default, Debug, PartialEq)]
pub struct Count {
    pub packets: u64,
    pub bytes: u64,
}

impl Count {
    pub fn add(&mut self, bytes: usize) {
        self.packets += 1;
        self.bytes += bytes as u64;
    }

    fn to_json(self, name: &str) -> String {
        format!(
            r#""{name}":{{"packets":{},"bytes":{}}}"#,
            self.packets, self.bytes
        )
    }
}

/// The fate of one direction's packets. Each that arrived is in one of the other counters, or held.
#[derive(Clone, Default)]
pub struct Counters {
    pub arrived: Count,
    pub delivered: Count,
    pub lost_random: Count,
    pub lost_burst: Count,
    /// The queue before the bottleneck was full.
    pub dropped_queue: Count,
    /// The emulator's own memory was full.
    pub dropped_full: Count,
    /// The receiving namespace didn't take it.
    pub failed: Count,
    /// Delivered packets that came after one that had been sent later (RFC 4737).
    pub reordered: Count,
    /// Packets other than IPv4, which aren't carried, nor counted as arrived.
    pub ignored: Count,
    pub max_queue: u64,
    /// By how much the packets left later than planned, in nanoseconds.
    pub lateness: Histogram,
}

impl Counters {
    pub fn clear(&mut self) {
        let mut lateness = std::mem::take(&mut self.lateness);
        lateness.clear();
        *self = Self::default();
        self.lateness = lateness;
    }

    pub fn to_json(&self, held: usize, queued: usize, steps_left: usize) -> String {
        let counts = [
            self.arrived.to_json("arrived"),
            self.delivered.to_json("delivered"),
            self.lost_random.to_json("lostRandom"),
            self.lost_burst.to_json("lostBurst"),
            self.dropped_queue.to_json("droppedQueue"),
            self.dropped_full.to_json("droppedFull"),
            self.failed.to_json("failed"),
            self.reordered.to_json("reordered"),
            self.ignored.to_json("ignored"),
        ];
        format!(
            r#"{{{},"held":{held},"queued":{queued},"maxQueue":{},"stepsLeft":{steps_left},"lateness":{}}}"#,
            counts.join(","),
            self.max_queue,
            self.lateness.to_json()
        )
    }
}
