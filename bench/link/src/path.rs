//! One direction of the link, as a model without a clock. Packets and times go in, packets and their
//! departure times come out.
//!
//! A packet goes through the queue before the bottleneck, the bottleneck's rate, a loss, and the flight:
//! delay, jitter and stalls. A lost packet has used its share of the rate, as on a real link.

use crate::counters::Counters;
use crate::jitter::{sample, Stalls};
use crate::loss::{Fate, Loss};
use crate::random::{Draws, Purpose, Random, Slots};
use crate::settings::{Distribution, Settings};
use crate::time::{from_ms, Nanos};
use std::cmp::Reverse;
use std::collections::{BinaryHeap, VecDeque};

/// Limit of packets kept at once, queued and in flight.
pub const MAX_HELD: usize = 32_768;

#[derive(Debug, PartialEq, Eq, PartialOrd, Ord)]
struct Flying {
    due: Nanos,
    index: u64,
    bytes: Vec<u8>,
}

struct Waiting {
    arrived: Nanos,
    index: u64,
    drawn: u64,
    fate: Fate,
    bytes: Vec<u8>,
}

/// A packet whose time has come.
pub struct Departure {
    pub due: Nanos,
    pub bytes: Vec<u8>,
}

/// A change of the settings at a time to come.
pub type Step = (Nanos, Vec<String>);

pub struct Path {
    settings: Settings,
    /// The settings that it began with.
    opened: Settings,
    random: Random,
    loss: Loss,
    stalls: Stalls,
    steps: VecDeque<Step>,
    waiting: VecDeque<Waiting>,
    waiting_bytes: usize,
    /// When the head of the queue is through the bottleneck, and when that is free again.
    head: Option<(Nanos, Nanos)>,
    free: Nanos,
    last_exit: Nanos,
    flying: BinaryHeap<Reverse<Flying>>,
    last_due: Nanos,
    arrivals: u64,
    draws: Draws,
    stream: u64,
    delivered_up_to: u64,
    spare: Vec<Vec<u8>>,
    pub counters: Counters,
}

impl Path {
    /// `stream` distinguishes the directions of one link.
    pub fn new(settings: Settings, seed: u64, stream: u64) -> Self {
        let random = Random::new(seed, stream);
        Self {
            opened: settings.clone(),
            settings,
            stalls: Stalls::new(random.clone()),
            random,
            loss: Loss::default(),
            steps: VecDeque::new(),
            waiting: VecDeque::new(),
            waiting_bytes: 0,
            head: None,
            free: 0,
            last_exit: 0,
            flying: BinaryHeap::new(),
            last_due: 0,
            arrivals: 0,
            draws: Draws::default(),
            stream,
            delivered_up_to: 0,
            spare: Vec::new(),
            counters: Counters::default(),
        }
    }

    pub fn held(&self) -> usize {
        self.waiting.len() + self.flying.len()
    }

    pub fn stats(&self) -> String {
        self.counters
            .to_json(self.held(), self.waiting.len(), self.steps.len())
    }

    /// A packet comes in at `at`; times must not go back.
    pub fn arrive(&mut self, at: Nanos, bytes: &[u8]) {
        self.advance(at);
        let index = self.arrivals;
        self.arrivals += 1;
        self.counters.arrived.add(bytes.len());
        let drawn = self.draws.next(at);
        let fate = self.loss.decide(&self.settings, &self.random, drawn);
        if self.held() >= MAX_HELD {
            self.counters.dropped_full.add(bytes.len());
            return;
        }
        if self.queue_is_full(at) {
            self.counters.dropped_queue.add(bytes.len());
            return;
        }
        let mut kept = self.spare.pop().unwrap_or_default();
        kept.clear();
        kept.extend_from_slice(bytes);
        self.waiting_bytes += bytes.len();
        self.waiting.push_back(Waiting {
            arrived: at,
            index,
            drawn,
            fate,
            bytes: kept,
        });
        self.advance(at);
        self.counters.max_queue = self.counters.max_queue.max(self.waiting.len() as u64);
    }

    /// The next packet whose time has come by `now`.
    pub fn depart(&mut self, now: Nanos) -> Option<Departure> {
        self.advance(now);
        if self.flying.peek()?.0.due > now {
            return None;
        }
        let Reverse(Flying { due, index, bytes }) = self.flying.pop()?;
        self.counters.delivered.add(bytes.len());
        if index < self.delivered_up_to {
            self.counters.reordered.add(bytes.len());
        }
        self.delivered_up_to = self.delivered_up_to.max(index);
        Some(Departure { due, bytes })
    }

    /// The one that left last didn't arrive after all.
    pub fn refused(&mut self, bytes: usize) {
        self.counters.delivered.packets -= 1;
        self.counters.delivered.bytes -= bytes as u64;
        self.counters.failed.add(bytes);
    }

    /// Resets the counters; held packets count as having arrived just now.
    pub fn reset(&mut self) {
        self.counters.clear();
        let flying = self.flying.iter().map(|Reverse(packet)| packet.bytes.len());
        let waiting = self.waiting.iter().map(|packet| packet.bytes.len());
        flying
            .chain(waiting)
            .for_each(|bytes| self.counters.arrived.add(bytes));
    }

    /// Gives a packet's memory back.
    pub fn recycle(&mut self, bytes: Vec<u8>) {
        self.spare.push(bytes);
    }

    /// Restarts the random numbers: the next packet's fate, jitter and stalls are those of a link that begins now.
    /// With slots, fates and jitter restart in each; a burst lasts on into the next.
    pub fn seed(&mut self, at: Nanos, seed: u64, slots: Option<Slots>) {
        self.advance(at);
        self.random = Random::new(seed, self.stream);
        self.stalls = Stalls::new(self.random.clone());
        self.loss = Loss::default();
        self.draws = Draws::new(at, slots);
    }

    /// When there may be something to do next; never after a packet is due.
    pub fn next_event(&self) -> Option<Nanos> {
        let head = self.head.map(|(exit, _)| exit + self.least_delay());
        let flight = self.flying.peek().map(|Reverse(packet)| packet.due);
        let step = self.steps.front().map(|step| step.0);
        [head, flight, step].into_iter().flatten().min()
    }

    /// Changes the settings now, all of them or, if one is wrong, none.
    pub fn change(&mut self, at: Nanos, words: &[String]) -> Result<(), String> {
        self.advance(at);
        let mut settings = self.settings.clone();
        words.iter().try_for_each(|word| settings.apply(word))?;
        self.set(at, settings);
        Ok(())
    }

    /// Takes back all changes, and those to come.
    pub fn restore(&mut self, at: Nanos) {
        self.advance(at);
        self.steps.clear();
        self.set(at, self.opened.clone());
    }

    fn set(&mut self, at: Nanos, settings: Settings) {
        self.settings = settings;
        // The packet at the head starts again, at the new rate.
        self.last_exit = self.last_exit.max(at);
        self.plan_head();
    }

    /// Replaces the changes to come; `steps` are in order of time.
    pub fn schedule(&mut self, steps: Vec<Step>) -> Result<(), String> {
        let mut settings = self.settings.clone();
        for word in steps.iter().flat_map(|(_, words)| words) {
            settings.apply(word)?;
        }
        self.steps = steps.into();
        Ok(())
    }

    fn advance(&mut self, now: Nanos) {
        while self.steps.front().is_some_and(|step| step.0 <= now) {
            if let Some((at, words)) = self.steps.pop_front() {
                self.drain_queue(at);
                // Checked when they were scheduled.
                let _ = self.change(at, &words);
            }
        }
        self.drain_queue(now);
    }

    fn drain_queue(&mut self, now: Nanos) {
        if self.head.is_none() {
            self.plan_head();
        }
        while let Some((exit, free)) = self.head {
            if exit > now {
                return;
            }
            (self.last_exit, self.free) = (exit, free);
            if let Some(packet) = self.waiting.pop_front() {
                self.waiting_bytes -= packet.bytes.len();
                self.fly(packet, exit);
            }
            self.plan_head();
        }
    }

    fn plan_head(&mut self) {
        let rate = self.settings.rate_bits;
        self.head = self.waiting.front().map(|packet| {
            let start = packet.arrived.max(self.last_exit);
            if rate == 0.0 {
                return (start, start);
            }
            let burst = bits_time(self.settings.burst_bytes, rate);
            let taken = bits_time(packet.bytes.len() as f64, rate);
            let free = self.free.max(start.saturating_sub(burst)) + taken;
            (start.max(free), free)
        });
    }

    fn queue_is_full(&self, at: Nanos) -> bool {
        let (Some((exit, _)), Some(first)) = (self.head, self.waiting.front()) else {
            return false;
        };
        let Settings {
            queue_ms,
            rate_bits,
            ..
        } = self.settings;
        let limit = self.settings.queue_limit();
        // The one that is being sent isn't queued.
        if limit > 0 && self.waiting.len() > limit {
            return true;
        }
        let behind = (self.waiting_bytes - first.bytes.len()) as f64;
        queue_ms > 0.0 && exit.saturating_sub(at) + bits_time(behind, rate_bits) > from_ms(queue_ms)
    }

    fn fly(&mut self, packet: Waiting, at: Nanos) {
        let Waiting {
            index,
            drawn,
            fate,
            bytes,
            ..
        } = packet;
        match fate {
            Fate::Passes => {}
            Fate::LostRandom => self.counters.lost_random.add(bytes.len()),
            Fate::LostBurst => self.counters.lost_burst.add(bytes.len()),
        }
        if fate != Fate::Passes {
            return self.recycle(bytes);
        }
        let stall = self.stalls.wait(&self.settings, at);
        let mut due = at + stall + self.delay(at, drawn);
        if self.settings.reorder == 0.0 {
            due = due.max(self.last_due);
        }
        if self.random.unit(drawn, Purpose::Reorder) * 100.0 < self.settings.reorder_percent {
            due += from_ms(self.settings.reorder_ms);
        } else {
            self.last_due = self.last_due.max(due);
        }
        self.flying.push(Reverse(Flying { due, index, bytes }));
    }

    fn delay(&self, at: Nanos, drawn: u64) -> Nanos {
        if self.settings.jitter == Distribution::None {
            return from_ms(self.settings.delay_ms);
        }
        let draw = match from_ms(self.settings.jitter_hold_ms) {
            0 => drawn,
            hold => at.saturating_sub(self.draws.begun) / hold,
        };
        let u = self.random.unit(draw, Purpose::Jitter);
        let v = self.random.unit(draw, Purpose::JitterSecond);
        from_ms(self.settings.delay_ms + sample(&self.settings, u, v))
    }

    fn least_delay(&self) -> Nanos {
        let settings = &self.settings;
        match settings.jitter {
            Distribution::Normal => 0,
            Distribution::Uniform => from_ms(settings.delay_ms - settings.jitter_ms),
            _ => from_ms(settings.delay_ms),
        }
    }
}

fn bits_time(bytes: f64, rate_bits: f64) -> Nanos {
    if rate_bits == 0.0 {
        return 0;
    }
    (bytes * 8e9 / rate_bits).round() as Nanos
}

#[cfg(test)]
#[path = "path_tests.rs"]
mod tests;
