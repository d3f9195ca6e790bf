//! The command `probe`: streams of small datagrams to another probe, and a record of the one-way delays
//! of the received ones. Both ends read the same monotonic clock, so that each direction can
//! be measured.
//!
//! It prints its address when it can receive, waits for the other's on its input, sends, and prints what
//! it found.

use crate::arrival::{note_arrivals, receive, Arrival};
use crate::histogram::Histogram;
use crate::options::Options;
use crate::time::{now, prioritize, sleep_until, Nanos};
use std::collections::HashMap;
use std::fmt::Write as _;
use std::io::{stdin, ErrorKind};
use std::net::UdpSocket;
use std::thread;
use std::time::Duration;

const OPTIONS: [&str; 9] = [
    "bind",
    "streams",
    "rate",
    "bytes",
    "acks",
    "seconds",
    "linger-ms",
    "together",
    "record",
];
const PRIORITY: i32 = 30;
const HEADER: usize = 16;
const ACK_BYTES: usize = 40;

#[derive(Clone)]
struct Load {
    streams: u32,
    rate: f64,
    bytes: usize,
    /// Further streams, as small as acknowledgements.
    acks: u32,
    seconds: f64,
    /// All streams send at the same time, like a server that mixes on one clock: at the multiples of their period.
    /// So all such probes send in the same instant.
    together: bool,
}

struct Packet {
    stream: u32,
    sequence: u32,
    /// Time under way, until the kernel of the receiving namespace had it.
    delay: Nanos,
    /// Time from then until it was read.
    waited: Nanos,
}

#[derive(Default)]
struct Received {
    packets: Vec<Packet>,
    out_of_order: u64,
    next: HashMap<u32, u32>,
}

pub fn run(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = Options::parse(arguments, &OPTIONS)?;
    let load = Load {
        streams: options.get("streams", 10)?,
        rate: options.get("rate", 50.0)?,
        bytes: options.get("bytes", 120usize)?.clamp(HEADER, 1400),
        acks: options.get("acks", 0)?,
        seconds: options.get("seconds", 5.0)?,
        together: options.get("together", 0u8)? != 0,
    };
    let linger = options.get("linger-ms", 500.0)?;
    let record = options.get("record", 0u8)? != 0;
    let explain = |error: std::io::Error| error.to_string();
    let socket = UdpSocket::bind(options.text("bind")?).map_err(explain)?;
    socket
        .set_read_timeout(Some(Duration::from_millis(20)))
        .map_err(explain)?;
    note_arrivals(&socket).map_err(explain)?;
    println!(
        r#"{{"address":"{}"}}"#,
        socket.local_addr().map_err(explain)?
    );
    let mut peer = String::new();
    stdin().read_line(&mut peer).map_err(explain)?;
    socket.connect(peer.trim()).map_err(explain)?;
    let sender = socket.try_clone().map_err(explain)?;
    let end = now() + ((load.seconds * 1000.0 + linger) * 1e6) as Nanos;
    let sending = thread::spawn(move || send(&sender, &load));
    let received = collect(&socket, end);
    let (sent, lateness) = sending.join().map_err(|_| "the sender died".to_string())?;
    println!("{}", received.to_json(sent, &lateness, record));
    Ok(())
}

/// Returns how many were sent, and how much later than planned.
fn send(socket: &UdpSocket, load: &Load) -> (u64, Histogram) {
    prioritize(PRIORITY);
    let all = load.streams + load.acks;
    let every = (1e9 / load.rate) as Nanos;
    let (mut sent, mut lateness) = (0, Histogram::default());
    let mut packet = [0u8; 1400];
    let start = if load.together {
        (now() / every + 1) * every
    } else {
        now()
    };
    for sequence in 0..(load.seconds * load.rate) as u32 {
        for stream in 0..all {
            let phase = if load.together {
                0
            } else {
                every * stream as Nanos / all as Nanos
            };
            let due = start + sequence as Nanos * every + phase;
            sleep_until(due);
            let bytes = if stream < load.streams {
                load.bytes
            } else {
                ACK_BYTES
            };
            packet[..4].copy_from_slice(&stream.to_be_bytes());
            packet[4..8].copy_from_slice(&sequence.to_be_bytes());
            let at = now();
            packet[8..16].copy_from_slice(&at.to_be_bytes());
            lateness.record(at - due);
            sent += u64::from(socket.send(&packet[..bytes]).is_ok());
        }
    }
    (sent, lateness)
}

fn collect(socket: &UdpSocket, end: Nanos) -> Received {
    prioritize(PRIORITY);
    let mut received = Received::default();
    let mut packet = [0u8; 2048];
    while now() < end {
        match receive(socket, &mut packet) {
            Ok(arrival) if arrival.length >= HEADER => received.take(&packet, &arrival),
            Err(error)
                if !matches!(
                    error.kind(),
                    ErrorKind::WouldBlock | ErrorKind::ConnectionRefused
                ) =>
            {
                break;
            }
            _ => {}
        }
    }
    received
}

impl Received {
    fn take(&mut self, packet: &[u8], arrival: &Arrival) {
        let word = |from: usize| u32::from_be_bytes([0, 1, 2, 3].map(|i| packet[from + i]));
        let (stream, sequence) = (word(0), word(4));
        let sent = (word(8) as u64) << 32 | word(12) as u64;
        let next = self.next.entry(stream).or_default();
        if sequence < *next {
            self.out_of_order += 1;
        }
        *next = (*next).max(sequence + 1);
        self.packets.push(Packet {
            stream,
            sequence,
            delay: arrival.at.saturating_sub(sent),
            waited: arrival.waited,
        });
    }

    fn to_json(&self, sent: u64, lateness: &Histogram, record: bool) -> String {
        let mut json = format!(
            r#"{{"sent":{sent},"sendLateness":{},"received":{},"outOfOrder":{},"delay":{}"#,
            lateness.to_json(),
            self.packets.len(),
            self.out_of_order,
            self.delay_json()
        );
        if record {
            let us = |ns: Nanos| ns as f64 / 1000.0;
            let all = self.packets.iter().map(|packet| {
                let Packet {
                    stream,
                    sequence,
                    delay,
                    waited,
                } = packet;
                format!("[{stream},{sequence},{:.1},{:.1}]", us(*delay), us(*waited))
            });
            let _ = write!(
                json,
                r#","packets":[{}]"#,
                all.collect::<Vec<_>>().join(",")
            );
        }
        json + "}"
    }

    /// In microseconds, exact.
    fn delay_json(&self) -> String {
        let mut sorted: Vec<f64> = self
            .packets
            .iter()
            .map(|packet| packet.delay as f64 / 1e3)
            .collect();
        sorted.sort_by(f64::total_cmp);
        let n = sorted.len().max(1) as f64;
        let mean = sorted.iter().sum::<f64>() / n;
        let variance = sorted
            .iter()
            .map(|delay| (delay - mean).powi(2))
            .sum::<f64>()
            / n;
        let at = |share: f64| {
            let rank = (sorted.len() as f64 * share).ceil() as usize;
            sorted.get(rank.max(1) - 1).copied().unwrap_or(0.0)
        };
        format!(
            r#"{{"meanUs":{mean:.1},"deviationUs":{:.1},"minUs":{:.1},"p50Us":{:.1},"p90Us":{:.1},"p99Us":{:.1},"p999Us":{:.1},"maxUs":{:.1}}}"#,
            variance.sqrt(),
            at(0.0),
            at(0.5),
            at(0.9),
            at(0.99),
            at(0.999),
            at(1.0)
        )
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn packet(stream: u32, sequence: u32, sent: Nanos) -> Vec<u8> {
        [
            &stream.to_be_bytes()[..],
            &sequence.to_be_bytes(),
            &sent.to_be_bytes(),
        ]
        .concat()
    }

    #[test]
    fn delays_and_order_are_read_from_the_packets() {
        let mut received = Received::default();
        for (sequence, delay) in [(0, 10_000), (2, 30_000), (1, 20_000)] {
            let sent = (1 << 40) + 5;
            let arrival = Arrival {
                length: HEADER,
                at: sent + delay,
                waited: 7_000,
            };
            received.take(&packet(1, sequence, sent), &arrival);
        }
        assert_eq!(received.out_of_order, 1);
        let json = received.to_json(3, &Histogram::default(), true);
        assert!(
            json.contains(r#""meanUs":20.0,"deviationUs":8.2,"minUs":10.0,"p50Us":20.0"#),
            "{json}"
        );
        assert!(
            json.ends_with(r#""packets":[[1,0,10.0,7.0],[1,2,30.0,7.0],[1,1,20.0,7.0]]}"#),
            "{json}"
        );
    }

    #[test]
    fn nothing_received_is_still_json() {
        let json = Received::default().to_json(0, &Histogram::default(), true);
        assert!(
            json.contains(r#""received":0"#) && !json.contains("NaN"),
            "{json}"
        );
    }
}
