#!/usr/bin/env bash
# quinn's max_datagram_size() begins below 1200 and rises for four round trips, a step in each.
. "$(dirname "$0")/lib.sh"
quinn_pieces

cat >"$work/main.rs" <<'END'
mod pair;

use quinn::TransportConfig;
use std::time::{Duration, Instant};

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut changed = false;
    let pair = pair::connect(
        "0.0.0.0:0",
        Duration::from_millis(50),
        TransportConfig::default(),
        TransportConfig::default(),
    )
    .await;
    let start = Instant::now();
    let (mut sizes, mut times) = (Vec::new(), Vec::new());
    while start.elapsed() < Duration::from_secs(3) {
        let size = pair.server.max_datagram_size().unwrap();
        if sizes.last() != Some(&size) {
            sizes.push(size);
            times.push(start.elapsed().as_millis());
        }
        tokio::time::sleep(Duration::from_millis(2)).await;
    }
    let seen = format!("{sizes:?} at {times:?} ms");
    pair::claim(&mut changed, "the first size is less than 1200", sizes[0] < 1_200, seen.clone());
    pair::claim(&mut changed, "there are four steps", sizes.len() == 5, seen.clone());
    let lasts = *times.last().unwrap();
    pair::claim(
        &mut changed,
        "with a round trip of 100 ms they take at least 350 ms after the handshake",
        (300..1_500).contains(&lasts),
        format!("{lasts} ms"),
    );
    std::process::exit(if changed { 10 } else { 0 });
}
END
cargo_build "${quinn[@]}"
judge "$work/target/release/finding"
