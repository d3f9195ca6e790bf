#!/usr/bin/env bash
# quinn counts 32 bytes beside each datagram against datagram_send_buffer_size.
. "$(dirname "$0")/lib.sh"
quinn_pieces

cat >"$work/main.rs" <<'END'
mod pair;

use quinn::TransportConfig;
use std::time::Duration;

#[tokio::main(flavor = "current_thread")]
async fn main() {
    let mut changed = false;
    for (bytes, stated) in [(40, 56), (160, 21), (430, 8)] {
        let mut config = TransportConfig::default();
        config.datagram_send_buffer_size(4_096);
        let usual = TransportConfig::default();
        let pair = pair::connect("0.0.0.0:0", Duration::ZERO, config, usual).await;
        tokio::time::sleep(Duration::from_millis(200)).await;
        // Nothing is sent until this task waits.
        for number in 0..200u8 {
            pair.server.send_datagram(vec![number; bytes].into()).unwrap();
        }
        let mut numbers = Vec::new();
        while let Ok(read) =
            tokio::time::timeout(Duration::from_millis(500), pair.client.read_datagram()).await
        {
            numbers.push(read.unwrap()[0]);
        }
        pair::claim(
            &mut changed,
            &format!("of 200 datagrams of {bytes} bytes the newest 4096 / (32 + {bytes}) are kept"),
            numbers.len() == stated && numbers.last() == Some(&199),
            format!("{}, not {}", numbers.len(), 4_096 / bytes),
        );
    }
    std::process::exit(if changed { 10 } else { 0 });
}
END
cargo_build "${quinn[@]}"
judge "$work/target/release/finding"
