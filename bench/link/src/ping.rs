//! The commands `echo` and `ping`: round trips of UDP datagrams, for namespaces in a machine that has no
//! `ping`. The echo prints its port and ends with its input; the ping prints the round trips.

use crate::options::Options;
use crate::time::{now, prioritize, sleep_until, Nanos};
use std::io::{stdin, Read};
use std::net::UdpSocket;
use std::thread;
use std::time::Duration;

const PRIORITY: i32 = 30;
const HEADER: usize = 4;
/// Time in which the last answer must come.
const LINGER: Nanos = 2_000_000_000;

pub fn echo(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = Options::parse(arguments, &["bind"])?;
    let socket = UdpSocket::bind(options.text("bind")?).map_err(|error| error.to_string())?;
    let address = socket.local_addr().map_err(|error| error.to_string())?;
    println!(r#"{{"port":{}}}"#, address.port());
    thread::spawn(move || {
        prioritize(PRIORITY);
        let mut packet = [0u8; 2048];
        loop {
            if let Ok((length, from)) = socket.recv_from(&mut packet) {
                let _ = socket.send_to(&packet[..length], from);
            }
        }
    });
    let _ = stdin().read_to_end(&mut Vec::new());
    Ok(())
}

pub fn ping(arguments: impl Iterator<Item = String>) -> Result<(), String> {
    let options = Options::parse(arguments, &["to", "count", "interval-ms", "bytes"])?;
    let count: u32 = options.get("count", 20)?;
    let every = (options.get("interval-ms", 200.0)? * 1e6) as Nanos;
    let bytes = options.get("bytes", 56usize)?.clamp(HEADER, 1472);
    let explain = |error: std::io::Error| error.to_string();
    let socket = UdpSocket::bind("0.0.0.0:0").map_err(explain)?;
    socket.connect(options.text("to")?).map_err(explain)?;
    socket
        .set_read_timeout(Some(Duration::from_millis(10)))
        .map_err(explain)?;
    let receiver = socket.try_clone().map_err(explain)?;
    let start = now() + 10_000_000;
    let receiving =
        thread::spawn(move || collect(&receiver, count, start + every * count as Nanos + LINGER));
    prioritize(PRIORITY);
    let mut sent = Vec::new();
    for number in 0..count {
        sleep_until(start + every * number as Nanos);
        let mut packet = vec![0; bytes];
        packet[..HEADER].copy_from_slice(&number.to_be_bytes());
        sent.push(now());
        let _ = socket.send(&packet);
    }
    let came = receiving
        .join()
        .map_err(|_| "the receiver died".to_string())?;
    let rtts: Vec<String> = sent
        .iter()
        .zip(&came)
        .map(|(sent, came)| {
            came.map_or("null".into(), |at| {
                format!("{:.4}", (at - sent) as f64 / 1e6)
            })
        })
        .collect();
    println!(r#"{{"rtts":[{}]}}"#, rtts.join(","));
    Ok(())
}

/// When each answer came.
fn collect(socket: &UdpSocket, count: u32, end: Nanos) -> Vec<Option<Nanos>> {
    prioritize(PRIORITY);
    let mut came = vec![None; count as usize];
    let mut left = count;
    let mut packet = [0u8; 2048];
    while left > 0 && now() < end {
        let Ok(length) = socket.recv(&mut packet) else {
            continue;
        };
        let at = now();
        if length < HEADER {
            continue;
        }
        let number = u32::from_be_bytes([0, 1, 2, 3].map(|i| packet[i])) as usize;
        if let Some(slot @ None) = came.get_mut(number) {
            *slot = Some(at);
            left -= 1;
        }
    }
    came
}
