#!/usr/bin/env bash
# quinn asked to acknowledge each tenth packet, or after 100 ms, does so more often on short paths.
. "$(dirname "$0")/lib.sh"
quinn_pieces

cat >"$work/main.rs" <<'END'
mod pair;

use quinn::{AckFrequencyConfig, TransportConfig};
use std::time::{Duration, Instant};

async fn acknowledgements(delay: u64, asked: bool) -> f64 {
    let mut config = TransportConfig::default();
    if asked {
        let mut frequency = AckFrequencyConfig::default();
        frequency.ack_eliciting_threshold(10u32.into());
        frequency.max_ack_delay(Some(Duration::from_millis(100)));
        config.ack_frequency_config(Some(frequency));
    }
    let delay = Duration::from_millis(delay);
    let pair = pair::connect("0.0.0.0:0", delay, config, TransportConfig::default()).await;
    let mut ticks = tokio::time::interval(Duration::from_millis(20));
    ticks.set_missed_tick_behavior(tokio::time::MissedTickBehavior::Delay);
    let (mut before, mut start) = (0, Instant::now());
    for count in 0..350 {
        ticks.tick().await;
        if count == 100 {
            before = pair.server.stats().frame_rx.acks;
            start = Instant::now();
        }
        pair.server.send_datagram(vec![0u8; 160].into()).unwrap();
    }
    (pair.server.stats().frame_rx.acks - before) as f64 / start.elapsed().as_secs_f64()
}

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut changed = false;
    for delay in [0, 50] {
        let asked = acknowledgements(delay, true).await;
        let usual = acknowledgements(delay, false).await;
        let near = delay == 0;
        let stated = if near { "more than the 10 of the request" } else { "at most 10" };
        pair::claim(
            &mut changed,
            &format!("round trip {} ms, 50 datagrams a second: {stated}", delay * 2),
            (asked > 12.0) == near && usual > asked,
            format!("{asked:.1} acknowledgements a second; {usual:.1} unasked"),
        );
    }
    std::process::exit(if changed { 10 } else { 0 });
}
END
cargo_build "${quinn[@]}"
judge "$work/target/release/finding"
